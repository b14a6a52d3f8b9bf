"""Arguments of a launch: binding, arrays of every sort, numbers, launch options, grids."""

import array

import ml_dtypes
import numpy as np
import pytest

import kiln
import kiln.language as tl
import kiln.triton as triton

from .kernels import copy, count_programs, optional, store_constant, store_scalar

X = np.arange(1, 65, dtype=np.float32)


def copied(x, out=None, n=None, **options):
    out = np.zeros_like(x) if out is None else out
    copy[1](out, x, len(x) if n is None else n, BLOCK=64, **options)
    return out


# Binding


def test_positional_keyword_and_default():
    out = np.zeros(8, np.float32)
    copy[(1,)](x_ptr=X, out_ptr=out, n=8, BLOCK=8)
    assert (out == X[:8]).all()
    store_constant[1](out, 3.0)
    assert out.tolist() == [3.0] * 4 + X[4:8].tolist()
    store_constant[1](out, 2.0, WIDTH=8)
    assert out.tolist() == [2.0] * 8


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((X,), {}, r"copy\(\) missing argument 'x_ptr', 'n', 'BLOCK'"),
        ((X, X, 1), {}, r"copy\(\) missing argument 'BLOCK'"),
        ((X, X, 1, 2, 3), {}, "takes 4 positional arguments, but 5 were given"),
        ((X, X, 1, 2), {"n": 3}, "multiple values for argument 'n'"),
        ((X, X, 1, 2), {"num_wraps": 4}, "unexpected argument 'num_wraps'.*num_warps"),
        ((X, X, 1, 2), {"num_warps": "4"}, "launch option 'num_warps': found '4', expected int"),
        ((X, object(), 1, 2), {}, "argument 'x_ptr': found a object"),
        ((X, "text", 1, 2), {}, "argument 'x_ptr': found a str"),
        ((X, X.astype(complex), 1, 2), {}, "argument 'x_ptr': found an array of complex128"),
        ((X, X.astype(">f4"), 1, 2), {}, "argument 'x_ptr': found a big-endian array"),
        ((X, np.array(["a"]), 1, 2), {}, "argument 'x_ptr': found an array of <U1"),
        ((X, X, 1, 2), {"device": 7}, "launch option 'device': found a int"),
    ],
)
def test_wrong_types(args, kwargs, message):
    with pytest.raises(TypeError, match=message):
        copy[1](*args, **kwargs)


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((X, X, 2**64, 2), {}, "argument 'n'.*18446744073709551616"),
        ((X, X, -(2**63) - 1, 2), {}, "argument 'n'"),
        ((X, X, 1, 2), {"num_warps": 3}, "launch option 'num_warps': found 3"),
        ((X, X, 1, 2), {"num_stages": -1}, "launch option 'num_stages': found -1"),
        ((X, X, 1, 2), {"device": "toaster"}, "toaster.*'cpu', 'null'"),
        ((X, X.view(np.uint8)[1:5].view(np.float32), 1, 2), {}, "'x_ptr'.*not aligned"),
    ],
)
def test_wrong_values(args, kwargs, message):
    with pytest.raises(ValueError, match=message):
        copy[1](*args, **kwargs)


def test_a_call_without_a_grid():
    with pytest.raises(RuntimeError, match=r"launch it as copy\[grid\]"):
        copy(X, X, 1, 2)


# Grids


@pytest.mark.parametrize("grid", [6, (6,), (3, 2), (1, 2, 3), [2, 3], (np.int64(6), 1)])
def test_grids(grid):
    out = np.zeros(6, np.int32)
    count_programs[grid](out)
    assert out.tolist() == [1, 2, 3, 4, 5, 6]


def test_grid_functions_see_the_bound_arguments():
    seen = {}

    def grid(meta):
        seen.update(meta)
        return (triton.cdiv(meta["n"], meta["BLOCK"]),)

    out = np.zeros_like(X)
    copy[grid](out, X, n=60, BLOCK=16)
    assert (out[:60] == X[:60]).all() and not out[60:].any()
    assert seen["n"] == 60 and seen["BLOCK"] == 16 and seen["x_ptr"] is X


@pytest.mark.parametrize("grid", [0, (0,), (4, 0), (1, 1, 0)])
def test_an_empty_grid_does_nothing(grid):
    out = np.zeros(6, np.int32)
    count_programs[grid](out)
    assert not out.any()


