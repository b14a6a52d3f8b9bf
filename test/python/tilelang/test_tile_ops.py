"""`T.tile`, reductions and functions of elements, on each device against NumPy in float64."""

import numpy as np
import pytest

import kiln
import kiln.tilelang as tilelang
import kiln.tilelang.language as T

ROWS, COLUMNS = 24, 40
EPSILON = {"float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}


@pytest.fixture(params=["cpu", "ascend910b"], autouse=True)
def device(request):
    with kiln.device(request.param):
        yield


def numbers(dtype, shape=(ROWS, COLUMNS), seed=0, low=-3.0, high=3.0):
    rng = np.random.default_rng(seed)
    if dtype.startswith(("int", "uint")):
        bounds = np.iinfo(dtype)
        return rng.integers(bounds.min // 4, bounds.max // 4, shape, dtype, endpoint=True)
    return rng.uniform(low, high, shape).astype(dtype)


def close(actual, expected, dtype, ulps=4.0, scale=2.0**-10):
    """`scale`: what the error is measured by where the result is smaller."""
    eps = EPSILON[dtype]
    expected = np.asarray(expected, np.float64)
    error = np.abs(actual.astype(np.float64) - expected)
    assert (error <= ulps * eps * np.maximum(np.abs(expected), scale)).all(), error.max()


@tilelang.jit(out_idx=[-1])
def unary(operation, dtype, rows=8):
    @T.prim_func
    def kernel(x: T.Tensor((ROWS, COLUMNS), dtype), out: T.Tensor((ROWS, COLUMNS), dtype)):
        with T.Kernel(ROWS // rows, threads=1) as block:
            a = T.alloc_shared((rows, COLUMNS), dtype)
            b = T.alloc_shared((rows * COLUMNS,), dtype)
            T.copy(x[block * rows, 0], a)
            operation(b, a)
            # In place, a row at a time; the other shape has the same elements.
            T.tile.fill(a, 0)
            T.tile.add(a, a, b)
            T.copy(a, out[block * rows, 0])

    return kernel


UNARY = {
    "exp": np.exp,
    "ln": np.log,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "abs": np.abs,
    "relu": lambda x: np.maximum(x, 0),
    "sin": np.sin,
    "cos": np.cos,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
}
POSITIVE = {"ln", "sqrt", "rsqrt", "reciprocal"}


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", UNARY)
def test_functions(name, dtype):
    x = numbers(dtype, low=0.25 if name in POSITIVE else -3.0)
    out = unary(getattr(T.tile, name), dtype)(x)
    close(out, UNARY[name](x.astype(np.float64)), dtype)


@tilelang.jit(out_idx=[-1])
def binary(operation, dtype, second):
    """`second`: "tensor", "element", or a number."""

    @T.prim_func
    def kernel(
        x: T.Tensor((ROWS, COLUMNS), dtype),
        y: T.Tensor((ROWS, COLUMNS), dtype),
        out: T.Tensor((ROWS, COLUMNS), dtype),
    ):
        with T.Kernel(ROWS // 8) as (cid, vid):
            a = T.alloc_ub((4, COLUMNS), dtype)
            b = T.alloc_ub((4, COLUMNS), dtype)
            row = cid * 8 + vid * 4
            T.copy(x[row, 0], a)
            T.copy(y[row, 0], b)
            if second == "tensor":
                operation(a, a, b)
            elif second == "element":
                operation(a, a, b[0, 1])
            else:
                operation(a, a, second)
            T.copy(a, out[row, 0])

    return kernel


BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
}


@pytest.mark.parametrize("second", ["tensor", "element", 0.75])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", BINARY)
def test_two_operands(name, dtype, second):
    x, y = numbers(dtype), numbers(dtype, seed=1, low=0.25)
    out = binary(getattr(T.tile, name), dtype, second)(x, y)
    other = y.astype(np.float64)
    if second == "element":
        other = np.repeat(other[::4, 1:2], 4, axis=0)
    elif second != "tensor":
        other = second
    close(out, BINARY[name](x.astype(np.float64), other), dtype, ulps=1.0)


@pytest.mark.parametrize("dtype", ["int32", "int16", "uint16"])
@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor", "add", "max"])
def test_integers(name, dtype):
    x, y = numbers(dtype), numbers(dtype, seed=1)
    out = binary(getattr(T.tile, name), dtype, "tensor")(x, y)
    reference = {"add": np.add, "max": np.maximum}.get(name) or getattr(np, name)
    assert (out == reference(x, y)).all()


@pytest.mark.parametrize("dtype", ["int32", "int16", "uint16"])
@pytest.mark.parametrize("name", ["bitwise_lshift", "bitwise_rshift"])
def test_shifts(name, dtype):
    x = numbers(dtype)
    out = binary(getattr(T.tile, name), dtype, 3)(x, x)
    expected = x << np.array(3, dtype) if name == "bitwise_lshift" else x >> np.array(3, dtype)
    assert (out == expected).all()


def test_powers():
    x, y = numbers("float32", low=0.25), numbers("float32", seed=1)
    for second, exponent in (("tensor", y.astype(np.float64)), (3, 3), (-2.0, -2), (0.5, 0.5)):
        out = binary(T.tile.pow, "float32", second)(x, y)
        close(out, x.astype(np.float64) ** exponent, "float32", ulps=16)
    # Signs, and what has no real value.
    x = np.full((ROWS, COLUMNS), -2.0, np.float32)
    y[:] = 3
    assert np.allclose(binary(T.tile.pow, "float32", "tensor")(x, y), -8)
    y[:] = 0.5
    assert np.isnan(binary(T.tile.pow, "float32", "tensor")(x, y)).all()


@tilelang.jit(out_idx=[-1])
def several(dtype):
    @T.prim_func
    def kernel(x: T.Tensor((8, 64), dtype), s: T.float32, out: T.Tensor((8, 8, 64), dtype)):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((8, 64), dtype)
            b = T.alloc_shared((8, 64), dtype)
            T.copy(x, a)
            T.tile.leaky_relu(b, a, 0.1)
            T.copy(b, out[0, :, :])
            T.tile.fill(b, 1)
            T.tile.axpy(b, a, s)
            T.copy(b, out[1, :, :])
            T.tile.mul_add_dst(b, a, a)
            T.copy(b, out[2, :, :])
            T.tile.clamp(b, a, -1.0, 1.0, 512)
            T.copy(b, out[3, :, :])
            # Three rows only; the others stay.
            T.tile.clamp_max(b, a, -0.5, 192)
            T.tile.clamp_min(b[3:5, :], a[3:5, :], 0.5)
            T.copy(b, out[4, :, :])
            T.tile.round(b, a, 512)
            T.copy(b, out[5, :, :])
            T.tile.arith_progression(b, 3, 0.5, 512)
            T.copy(b, out[6, :, :])
            T.tile.createvecindex(b, 7)
            T.copy(b, out[7, :, :])

    return kernel


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_scalars_and_destinations(dtype):
    x = numbers(dtype, (8, 64))
    out = several(dtype)(x, 1.5)
    wide = x.astype(np.float64)
    close(out[0], np.where(wide >= 0, wide, 0.1 * wide), dtype)
    close(out[1], 1 + 1.5 * wide, dtype, scale=1 + 1.5 * np.abs(wide))
    close(out[2], out[1].astype(np.float64) + wide * wide, dtype, scale=wide * wide)
    close(out[3], np.clip(wide, -1, 1), dtype)
    mixed = np.clip(wide, -1, 1)
    mixed[:3] = np.minimum(wide[:3], -0.5)
    mixed[3:5] = np.maximum(wide[3:5], 0.5)
    close(out[4], mixed, dtype)
    close(out[5], np.rint(wide), dtype)
    steps = np.arange(512).reshape(8, 64)
    close(out[6], 3 + 0.5 * steps, dtype)
    close(out[7], 7 + steps, dtype)


MODES = ["CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC"]


@tilelang.jit(out_idx=[-1])
def cast(source, target, mode, count):
    @T.prim_func
    def kernel(x: T.Tensor((count,), source), out: T.Tensor((count,), target)):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((count,), source)
            b = T.alloc_shared((count,), target)
            T.copy(x, a)
            T.tile.cast(b, a, mode, count)
            T.copy(b, out)

    return kernel


def rounded(x, mode):
    """To whole numbers."""
    away = np.copysign(np.floor(np.abs(x) + 0.5), x)
    return {
        "CAST_FLOOR": np.floor(x),
        "CAST_CEIL": np.ceil(x),
        "CAST_ROUND": away,
        "CAST_TRUNC": np.trunc(x),
    }.get(mode, np.rint(x))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("source", ["float32", "float16"])
def test_casts_to_integers(mode, source):
    x = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 1.75, -1.75, 0.25, -0.25, 100.0, 0.0], source)
    out = cast(source, "int32", mode, len(x))(x)
    assert (out == rounded(x.astype(np.float64), mode)).all()


def neighbours(x):
    """float16 below and above each number, both the number itself where it is one."""
    with np.errstate(over="ignore"):
        near = x.astype(np.float16)
        smaller = np.nextafter(near, np.float16(-np.inf))
        larger = np.nextafter(near, np.float16(np.inf))
    wide = near.astype(np.float64)
    below = np.where(wide > x, smaller, near)
    above = np.where(wide < x, larger, near)
    return below.astype(np.float64), above.astype(np.float64)


@pytest.mark.parametrize("mode", MODES)
def test_casts_to_narrower_floats(mode):
    rng = np.random.default_rng(3)
    ties = (rng.integers(0, 2048, 64) * 2 + 1) * 2.0**-12 * 2.0 ** rng.integers(0, 8, 64)
    tiny = rng.uniform(-1, 1, 64) * 2.0**-16
    halves = (rng.integers(0, 512, 63) * 2 + 1) * 2.0**-25
    special = [0.0, -0.0, 65504.0, 65519.0, -65519.0, 1e-9, -1e-9, 2.0**-25, -(2.0**-25)]
    x = np.concatenate([rng.uniform(-100, 100, 64), ties, -ties, tiny, halves, special])
    x = x.astype(np.float32)
    out = cast("float32", "float16", mode, len(x))(x).astype(np.float64)
    wide = x.astype(np.float64)
    below, above = neighbours(wide)
    nearest = x.astype(np.float16).astype(np.float64)
    inner = np.where(np.abs(below) < np.abs(above), below, above)
    outer = np.where(np.abs(below) < np.abs(above), above, below)
    is_tie = np.abs(wide - inner) == np.abs(outer - wide)
    expected = {
        "CAST_FLOOR": below,
        "CAST_CEIL": above,
        "CAST_TRUNC": inner,
        "CAST_ROUND": np.where(is_tie, outer, nearest),
    }.get(mode, nearest)
    assert (out == expected).all(), list(zip(x, out, expected, strict=True))


def test_other_casts():
    x = np.array([-3.7, 3.2, 0.5, 2.5], np.float32)
    assert (cast("float32", "float32", "CAST_FLOOR", 4)(x) == np.floor(x)).all()
    assert (cast("float32", "float32", "CAST_NONE", 4)(x) == x).all()
    whole = np.array([1, -2, 300, 40000], np.int32)
    assert (cast("int32", "float32", "CAST_NONE", 4)(whole) == whole).all()
    assert (cast("int32", "int16", "CAST_NONE", 4)(whole) == whole.astype(np.int16)).all()


COMPARE = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
    "LT": np.less,
    "LE": np.less_equal,
}


