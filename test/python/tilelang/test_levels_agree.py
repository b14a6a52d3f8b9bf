# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call means does not depend on who orders the instructions: the same calls with barriers
and without, and on the CPU."""

import numpy as np
import pytest

import kiln
import kiln.tilelang as tilelang
import kiln.tilelang.language as T

CHIP = "ascend910b"
RNG = np.random.default_rng(29)


@tilelang.jit(out_idx=[-1])
def moved_by_hand(source, target):
    @T.prim_func
    def main(A: T.Tensor((72,), source), B: T.Tensor((72,), target)):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_ub((72,), source)
            b = T.alloc_ub((72,), target)
            T.copy(A, a)
            T.barrier_all()
            T.copy(a, b)
            T.barrier_all()
            T.copy(b, B)

    return main


@tilelang.jit(out_idx=[-1])
def moved(source, target):
    @T.prim_func
    def main(A: T.Tensor((72,), source), B: T.Tensor((72,), target)):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_ub((72,), source)
            b = T.alloc_ub((72,), target)
            T.copy(A, a)
            T.copy(a, b)
            T.copy(b, B)

    return main


@pytest.mark.parametrize(
    ("source", "target"),
    [("float32", "int32"), ("float32", "int16"), ("float16", "int32"), ("float16", "int8")],
)
def test_a_copy_to_integers_rounds_to_nearest_even(source, target):
    a = RNG.uniform(-90, 90, 72).astype(source)
    a[:8] = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.75, -0.75]
    expected = np.rint(a).astype(target)
    np.testing.assert_array_equal(moved_by_hand(source, target)(a, device=CHIP), expected)
    for device in ("cpu", CHIP):
        np.testing.assert_array_equal(moved(source, target)(a, device=device), expected)


@tilelang.jit(out_idx=[-1])
def stretched_by_hand(axis):
    @T.prim_func
    def main(A: T.Tensor((2, 16), "float32"), B: T.Tensor((2, 16, 16), "float32")):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_ub((2, 16), "float32")
            b = T.alloc_ub((2, 16, 16), "float32")
            T.copy(A, a)
            T.barrier_all()
            for half in T.serial(2):
                T.tile.broadcast(b[half, :, :], a[half, :], axis=axis)
            T.barrier_all()
            T.copy(b, B)

    return main


@tilelang.jit(out_idx=[-1])
def stretched(axis):
    @T.prim_func
    def main(A: T.Tensor((2, 16), "float32"), B: T.Tensor((2, 16, 16), "float32")):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_ub((2, 16), "float32")
            b = T.alloc_ub((2, 16, 16), "float32")
            T.copy(A, a)
            for half in T.serial(2):
                T.tile.broadcast(b[half, :, :], a[half, :], axis=axis)
            T.copy(b, B)

    return main


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_a_broadcast_stretches_the_axis_that_is_given(axis):
    a = RNG.uniform(-1, 1, (2, 16)).astype(np.float32)
    expected = np.broadcast_to(a[:, None, :] if axis == 0 else a[:, :, None], (2, 16, 16))
    np.testing.assert_array_equal(stretched_by_hand(axis)(a, device=CHIP), expected)
    for device in ("cpu", CHIP):
        np.testing.assert_array_equal(stretched(axis)(a, device=device), expected)


def test_a_square_broadcast_needs_an_axis():
    for kernel in (stretched_by_hand, stretched):
        with pytest.raises(kiln.KilnError, match="equal to its or 1, or an axis"):
            kernel(None)(np.ones((2, 16), np.float32), device=CHIP)


@tilelang.jit(out_idx=[-1])
def turned(rows, columns):
    @T.prim_func
    def main(A: T.Tensor((rows, columns), "float16"), B: T.Tensor((columns, rows), "float16")):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_ub((rows, columns), "float16")
            b = T.alloc_ub((columns, rows), "float16")
            T.copy(A, a)
            T.tile.transpose(b, a)
            T.copy(b, B)

    return main


@pytest.mark.parametrize("order", [{}, {"order": 5, "mode": "functional"}], ids=["timed", "order5"])
@pytest.mark.parametrize(("rows", "columns"), [(8, 24), (5, 40), (7, 33)])
def test_short_rows_of_a_tile_made_in_parts(rows, columns, order):
    """Each row is stored alone, and comes from the last part that was made."""
    a = RNG.uniform(-1, 1, (rows, columns)).astype(np.float16)
    with kiln.simulation(CHIP, **order):
        np.testing.assert_array_equal(turned(rows, columns)(a, device=CHIP), a.T)
