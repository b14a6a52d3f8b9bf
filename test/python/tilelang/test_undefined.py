# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers that are read before they are written: a finding where it shows, no harm elsewhere."""

import numpy as np
import pytest

import kiln
import kiln.tilelang as tilelang
import kiln.tilelang.language as T

N = 64


@tilelang.jit(out_idx=[-1])
def copied(n):
    @T.prim_func
    def main(x: T.Tensor((n,), "float32"), out: T.Tensor((n,), "float32")):
        with T.Kernel(1):
            held = T.alloc_shared((n,), "float32")
            T.copy(held, out)

    return main


@tilelang.jit(out_idx=[-1])
def computed_with(n):
    @T.prim_func
    def main(x: T.Tensor((n,), "float32"), out: T.Tensor((n,), "float32")):
        with T.Kernel(1):
            held = T.alloc_shared((n,), "float32")
            made = T.alloc_shared((n,), "float32")
            T.copy(x, made)
            for i in T.Parallel(n):
                made[i] = made[i] + held[i]
            T.copy(made, out)

    return main


@tilelang.jit(out_idx=[-1])
def carried(n):
    @T.prim_func
    def main(x: T.Tensor((n,), "float32"), out: T.Tensor((n,), "float32")):
        with T.Kernel(1):
            total = T.alloc_shared((n,), "float32")
            for _ in T.serial(3):
                for i in T.Parallel(n):
                    total[i] = total[i] + x[i]
            T.copy(total, out)

    return main


@tilelang.jit(out_idx=[-1])
def half_written(n):
    """Only what was written reaches the output."""

    @T.prim_func
    def main(x: T.Tensor((n,), "float32"), out: T.Tensor((n,), "float32")):
        with T.Kernel(1):
            held = T.alloc_shared((2 * n,), "float32")
            T.copy(x, held[n : 2 * n])
            for i in T.Parallel(2 * n):
                held[i] = held[i] * 2.0
            T.copy(held[n : 2 * n], out)

    return main


@pytest.mark.parametrize("kernel", [copied, computed_with, carried])
def test_the_checker_finds_undefined_bytes(kernel):
    with pytest.raises(kiln.DeviceCheckError, match="undefined") as error:
        kernel(N)(np.ones(N, np.float32), device="ascend910b")
    assert "test_undefined.py" in str(error.value)


@pytest.mark.parametrize("kernel", [copied, computed_with, carried])
def test_the_cpu_writes_something(kernel):
    assert kernel(N)(np.ones(N, np.float32), device="cpu").shape == (N,)


@pytest.mark.parametrize("device", ["cpu", "ascend910b"])
def test_undefined_lanes_that_go_nowhere(device):
    x = np.arange(N, dtype=np.float32)
    np.testing.assert_array_equal(half_written(N)(x, device=device), 2 * x)