@tilelang.jit(out_idx=[-1])
def choose(mode, select_mode, is_scalar):
    @T.prim_func
    def kernel(
        x: T.Tensor((16, 64), "float32"),
        y: T.Tensor((16, 64), "float32"),
        out: T.Tensor((16, 64), "float32"),
    ):
        with T.Kernel(2, threads=1) as block:
            a = T.alloc_shared((8, 64), "float32")
            b = T.alloc_shared((8, 64), "float32")
            mask = T.alloc_shared((8, 8), "uint8")
            T.copy(x[block * 8, 0], a)
            T.copy(y[block * 8, 0], b)
            if is_scalar:
                T.tile.compare(mask, a, 0.0, mode)
                T.tile.select(a, mask, a, -5.0, select_mode)
            else:
                T.tile.compare(mask, a, b, mode)
                T.tile.select(a, mask, a, b, select_mode)
            T.copy(a, out[block * 8, 0])

    return kernel


@pytest.mark.parametrize("mode", COMPARE)
def test_masks(mode):
    rng = np.random.default_rng(4)
    x = rng.integers(-2, 3, (16, 64)).astype(np.float32)
    y = rng.integers(-2, 3, (16, 64)).astype(np.float32)
    out = choose(mode, "VSEL_TENSOR_TENSOR_MODE", False)(x, y)
    assert (out == np.where(COMPARE[mode](x, y), x, y)).all()
    out = choose(mode, "VSEL_TENSOR_SCALAR_MODE", True)(x, y)
    assert (out == np.where(COMPARE[mode](x, 0), x, -5)).all()
    # The bits of the first 64 elements of a block, for each 64 of them.
    out = choose(mode, "VSEL_CMPMASK_SPR", False)(x, y)
    bits = np.repeat(COMPARE[mode](x, y)[::8], 8, axis=0)
    assert (out == np.where(bits, x, y)).all()


