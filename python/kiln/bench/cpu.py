# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Suite `cpu`: kernels against the bound of this machine and against NumPy, on one and two threads.

Bound, in the same run and on the same threads: for arrays beyond the caches (64 MiB) the better of
memcpy and a copy with non-temporal stores, bytes read and written counted; for arrays that fit
(1 MiB) the hand-written kernel of benchmarks/cpu/reference. The value counts the bytes a kernel
must move at least. All contenders write the same array: where its pages lie makes up to a tenth of
the speed of a kernel that is bound by a cache.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from kiln import _native
from kiln.bench import native, rivals
from kiln.bench.examples import example
from kiln.bench.measure import aligned, medians
from kiln.bench.row import Row

SIZES = {"64MiB": 64 << 20, "1MiB": 1 << 20}
ROW_LENGTHS = (256, 1024, 4096)
THREADS = (1, 2)
LAYER_NORM_EPS = 2.0**-17
VECTOR_ADD_BLOCK = 4096


@dataclass
class Problem:
    """One kernel on one size: who runs it, and the array that all of them write."""

    shape: tuple[int, ...]
    moved: int  # bytes read and written, each array once
    kernel: Callable[[], object]
    reference: Callable[[int], object]
    rival: Callable[[], object]
    copies: dict[str, Callable[[int], object]]
    out: np.ndarray
    tolerance: float
    extra: dict = field(default_factory=dict)


def _inputs(shape: tuple[int, ...], count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    made = [aligned(shape) for _ in range(count)]
    for array in made:
        rng.standard_normal(out=array, dtype=np.float32)
    return made


def _copies(out: np.ndarray, x: np.ndarray) -> dict[str, Callable[[int], object]]:
    return {
        "memcpy": lambda threads: native.memcpy(out, x, threads),
        "stream": lambda threads: native.stream_copy(out, x, threads),
    }


def vector_add(size: int) -> Problem:
    x, y = _inputs((size // 4,), 2)
    out = aligned(x.shape)
    # The launch alone, as the rival is one call: Python between two launches runs on cold caches
    # and would make up a twentieth of the time.
    launch = example("vector_add").vector_add_kernel[(-(-x.size // VECTOR_ADD_BLOCK),)]
    return Problem(
        x.shape,
        3 * size,
        lambda: launch(x, y, out, x.size, BLOCK_SIZE=VECTOR_ADD_BLOCK),
        lambda threads: native.vector_add(out, x, y, threads),
        rivals.vector_add(out, x, y),
        _copies(out, x),
        out,
        0.0,
    )


def softmax(size: int, columns: int) -> Problem:
    (x,) = _inputs((size // 4 // columns, columns), 1)
    out = aligned(x.shape)
    launch = example("softmax").softmax
    return Problem(
        x.shape,
        2 * size,
        lambda: launch(x, out),
        lambda threads: native.softmax(out, x, threads),
        rivals.softmax(out, x),
        _copies(out, x),
        out,
        1e-6,
    )


def layer_norm(size: int, columns: int) -> Problem:
    (x,) = _inputs((size // 4 // columns, columns), 1)
    out = aligned(x.shape)
    weight, bias = _inputs((columns,), 2)
    eps = LAYER_NORM_EPS
    launch = example("layer_norm").layer_norm
    return Problem(
        x.shape,
        2 * size,
        lambda: launch(x, weight, bias, eps, out),
        lambda threads: native.layer_norm(out, x, weight, bias, eps, threads),
        rivals.layer_norm(out, x, weight, bias, eps),
        _copies(out, x),
        out,
        2e-5,
    )


def cases() -> Iterator[tuple[str, str, Callable[[], Problem], int]]:
    """Name, size name, how to make the problem, threads."""
    for size_name, size in SIZES.items():
        for threads in THREADS:
            end = f"threads{threads}"
            yield (
                f"vector_add_f32_{size_name}_{end}",
                size_name,
                lambda s=size: vector_add(s),
                threads,
            )
        for make in (softmax, layer_norm):
            for columns in ROW_LENGTHS:
                for threads in THREADS:
                    yield (
                        f"{make.__name__}_f32_{size_name}_rows{columns}_threads{threads}",
                        size_name,
                        lambda m=make, s=size, c=columns: m(s, c),
                        threads,
                    )


@contextmanager
def use_threads(count: int) -> Iterator[None]:
    _native.set_num_threads(count)
    try:
        yield
    finally:
        _native.set_num_threads(0)


def _check(problem: Problem, contenders: dict[str, Callable[[], object]]) -> None:
    """A wrong result has no speed."""
    results = {}
    for name, run in contenders.items():
        problem.out.fill(np.nan)
        run()
        results[name] = problem.out.copy()
    for name, other in results.items():
        difference = float(np.max(np.abs(results["kernel"] - other)))
        if not difference <= problem.tolerance:
            raise native.BenchmarkError(f"the kernel differs from the {name} by {difference:g}")


def measure(name: str, size_name: str, problem: Problem, threads: int, runs: int) -> Row:
    contenders = {
        "kernel": problem.kernel,
        "reference": lambda: problem.reference(threads),
        "rival": problem.rival,
    }
    streams = size_name == "64MiB"
    copies = {}
    if streams:
        copies = {copy: (lambda run=run: run(threads)) for copy, run in problem.copies.items()}
    with use_threads(threads):
        _check(problem, contenders)
        seconds = medians(contenders | copies, runs)

    def rate(contender: str, moved: int = problem.moved) -> float:
        return moved / seconds[contender] / 1e9

    copied = 2 * problem.out.nbytes
    rates = {copy: rate(copy, copied) for copy in problem.copies if copy in seconds}
    bound = max(rates.values()) if streams else rate("reference")
    value, numpy_rate = rate("kernel"), rate("rival")
    return Row(
        "cpu",
        name,
        "cpu",
        "f32",
        "x".join(map(str, problem.shape)),
        value,
        "GB/s",
        bound,
        value / bound,
        "numpy",
        numpy_rate,
        value / numpy_rate,
        extra={
            "threads": threads,
            "bound_kind": max(rates, key=rates.get) if streams else native.reference_level(),
            "reference": rate("reference"),
            **{f"copy_{copy}": copy_rate for copy, copy_rate in rates.items()},
        },
    )


def rows(wanted: Callable[[str], bool], quick: bool) -> Iterator[Row]:
    made: dict[tuple, Problem] = {}
    for name, size_name, make, threads in cases():
        if not wanted(name) or threads > len(os.sched_getaffinity(0)):
            continue
        key = name.rsplit("_", 1)[0]
        if key not in made:
            made = {key: make()}  # one problem at a time: the large ones take half a gigabyte
        yield measure(name, size_name, made[key], threads, 3 if quick else 15)
