"""Calls of TileLang kernels: extents, outputs, numbers, devices."""

import runpy

import numpy as np
import pytest

import kiln
import kiln.tilelang as tilelang
import kiln.tilelang.language as T

NPU = "ascend910b"


@tilelang.jit(out_idx=[-1])
def add(M, N, dtype="float32"):
    """One program a row."""

    @T.prim_func
    def kernel(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=1) as row:
            a = T.alloc_shared((1, 16), dtype)
            b = T.alloc_shared((1, 16), dtype)
            for block in T.serial((N + 15) // 16):
                T.copy(A[row, block * 16], a)
                T.copy(B[row, block * 16], b)
                for i, j in T.Parallel(1, 16):
                    a[i, j] = a[i, j] + b[i, j]
                T.copy(a, C[row, block * 16])

    return kernel


def operands(*shape, dtype=np.float32):
    rng = np.random.default_rng(0)
    return [rng.integers(-50, 50, shape).astype(dtype) for _ in range(2)]


def test_outputs_are_made_and_returned():
    kernel = add(5, 23)
    a, b = operands(5, 23)
    out = kernel(a, b)
    assert type(out) is np.ndarray and out.dtype == np.float32
    np.testing.assert_array_equal(out, a + b)
    with pytest.raises(ValueError, match=r"argument 'B' \(index 1\): found shape \(5, 22\)"):
        kernel(a, b[:, :22].copy())
    with pytest.raises(ValueError, match="expected a contiguous array"):
        kernel(a, operands(23, 5)[0].T)


def test_extents_that_the_arguments_say():
    kernel = add(T.symbolic("M"), T.symbolic("N"))
    for shape in [(1, 1), (3, 16), (4, 33), (7, 1), (1, 1)]:
        a, b = operands(*shape)
        np.testing.assert_array_equal(kernel(a, b), a + b)
    assert kernel(*operands(0, 4)).shape == (0, 4)
    assert kernel(*operands(4, 0)).shape == (4, 0)


def test_outputs_are_of_the_kind_of_the_inputs():
    kernel = add(4, 20, "int32")
    a, b = operands(4, 20, dtype=np.int32)
    out = kernel(kiln.from_numpy(a), kiln.from_numpy(b))
    assert isinstance(out, kiln.Tensor) and out.device == "cpu"
    np.testing.assert_array_equal(out.numpy(), a + b)


@pytest.mark.torch
def test_tensors_of_pytorch():
    import torch

    kernel = add(T.symbolic("M"), 20, "bfloat16")
    a, b = (torch.from_numpy(x).bfloat16() for x in operands(4, 20))
    out = kernel(a, b)
    assert out.dtype == torch.bfloat16
    torch.testing.assert_close(out, a + b, rtol=0, atol=0)


def test_devices():
    kernel = add(4, 20)
    a, b = operands(4, 20)
    np.testing.assert_array_equal(kernel(a, b, device=NPU), a + b)
    with kiln.device(NPU):
        out = kernel(kiln.from_numpy(a), kiln.from_numpy(b))
        assert out.device == NPU
        np.testing.assert_array_equal(out.numpy(), a + b)
        assert "npu." in kernel.get_kernel_source()
    kernel(a, b)
    assert "kiln_kernel" in kernel.get_kernel_source()


def test_code_of_a_kernel_that_was_not_called():
    assert "kiln_kernel" in add(T.symbolic("M"), 7).get_kernel_source()
    assert "tile.grid" in tilelang.lower(add.get_tir(4, 7)).kernel_source


def test_without_outputs_the_call_fills_its_arguments():
    kernel = tilelang.compile(add.get_tir(3, 16))
    a, b = operands(3, 16)
    c = np.empty_like(a)
    assert kernel(a, b, c) is None
    np.testing.assert_array_equal(c, a + b)


def test_several_outputs_and_a_workspace():
    M = T.dynamic("M")

    @T.prim_func
    def kernel(
        B: T.Tensor((M,), "float32"),
        W: T.Tensor((2 * M,), "float32"),
        A: T.Tensor((M,), "float32"),
        C: T.Tensor((M + 1,), "float32"),
    ):
        with T.Kernel(1, threads=1):
            held = T.alloc_shared((8,), "float32")
            T.copy(A[0], held)
            T.copy(held, W[0])
            T.copy(held, B[0])
            T.copy(held, C[0])

    called = tilelang.compile(kernel, out_idx=[3, 0], workspace_idx=1)
    a = np.arange(8, dtype=np.float32)
    c, b = called(a)
    assert (c.shape, b.shape) == ((9,), (8,))
    np.testing.assert_array_equal(b, a)
    np.testing.assert_array_equal(c[:8], a)


def test_a_call_with_all_arrays_fills_and_returns_the_outputs_among_them():
    kernel = add(5, 23)
    a, b = operands(5, 23)
    c = np.zeros_like(a)
    assert kernel(a, b, c) is c
    np.testing.assert_array_equal(c, a + b)
    np.testing.assert_array_equal(kernel(b, b), b + b)
    np.testing.assert_array_equal(c, a + b)
    with pytest.raises(ValueError, match=r"argument 'C' \(index 2\): found shape \(5, 22\)"):
        kernel(a, b, c[:, :22].copy())
    for wrong in [(a,), (a, b, c, c), (a, b, 3)]:
        with pytest.raises(TypeError, match=rf"takes 2 arguments \(A, B\), found {len(wrong)}"):
            kernel(*wrong)


def test_a_flat_array_of_all_elements_has_the_shape_that_is_declared():
    a, b = operands(4, 6)
    np.testing.assert_array_equal(add(4, 6)(a, b.reshape(-1)), a + b)
    for wrong in [b.reshape(-1)[:-1], b.reshape(6, 4), b.reshape(1, 24)]:
        with pytest.raises(ValueError, match=r"argument 'B' \(index 1\): found shape"):
            add(4, 6)(a, wrong)
    with pytest.raises(ValueError, match=r"argument 'B' \(index 1\): found shape \(24,\)"):
        add(T.symbolic("M"), 6)(a, b.reshape(-1))


def test_numbers_are_arguments_and_may_choose_the_grid():
    @T.prim_func
    def kernel(A: T.Tensor((64,), "float32"), n: T.int32, s: T.float32):
        with T.Kernel(T.ceildiv(n, 8), threads=1) as block:
            held = T.alloc_shared((8,), "float32")
            T.copy(A[block * 8], held)
            for i in T.Parallel(8):
                held[i] = held[i] + s
            T.copy(held, A[block * 8])

    called = tilelang.compile(kernel)
    for n, touched in ((1, 8), (8, 8), (9, 16), (0, 0), (64, 64), (False, 0), (True, 8)):
        a = np.zeros(64, np.float32)
        called(a, n, 0.5)
        assert (a == 0.5).sum() == touched and (a[:touched] == 0.5).all()
    called(a, np.int64(8), np.float32(0.5))
    with pytest.raises(TypeError, match="'n': is the float 2.5, expected an integer of type i32"):
        called(a, 2.5, 0.5)
    with pytest.raises(ValueError, match="kernel 'kernel': found -1 blocks"):
        called(a, -8, 0.5)


def test_a_kernel_from_the_disk_knows_its_grid():
    a, b = operands(6, 20)
    first = add(6, 20)
    first(a, b)
    tilelang.cache.clear_cache()
    again = add(6, 20)
    np.testing.assert_array_equal(again(a, b), a + b)
    assert again is not first and again.compiled().from_cache


@tilelang.jit
def eager(A, B, factor=3, dtype="float32"):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), dtype)
    B: T.Tensor((M, N), dtype)
    C = T.empty((M, N), dtype)
    D = T.empty((M, N), dtype)
    with T.Kernel(M, threads=1) as row:
        a = T.alloc_shared((1, N), dtype)
        b = T.alloc_shared((1, N), dtype)
        T.copy(A[row, 0], a)
        T.copy(B[row, 0], b)
        for i, j in T.Parallel(1, N):
            a[i, j] = a[i, j] + b[i, j] * factor
        T.copy(a, C[row, 0])
        T.copy(b, D[row, 0])
    return D, C