@tilelang.jit(out_idx=[-2, -1])
def stretch():
    @T.prim_func
    def kernel(
        x: T.Tensor((8, 16), "float32"),
        out: T.Tensor((5, 8, 16), "float32"),
        flipped: T.Tensor((16, 8), "float32"),
    ):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((8, 16), "float32")
            b = T.alloc_shared((16, 8), "float32")
            column = T.alloc_shared((8, 1), "float32")
            line = T.alloc_shared((16,), "float32")
            T.copy(x[:, 0:1], column)
            T.copy(x[0, :], line)
            T.tile.broadcast(a, column)
            T.copy(a, out[0, :, :])
            T.tile.broadcast(a, line, axis=0)
            T.copy(a, out[1, :, :])
            T.copy(x, a)
            T.transpose(a, b)
            T.copy(b, flipped)
            T.tile.row_expand_mul(a, a, column, None)
            T.copy(a, out[2, :, :])
            T.tile.row_expand_sub_experiment(a, a, column)
            T.copy(a, out[3, :, :])
            T.fill(out[4, 2:4, :], 2.5)
            T.clear(out[4, 0:2, :])

    return kernel


def test_shapes():
    x = numbers("float32", (8, 16))
    out, flipped = stretch()(x)
    assert (out[0] == x[:, :1]).all()
    assert (out[1] == x[:1]).all()
    assert (flipped == x.T).all()
    assert (out[2] == x * x[:, :1]).all()
    assert (out[3] == x * x[:, :1] - x[:, :1]).all()
    assert (out[4, 2:4] == 2.5).all() and (out[4, :2] == 0).all()