@pytest.mark.parametrize(
    ("grid", "error"),
    [
        ("x", TypeError), (1.5, TypeError), ((1, "x"), TypeError), (None, TypeError),
        ((), ValueError), ((1, 2, 3, 4), ValueError), (-1, ValueError), ((2, -1), ValueError),
        (lambda meta: None, TypeError), (2**70, (OverflowError, ValueError)),
        ((2**40, 2**40, 1), ValueError),
    ],
)  # fmt: skip
def test_wrong_grids(grid, error):
    with pytest.raises(error):
        count_programs[grid](np.zeros(6, np.int32))


def test_an_error_in_the_grid_function_comes_through():
    def grid(meta):
        return meta["missing"]

    with pytest.raises(KeyError, match="missing"):
        count_programs[grid](np.zeros(6, np.int32))


# Arrays


DTYPES = """
int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bool
""".split()  # noqa: SIM905


@pytest.mark.parametrize("dtype", DTYPES)
def test_element_types(dtype):
    x = (np.arange(64) % 3).astype(dtype)
    assert (copied(x) == x).all()


def test_bfloat16():
    x = X.astype(ml_dtypes.bfloat16)
    assert (copied(x) == x).all()
    bits = x.view(np.uint16)
    out = np.zeros_like(bits)
    copy[1](
        triton.reinterpret(out, tl.bfloat16), triton.reinterpret(bits, tl.bfloat16), 64, BLOCK=64
    )
    assert (out == bits).all()


def test_reinterpret_refuses_other_widths():
    with pytest.raises(TypeError, match="elements of 4 bytes cannot be read as bf16"):
        triton.reinterpret(X, tl.bfloat16)
    with pytest.raises(TypeError, match="found 'bf16'"):
        triton.reinterpret(X, "bf16")


class DLPackOnly:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)


class PointerOnly:
    """What PyTorch's tensors offer."""

    def __init__(self, array, device="cpu"):
        self.array, self.device = array, device
        self.dtype = f"torch.{array.dtype}"

    def data_ptr(self):
        return self.array.ctypes.data

    @property
    def shape(self):
        return self.array.shape

    def stride(self):
        return tuple(s // self.array.itemsize for s in self.array.strides)


@pytest.mark.parametrize("wrap", [DLPackOnly, PointerOnly, memoryview])
def test_other_array_objects(wrap):
    out = np.zeros_like(X)
    copy[1](wrap(out), wrap(X), 64, BLOCK=64)
    assert (out == X).all()


def test_the_buffer_protocol():
    out = array.array("f", [0.0] * 64)
    copy[1](out, X, 64, BLOCK=64)
    assert list(out) == X.tolist()
    with pytest.raises(ValueError, match="'out_ptr'.*read-only"):
        copy[1](memoryview(bytes(64)), X.astype(np.uint8), 64, BLOCK=64)


def test_memory_of_another_device():
    with pytest.raises(ValueError, match="'x_ptr'.*'cuda:0', expected host memory"):
        copy[1](X.copy(), PointerOnly(X, "cuda:0"), 64, BLOCK=64)


def test_read_only_arrays_may_be_read():
    x = X.copy()
    x.flags.writeable = False
    assert (copied(x, np.zeros_like(X)) == X).all()
    with pytest.raises(ValueError, match="'out_ptr'.*read-only"):
        copied(X, x)
    assert (x == X).all()


def test_views():
    base = np.zeros(256, np.float32)
    out = base[100:164]
    copied(X, out)
    assert (out == X).all() and not base[:100].any() and not base[164:].any()
    # Element 0 of a reversed array is its last one in memory; the kernel counts upwards from it.
    reversed_ = base[163:99:-1]
    assert reversed_[0] == 64.0
    copy[1](base[:1], reversed_, 1, BLOCK=1)
    assert base[0] == 64.0


# Numbers


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (3, np.int32), (-3, np.int64), (2**40, np.int64), (2**63 + 5, np.uint64), (True, np.int8),
        (1, np.int32), (np.int8(5), np.int32), (np.uint64(2**63), np.uint64),
        (np.bool_(1), np.int8),
        (0.5, np.float32), (np.float32(0.5), np.float32), (np.float64(0.5), np.float64),
        (np.float16(0.5), np.float32), (float("inf"), np.float32),
    ],
)  # fmt: skip
def test_numbers(value, dtype):
    out = np.zeros(1, dtype)
    store_scalar[1](out, value)
    assert out[0] == value


