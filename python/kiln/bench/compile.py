# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Suite `compile`: from a captured kernel to a loadable object (cases named `_npu`: a program
image), in process, nothing cached.

`value` is the median of repeated compilations; `first_ms` is the first one of a fresh process, the
loading of the compiler library included; `passes` has the median milliseconds of every step. The
rows `nest_*` and `statements_*` compile generated kernels of two sizes, best of the runs, and say
how many times as long the larger one takes.
"""

import json
import linecache
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import numpy as np

import kiln
import kiln.language as tl
import kiln.triton as triton
from kiln.bench.examples import example
from kiln.bench.modelled import CHIP
from kiln.bench.native import BenchmarkError
from kiln.bench.row import Row
from kiln.kernel import CompiledKernel

ROWS, COLUMNS = 4, 1024


def _matrix() -> np.ndarray:
    return np.ones((ROWS, COLUMNS), np.float32)


def _vector() -> np.ndarray:
    return np.ones(COLUMNS, np.float32)


def _vector_add() -> CompiledKernel:
    x, y, out = _vector(), _vector(), _vector()
    return example("vector_add").vector_add_kernel[(1,)](x, y, out, x.size, BLOCK_SIZE=1024)


def _softmax() -> CompiledKernel:
    x, out = _matrix(), _matrix()
    constants = {"ACC": tl.float32, "BLOCK": COLUMNS}
    return example("softmax").softmax_kernel[(ROWS,)](
        out, x, COLUMNS, COLUMNS, COLUMNS, **constants
    )


def _layer_norm() -> CompiledKernel:
    x, out, weight, bias = _matrix(), _matrix(), _vector(), _vector()
    constants = {"ACC": tl.float32, "BLOCK": COLUMNS}
    return example("layer_norm").layer_norm_kernel[(ROWS,)](
        x, weight, bias, out, COLUMNS, COLUMNS, 1e-5, **constants
    )


def _rms_norm() -> CompiledKernel:
    x, out, weight = _matrix(), _matrix(), _vector()
    constants = {"ACC": tl.float32, "BLOCK": COLUMNS}
    return example("rms_norm").rms_norm_kernel[(ROWS,)](
        x, weight, out, COLUMNS, COLUMNS, 1e-6, **constants
    )


def _fused_elementwise() -> CompiledKernel:
    x, residual, out = _matrix(), _matrix(), _matrix()
    constants = {"APPROXIMATE": "none", "ACC": tl.float32, "BLOCK_SIZE": 1024}
    return example("fused_elementwise").fused_elementwise_kernel[(ROWS, 1)](
        x, _vector(), np.ones((ROWS, COLUMNS), np.int8), residual, out, COLUMNS, 2.0, **constants
    )


def _on_npu(make: Callable[[], CompiledKernel]) -> Callable[[], CompiledKernel]:
    def compile_and_launch() -> CompiledKernel:
        with kiln.device(CHIP):
            return make()

    return compile_and_launch


DEMOS: dict[str, Callable[[], CompiledKernel]] = {
    "vector_add_cpu": _vector_add,
    "softmax_cpu": _softmax,
    "layer_norm_cpu": _layer_norm,
    "rms_norm_cpu": _rms_norm,
    "fused_elementwise_cpu": _fused_elementwise,
    "vector_add_npu": _on_npu(_vector_add),
    "softmax_npu": _on_npu(_softmax),
}


def _generated(name: str, body: list[str]) -> CompiledKernel:
    """Compiles a kernel whose text is made here: name(x_ptr, n), `body` at four spaces."""
    lines = ["@triton.jit", f"def {name}(x_ptr, n):", *(f"    {line}" for line in body)]
    text = "\n".join(lines) + "\n"
    file = f"<generated {name}>"
    # Where inspect finds the text of a function that is in no file.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"triton": triton, "tl": tl, "__name__": __name__}
    exec(compile(text, file, "exec"), scope)  # noqa: S102
    return scope[name][(1,)](_vector(), 3)


def _nest(depth: int) -> CompiledKernel:
    """`depth` nested loops with a carried block, one statement at each level."""
    body = ["i = tl.arange(0, 256)", "x = tl.load(x_ptr + i)"]
    for level in range(depth):
        body.append("    " * level + f"for v{level} in range(n):")
        body.append("    " * (level + 1) + f"x = x * 0.5 + v{level}")
    body.append("tl.store(x_ptr + i, x)")
    return _generated(f"nest_{depth}", body)


def _statements(count: int) -> CompiledKernel:
    body = ["i = tl.arange(0, 256)", "x = tl.load(x_ptr + i)", "y = x"]
    body += [f"y = y * x + {step % 7}.5" for step in range(count)]
    body.append("tl.store(x_ptr + i, y)")
    return _generated(f"statements_{count}", body)


# Larger and smaller, and how many times as long the larger one may take.
SCALING: dict[str, tuple[Callable[[], CompiledKernel], Callable[[], CompiledKernel], float]] = {
    "nest_depth6_against_depth3": (lambda: _nest(6), lambda: _nest(3), 2.5),
    "statements_400_against_200": (lambda: _statements(400), lambda: _statements(200), 2.3),
    "statements_2000_against_1000": (lambda: _statements(2000), lambda: _statements(1000), 2.3),
}


def _compile(compiled: CompiledKernel) -> tuple[float, dict]:
    """Milliseconds and report of compiling again what `compiled` came from."""
    begin = time.perf_counter()
    report = json.loads(compiled._handle.compile_stages(["object"], compiled.asm._capture))
    milliseconds = (time.perf_counter() - begin) * 1e3
    if not report["ok"]:
        raise BenchmarkError(f"compiling again failed: {report['diagnostics']}")
    return milliseconds, report


def _passes(reports: list[dict]) -> dict[str, float]:
    times: dict[str, list[float]] = {}
    for report in reports:
        run: dict[str, float] = {}
        for step, milliseconds in report["timings_ms"]:
            run[step] = run.get(step, 0.0) + milliseconds
        for step, milliseconds in run.items():
            times.setdefault(step, []).append(milliseconds)
    return {step: round(statistics.median(values), 3) for step, values in times.items()}


def _first_in_process(case: str) -> float:
    """Milliseconds of the first launch in a process that has nothing cached."""
    program = (
        "import sys, time; from kiln.bench import compile as c, examples\n"
        "case = sys.argv[1]; examples.example(case.rpartition('_')[0])\n"
        "begin = time.perf_counter(); c.DEMOS[case]()\n"
        "print((time.perf_counter() - begin) * 1e3)"
    )
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-c", program, case],
            env=os.environ | {"KILN_CACHE_DIR": cache},
            capture_output=True,
            text=True,
        )
    if done.returncode != 0:
        raise BenchmarkError(f"a process of the compile suite failed: {done.stderr}")
    return float(done.stdout)


def _demo_row(name: str, make: Callable[[], CompiledKernel], runs: int) -> Row:
    compiled = make()
    measured = [_compile(compiled) for _ in range(runs)]
    return Row(
        "compile",
        name,
        CHIP if name.endswith("_npu") else "cpu",
        "f32",
        str(COLUMNS),
        statistics.median(milliseconds for milliseconds, _ in measured),
        "ms",
        extra={
            "first_ms": _first_in_process(name),
            "passes": _passes([report for _, report in measured]),
        },
    )


def _scaling_row(name: str, runs: int) -> Row:
    large, small, limit = SCALING[name]
    larger, smaller = large(), small()
    best = {"larger": float("inf"), "smaller": float("inf")}
    for _ in range(runs):
        for key, compiled in (("larger", larger), ("smaller", smaller)):
            best[key] = min(best[key], _compile(compiled)[0])
    return Row(
        "compile",
        name,
        "cpu",
        "f32",
        None,
        best["larger"],
        "ms",
        extra={
            "smaller_ms": best["smaller"],
            "times_smaller": best["larger"] / best["smaller"],
            "times_smaller_limit": limit,
            "passes": _passes([_compile(larger)[1]]),
        },
    )


def rows(wanted: Callable[[str], bool], quick: bool) -> Iterator[Row]:
    runs = 3 if quick else 9
    for name, make in DEMOS.items():
        if wanted(name):
            yield _demo_row(name, make, runs)
    for name in SCALING:
        if wanted(name):
            yield _scaling_row(name, runs)