REDUCE = {
    "sum": np.sum,
    "max": np.max,
    "min": np.min,
    "absmax": lambda x, axis: np.max(np.abs(x), axis),
    "abssum": lambda x, axis: np.sum(np.abs(x), axis),
}


@tilelang.jit(out_idx=[-1])
def reduce(name, dtype, dim, clear):
    size = COLUMNS if dim == 0 else ROWS

    @T.prim_func
    def kernel(x: T.Tensor((ROWS, COLUMNS), dtype), out: T.Tensor((size,), dtype)):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((ROWS, COLUMNS), dtype)
            b = T.alloc_shared((size,), dtype)
            T.copy(x, a)
            T.fill(b, 1)
            T.reduce(a, b, name, dim, clear)
            T.copy(b, out)

    return kernel


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("name", REDUCE)
def test_reductions(name, dim, dtype):
    x = numbers(dtype) if dtype != "int32" else numbers("int16").astype(np.int32)
    wide = x.astype(np.float64)
    expected = REDUCE[name](wide, dim)
    scale = np.abs(wide).sum(dim) if "sum" in name else np.abs(expected)
    eps = EPSILON.get(dtype, 0)
    out = reduce(name, dtype, dim, True)(x)
    assert (
        np.abs(out - expected)
        <= eps * (np.abs(expected) + 2.0**-20 * scale) + 1e-6 * scale * (dtype == "float32")
    ).all()
    if not np.issubdtype(out.dtype, np.floating):
        assert (out == expected).all()
    before = reduce(name, dtype, dim, False)(x)
    joined = expected + 1 if "sum" in name else np.maximum(expected, 1)
    joined = np.minimum(expected, 1) if name == "min" else joined
    assert (np.abs(before - joined) <= eps * np.abs(joined) + 2 * eps * scale).all()


