"""Kernels that the tests of the launch path share."""

import kiln.language as tl
import kiln.triton as triton


@triton.jit
def copy(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def store_scalar(out_ptr, value):
    tl.store(out_ptr, value)


@triton.jit
def store_constant(out_ptr, VALUE: tl.constexpr, WIDTH: tl.constexpr = 4):
    tl.store(out_ptr + tl.arange(0, WIDTH), VALUE)


@triton.jit
def count_programs(out_ptr):
    i = tl.program_id(0) + tl.num_programs(0) * (
        tl.program_id(1) + tl.num_programs(1) * tl.program_id(2)
    )
    tl.store(out_ptr + i, i + 1)


@triton.jit
def optional(out_ptr, x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.full((N,), 7.0, tl.float32)
    if x_ptr is not None:
        x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, x)
