# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions over rows and whole blocks: dtypes, ties, NaN, combine functions."""

import ml_dtypes
import numpy as np
import pytest

import kiln.language as tl
import kiln.triton as triton

ROWS, COLS = 5, 23


@triton.jit
def reduce_kernel(x_ptr, out_ptr, index_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    x = tl.load(x_ptr + rows[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out_ptr + rows, tl.sum(x, 1))
    tl.store(out_ptr + M + rows, tl.max(x, 1))
    tl.store(out_ptr + 2 * M + rows, tl.min(x, axis=-1))
    tl.store(out_ptr + 3 * M + 0, tl.sum(x))
    tl.store(index_ptr + rows, tl.argmax(x, 1))
    tl.store(index_ptr + M + rows, tl.argmin(x, 1))
    tl.store(index_ptr + 2 * M, tl.argmax(x, None))


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int32", "uint32", "int64", "float32", "float64"]
)
def test_rows(dtype):
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(9)
    low = 0 if dtype.kind == "u" else -9
    x = rng.integers(low, low + 18, (ROWS, COLS)).astype(dtype)
    wide = dtype if dtype.itemsize >= 4 else np.dtype(np.int32)
    out = np.zeros(3 * ROWS + 1, wide)
    index = np.zeros(2 * ROWS + 1, np.int32)
    reduce_kernel[(1,)](x, out, index, M=ROWS, N=COLS)
    want = [x.sum(1, dtype=wide), x.max(1), x.min(1), [x.sum(dtype=wide)]]
    np.testing.assert_array_equal(out, np.concatenate(want).astype(wide))
    np.testing.assert_array_equal(index, np.concatenate([x.argmax(1), x.argmin(1), [x.argmax()]]))


@triton.jit
def nan_kernel(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.store(out_ptr, tl.max(x, 0))
    tl.store(out_ptr + 1, tl.maximum(tl.load(x_ptr + 2), 1.0))
    tl.store(out_ptr + 2, tl.maximum(tl.load(x_ptr + 2), 1.0, propagate_nan=tl.PropagateNan.ALL))
    tl.store(out_ptr + 3, tl.clamp(tl.load(x_ptr + 2), -1.0, 1.0))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nan_loses_unless_propagated(dtype):
    x = np.array([0, 3, np.nan, 5, 1], dtype)
    out = np.zeros(4, dtype)
    nan_kernel[(1,)](x, out, N=5)
    np.testing.assert_array_equal(out, np.array([5, 1, np.nan, -1], dtype))


@triton.jit
def extremes_kernel(x_ptr, out_ptr, n, N: tl.constexpr):
    lanes = tl.arange(0, N)
    x = tl.load(x_ptr + lanes, mask=lanes < n, other=float("nan"))
    tl.store(out_ptr, tl.max(x, 0))
    tl.store(out_ptr + 1, tl.min(x, 0))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("length", [1, 16, 127, 512])
def test_only_rows_without_a_number_reduce_to_nan(dtype, length):
    inf, nan = np.inf, np.nan
    quiet = np.full(length, nan, dtype)
    signalling = np.full(length, nan, dtype)
    bits = signalling.view(f"u{signalling.itemsize}")
    bits ^= np.array(3 << (np.finfo(dtype).nmant - 2), bits.dtype)  # quiet bit off, the next one on
    assert np.isnan(signalling).all()
    for background in (quiet, signalling):
        for numbers in ([], [-inf], [inf], [-inf, inf], [2.5], [2.5, -7], [-0.0]):
            for shift in (0, length // 2):
                x = background.copy()
                x[shift : shift + len(numbers)] = numbers[: length - shift]
                out = np.zeros(2, dtype)
                extremes_kernel[(1,)](x, out, length, N=512)
                kept = numbers[: length - shift] or [nan]
                np.testing.assert_array_equal(out, np.array([max(kept), min(kept)], dtype))


@triton.jit
def welford(mean_a, m2_a, weight_a, mean_b, m2_b, weight_b):
    delta = mean_b - mean_a
    weight = weight_a + weight_b
    ratio = weight_b / weight
    return mean_a + delta * ratio, m2_a + m2_b + delta * delta * weight_a * ratio, weight


@triton.jit
def combine_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    x = tl.load(x_ptr + rows[:, None] * N + tl.arange(0, N)[None, :])
    mean, m2, weight = tl.reduce((x, tl.zeros_like(x), x * 0 + 1), 1, welford)
    tl.store(out_ptr + rows, mean)
    tl.store(out_ptr + M + rows, m2 / weight)
    tl.store(out_ptr + 2 * M + rows, tl.reduce(x, 1, lambda a, b: a * b))


def test_combine_functions():
    x = np.random.default_rng(10).standard_normal((ROWS, COLS)).astype(np.float32)
    out = np.zeros((3, ROWS), np.float32)
    combine_kernel[(1,)](x, out, M=ROWS, N=COLS)
    wide = x.astype(np.float64)
    np.testing.assert_allclose(out[0], wide.mean(1), atol=1e-6)
    np.testing.assert_allclose(out[1], wide.var(1), rtol=1e-5)
    np.testing.assert_allclose(out[2], wide.prod(1), rtol=1e-5)


@triton.jit
def three(a, b):
    return 3.0


@triton.jit
def constant_kernel(x_ptr, out_ptr, N: tl.constexpr):
    tl.store(out_ptr, tl.reduce(tl.load(x_ptr + tl.arange(0, N)), 0, three))


@pytest.mark.parametrize("n", [1, 5, 64, 100])
def test_combine_function_that_ignores_the_lanes(n):
    out = np.zeros(1, np.float32)
    constant_kernel[(1,)](np.ones(n, np.float32), out, N=n)
    assert out[0] == (1 if n == 1 else 3)


@triton.jit
def columns_kernel(x_ptr, out_ptr, pad_ptr, M: tl.constexpr, N: tl.constexpr):
    columns = tl.arange(0, N)
    x = tl.load(x_ptr + tl.arange(0, M)[:, None] * N + columns[None, :])
    tl.store(out_ptr + columns, tl.max(x, 0))
    pad = tl.load(pad_ptr)
    tl.store(out_ptr + N + columns, tl.load(x_ptr + columns, mask=columns < N - 1, other=pad))


@pytest.mark.parametrize("shape", [(3, 5), (4, 16), (8, 32), (2, 33)])
def test_bfloat16_columns_and_padding(shape):
    """Splats and selections of bfloat16 link, whatever the CPU."""
    x = np.random.default_rng(4).integers(-9, 9, shape).astype(ml_dtypes.bfloat16)
    out = np.zeros((2, shape[1]), ml_dtypes.bfloat16)
    columns_kernel[(1,)](x, out, np.array([0.5], ml_dtypes.bfloat16), M=shape[0], N=shape[1])
    np.testing.assert_array_equal(out[0], x.max(0))
    np.testing.assert_array_equal(out[1, :-1], x[0, :-1])
    assert out[1, -1] == 0.5


@triton.jit
def with_block(a, b):
    return a + b + tl.max(tl.zeros((4,), tl.float32), 0)


@triton.jit
def block_kernel(x_ptr, N: tl.constexpr):
    tl.store(x_ptr, tl.reduce(tl.load(x_ptr + tl.arange(0, N)), 0, with_block))


def test_combine_function_with_a_block():
    with pytest.raises(triton.CompilationError, match="works with a block, expected scalars"):
        block_kernel[(1,)](np.ones(8, np.float32), N=8)