@tilelang.jit(out_idx=[-1])
def slices():
    @T.prim_func
    def kernel(x: T.Tensor((2, 8, 16), "float32"), out: T.Tensor((4, 8), "float32")):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((2, 8, 16), "float32")
            b = T.alloc_shared((4, 8), "float32")
            T.copy(x[0, :, :], a[0, :, :])
            T.copy(x[1, :, :], a[1, :, :])
            T.fill(b, -7)
            T.reduce_sum(a[1, :, 3:9], b[0, :], dim=-1)
            T.reduce_max(a[0, :, :], b[1, :], dim=1, real_shape=[5, 11])
            for i in T.serial(8):
                T.reduce_min(a[0, i, :], b[2, i])
            T.reduce_sum(a[1, 2:4, 0:8], b[3, :], dim=0, clear=False)
            T.copy(b, out)

    return kernel


def test_slices():
    x = np.random.default_rng(5).integers(-50, 50, (2, 8, 16)).astype(np.float32)
    out = slices()(x)
    assert (out[0] == x[1, :, 3:9].sum(1)).all()
    assert (out[1, :5] == x[0, :5, :11].max(1)).all() and (out[1, 5:] == -7).all()
    assert (out[2] == x[0].min(1)).all()
    assert (out[3] == x[1, 2:4, :8].sum(0) - 7).all()


@tilelang.jit(out_idx=[-1])
def elements(function, dtype):
    @T.prim_func
    def kernel(x: T.Tensor((ROWS, COLUMNS), dtype), out: T.Tensor((ROWS, COLUMNS), dtype)):
        with T.Kernel(ROWS // 8, threads=1) as block:
            a = T.alloc_shared((8, COLUMNS), dtype)
            T.copy(x[block * 8, 0], a)
            for i, j in T.Parallel(8, COLUMNS):
                a[i, j] = function(a[i, j])
            T.copy(a, out[block * 8, 0])

    return kernel


ELEMENTS = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "nearbyint": np.rint,
    "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
}


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", ELEMENTS)
def test_functions_of_elements(name, dtype):
    x = numbers(dtype, low=0.25 if name in {"log", "log2", "sqrt", "rsqrt"} else -3.0)
    x[0, :6] = [0.5, 1.5, 2.5, 0.25, 1.0, 2.0]
    out = elements(getattr(T, name), dtype)(x)
    wide = x.astype(np.float64)
    # Near a pole or a zero crossing the argument's own rounding counts; here the argument is exact.
    close(out, ELEMENTS[name](wide), dtype, ulps=8.0 if name == "tan" else 4.0)


@tilelang.jit(out_idx=[-2, -1])
def choices():
    @T.prim_func
    def kernel(
        x: T.Tensor((64,), "float32"),
        i: T.Tensor((64,), "int32"),
        out: T.Tensor((5, 64), "float32"),
        ints: T.Tensor((6, 64), "int32"),
    ):
        with T.Kernel(1, threads=1) as _:
            for k in T.Parallel(64):
                out[0, k] = T.if_then_else(x[k] > 0, x[k], -x[k] * 2)
                out[1, k] = T.clamp(x[k], -1.0, 1.0)
                out[2, k] = T.max(x[k], T.min(x[k] * 2, 0.5))
                out[3, k] = T.float32(i[k]) + T.cast(x[k], "float32")
                out[4, k] = T.pow(x[k], 2)
                ints[0, k] = T.floordiv(i[k], 7)
                ints[1, k] = T.floormod(i[k], -7)
                ints[2, k] = T.truncdiv(i[k], 7)
                ints[3, k] = T.truncmod(i[k], -7)
                ints[4, k] = T.bitwise_xor(T.shift_left(i[k], 2), T.shift_right(i[k], 1))
                ints[5, k] = T.cast(x[k], "int32") + T.ceildiv(i[k], 4)

    return kernel