def test_eager_kernels_compile_for_each_set_of_extents():
    for shape in [(3, 16), (2, 40)]:
        a, b = operands(*shape)
        d, c = eager(a, b)
        np.testing.assert_array_equal(d, b)
        np.testing.assert_array_equal(c, a + 3 * b)
    _, c = eager(a, b, factor=5)
    np.testing.assert_array_equal(c, a + 5 * b)


@pytest.mark.parametrize("extent", [1, 5])
def test_an_eager_extent_may_stay_open(extent):
    @tilelang.jit
    def copy(A):
        N, M = T.const("N"), T.dynamic("M")
        A: T.Tensor((M, N), "int32")
        C = T.empty((M, N), "int32")
        with T.Kernel(M, threads=1) as row:
            held = T.alloc_shared((1, N), "int32")
            T.copy(A[row, 0], held)
            T.copy(held, C[row, 0])
        return C

    a = np.arange(extent * 8, dtype=np.int32).reshape(extent, 8)
    np.testing.assert_array_equal(copy(a), a)


def test_texts_as_annotations(tmp_path):
    """As in a file that begins with `from __future__ import annotations`."""
    (tmp_path / "file.py").write_text(
        """
from __future__ import annotations
import kiln.tilelang as tilelang
import kiln.tilelang.language as T

@tilelang.jit(out_idx=-1)
def make(rows, dtype="int32"):
    M = T.symbolic("M") if rows is None else rows
    @T.prim_func
    def main(A: T.Tensor((M, 8), dtype), n: T.int32, B: T.Tensor[[M, 8], dtype]):
        with T.Kernel(n, threads=1) as i:
            held = T.alloc_shared((1, 8), dtype)
            T.copy(A[i, 0], held)
            T.copy(held, B[i, 0])
    return main
"""
    )
    make = runpy.run_path(str(tmp_path / "file.py"))["make"]
    a = np.arange(24, dtype=np.int32).reshape(3, 8)
    for rows in (None, 3):
        np.testing.assert_array_equal(make(rows)(a, 3), a)


def test_profiler():
    profiler = add(4, 20).get_profiler()
    profiler.assert_allclose(lambda a, b: a + b)
    assert profiler.do_bench(warmup=1, rep=2) > 0
    with pytest.raises(AssertionError):
        profiler.assert_allclose(lambda a, b: a - b)
    with pytest.raises(kiln.KilnError, match="its shape is no list of numbers"):
        add(T.symbolic("M"), 20).get_profiler().run_once()
