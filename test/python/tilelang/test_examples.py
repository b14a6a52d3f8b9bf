# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels of examples/tilelang against float64, with odd shapes and tails.

Developer and mixed kernels run on the CPU and on the simulated NPU, within one tolerance; Expert
ones on the NPU alone. All checks of the simulator are on: a finding is an exception.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kiln
import kiln.tilelang as tilelang

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
from accuracy import DTYPES, PoisonedOutput, error_scale, random_array  # noqa: E402

from kiln.bench.examples import example  # noqa: E402

CHIP = "ascend910b"
# |error| <= 16 eps sqrt(length) S: exponentials and roots are in all of them.
ALLOWED = 16


@dataclass
class Problem:
    kernel: Any  # of the example: lazy, or the kernel itself
    arguments: tuple[Any, ...]  # that make the kernel
    inputs: tuple[np.ndarray, ...]
    reference: np.ndarray
    length: int  # terms reduced into one result
    scale: np.ndarray | float  # of a result: S of kernels/accuracy.py


def wide(array):
    return array.astype(np.float64)


def row_scale(reference, terms=0.0):
    largest = np.max(np.abs(reference), axis=-1, keepdims=True)
    return np.maximum(np.maximum(largest, terms), np.finfo(np.float32).tiny)


def parallel_chain(rng, shape, dtype):
    rows, columns = shape
    x, residual = (random_array(rng, shape, dtype) for _ in range(2))
    scale, bias = (random_array(rng, columns, dtype) for _ in range(2))
    product = wide(x) * wide(scale)
    reference = np.clip(product + wide(bias), 0, 1.5) + wide(residual)
    terms = np.abs(product) + np.abs(wide(bias)) + np.abs(wide(residual))
    kernel = example("parallel_chain", "tilelang").parallel_chain
    made = (rows, columns, 1.5, DTYPES[dtype].name)
    return Problem(kernel, made, (x, scale, bias, residual), reference, 1, terms)


