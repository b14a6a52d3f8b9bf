"""All lanes of a load happen before any lane of a later store: blocks far larger than registers."""

import numpy as np
import pytest

import kiln.language as tl
import kiln.triton as triton

# 4097 f32 lanes are 16 KiB, eight times a whole set of 512-bit registers.
SIZES = (1, 2, 7, 63, 127, 1000, 1023, 4097, 16384)
DTYPES = (np.float32, np.float64, np.float16, np.int8, np.int64)


@triton.jit
def reverse_in_place(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + (n - 1 - i), mask=i < n)
    tl.store(x_ptr + i, x, mask=i < n)


@triton.jit
def shift_in_place(x_ptr, n, DISTANCE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    inside = (i + DISTANCE >= 0) & (i + DISTANCE < n) & (i < n)
    x = tl.load(x_ptr + i, mask=inside)
    tl.store(x_ptr + i + DISTANCE, x, mask=inside)


@triton.jit
def twice_in_place(x_ptr, n, BLOCK: tl.constexpr):
    """The second load sees the first store; the second store must not run ahead of either."""
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(x_ptr + (n - 1 - i), x + 1, mask=i < n)
    y = tl.load(x_ptr + i, mask=i < n)
    tl.store(x_ptr + (n - 1 - i), y + 1, mask=i < n)


@triton.jit
def add_into(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x + 1, mask=i < n)


@triton.jit
def centre_into(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    """The input is used twice: once for the sum, once after it."""
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.store(out_ptr + i, x - tl.sum(x, axis=0), mask=i < n)


def numbers(size, dtype):
    return (np.arange(size) % 120).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_reverse(size, dtype):
    x = numbers(size, dtype)
    expected = x[::-1].copy()
    reverse_in_place[(1,)](x, size, BLOCK=triton.next_power_of_2(size))
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("distance", (1, -1, 3, -17))
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_shift(size, dtype, distance):
    x = numbers(size, dtype)
    expected = x.copy()
    if abs(distance) < size:
        if distance > 0:
            expected[distance:] = x[:-distance]
        else:
            expected[:distance] = x[-distance:]
    shift_in_place[(1,)](x, size, DISTANCE=distance, BLOCK=triton.next_power_of_2(size))
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("size", SIZES)
def test_load_sees_earlier_store(size):
    x = numbers(size, np.float32)
    expected = x.copy()
    for _ in range(2):
        expected = (expected + 1)[::-1].copy()
    twice_in_place[(1,)](x, size, BLOCK=triton.next_power_of_2(size))
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("size", (7, 1000, 4097))
@pytest.mark.parametrize("shift", (-1000, -64, -5, -1, 0, 1, 5, 64, 1000))
def test_overlapping_views(size, shift):
    """One array, two views `shift` apart: as if all loads came first."""
    base = numbers(size + 1000, np.float32)
    x = base[max(-shift, 0) :][:size]
    out = base[max(shift, 0) :][:size]
    for kernel, result in ((add_into, lambda x: x + 1), (centre_into, lambda x: x - x.sum())):
        base[:] = numbers(size + 1000, np.float32)
        expected = base.copy()
        expected[max(shift, 0) :][:size] = result(x.copy())
        kernel[(1,)](out, x, size, BLOCK=triton.next_power_of_2(size))
        np.testing.assert_array_equal(base, expected)


def variant(out, x):
    compiled = add_into[(1,)](out, x, out.size, BLOCK=1024)
    return compiled.asm["tile"], compiled.asm["llvm"]


def test_disjoint_views_take_the_fast_variant():
    """Disjoint pointers are a fact in the IR, and the block is not staged in memory for them."""
    base = numbers(2000, np.float32)
    disjoint = variant(base[:1000], base[1000:])
    overlapping = variant(base[1:1001], base[:1000])
    assert disjoint[0] != overlapping[0]
    assert disjoint[1] != overlapping[1]
    assert len(disjoint[1]) < len(overlapping[1])
