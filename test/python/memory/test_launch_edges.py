"""Empty grids, device assertions, program ids: what a launch does at its edges."""

import numpy as np
import pytest

import kiln.language as tl
import kiln.triton as triton


@triton.jit
def fill(out_ptr, value):
    tl.store(out_ptr + tl.program_id(0), value)


@triton.jit
def number_programs(out_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    linear = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out_ptr + linear, linear)


@triton.jit
def check_below(x_ptr, limit, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.device_assert(x < limit, "value too large")


@pytest.mark.parametrize("grid", ((0,), (0, 5), (3, 0, 2)))
def test_empty_grid(grid):
    out = np.zeros(4, np.float32)
    fill[grid](out, 1.0)
    assert not out.any()


@pytest.mark.parametrize("grid", ((1,), (7,), (3, 5), (4, 3, 2), (1000, 1, 1)))
def test_program_ids(grid):
    out = np.full(int(np.prod(grid)), -1, np.int32)
    number_programs[grid](out)
    np.testing.assert_array_equal(out, np.arange(out.size))


def test_device_assert():
    x = np.arange(64, dtype=np.int32)
    check_below[(1,)](x, 64, BLOCK=64, debug=True)
    with pytest.raises(Exception, match="value too large"):
        check_below[(1,)](x, 63, BLOCK=64, debug=True)
    # Without the option the assertion is not there.
    check_below[(1,)](x, 0, BLOCK=64)
