# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes each set/wait pair and each barrier out of kernels that order themselves.

The simulator's checker judges what is left: it names every two accesses of the same bytes that
nothing orders, whatever order the run had. So a run without findings is one in which all that has
to be ordered still is: what was taken out is harmless.
"""

import collections
import importlib.util
import pathlib
import re
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import run  # noqa: E402

FLAG = re.compile(r"npu\.(set|wait) <(\w+)> to <(\w+)> ?\[(%\w+)\]")


def removals(text):
    """(what, line numbers) of each barrier and each set with the next wait for it."""
    lines = text.splitlines()
    flags = [(number, FLAG.search(line)) for number, line in enumerate(lines)]
    flags = [(number, match.groups()) for number, match in flags if match]
    for number, line in enumerate(lines):
        if "npu.barrier" in line:
            yield f"barrier of line {number}", [number]
    for number, (kind, *flag) in flags:
        waits = [other for other, (k, *f) in flags if k == "wait" and f == flag]
        if kind == "set" and waits:
            behind = [other for other in waits if other > number]
            yield f"set and wait of {flag}", [number, (behind or waits)[0]]


def judge(text, kernel, directory):
    lowered = run.opt(text, *run.PASSES)
    if lowered.returncode:
        assert "flag" in lowered.stderr, lowered.stderr
        return "imbalance"
    source = directory / "less.mlir"
    source.write_text(lowered.stdout)
    asm = subprocess.run(
        ["kiln-translate", "--npu-to-asm", str(source)],
        capture_output=True,
        text=True,
        check=True,
    )
    image = directory / "less.nasm"
    image.write_text(asm.stdout)
    command = ["kiln-sim", str(image), "--grid", "2"]
    for number, argument in enumerate(kernel.arguments):
        path = directory / f"less{number}.npy"
        np.save(path, argument)
        command += ["--arg", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode == 0:
        return "harmless"
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert re.search(r":\d+:\d+", said), f"no place: {said}"
    for word, verdict in [
        ("deadlock", "deadlock"),
        ("race", "race"),
        ("flag", "imbalance"),
    ]:
        if word in said:
            return verdict
    raise AssertionError(said)


def main(module, directory, *names):
    spec = importlib.util.spec_from_file_location("kernels", module)
    kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    for name in names:
        kernel = kernels.KERNELS[name]
        counts = collections.Counter()
        for what, gone in removals(kernel.text):
            lines = kernel.text.splitlines()
            for number in gone:
                lines[number] = ""
            verdict = judge("\n".join(lines), kernel, directory)
            counts[verdict] += 1
            print(f"{name}: without {what}: {verdict}")
        print(f"{name}:", ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))


if __name__ == "__main__":
    main(*sys.argv[1:])
