"""Math functions and conversions after kiln-npu-legalize.

exp, log, sqrt and rsqrt are the CPU's here (within 1.5 ulp); the unit's own are within 1 ulp. The
bounds are those of lib/Target/Npu/Legalize/README.md.
"""

import math

import ml_dtypes
import numpy as np
import pytest

from .legalized import MLIR_TYPES, Program
from .test_legalize import BF16, assert_same, dtype_of, pairs, tensor

# name: reference in f64, bound in ulp
FUNCTIONS = {
    "exp2": (np.exp2, 3),
    "expm1": (np.expm1, 3.5),
    "log2": (np.log2, 3.5),
    "log10": (np.log10, 3.5),
    "log1p": (np.log1p, 3.5),
    "tanh": (np.tanh, 3),
    "sinh": (np.sinh, 3.5),
    "cosh": (np.cosh, 3.5),
    "erf": (np.vectorize(math.erf), 3),
    "sin": (np.sin, 1.5),
    "cos": (np.cos, 1.5),
    "tan": (np.tan, 3.5),
    "floor": (np.floor, 0),
    "ceil": (np.ceil, 0),
    "trunc": (np.trunc, 0),
    "roundeven": (np.rint, 0),
    "round": (lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), 0),
}


def arguments():
    rng = np.random.default_rng(7)
    size = 1 << 12
    x = [
        rng.integers(0, 2**32, size, dtype=np.uint32).view(np.float32),
        rng.uniform(-12, 12, size),
        rng.uniform(-1.5, 1.5, size),
        rng.uniform(-152, 130, size),
        1 + rng.uniform(-1.5, 1.5, size) * 2**-8,
        np.exp2(rng.integers(-149, 128, size).astype(np.float64)),
        rng.uniform(-90000, 90000, size),
        rng.uniform(-(2**22), 2**22, size),
        np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, 1.0, 0.5, -0.5, 2.5, -2.5, 3.95]),
        np.array([3.4028235e38, 1e-45, 88.72284, -104.0, 128.0, -150.0, 0.625, 0.62499994]),
    ]
    return np.concatenate([part.astype(np.float32) for part in x])


