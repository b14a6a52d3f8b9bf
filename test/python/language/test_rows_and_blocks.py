# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of one row beside values of the whole block: their scratch must not overlap."""

import numpy as np
import pytest

import kiln.language as tl
import kiln.triton as triton


@triton.jit
def softmax_and_transposed(x, y, t, R: tl.constexpr, C: tl.constexpr):
    rows = tl.arange(0, R)
    columns = tl.arange(0, C)
    tile = tl.load(x + rows[:, None] * C + columns[None, :])
    powers = tl.exp(tile - tl.max(tile, axis=1)[:, None])
    softmax = powers / tl.sum(powers, axis=1)[:, None]
    tl.store(y + rows[:, None] * C + columns[None, :], softmax)
    tl.store(t + columns[:, None] * R + rows[None, :], tl.trans(softmax * 2.0 + tile))


@pytest.mark.parametrize("shape", [(4, 16), (8, 64), (16, 200), (32, 1000)])
def test_softmax_and_transposed(shape):
    rows, columns = shape
    x = np.random.default_rng(rows).standard_normal(shape).astype(np.float32)
    y = np.full(shape, np.nan, np.float32)
    t = np.full((columns, rows), np.nan, np.float32)
    softmax_and_transposed[(1,)](x, y, t, rows, columns)
    wide = x.astype(np.float64)
    powers = np.exp(wide - wide.max(axis=1, keepdims=True))
    softmax = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(y, softmax, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(t, (2 * softmax + wide).T, rtol=1e-5, atol=1e-6)