def _softmax(kernel, rng, shape, dtype):
    columns = shape[1]
    x = random_array(rng, shape, dtype)
    numerator = np.exp(wide(x) - wide(x).max(axis=1, keepdims=True))
    reference = numerator / numerator.sum(axis=1, keepdims=True)
    made = (columns, -(-columns // 64) * 64, DTYPES[dtype].name)
    return Problem(kernel, made, (x,), reference, columns, row_scale(reference))


def softmax(rng, shape, dtype):
    return _softmax(example("softmax", "tilelang").softmax, rng, shape, dtype)


def expert_softmax(rng, shape, dtype):
    kernel = example("expert_softmax", "tilelang").expert_softmax
    return _softmax(kernel, rng, shape, dtype)


def rms_norm(rng, shape, dtype):
    x, weight = random_array(rng, shape, dtype), random_array(rng, shape[1], dtype)
    squares = (wide(x) ** 2).mean(axis=1, keepdims=True)
    reference = wide(x) / np.sqrt(squares + 1e-5) * wide(weight)
    kernel = example("rms_norm", "tilelang").rms_norm
    made = (*shape, 1e-5, DTYPES[dtype].name)
    return Problem(kernel, made, (x, weight), reference, shape[1], row_scale(reference))


def swiglu(rng, shape, dtype):
    both = random_array(rng, (shape[0], 2 * shape[1]), dtype)
    gate, up = np.split(wide(both), 2, axis=1)
    reference = gate / (1 + np.exp(-gate)) * up
    kernel = example("swiglu", "tilelang").swiglu
    return Problem(kernel, (), (both,), reference, 1, row_scale(reference))


def rotary(rng, shape, dtype):
    tokens, columns = shape
    heads, dim = 3, 2 * max(1, columns // 8)
    x = random_array(rng, (tokens, heads, dim), dtype)
    angle = rng.standard_normal((tokens, 1, dim // 2))
    cosine, sine = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    a, b = np.split(wide(x), 2, axis=2)
    reference = np.concatenate([a * cosine - b * sine, b * cosine + a * sine], axis=2)
    kernel = example("rotary", "tilelang").rotary
    made = (tokens, heads, dim, DTYPES[dtype].name)
    inputs = (x, cosine[:, 0], sine[:, 0])
    return Problem(kernel, made, inputs, reference, 1, row_scale(reference, 2.0))


def pipelined_copy(rng, shape, dtype, stages=2):
    x = random_array(rng, int(np.prod(shape)), dtype)
    kernel = example("pipelined_copy", "tilelang").pipelined_copy
    made = (x.size, 256, 5, stages, DTYPES[dtype].name)
    return Problem(kernel, made, (x,), np.exp(wide(x)) + 1, 1, np.exp(wide(x)) + 1)


def expert_copy(rng, shape, dtype):
    x = random_array(rng, int(np.prod(shape)), dtype)
    kernel = example("expert_copy", "tilelang").expert_copy
    made = (x.size, 256, 5, DTYPES[dtype].name)
    return Problem(kernel, made, (x,), np.exp(wide(x)) + 1, 1, np.exp(wide(x)) + 1)


def mixed(rng, shape, dtype):
    columns = shape[1]
    x = random_array(rng, shape, dtype)
    centred = wide(x) - wide(x).mean(axis=1, keepdims=True)
    reference = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
    kernel = example("mixed", "tilelang").centre
    made = (*shape, -(-columns // 64) * 64)
    # A row of one element is zero up to the rounding of its mean.
    terms = np.abs(wide(x)).max(axis=1, keepdims=True) / np.sqrt(1e-5 + (centred**2).mean())
    return Problem(kernel, made, (x,), reference, columns, row_scale(reference, terms))


BOTH = ("cpu", CHIP)
# The kernel, its dtypes, where it runs.
EXAMPLES: dict[Callable[..., Problem], tuple[tuple[str, ...], tuple[str, ...]]] = {
    parallel_chain: (("f32", "f16", "bf16"), BOTH),
    softmax: (("f32", "f16", "bf16"), BOTH),
    rms_norm: (("f32", "f16", "bf16"), BOTH),
    swiglu: (("f32",), BOTH),
    rotary: (("f32", "f16", "bf16"), BOTH),
    pipelined_copy: (("f32", "f16"), BOTH),
    mixed: (("f32",), BOTH),
    expert_softmax: (("f32",), (CHIP,)),
    expert_copy: (("f32", "f16"), (CHIP,)),
}
SHAPES = ((1, 1), (3, 7), (7, 127), (2, 1000), (17, 1023), (5, 4097))


@cache
def poisoned_kernel(kernel, arguments):
    """The kernel with its output as an argument: what it does not write shows."""
    return tilelang.compile(kernel.get_tir(*arguments))


def result_of(problem, device):
    if not problem.arguments:
        return problem.kernel(*problem.inputs, device=device)
    kernel = poisoned_kernel(problem.kernel, problem.arguments)
    dtype = next(n for n, d in DTYPES.items() if d == problem.inputs[0].dtype)
    out = PoisonedOutput(problem.reference.shape, dtype)
    kernel(*problem.inputs, out.array, device=device)
    out.check_canaries()
    return out.array


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(
    "make, dtype, device",
    [
        pytest.param(make, dtype, device, id=f"{make.__name__}-{dtype}-{device}")
        for make, (dtypes, devices) in EXAMPLES.items()
        for dtype in dtypes
        for device in devices
    ],
)
def test_example(make, dtype, device, shape):
    problem = make(np.random.default_rng(), shape, dtype)
    result = result_of(problem, device)
    observed = error_scale(result, problem.reference, problem.length, problem.scale)
    assert observed <= ALLOWED


@pytest.mark.parametrize("make", [expert_softmax, expert_copy])
def test_expert_kernels_are_refused_on_the_cpu(make):
    problem = make(np.random.default_rng(0), (3, 7), "f32")
    with pytest.raises(kiln.CompilationError, match="by hand"):
        result_of(problem, "cpu")


def modelled_cycles(run):
    run()
    report = kiln.launch_report()
    return report["kernel_cycles"] + report["write_back_cycles"]


def test_softmax_takes_the_time_of_its_triton_form():
    """One program for each row in both; modelled cycles differ by 3 % at most."""
    x = np.random.default_rng(0).standard_normal((512, 1024)).astype(np.float32)
    out = np.empty_like(x)
    triton_softmax = example("softmax").softmax
    kernel = poisoned_kernel(example("softmax", "tilelang").softmax, (1024, 1024, "float32"))
    with kiln.device(CHIP):
        triton_cycles = modelled_cycles(lambda: triton_softmax(x, out))
        tilelang_cycles = modelled_cycles(lambda: kernel(x, out))
    assert abs(tilelang_cycles - triton_cycles) <= 0.03 * triton_cycles


def test_pipelined_really_buffers():
    """More stages, less modelled time, as long as loads have something to run ahead of."""
    x = np.random.default_rng(0).standard_normal(48 * 64 * 2048).astype(np.float32)
    cycles = []
    for stages in (1, 2):
        kernel = poisoned_kernel(
            example("pipelined_copy", "tilelang").pipelined_copy,
            (x.size, 2048, 64, stages, "float32"),
        )
        out = np.empty_like(x)
        with kiln.device(CHIP):
            cycles.append(modelled_cycles(lambda k=kernel, o=out: k(x, o)))
        np.testing.assert_allclose(out, np.exp(x) + 1, rtol=1e-5)
    assert cycles[1] < 0.8 * cycles[0]
