# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Examples with a wrong token, line or argument: they compile, or an error says where and why.

Nothing is launched: what such a kernel computes, and whether it ends, is anybody's guess.
"""

import io
import random
import re
import tokenize
import traceback

import numpy as np
import pytest

import kiln
import kiln.tilelang as tilelang
import kiln.tilelang.language as T

CASES = 160
CALLS = {
    "expert_copy": "expert_copy(1000, 64, 2)",
    "expert_softmax": "expert_softmax(127, 128)",
    "mixed": "centre(3, 127, 128)",
    "parallel_chain": "parallel_chain(7, 130, 1.5, 'float32', 4, 64)",
    "pipelined_copy": "pipelined_copy(1000, 64, 4, 2)",
    "rms_norm": "rms_norm(7, 127, 1e-5)",
    "rotary": "rotary(5, 3, 64)",
    "softmax": "softmax(127, 128)",
    "swiglu": "swiglu.compile(np.ones((7, 128), np.float32))",
}
CONSTANTS = ["0", "1", "-1", "3", "31", "1024", "1 << 31", "-(1 << 63)", "1 << 70", "0.5", "1e39"]
CONSTANTS += ["None", "True", "'x'", "'float16'", "()", "(4, 8)", "T", "..."]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "<", "==", "and", "@"]
CALLED = ["T.copy", "T.clear", "T.exp", "T.alloc_var", "T.unroll", "T.Parallel", "T.Persistent"]
CALLED += ["T.tile.add", "T.tile.select", "T.reduce_sum", "T.where", "T.set_flag", "T.gemm"]


def mutant(text, rng):
    """The kernel with one to three changes."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        lines = text.splitlines(True)
        first = next(i for i, line in enumerate(lines) if "def " in line)
        kind = rng.randrange(6)
        if kind == 0:
            del lines[rng.randrange(first + 1, len(lines))]
        elif kind == 1:
            lines.insert(rng.randrange(first + 1, len(lines)), rng.choice(lines[first + 1 :]))
        else:
            places = list(change(text, kind))
            begin, end = rng.choice(places)
            names = sorted(set(re.findall(r"\b[a-z]\w*\b", text)))
            new = {2: CONSTANTS, 3: names + CONSTANTS, 4: OPERATORS, 5: CALLED}[kind]
            lines = [text[:begin], rng.choice(new), text[end:]]
        text = "".join(lines)
    return text


def change(text, kind):
    """Where numbers (2), names (3), operators (4) and names of the language (5) stand."""
    if kind == 5:
        yield from (match.span() for match in re.finditer(r"T\.[\w.]+", text))
        return
    starts = [0]
    for line in text.splitlines(True):
        starts.append(starts[-1] + len(line))
    wanted = {2: tokenize.NUMBER, 3: tokenize.NAME, 4: tokenize.OP}[kind]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == wanted and (kind != 4 or token.string in OPERATORS):
            yield tuple(starts[line - 1] + column for line, column in (token.start, token.end))


def compile_for(file, code, call, device):
    """Runs the file and compiles its kernel; an error that is no answer fails the test."""
    names = {"np": np, "tilelang": tilelang, "T": T, "__name__": "mutant"}
    try:
        exec(code, names)
        with kiln.device(device):
            eval(call, names).compiled(device)
    except kiln.CompilationError as error:
        assert re.search(r"\.py:\d+:\d+: error: ", str(error)) and "internal" not in str(error)
    except (kiln.KilnError, TypeError, ValueError):
        pass
    except Exception as error:
        # What Python says of the lines that it runs itself is the author's.
        if traceback.extract_tb(error.__traceback__)[-1].filename not in (str(file), "<string>"):
            raise


@pytest.mark.parametrize("seed", range(CASES))
def test_a_wrong_kernel_has_an_error_or_compiles(seed, checkout, tmp_path):
    rng = random.Random(seed)
    name = sorted(CALLS)[seed % len(CALLS)]
    text = (checkout / "examples" / "tilelang" / f"{name}.py").read_text(encoding="utf-8")
    text = text[text.index("@tilelang.jit") : text.index("def main():\n    rng")]
    file = tmp_path / f"{name}.py"
    try:
        text = mutant(text, rng)
        code = compile(text, str(file), "exec")
    except (SyntaxError, tokenize.TokenError, StopIteration, IndexError):
        return  # no Python any more
    file.write_text(text, encoding="utf-8")
    for device in ("cpu", "ascend910b"):
        compile_for(file, code, CALLS[name], device)
