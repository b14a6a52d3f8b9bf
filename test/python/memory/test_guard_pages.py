"""A masked-off lane never touches memory: every array lies against pages without access."""

import sys
from pathlib import Path

import numpy as np
import pytest

import kiln.language as tl
import kiln.triton as triton

sys.path.insert(0, str(Path(__file__).parent))
from guard import GuardedArray

DTYPES = (np.float32, np.float64, np.float16, np.int8, np.int16, np.int32, np.int64)
SIZES = (1, 3, 7, 31, 127, 1000, 1023, 4097)


@triton.jit
def add_one(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x + 1, mask=i < n)


@triton.jit
def copy_from(out_ptr, x_ptr, first, n, BLOCK: tl.constexpr):
    """Lanes below `first` are masked off: they lie before the array."""
    i = tl.arange(0, BLOCK)
    mask = (i >= first) & (i < first + n)
    x = tl.load(x_ptr + i - first, mask=mask, other=0)
    tl.store(out_ptr + i - first, x, mask=mask)


@triton.jit
def copy_selected(out_ptr, x_ptr, keep_ptr, n, BLOCK: tl.constexpr):
    """A mask that is data, not a range."""
    i = tl.arange(0, BLOCK)
    keep = tl.load(keep_ptr + i, mask=i < n, other=0) != 0
    x = tl.load(x_ptr + i, mask=keep, other=0)
    tl.store(out_ptr + i, x, mask=keep)


@triton.jit
def gather(out_ptr, x_ptr, index_ptr, limit, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    index = tl.load(index_ptr + i, mask=i < n, other=0)
    x = tl.load(x_ptr + index, mask=(i < n) & (index < limit), other=-1)
    tl.store(out_ptr + i, x, mask=i < n)


@triton.jit
def sum_rows(out_ptr, x_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r = tl.arange(0, ROWS)[:, None]
    c = tl.arange(0, COLUMNS)[None, :]
    x = tl.load(x_ptr + r * columns + c, mask=(r < rows) & (c < columns), other=0)
    tl.store(out_ptr + tl.arange(0, ROWS), tl.sum(x, axis=1), mask=tl.arange(0, ROWS) < rows)


@triton.jit
def load_scalar(out_ptr, x_ptr, offset, enabled):
    x = tl.load(x_ptr + offset, mask=enabled != 0, other=5)
    tl.store(out_ptr, x)
    tl.store(x_ptr + offset, x, mask=enabled != 0)


@pytest.mark.parametrize("at", ("begin", "end"))
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_range(size, dtype, at):
    x, out = GuardedArray(size, dtype, at).array, GuardedArray(size, dtype, at).array
    x[:] = np.arange(size) % 100
    add_one[(triton.cdiv(size, 1024) + 2,)](out, x, size, BLOCK=1024)
    np.testing.assert_array_equal(out, x + 1)


@pytest.mark.parametrize("size", SIZES)
def test_lanes_before_the_array(size):
    x, out = (GuardedArray(size, np.float32, "begin").array for _ in range(2))
    x[:] = np.arange(size)
    copy_from[(1,)](out, x, 5000, size, BLOCK=16384)
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", (1, 31, 1000))
def test_mask_from_memory(size, dtype):
    """The kept lanes all lie in the array; the flags go on past its end with zeros."""
    x, out = GuardedArray(size, dtype).array, GuardedArray(size, dtype).array
    x[:] = np.arange(size) % 100 + 1
    out[:] = 0
    keep = np.zeros(1024, np.int8)
    keep[:size] = np.arange(size) % 3 == 0
    copy_selected[(1,)](out, x, keep, 1024, BLOCK=1024)
    np.testing.assert_array_equal(out, np.where(keep[:size], x, 0))


@pytest.mark.parametrize("size", (7, 1000))
def test_gather(size):
    x, out = GuardedArray(size, np.float32).array, GuardedArray(size, np.float32).array
    x[:] = np.arange(size)
    index = np.arange(size, dtype=np.int32)[::-1] * 2
    gather[(1,)](out, x, np.ascontiguousarray(index), size, size, BLOCK=1024)
    np.testing.assert_array_equal(out, np.where(index < size, index, -1))


@pytest.mark.parametrize("shape", ((1, 1), (3, 7), (13, 127)))
def test_rows(shape):
    x = GuardedArray(shape[0] * shape[1], np.float32).array
    out = GuardedArray(shape[0], np.float32).array
    x[:] = np.arange(x.size)
    sum_rows[(1,)](out, x, *shape, ROWS=16, COLUMNS=128)
    np.testing.assert_array_equal(out, x.reshape(shape).sum(axis=1))


def test_everything_masked_off():
    """No lane is on: the addresses are far outside anything mapped."""
    x, out = GuardedArray(4, np.float32).array, GuardedArray(4, np.float32).array
    out[:] = 3
    add_one[(3,)](out, x, 0, BLOCK=1024)
    copy_from[(1,)](out, x, 0, 0, BLOCK=16384)
    np.testing.assert_array_equal(out, np.full(4, 3))


def test_scalar():
    x, out = GuardedArray(4, np.float32).array, np.zeros(1, np.float32)
    load_scalar[(1,)](out, x, 4, 0)
    assert out[0] == 5
