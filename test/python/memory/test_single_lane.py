# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A store of few known lanes writes nothing beside them, whatever it was narrowed from."""

import ml_dtypes
import numpy as np
import pytest

import kiln.language as tl
import kiln.triton as triton

DTYPES = {
    "int8": (np.int8, tl.int8), "int16": (np.int16, tl.int16), "uint8": (np.uint8, tl.uint8),
    "fp16": (np.float16, tl.float16), "bf16": (ml_dtypes.bfloat16, tl.bfloat16),
}  # fmt: skip


@triton.jit
def narrow(x, out, FIRST: tl.constexpr, LAST: tl.constexpr, BLOCK: tl.constexpr, TO: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    inside = (lanes >= FIRST) & (lanes < LAST)
    value = tl.load(x + lanes, mask=inside, other=0) * 3
    tl.store(out + lanes, value.to(TO), mask=inside)


@pytest.mark.parametrize("block", [16, 64])
@pytest.mark.parametrize("first, last", [(0, 1), (1, 2), (5, 6), (15, 16), (0, 2), (3, 6)])
@pytest.mark.parametrize("name", DTYPES)
def test_nothing_beside_the_lanes_is_written(name, first, last, block):
    dtype, language_dtype = DTYPES[name]
    wide = np.int32 if "int" in name else np.float32
    x = np.random.default_rng(0).integers(1, 40, block).astype(wide)
    out = np.zeros(block, dtype)
    out.view(np.uint8)[:] = 0xA5
    expected = out.copy()
    expected[first:last] = (x[first:last] * 3).astype(dtype)
    narrow[(1,)](x, out, first, last, block, language_dtype)
    assert out.tobytes() == expected.tobytes()