def ulps(found, exact):
    """|found - exact| in units of the last place of f32 at exact; infinite where kinds differ."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
        exponent = np.maximum(np.frexp(exact)[1], -125) - 24
        error = np.abs(found.astype(np.float64) - exact) / np.exp2(exponent.astype(np.float64))
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    return np.where(same, 0, np.where(np.isfinite(found) & np.isfinite(exact), error, np.inf))


def test_functions():
    x = arguments()
    program = Program({"x": x})
    for name in FUNCTIONS:
        program.result(name, f"%{name} = math.{name} %x : {tensor(x)}", np.float32)
    found = program.run()
    wrong = []
    for name, (function, bound) in FUNCTIONS.items():
        with np.errstate(all="ignore"):
            exact = function(x.astype(np.float64))
        error = ulps(found[name], exact)
        if name in ("sin", "cos", "tan"):
            assert np.isnan(found[name][np.abs(x) >= 2.0**22]).all(), name
            error = np.where(np.abs(x) >= 2.0**22, 0, error)
        sign = np.signbit(found[name]) != np.signbit(exact)
        error = np.where(sign & (exact == 0), np.inf, error)
        worst = np.argmax(error)
        print(f"{name:10} {error[worst]:8.3f} ulp at {x[worst]!r}")
        if error[worst] > bound:
            wrong.append(
                f"{name}: {error[worst]:.2f} > {bound} ulp at {x[worst]!r}: "
                f"{found[name][worst]!r}, expected {exact[worst]!r}"
            )
    assert not wrong, "\n".join(wrong)


def test_powers_of_two():
    x = np.exp2(np.arange(-126, 128)).astype(np.float32)
    n = np.arange(-149, 129).astype(np.float32)
    n = np.concatenate([n, n[: -(len(n) - len(x)) or None]])[: len(x)]
    program = Program({"x": x, "n": n})
    program.result("log2", f"%log2 = math.log2 %x : {tensor(x)}", np.float32)
    program.result("exp2", f"%exp2 = math.exp2 %n : {tensor(n)}", np.float32)
    found = program.run()
    np.testing.assert_array_equal(found["log2"], np.arange(-126, 128))
    np.testing.assert_array_equal(found["exp2"], np.exp2(n.astype(np.float64)).astype(np.float32))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_narrow_functions(name):
    """The f32 result, rounded."""
    dtype = dtype_of(name)
    x = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    functions = ("tanh", "erf", "floor", "expm1", "sqrt")
    program = Program({"x": x})
    for function in functions:
        program.result(function, f"%{function} = math.{function} %x : {tensor(x)}", dtype)
    found = program.run()
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        for function in functions:
            exact = np.sqrt(wide) if function == "sqrt" else FUNCTIONS[function][0](wide)
            expected = exact.astype(dtype)

            def bits(values):
                return values.view(np.int16).astype(np.int64)

            apart = np.abs(bits(found[function]) - bits(expected))
            nan = np.isnan(found[function]) & np.isnan(expected)
            zero = (found[function] == 0) & (expected == 0)
            assert np.where(nan | zero, 0, apart).max() <= 1, function


INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"]


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_to_others(name):
    dtype = np.dtype(name)
    x, _ = pairs(dtype, size=2048)
    signed = dtype.kind == "i"
    program = Program({"x": x}, allow_long=True)
    expected = {}
    for target in ("float32", "float16", "bfloat16"):
        to = dtype_of(target)
        if name == "int64" and target == "bfloat16":
            continue  # the slow path, which the CPU does not go
        op = "sitofp" if signed else "uitofp"
        line = f"%{target} = arith.{op} %x : {tensor(x)} to {tensor(x, MLIR_TYPES[to])}"
        program.result(target, line, to)
        expected[target] = round_integers(x, to)
    for target in INTEGERS:
        to = np.dtype(target)
        if to.itemsize == dtype.itemsize:
            continue
        if to.itemsize < dtype.itemsize:
            op = "trunci"
        else:
            op = "extsi" if signed else "extui"
        line = f"%{target} = arith.{op} %x : {tensor(x)} to {tensor(x, MLIR_TYPES[to])}"
        program.result(target, line, to)
        expected[target] = x.astype(to)
    found = program.run()
    for target, value in expected.items():
        assert_same(target, found[target], value, x, x)


def round_integers(x, to):
    """Rounds once; ml_dtypes and NumPy go through f64 or f32."""
    if to == np.float32:
        return x.astype(np.float32)
    wide = x.astype(np.float64)
    if x.dtype.itemsize == 8:  # not exact in f64: f16 overflows long before
        return wide.astype(to)
    if to == np.float16:
        with np.errstate(over="ignore"):
            return wide.astype(to)
    bits = wide.view(np.int64)
    kept = 52 - 7  # bf16 has 7 fraction bits
    half = (1 << (kept - 1)) - 1 + (bits >> kept & 1)
    rounded = ((bits + half) >> kept << kept).view(np.float64)
    return rounded.astype(to)


@pytest.mark.parametrize("name", ["float32", "float16", "bfloat16"])
def test_floats_to_others(name):
    """Values that fit: truncated. 8 and 16 bits are cut from 32."""
    dtype = dtype_of(name)
    rng = np.random.default_rng(3)
    parts = [rng.uniform(-(2.0**b), 2.0**b, 512) for b in (3, 7, 8, 15, 16, 31)]
    x = np.concatenate(parts).astype(dtype)
    x = x[np.isfinite(x)]
    u = np.abs(np.concatenate([x, (rng.uniform(0, 2.0**32 - 512, 512)).astype(dtype)]))
    u = u[np.isfinite(u)][: len(x)]
    u = np.where(u.astype(np.float64) < 2.0**32, u, dtype.type(1))
    program = Program({"x": x, "u": u})
    expected = {}
    for target in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"):
        to = np.dtype(target)
        op, operand = ("fptosi", "x") if to.kind == "i" else ("fptoui", "u")
        values = {"x": x, "u": u}[operand].astype(np.float64)
        if to.itemsize < 4:
            values = np.where(np.abs(values) < 2.0**31, values, 0)
        line = f"%{target} = arith.{op} %{operand} : {tensor(x)} to {tensor(x, MLIR_TYPES[to])}"
        program.result(target, line, to)
        expected[target] = (values.astype(np.int64).astype(to), values != 0)
    found = program.run()
    for target, (value, counts) in expected.items():
        assert_same(target, found[target][counts], value[counts], x[counts], u[counts])


def test_float_widths():
    x, _ = pairs(np.dtype(np.float32))
    program = Program({"x": x})
    for target, to in (("f16", np.dtype(np.float16)), ("bf16", BF16)):
        line = f"%{target} = arith.truncf %x : {tensor(x)} to {tensor(x, target)}"
        program.result(target, line, to)
        back = f"%{target}_back = arith.extf %{target} : {tensor(x, target)} to {tensor(x)}"
        program.result(f"{target}_back", back, np.float32)
    found = program.run()
    with np.errstate(all="ignore"):
        for target, to in (("f16", np.dtype(np.float16)), ("bf16", BF16)):
            assert_same(target, found[target], x.astype(to), x, x)
            assert_same(target, found[f"{target}_back"], x.astype(to).astype(np.float32), x, x)
    assert ml_dtypes.finfo(BF16).bits == 16