def test_choices_and_integers():
    x = numbers("float32", (64,))
    x[5] = np.nan
    i = np.random.default_rng(6).integers(-100, 100, 64).astype(np.int32)
    out, ints = choices()(x, i)
    wide = x.astype(np.float64)
    np.testing.assert_array_equal(out[0], np.where(x > 0, x, -x * 2))
    np.testing.assert_array_equal(out[1], np.clip(x, -1, 1))
    known = ~np.isnan(x)
    assert (out[2] == np.maximum(x, np.minimum(x * 2, np.float32(0.5))))[known].all()
    assert (out[3] == (i + x).astype(np.float32))[known].all()
    close(out[4][known], wide[known] ** 2, "float32", ulps=1)
    assert (ints[0] == i // 7).all()
    assert (ints[1] == i % -7).all()
    assert (ints[2] == np.trunc(i / 7)).all()
    assert (ints[3] == np.fmod(i, -7)).all()
    assert (ints[4] == ((i << 2) ^ (i >> 1))).all()
    assert (ints[5][known] == np.trunc(x[known]) + -(-i[known] // 4)).all()


@tilelang.jit(out_idx=[-1])
def neighbour():
    @T.prim_func
    def kernel(x: T.Tensor((64,), "float32"), out: T.Tensor((64,), "float32")):
        with T.Kernel(1, threads=1) as _:
            for k in T.Parallel(64):
                out[k] = T.if_then_else(k > 0, x[k - 1], 0.5)

    return kernel


def test_a_read_outside_in_the_branch_not_taken():
    x = numbers("float32", (64,))
    assert (neighbour()(x) == np.concatenate([[np.float32(0.5)], x[:-1]])).all()


@tilelang.jit(out_idx=[-1])
def vector_reduction(name, count, dtype):
    @T.prim_func
    def kernel(x: T.Tensor((count,), dtype), out: T.Tensor((2,), dtype)):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((count,), dtype)
            b = T.alloc_shared((1,), dtype)
            T.copy(x, a)
            T.reduce(a, b, name, 0, True)
            T.copy(b, out[0:1])
            T.reduce(a[0 : count // 2], b, name, 0, False)
            T.copy(b, out[1:2])

    return kernel


BITS = {"bitand": np.bitwise_and, "bitor": np.bitwise_or, "bitxor": np.bitwise_xor}


@pytest.mark.parametrize("name", BITS)
def test_reductions_of_bits(name):
    x = numbers("int32", (48,))
    out = vector_reduction(name, 48, "int32")(x)
    first = BITS[name].reduce(x)
    assert out[0] == first
    assert out[1] == BITS[name](BITS[name].reduce(x[:24]), first)


@pytest.mark.parametrize("count", [2, 7, 33, 1000])
def test_reductions_of_vectors(count):
    x = np.random.default_rng(8).integers(-9, 9, count).astype(np.float32)
    out = vector_reduction("sum", count, "float32")(x)
    assert (out == [x.sum(), x.sum() + x[: count // 2].sum()]).all()
    out = vector_reduction("max", count, "float32")(x)
    assert (out == [x.max(), x.max()]).all()


def test_broadcasts_of_indexed_buffers():
    """`x[k, :, :]` is a matrix, `x[k, :]` a row or a column of one."""

    @tilelang.jit(out_idx=[-1])
    def make():
        @T.prim_func
        def kernel(x: T.Tensor((2, 8), "float32"), out: T.Tensor((2, 8, 16), "float32")):
            with T.Kernel(1, threads=1):
                a = T.alloc_shared((2, 8), "float32")
                column = T.alloc_shared((2, 8, 1), "float32")
                b = T.alloc_shared((3, 8, 16), "float32")
                T.copy(x, a)
                for k in T.serial(2):
                    T.copy(a[k, :], column[k, :, 0])
                T.tile.broadcast(b[0, :, :], column[0, :, :])
                T.tile.broadcast(b[2, :, :], a[1, :])
                T.copy(b[0, :, :], out[0, :, :])
                T.copy(b[2, :, :], out[1, :, :])

        return kernel

    x = numbers("float32", (2, 8))
    np.testing.assert_array_equal(make()(x), np.broadcast_to(x[:, :, None], (2, 8, 16)))


def test_scalars_that_are_buffers_of_one_element_or_whole_floats():
    @tilelang.jit(out_idx=[1, 2])
    def make():
        @T.prim_func
        def kernel(
            x: T.Tensor((16,), "float32"),
            out: T.Tensor((16,), "float32"),
            count: T.Tensor((16,), "int32"),
        ):
            with T.Kernel(1, threads=1):
                a = T.alloc_shared((16,), "float32")
                total = T.alloc_shared((1,), "float32")
                n = T.alloc_shared((16,), "int32")
                T.copy(x, a)
                T.reduce_sum(a, total)
                T.tile.axpy(a, a, total)
                T.tile.fill(a[8:16], total[0:1])
                T.tile.fill(n, 3.0)
                T.tile.add(n, n, -1.0)
                T.copy(a, out)
                T.copy(n, count)

        return kernel

    x = numbers("float32", (16,))
    total = x.astype(np.float64).sum()
    out, count = make()(x)
    np.testing.assert_allclose(out[:8], x[:8] * (1 + total), rtol=1e-5)
    np.testing.assert_allclose(out[8:], total, rtol=1e-5)
    assert (count == 2).all()


@pytest.mark.parametrize("clear", [True, False])
@pytest.mark.parametrize("form", ["names", "published", "padded row"])
def test_reductions_of_a_part(clear, form):
    """The switch and the shape in either order; a row of 32 bytes for fewer results."""
    out_shape = (1, 8) if form == "padded row" else (5,)

    @tilelang.jit(out_idx=[-1])
    def make():
        @T.prim_func
        def kernel(x: T.Tensor((5, 8), "float32"), out: T.Tensor((3,), "float32")):
            with T.Kernel(1, threads=1):
                a = T.alloc_shared((5, 8), "float32")
                b = T.alloc_shared(out_shape, "float32")
                T.copy(x, a)
                T.tile.fill(b, 1)
                if form == "published":
                    if clear:
                        T.reduce_sum(a, b, -1, [3, 4])
                    else:
                        T.reduce_sum(a, b, -1, [3, 4], False)
                else:
                    T.reduce_sum(a, b, dim=-1, clear=clear, real_shape=[3, 4])
                if form == "padded row":
                    T.copy(b[0, 0:3], out)
                else:
                    T.copy(b[0:3], out)

        return kernel

    x = numbers("float32", (5, 8))
    expected = x[:3, :4].astype(np.float64).sum(axis=1) + (0 if clear else 1)
    np.testing.assert_allclose(make()(x), expected, rtol=1e-5)


@pytest.mark.parametrize("pad", [None, -2.0])
def test_regions_that_are_padded_to_the_buffer(pad):
    """A row is padded to 32 bytes, and where a pad value asks for it."""
    columns = 8 if pad is None else 11

    @tilelang.jit(out_idx=[-1])
    def make():
        @T.prim_func
        def kernel(x: T.Tensor((5, 7), "float32"), out: T.Tensor((5, columns), "float32")):
            with T.Kernel(5, threads=1) as row:
                a = T.alloc_shared((columns,), "float32")
                T.copy(x[row, 2:7], a, pad_value=pad)
                T.copy(a, out[row, :])

        return kernel

    x = numbers("float32", (5, 7))
    expected = np.full((5, columns), pad or 0, np.float32)
    expected[:, :5] = x[:, 2:]
    np.testing.assert_array_equal(make()(x), expected)


def test_a_smaller_region_without_padding_is_an_error():
    @T.prim_func
    def kernel(x: T.Tensor((16,), "float32")):
        with T.Kernel(1, threads=1):
            a = T.alloc_shared((16,), "float32")
            T.copy(x[0:8], a)

    with pytest.raises(kiln.CompilationError, match="the shapes of the two sides differ"):
        tilelang.compile(kernel)(np.zeros(16, np.float32))
