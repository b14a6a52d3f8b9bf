# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on every pair of dtypes, against NumPy in the common type of the language's rules."""

import itertools

import numpy as np
import pytest

import kiln.language as tl
import kiln.triton as triton

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
LANES = 37


@triton.jit
def operator_kernel(x_ptr, y_ptr, out_ptr, OP: tl.constexpr, N: tl.constexpr):
    lanes = tl.arange(0, N)
    x = tl.load(x_ptr + lanes)
    y = tl.load(y_ptr + lanes)
    if OP == "+":
        r = x + y
    elif OP == "-":
        r = x - y
    elif OP == "*":
        r = x * y
    elif OP == "/":
        r = x / y
    elif OP == "//":
        r = x // y
    elif OP == "%":
        r = x % y
    elif OP == "&":
        r = x & y
    elif OP == ">>":
        r = x >> (y & 7)
    elif OP == "<":
        r = x < y
    else:
        r = tl.maximum(x, y)
    tl.store(out_ptr + lanes, r)


def common(a, b, division=False):
    a, b = np.dtype(a), np.dtype(b)
    for wide in ("float64", "float32"):
        if wide in (a, b):
            return np.dtype(wide)
    if "float16" in (a, b):
        return np.dtype("float32" if division else "float16")
    if a.kind == b.kind:
        return max(a, b, key=lambda dtype: dtype.itemsize)
    unsigned, signed = (a, b) if a.kind == "u" else (b, a)
    return unsigned if unsigned.itemsize >= signed.itemsize else signed


def lanes(dtype, seed):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return rng.standard_normal(LANES).astype(dtype)
    limits = np.iinfo(dtype)
    values = rng.integers(limits.min, limits.max, LANES, dtype=dtype, endpoint=True)
    values[:6] = [1, 2, 3, 5, 7, 100]
    values[values == 0] = 9
    return values


def truncating(x, y):
    """Quotient and remainder of C, in Python's integers."""
    quotients = [abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1) for p, q in zip(x, y)]
    return quotients, [p - q * r for p, q, r in zip(x, y, quotients)]


def wrapped(values, dtype):
    mask = (1 << dtype.itemsize * 8) - 1
    return np.array([v & mask for v in values], dtype=f"u{dtype.itemsize}").view(dtype)


def check(op, x, y, want):
    out = np.zeros(LANES, want.dtype)
    operator_kernel[(1,)](x, y, out, OP=op, N=LANES)
    np.testing.assert_array_equal(out, want, err_msg=f"{x.dtype} {op} {y.dtype}")


PAIRS = list(itertools.combinations_with_replacement(SIGNED + UNSIGNED + FLOATS, 2))


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_common_type(a, b):
    x, y = lanes(a, 1), lanes(b, 2)
    dtype = common(a, b)
    with np.errstate(all="ignore"):
        xc, yc = x.astype(dtype), y.astype(dtype)
        check("+", x, y, xc + yc)
        check("-", x, y, xc - yc)
        check("*", x, y, xc * yc)
        check("<", x, y, xc < yc)
        check("maximum", x, y, np.fmax(xc, yc))


@pytest.mark.parametrize(("a", "b"), [p for p in PAIRS if common(*p).kind == "f"])
def test_float_division(a, b):
    x, y = lanes(a, 3), lanes(b, 4)
    dtype = common(a, b, division=True)
    with np.errstate(all="ignore"):
        check("/", x, y, x.astype(dtype) / y.astype(dtype))
        check("%", x, y, np.fmod(x.astype(dtype), y.astype(dtype)))


@pytest.mark.parametrize(
    ("a", "b"),
    [*itertools.combinations_with_replacement(SIGNED, 2),
     *itertools.combinations_with_replacement(UNSIGNED, 2)],
)  # fmt: skip
def test_integer_division(a, b):
    x, y = lanes(a, 5), lanes(b, 6)
    dtype = common(a, b)
    xc, yc = x.astype(dtype), y.astype(dtype)
    quotient, remainder = truncating(xc.tolist(), yc.tolist())
    check("//", x, y, wrapped(quotient, dtype))
    check("%", x, y, wrapped(remainder, dtype))
    check("/", x, y, xc.astype(np.float32) / yc.astype(np.float32))
    check("&", x, y, xc & yc)
    check(">>", x, y, xc >> (yc & 7))


@triton.jit
def divide_kernel(x_ptr, out_ptr, divisor_ptr, N: tl.constexpr):
    lanes = tl.arange(0, N)
    tl.store(out_ptr + lanes, tl.load(x_ptr + lanes) / tl.load(divisor_ptr))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_division_of_a_block_by_a_scalar_rounds_once(dtype):
    """Chunks multiply by the reciprocal where that is exact: also at the ends of that range."""
    rng = np.random.default_rng(7)
    info = np.finfo(dtype)
    top = info.maxexp // 2
    special_values = np.array(
        [0.0, np.inf, np.nan, info.max, info.smallest_normal, info.smallest_subnormal]
    )
    size = 512

    def scaled(exponent):
        return np.ldexp(rng.uniform(1, 2, size), exponent) * rng.choice([-1.0, 1.0], size)

    blocks = [scaled(e) for e in (0, 1 - top, -top, -top - 1, top - 1, top, info.minexp)]
    blocks.append(np.ldexp(rng.uniform(1, 2, size), rng.integers(-top - 3, top + 3, size)))
    for special in special_values:  # one lane that needs the division
        for sign in (1.0, -1.0):
            block = scaled(0)
            block[rng.integers(size)] = sign * special
            blocks.append(block)
    narrow = top - top // 16
    exponents = (0, narrow, -narrow, narrow - 1, narrow + 1, -narrow - 1, top, -top)
    divisors = [
        *np.ldexp(rng.uniform(1, 2, 8), exponents),
        3.0,
        -0.0,
        np.inf,
        info.smallest_subnormal,
    ]
    divisors += [2.0**narrow, 2.0**-narrow, info.max]
    out = np.zeros(size, dtype)
    for block in blocks:
        x = block.astype(dtype)
        for divisor in divisors:
            holder = np.array([divisor], dtype)
            divide_kernel[(1,)](x, out, holder, N=size)
            with np.errstate(all="ignore"):
                want = x / holder
            np.testing.assert_array_equal(out, want)
            numbers = ~np.isnan(want)
            np.testing.assert_array_equal(np.signbit(out)[numbers], np.signbit(want)[numbers])
