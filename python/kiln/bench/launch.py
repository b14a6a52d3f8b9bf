# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Suite `launch`: what a launch costs when the kernel is compiled, and the first one of a process.

The kernel is the vector addition of examples/triton on three arrays of 64 elements, a grid of one.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

import numpy as np

from kiln.bench.examples import example
from kiln.bench.measure import medians
from kiln.bench.native import BenchmarkError, build_file
from kiln.bench.row import Row

ELEMENTS = 64
BLOCK = 4096
_FIRST = """
import sys, time
import numpy as np
import kiln.triton as triton
sys.modules["triton"] = triton
import kiln.language as tl
sys.modules["triton.language"] = tl
import importlib.util
spec = importlib.util.spec_from_file_location("vector_add", sys.argv[1])
module = importlib.util.module_from_spec(spec)
x = np.zeros(64, np.float32)
begin = time.perf_counter()
spec.loader.exec_module(module)
module.vector_add_kernel[(1,)](x, x.copy(), x.copy(), 64, BLOCK_SIZE=4096)
print((time.perf_counter() - begin) * 1e3)
"""


def _row(case: str, value: float, unit: str, **extra: object) -> Row:
    return Row("launch", case, "cpu", "f32", str(ELEMENTS), value, unit, extra=dict(extra))


def python_launch(quick: bool) -> Row:
    kernel = example("vector_add").vector_add_kernel
    x, y, out = (np.zeros(ELEMENTS, np.float32) for _ in range(3))

    def launch() -> None:
        kernel[(1,)](x, y, out, ELEMENTS, BLOCK_SIZE=BLOCK)

    seconds = medians({"launch": launch}, 5 if quick else 21)
    return _row("python_launch_vector_add", seconds["launch"] * 1e6, "us")


def first_launch(quick: bool) -> Row:
    """Milliseconds from the decorators to the end of the first launch, with a warm cache."""
    path = example("vector_add").__file__
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"KILN_CACHE_DIR": cache}

        def process() -> float:
            command = [sys.executable, "-c", _FIRST, str(path)]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                raise BenchmarkError(f"a process of the launch suite failed: {done.stderr}")
            return float(done.stdout)

        cold = process()
        warm = [process() for _ in range(3 if quick else 11)]
    return _row("first_launch_warm_cache", statistics.median(warm), "ms", cold_cache_ms=cold)


def cpp_launch(quick: bool) -> Row:
    kernel = example("vector_add").vector_add_kernel
    x, y, out = (np.zeros(ELEMENTS, np.float32) for _ in range(3))
    compiled = kernel[(1,)](x, y, out, ELEMENTS, BLOCK_SIZE=BLOCK)
    path = compiled._handle.path
    if not path:
        raise BenchmarkError("cpp_launch needs the kernel cache, which is switched off")
    command = [str(build_file("bin/kiln-launch-bench")), path]
    command += ["--benchmark_format=json", f"--benchmark_repetitions={3 if quick else 9}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise BenchmarkError(f"kiln-launch-bench failed: {done.stderr}")
    runs = json.loads(done.stdout)["benchmarks"]
    nanoseconds = {
        run["run_name"]: run["real_time"] for run in runs if run.get("aggregate_name") == "median"
    }
    return _row(
        "cpp_launch_vector_add",
        nanoseconds["launch"] / 1e3,
        "us",
        device_part_us=nanoseconds["deviceLaunch"] / 1e3,
    )


CASES: dict[str, Callable[[bool], Row]] = {
    "python_launch_vector_add": python_launch,
    "first_launch_warm_cache": first_launch,
    "cpp_launch_vector_add": cpp_launch,
}


def rows(wanted: Callable[[str], bool], quick: bool) -> Iterator[Row]:
    for name, case in CASES.items():
        if wanted(name):
            yield case(quick)
