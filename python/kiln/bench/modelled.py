# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches on the simulated NPU whose times are modelled: what they move, and the bound of HBM."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

import kiln
from kiln.bench.examples import example
from kiln.bench.native import CHECKOUT, BenchmarkError

CHIP = "ascend910b"
EPS = 2.0**-17
KEEP = 0.5
TIME_INCLUDES = (
    "first instruction of any core to the last store in L2, then writing the dirty lines of L2 "
    "back to HBM; L2 cold; without launch and block dispatch"
)


@dataclass(frozen=True)
class Problem:
    """One launch; `moved`: bytes that it has to read from and write to HBM, each once."""

    shape: tuple[int, ...]
    moved: int
    launch: Callable[[], object]


def vector_add(size: int) -> Problem:
    x, y, out = (np.zeros(size // 4, np.float32) for _ in range(3))
    run = example("vector_add").vector_add
    return Problem(x.shape, 3 * size, lambda: run(x, y, out))


def _matrices(size: int, columns: int, count: int) -> list[np.ndarray]:
    return [np.zeros((size // 4 // columns, columns), np.float32) for _ in range(count)]


def softmax(size: int, columns: int) -> Problem:
    x, out = _matrices(size, columns, 2)
    run = example("softmax").softmax
    return Problem(x.shape, 2 * size, lambda: run(x, out))


def layer_norm(size: int, columns: int) -> Problem:
    x, out = _matrices(size, columns, 2)
    weight, bias = np.zeros((2, columns), np.float32)
    run = example("layer_norm").layer_norm
    return Problem(x.shape, 2 * size + 8 * columns, lambda: run(x, weight, bias, EPS, out))


def rms_norm(size: int, columns: int) -> Problem:
    x, out = _matrices(size, columns, 2)
    weight = np.zeros(columns, np.float32)
    run = example("rms_norm").rms_norm
    return Problem(x.shape, 2 * size + 4 * columns, lambda: run(x, weight, EPS, out))


def fused_elementwise(size: int, columns: int) -> Problem:
    x, residual, out = _matrices(size, columns, 3)
    bias, keep = np.zeros(columns, np.float32), np.ones(x.shape, np.int8)
    run = example("fused_elementwise").fused_elementwise
    return Problem(
        x.shape,
        3 * size + keep.nbytes + 4 * columns,
        lambda: run(x, bias, keep, residual, KEEP, "tanh", out),
    )


@cache
def hbm_bytes_per_second(chip: str = CHIP) -> float:
    """From the chip's file, which the simulator reads too."""
    path = CHECKOUT / "machine" / "chips" / f"{chip}.json"
    try:
        text = path.read_text()
    except OSError as error:
        raise BenchmarkError(f"{path}: {error.strerror}: benchmarks run from a checkout") from None
    return _member(json.loads(text), "hbm_bytes_per_second")["value"]


def _member(node: dict, name: str) -> dict:
    if name in node:
        return node[name]
    for child in node.values():
        if isinstance(child, dict):
            try:
                return _member(child, name)
            except KeyError:
                continue
    raise KeyError(name)


def launch(problem: Problem, **settings: object) -> dict:
    """The report of one launch on the chip, by default timing only."""
    with kiln.device(CHIP), kiln.simulation(CHIP, **({"mode": "timing_only"} | settings)):
        problem.launch()
    report = kiln.launch_report(CHIP)
    assert report is not None
    return report
