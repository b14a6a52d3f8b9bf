"""kiln-npu-legalize on numbers: every op of the front end × dtype, extremes included."""

import ml_dtypes
import numpy as np
import pytest

from .legalized import MLIR_TYPES, Program

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32"]
LONG = ["int64", "uint64"]
FLOATS = ["float32", "float16", "bfloat16"]
BF16 = np.dtype(ml_dtypes.bfloat16)


def dtype_of(name):
    return BF16 if name == "bfloat16" else np.dtype(name)


def tensor(array, element=None):
    dims = "x".join(map(str, array.shape))
    return f"tensor<{dims}x{element or MLIR_TYPES[array.dtype]}>"


def pairs(dtype, seed=0, size=4096):
    """Two arrays with every pair of extremes, then random bit patterns and small numbers."""
    rng = np.random.default_rng(seed)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        special = [0, 1, 2, 3, 7, 10, limits.max, limits.max - 1, limits.min, limits.min + 1]
        special += [limits.max // 2, limits.max // 2 + 1] + ([-1, -2, -7] if limits.min else [])
        random = rng.integers(limits.min, limits.max, size, dtype=dtype, endpoint=True)
        small = rng.integers(max(limits.min, -100), 100, size).astype(dtype)
    else:
        info = ml_dtypes.finfo(dtype)
        special = [0.0, -0.0, 1.0, -1.0, 2.5, -0.5, 0.5, 1.5, np.inf, -np.inf, np.nan]
        special += [float(info.max), -float(info.max), float(info.smallest_normal)]
        special += [float(info.smallest_subnormal), 3.0, -7.25, 100.0]
        bits = np.dtype(f"uint{8 * dtype.itemsize}")
        random = rng.integers(0, np.iinfo(bits).max, size, dtype=bits).view(dtype)
        small = rng.normal(scale=3, size=size).astype(dtype)
    special = np.array(special).astype(dtype)
    x = np.concatenate([np.repeat(special, len(special)), random, small, small])
    y = np.concatenate([np.tile(special, len(special)), rng.permutation(random), x[-size:], random])
    return x, y


def assert_same(name, found, expected, x, y):
    """Bit for bit, but any NaN is NaN and zeros compare equal."""
    with np.errstate(invalid="ignore"):
        same = found == expected
    if found.dtype.kind not in "iu":
        same |= np.isnan(found) & np.isnan(expected)
    if not same.all():
        k = np.flatnonzero(~same)[:5]
        pytest.fail(
            f"{name}: {np.count_nonzero(~same)} wrong; x {x[k]} y {y[k]} found {found[k]} "
            f"expected {expected[k]}"
        )


def c_division(x, y):
    """C's quotient and remainder with the language's answers where C has none."""
    wide, by = x.astype(object), np.where(y == 0, 1, y).astype(object)
    magnitude = np.abs(wide) // np.abs(by)
    quotient = np.where((wide < 0) != (by < 0), -magnitude, magnitude)
    remainder = wide - quotient * by
    limits = np.iinfo(x.dtype)
    span = int(limits.max) - int(limits.min) + 1

    def wrap(v):
        values = [(int(e) - int(limits.min)) % span + int(limits.min) for e in v]
        return np.array(values, x.dtype)

    return wrap(quotient), wrap(remainder)


@pytest.mark.parametrize("name", INTEGERS + LONG)
def test_integers(name):
    dtype = np.dtype(name)
    x, y = pairs(dtype)
    signed = dtype.kind == "i"
    kind = tensor(x)
    bits = 8 * dtype.itemsize
    amount = (y.astype(np.int64) % bits).astype(dtype)
    program = Program({"x": x, "y": y, "n": amount}, allow_long=name in LONG)
    expected = {}
    with np.errstate(over="ignore"):
        quotient, remainder = c_division(x, y)
        table = {
            "addi": x + y,
            "subi": x - y,
            "muli": x * y,
            "andi": x & y,
            "ori": x | y,
            "xori": x ^ y,
            f"max{'s' if signed else 'u'}i": np.maximum(x, y),
            f"min{'s' if signed else 'u'}i": np.minimum(x, y),
            f"div{'s' if signed else 'u'}i": quotient,
            f"rem{'s' if signed else 'u'}i": remainder,
        }
    for op, value in table.items():
        program.result(op, f"%{op} = arith.{op} %x, %y : {kind}", dtype)
        expected[op] = value
    shifts = {"shli": x << amount, f"shr{'s' if signed else 'u'}i": x >> amount}
    for op, value in shifts.items():
        program.result(op, f"%{op} = arith.{op} %x, %n : {kind}", dtype)
        expected[op] = value
        program.lines.append(f"%three_{op} = arith.constant dense<3> : {kind}")
        program.result(f"{op}_3", f"%{op}_3 = arith.{op} %x, %three_{op} : {kind}", dtype)
        expected[f"{op}_3"] = x << 3 if op == "shli" else x >> 3
    if signed:
        program.result("absi", f"%absi = math.absi %x : {kind}", dtype)
        with np.errstate(over="ignore"):
            expected["absi"] = np.abs(x)
    # A chain: what is cut between two ops must not be lost or kept too long.
    program.lines += [
        f"%chain_1 = arith.addi %x, %y : {kind}",
        f"%chain_2 = arith.shr{'s' if signed else 'u'}i %chain_1, %three_shli : {kind}",
    ]
    program.result("chain", f"%chain = arith.muli %chain_2, %chain_1 : {kind}", dtype)
    with np.errstate(over="ignore"):
        expected["chain"] = ((x + y) >> 3) * (x + y)
    found = program.run()
    for op, value in expected.items():
        assert_same(op, found[op], value, x, y)


@pytest.mark.parametrize("name", INTEGERS)
def test_integer_comparisons(name):
    x, y = pairs(np.dtype(name))
    kind, shape = tensor(x), "x".join(map(str, x.shape))
    program = Program({"x": x, "y": y})
    letter = "s" if np.dtype(name).kind == "i" else "u"
    table = {
        "eq": x == y,
        "ne": x != y,
        f"{letter}lt": x < y,
        f"{letter}le": x <= y,
        f"{letter}gt": x > y,
        f"{letter}ge": x >= y,
    }
    for op in table:
        program.mask_result(op, f"%{op} = arith.cmpi {op}, %x, %y : {kind}", shape)
    mask = f"tensor<{shape}xi1>"
    program.result("chosen", f"%chosen = arith.select %ne, %x, %y : {mask}, {kind}", x.dtype)
    found = program.run()
    for op, value in table.items():
        assert_same(op, found[f"{op}_byte"], value.astype(np.int8), x, y)
    assert_same("select", found["chosen"], x, x, y)


@pytest.mark.parametrize("name", FLOATS)
def test_floats(name):
    dtype = dtype_of(name)
    x, y = pairs(dtype)
    kind, shape = tensor(x), "x".join(map(str, x.shape))
    program = Program({"x": x, "y": y})
    wide_x, wide_y = x.astype(np.float64), y.astype(np.float64)

    def number(f):
        return np.where(
            np.isnan(wide_x), wide_y, np.where(np.isnan(wide_y), wide_x, f(wide_x, wide_y))
        )

    with np.errstate(all="ignore"):
        values = {
            "addf": wide_x + wide_y,
            "subf": wide_x - wide_y,
            "mulf": wide_x * wide_y,
            "divf": wide_x / wide_y,
            "remf": np.fmod(wide_x, wide_y),
            "maxnumf": number(np.maximum),
            "minnumf": number(np.minimum),
            "maximumf": np.maximum(wide_x, wide_y),
            "minimumf": np.minimum(wide_x, wide_y),
        }
        if name == "float32":  # f64 rounds the quotient of extremes twice
            values.update(addf=x + y, subf=x - y, mulf=x * y, divf=x / y)
    for op in values:
        program.result(op, f"%{op} = arith.{op} %x, %y : {kind}", dtype)
    unary = {"negf": -x, "absf": np.abs(x)}
    for op in unary:
        dialect = "math" if op == "absf" else "arith"
        program.result(op, f"%{op} = {dialect}.{op} %x : {kind}", dtype)
    program.result("copysign", f"%copysign = math.copysign %x, %y : {kind}", dtype)
    predicates = {
        "oeq": x == y,
        "olt": x < y,
        "ole": x <= y,
        "ogt": x > y,
        "oge": x >= y,
        "one": (x < y) | (x > y),
        "ueq": ~((x < y) | (x > y)),
        "ult": ~(x >= y),
        "ule": ~(x > y),
        "ugt": ~(x <= y),
        "uge": ~(x < y),
        "une": x != y,
        "ord": ~(np.isnan(x) | np.isnan(y)),
        "uno": np.isnan(x) | np.isnan(y),
    }
    for op in predicates:
        program.mask_result(op, f"%{op} = arith.cmpf {op}, %x, %y : {kind}", shape)
    program.result(
        "chosen", f"%chosen = arith.select %ord, %x, %y : tensor<{shape}xi1>, {kind}", dtype
    )
    found = program.run()
    with np.errstate(all="ignore"):
        for op, value in values.items():
            assert_same(op, found[op], value.astype(dtype), x, y)
        for op, value in unary.items():
            assert_same(op, found[op], value, x, y)
        sign = np.copysign(wide_x, np.where(np.signbit(y.astype(np.float64)), -1.0, 1.0))
        assert_same("copysign", found["copysign"], sign.astype(dtype), x, y)
        for op, value in predicates.items():
            assert_same(op, found[f"{op}_byte"], value.astype(np.int8), x, y)
        assert_same("select", found["chosen"], np.where(predicates["ord"], x, y), x, y)
