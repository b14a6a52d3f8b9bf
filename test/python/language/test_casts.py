# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between every pair of dtypes, and both roundings of narrow floats."""

import itertools

import numpy as np
import pytest

import kiln.language as tl
import kiln.triton as triton

DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64"),
]
LANES = 29


@triton.jit
def cast_kernel(x_ptr, out_ptr, N: tl.constexpr):
    lanes = tl.arange(0, N)
    tl.store(out_ptr + lanes, tl.load(x_ptr + lanes).to(out_ptr.dtype.element_ty))


@pytest.mark.parametrize(("source", "target"), list(itertools.product(DTYPES, repeat=2)))
def test_cast(source, target):
    source, target = np.dtype(source), np.dtype(target)
    rng = np.random.default_rng(7)
    if source.kind == "f":
        x = (rng.standard_normal(LANES) * 20).astype(source)
        x = np.abs(x) if target.kind == "u" else x
    elif source.kind == "b":
        x = rng.integers(0, 2, LANES).astype(bool)
    else:
        limits = np.iinfo(source)
        x = rng.integers(limits.min, limits.max, LANES, dtype=source, endpoint=True)
    out = np.zeros(LANES, target)
    cast_kernel[(1,)](x, out, N=LANES)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out, x.astype(target))


@triton.jit
def round_kernel(x_ptr, out_ptr, TO: tl.constexpr, MODE: tl.constexpr, N: tl.constexpr):
    lanes = tl.arange(0, N)
    x = tl.load(x_ptr + lanes)
    tl.store(out_ptr + lanes, x.to(TO, fp_downcast_rounding=MODE).to(tl.float32))


def rounding_inputs():
    rng = np.random.default_rng(8)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-7, -1e-7, 65519.9, -65520.0, 1e6, -1e6]
    return np.concatenate([rng.standard_normal(100) * 100, special]).astype(np.float32)


def launch(dtype, mode):
    x = rounding_inputs()
    out = np.zeros_like(x)
    round_kernel[(1,)](x, out, TO=dtype, MODE=mode, N=x.size)
    return x, out


def test_float16_rounding():
    x, nearest = launch(tl.float16, "rtne")
    with np.errstate(all="ignore"):
        want = x.astype(np.float16)
    np.testing.assert_array_equal(nearest, want.astype(np.float32))
    _, towards_zero = launch(tl.float16, "rtz")
    with np.errstate(all="ignore"):
        grew = np.abs(want.astype(np.float32)) > np.abs(x)
    want[grew] = np.nextafter(want[grew], np.float16(0))
    np.testing.assert_array_equal(towards_zero, want.astype(np.float32))


def test_bfloat16_rounding():
    x, nearest = launch(tl.bfloat16, "rtne")
    _, towards_zero = launch(tl.bfloat16, "rtz")
    number = ~np.isnan(x)
    bits = x.view(np.uint32).astype(np.uint64)
    want = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    np.testing.assert_array_equal(nearest[number], want[number])
    want = (bits & 0xFFFF0000).astype(np.uint32).view(np.float32)
    np.testing.assert_array_equal(towards_zero[number], want[number])
    assert np.isnan(nearest[~number]).all()
    assert np.isnan(towards_zero[~number]).all()