def test_none():
    out = np.zeros(16, np.float32)
    optional[1](out, None, N=16)
    assert (out == 7.0).all()
    optional[1](out, X, N=16)
    assert (out == X[:16]).all()


def test_facts_make_variants():
    @triton.jit
    def kernel(out_ptr, n, m):
        tl.store(out_ptr, n + m)

    out = np.zeros(1, np.int64)
    for n, variants in ((3, 1), (5, 1), (16, 2), (32, 2), (1, 3), (2**40, 4), (3, 4)):
        kernel[1](out, n, 3)
        assert out[0] == n + 3
        assert len(kernel._variants()) == variants


def test_do_not_specialize():
    @triton.jit(do_not_specialize=["n"])
    def kernel(out_ptr, n, m):
        tl.store(out_ptr, n + m)

    out = np.zeros(1, np.int64)
    for n in (3, 16, 1):
        kernel[1](out, n, 3)
        assert out[0] == n + 3
    assert len(kernel._variants()) == 1


# What a launch returns


def test_the_compiled_kernel():
    out = np.zeros_like(X)
    compiled = copy[1](out, X, 64, BLOCK=64, num_warps=8)
    assert compiled is copy[1](out, X, 64, BLOCK=64, num_warps=8)
    assert compiled.name == "copy" and len(compiled.hash) >= 32
    assert compiled.metadata.num_warps == 8
    assert "tt" not in compiled.asm and "llir" in compiled.asm
    assert "tile" in compiled.asm["tile"] and "define" in compiled.asm["llvm"]
    with pytest.raises(KeyError):
        compiled.asm["ptx"]


def test_warmup_compiles_only():
    @triton.jit
    def kernel(out_ptr, n):
        tl.store(out_ptr, n)

    compiled = kernel.warmup(tl.float32, 3, grid=(1,))
    assert compiled.name == "kernel"
    out = np.zeros(1, np.float32)
    assert kernel.warmup(out, 3, grid=(1,)) is compiled
    assert not out.any()
    kernel[1](out, 5)
    assert out[0] == 5.0 and len(kernel._variants()) == 1


def test_changed_globals_are_noticed():
    namespace = globals()
    namespace["SCALE"] = tl.constexpr(2)

    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, SCALE)  # noqa: F821

    out = np.zeros(1, np.float32)
    kernel[1](out)
    namespace["SCALE"] = tl.constexpr(3)
    with pytest.raises(
        RuntimeError, match=r"'SCALE' has changed.*found constexpr\[3\], expected constexpr\[2\]"
    ):
        kernel[1](out)
    namespace["SCALE"] = tl.constexpr(2)
    kernel[1](out)
    assert out[0] == 2.0


def test_a_replaced_callee_is_compiled_anew():
    namespace = globals()

    def define(number):
        value = tl.constexpr(number)

        @triton.jit
        def helper(x):
            return x + value

        namespace["helper"] = helper

    define(1)

    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, helper(1))  # noqa: F821

    out = np.zeros(1, np.float32)
    kernel[1](out)
    assert out[0] == 2.0
    define(5)
    kernel[1](out)
    assert out[0] == 6.0


def test_functions_as_constexpr_arguments():
    @triton.jit
    def add(a, b):
        return a + b

    @triton.jit
    def multiply(a, b):
        return a * b

    @triton.jit
    def kernel(out_ptr, F: tl.constexpr):
        tl.store(out_ptr, F(3, 4))

    out = np.zeros(1, np.float32)
    for function, expected in ((add, 7.0), (multiply, 12.0), (add, 7.0)):
        kernel[1](out, function)
        assert out[0] == expected


def test_constexpr_values_make_variants():
    out = np.zeros(4, np.float32)
    for value in (1, 1.0, True, 2, -1.5, 10, 1):
        store_constant[1](out, value)
        assert out[0] == float(value)
    store_constant[1](out, tl.constexpr(9))
    assert out[0] == 9.0


def test_devices():
    out = np.zeros_like(X)
    copied(X, out, device="null")
    assert not out.any()
    with kiln.device("null"):
        copied(X, out)
        assert not out.any()
        with kiln.device("cpu"):
            copied(X, out)
    assert (out == X).all()
    kiln.set_device("null")
    try:
        assert not copied(X).any()
    finally:
        kiln.set_device("cpu")
    assert (copied(X) == X).all()
