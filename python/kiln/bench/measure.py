# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timing: contenders take turns in one process, and the median of each counts."""

import statistics
import time
from collections.abc import Callable, Mapping

import numpy as np

# A sample shorter than this is repeated: the clock and the loop around it must not show.
SHORTEST_SAMPLE = 1e-3


def _seconds(run: Callable[[], object], repeat: int) -> float:
    begin = time.perf_counter()
    for _ in range(repeat):
        run()
    return (time.perf_counter() - begin) / repeat


def medians(contenders: Mapping[str, Callable[[], object]], runs: int = 9) -> dict[str, float]:
    """Median seconds of one call, contender by contender, over `runs` interleaved samples.

    Each sample starts with a call that is not timed, so that a contender finds its own data in the
    caches and not its rival's.
    """
    repeats = {}
    for name, run in contenders.items():
        run()
        repeats[name] = max(1, round(SHORTEST_SAMPLE / max(_seconds(run, 1), 1e-7)))
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(runs):
        for name, run in contenders.items():
            run()
            samples[name].append(_seconds(run, repeats[name]))
    return {name: statistics.median(values) for name, values in samples.items()}


def aligned(shape: tuple[int, ...] | int, dtype: str = "float32") -> np.ndarray:
    """An uninitialised array whose address is a multiple of 64 bytes."""
    wanted = np.dtype(dtype)
    size = int(np.prod(shape)) * wanted.itemsize
    raw = np.empty(size + 64, np.uint8)
    begin = -raw.ctypes.data % 64
    return raw[begin : begin + size].view(wanted).reshape(shape)
