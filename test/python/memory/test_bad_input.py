"""Wrong use: each a Python exception that says what was found, and where if it is in a kernel."""

import numpy as np
import pytest

import kiln
import kiln.language as tl
import kiln.triton as triton


@triton.jit
def copy(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def undefined_name(x_ptr):
    tl.store(x_ptr, missing + 1)  # noqa: F821


@triton.jit
def unsupported_statement(x_ptr):
    try:
        tl.store(x_ptr, 1.0)
    finally:
        pass


@triton.jit
def unknown_language_name(x_ptr):
    tl.store(x_ptr, tl.exponential(1.0))


@triton.jit
def not_there_yet(x_ptr):
    a = tl.load(x_ptr + tl.arange(0, 16)[:, None] + tl.arange(0, 16)[None, :])
    tl.store(x_ptr, tl.sum(tl.sum(tl.dot(a, a), axis=1), axis=0))


@triton.jit
def shape_from_argument(x_ptr, n):
    tl.store(x_ptr + tl.arange(0, n), 1.0)


@triton.jit
def mask_of_another_shape(x_ptr):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i, mask=tl.arange(0, 8) < 4)
    tl.store(x_ptr + i, x)


@triton.jit
def literal_out_of_range(x_ptr):
    i = tl.arange(0, 16)
    tl.store(x_ptr + i, tl.load(x_ptr + i) + 1000)


@triton.jit
def changed_type(x_ptr, n):
    x = tl.load(x_ptr)
    if n > 3:
        x = tl.arange(0, 4)
    tl.store(x_ptr, x)


@triton.jit
def static_check(x_ptr, N: tl.constexpr):
    tl.static_assert(N == 3, "N must be three")
    tl.store(x_ptr, 1.0)


@triton.jit
def two_errors(x_ptr):
    tl.store(x_ptr, first_missing)  # noqa: F821
    tl.store(x_ptr, second_missing)  # noqa: F821


F32 = np.zeros(64, np.float32)
I8 = np.zeros(64, np.int8)


@pytest.mark.parametrize(
    ("kernel", "arguments", "found"),
    (
        (undefined_name, (F32,), "missing"),
        (unsupported_statement, (F32,), "try"),
        (unknown_language_name, (F32,), "exponential"),
        (not_there_yet, (F32,), "dot"),
        (shape_from_argument, (F32, 16), "compile time"),
        (mask_of_another_shape, (F32,), "mask"),
        (literal_out_of_range, (I8,), "1000"),
        (changed_type, (F32, 5), "x"),
        (static_check, (F32, 4), "N must be three"),
    ),
    ids=lambda value: getattr(value, "__name__", None),
)
def test_compile_errors(kernel, arguments, found):
    with pytest.raises(kiln.CompilationError) as error:
        kernel[(1,)](*arguments)
    text = str(error.value)
    assert found in text
    assert "test_bad_input.py" in text, "no file"
    assert "^" in text, "no caret"


def test_several_errors_in_one_run():
    with pytest.raises(kiln.CompilationError) as error:
        two_errors[(1,)](F32)
    assert "first_missing" in str(error.value)
    assert "second_missing" in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "options", "found"),
    (
        ((F32, F32), {"BLOCK": 64}, "n"),
        ((F32, F32, 64, 64, 64), {}, "argument"),
        ((F32, F32, 64), {}, "BLOCK"),
        ((F32, F32, 64), {"BLOCK": 64, "BLOCKS": 3}, "BLOCKS"),
        ((F32, F32, 64), {"BLOCK": 64, "n": 3}, "n"),
        ((F32, object(), 64), {"BLOCK": 64}, "x_ptr"),
        ((F32, F32, "64"), {"BLOCK": 64}, "n"),
        ((F32, F32, 2**70), {"BLOCK": 64}, "n"),
        ((F32, np.zeros(64, np.complex64), 64), {"BLOCK": 64}, "complex64"),
        ((F32, np.zeros(64, object), 64), {"BLOCK": 64}, "object"),
        ((F32, F32, 64), {"BLOCK": 64, "num_warps": 3}, "num_warps"),
        ((F32, F32, 64), {"BLOCK": 64, "device": "tpu"}, "tpu"),
    ),
)
def test_argument_errors(arguments, options, found):
    with pytest.raises((TypeError, ValueError, OverflowError, kiln.CompilationError)) as error:
        copy[(1,)](*arguments, **options)
    assert found in str(error.value)


def test_read_only_array():
    """Read only is no obstacle to reading; a kernel that may write it is refused."""
    frozen = np.ones(64, np.float32)
    frozen.flags.writeable = False
    with pytest.raises((TypeError, ValueError), match="read-only"):
        copy[(1,)](frozen, F32.copy(), 64, BLOCK=64)
    assert frozen.all()


@pytest.mark.parametrize("grid", ((-1,), (1, 2, 3, 4), (1.5,), ("3",), (2**40,), ()))
def test_bad_grid(grid):
    with pytest.raises((TypeError, ValueError, OverflowError), match="grid"):
        copy[grid](F32, F32, 64, BLOCK=64)


def test_unknown_device():
    with pytest.raises(ValueError, match="toaster"):
        kiln.set_device("toaster")


def test_call_without_grid():
    with pytest.raises((RuntimeError, TypeError), match="grid"):
        copy(F32, F32, 64, 64)
