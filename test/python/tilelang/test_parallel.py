# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""T.Parallel computes what its lanes say one by one, on every device."""

import numpy as np
import pytest

import kiln.tilelang as tilelang
import kiln.tilelang.language as T

RNG = np.random.default_rng(5)


@pytest.fixture(params=["cpu", "ascend910b"])
def device(request):
    return request.param


def floats(*shape, dtype="float32"):
    return RNG.uniform(-4, 4, shape).astype(dtype)


def check(found, expected, tolerance=1e-6):
    expected = np.asarray(expected, np.float64)
    np.testing.assert_allclose(np.asarray(found, np.float64), expected, tolerance, tolerance)


# --- Elementwise ---------------------------------------------------------------------------------


@tilelang.jit(out_idx=[-1])
def scale(N, block, source, target):
    @T.prim_func
    def main(A: T.Tensor((N,), source), B: T.Tensor((N,), target)):
        with T.Kernel((N + block - 1) // block, threads=1) as bx:
            a = T.alloc_shared((block,), source)
            b = T.alloc_shared((block,), target)
            T.copy(A[bx * block], a)
            for i in T.Parallel(block):
                b[i] = a[i] * 2 + 1
            T.copy(b, B[bx * block])

    return main


@pytest.mark.parametrize(
    "source, target",
    [("float32", "float32"), ("float32", "float16"), ("float16", "float32"), ("int32", "float32")],
)
@pytest.mark.parametrize("N", [64, 100, 257])
def test_elementwise_with_casts(device, N, source, target):
    a = floats(N).astype(source)
    found = scale(N, 64, source, target)(a, device=device)
    assert found.dtype == target
    check(
        found,
        (a.astype(np.float64) * 2 + 1).astype(target),
        1e-3 if "16" in source + target else 1e-6,
    )


@tilelang.jit
def broadcasts(M, N):
    @T.prim_func
    def main(
        A: T.Tensor((M, N), "float32"),
        row: T.Tensor((N,), "float32"),
        column: T.Tensor((M, 1), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((M, N), "float32")
            r = T.alloc_shared((N,), "float32")
            c = T.alloc_shared((M, 1), "float32")
            m = T.alloc_shared((M,), "float32")
            T.copy(A, a)
            T.copy(row, r)
            T.copy(column, c)
            for i in T.Parallel(M):
                m[i] = c[i, 0] * 3.0
            for i, j in T.Parallel(M, N):
                a[i, j] = a[i, j] * r[j] + c[i, 0] - m[i] + r[2]
            T.copy(a, C)

    return main


@pytest.mark.parametrize("M, N", [(8, 64), (5, 40), (16, 16)])
def test_broadcasts(device, M, N):
    a, row, column = floats(M, N), floats(N), floats(M, 1)
    out = np.zeros_like(a)
    broadcasts(M, N)(a, row, column, out, device=device)
    check(out, a * row + column - 3 * column + row[2], 1e-5)


@tilelang.jit(out_idx=[-1])
def transposed(M, N, is_read):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((N, M), "float32")):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((M, N), "float32")
            b = T.alloc_shared((N, M), "float32")
            T.copy(A, a)
            if is_read:
                for i, j in T.Parallel(N, M):
                    b[i, j] = a[j, i] + 1.0
            else:
                for i, j in T.Parallel(M, N):
                    b[j, i] = a[i, j] + 1.0
            T.copy(b, B)

    return main


@pytest.mark.parametrize("is_read", [True, False])
def test_transposes(device, is_read):
    a = floats(16, 32)
    check(transposed(16, 32, is_read)(a, device=device), a.T + 1)


@tilelang.jit(out_idx=[-1])
def three_axes(L, M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((L, M, N), "float32")):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((M, N), "float32")
            b = T.alloc_shared((L, M, N), "float32")
            T.copy(A, a)
            for k, i, j in T.Parallel(L, M, N):
                b[k, i, j] = a[i, j] * k
            T.copy(b, B)

    return main


def test_three_axes(device):
    a = floats(4, 16)
    check(three_axes(3, 4, 16)(a, device=device), a * np.arange(3)[:, None, None])


# --- Conditions ----------------------------------------------------------------------------------


@tilelang.jit(out_idx=[-1])
def conditions(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((N,), "float32")
            b = T.alloc_shared((N,), "float32")
            T.copy(A, a)
            for i in T.Parallel(N):
                b[i] = -1.0
                x = a[i]
                if x > 0 and i % 2 == 0:
                    x = x * 2
                    if x > 3:
                        b[i] = x
                    elif i > 10:
                        b[i] = 7.0
                else:
                    x = 0.0
                b[i] += x
            T.copy(b, B)

    return main


def test_conditions_are_masks(device):
    a = floats(64)
    i = np.arange(64)
    taken = (a > 0) & (i % 2 == 0)
    x = np.where(taken, a * 2, 0)
    b = np.where(taken & (x > 3), x, np.where(taken & (i > 10), 7, -1))
    check(conditions(64)(a, device=device), b + x)


# --- Extents -------------------------------------------------------------------------------------


@tilelang.jit(out_idx=[-1])
def partial(N, block, first, count):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((block,), "float32")
            T.copy(A, a)
            for i in T.Parallel(count):
                a[first + i] = a[first + i] * 10.0
            T.copy(a, B)

    return main


def test_partial_extents(device):
    a = floats(64)
    expected = a.copy()
    expected[16:48] *= 10
    check(partial(64, 64, 16, 32)(a, device=device), expected)


@tilelang.jit(out_idx=[-1])
def with_remainder(N, block):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=1) as _:
            for k in T.serial(N // block):
                for i in T.Parallel(block):
                    B[k * block + i] = A[k * block + i] + 1
            for i in T.Parallel(N % block):
                B[N // block * block + i] = A[N // block * block + i] + 1

    return main


@tilelang.jit(out_idx=[-1])
def bounded_by_nothing(N, most):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=1) as bx:
            a = T.alloc_shared((N,), "float32")
            T.copy(A, a)
            for i in T.Parallel(T.min(bx + 3, most)):
                a[i] = a[i] + 1
            T.copy(a, B)

    return main


@pytest.mark.parametrize("most", [-1, 0, 1, 2])
def test_a_bound_may_be_nothing(device, most):
    a = floats(8)
    check(bounded_by_nothing(8, most)(a, device=device), a + (np.arange(8) < most))


@pytest.mark.parametrize("N", [31, 32, 33, 64])
def test_a_remainder_may_have_no_lanes(device, N):
    a = floats(N)
    check(with_remainder(N, 32)(a, device=device), a + 1)


@tilelang.jit(out_idx=[-1])
def dynamic(block):
    N = T.symbolic("N")

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel((N + block - 1) // block, threads=1) as bx:
            a = T.alloc_shared((block,), "float32")
            T.copy(A[bx * block], a)
            for i in T.Parallel(N - bx * block):
                if i >= 0:
                    a[i] = a[i] + i
            T.copy(a, B[bx * block])

    return main


@pytest.mark.parametrize("N", [1, 63, 64, 65, 200])
def test_dynamic_extents(device, N):
    a = floats(N)
    check(dynamic(64)(a, device=device), a + np.arange(N) % 64)


@tilelang.jit(out_idx=[-1])
def straight(M, N, bm, bn):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel((M + bm - 1) // bm, (N + bn - 1) // bn, threads=1) as (bx, by):
            for i, j in T.Parallel(bm, bn):
                B[bx * bm + i, by * bn + j] = A[bx * bm + i, by * bn + j] * 2.0

    return main


@pytest.mark.parametrize("M, N", [(16, 64), (13, 100)])
def test_global_memory(device, M, N):
    a = floats(M, N)
    check(straight(M, N, 8, 32)(a, device=device), a * 2)


# --- Loops ---------------------------------------------------------------------------------------


@tilelang.jit(out_idx=[-1])
def accumulate(M, K):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float32"), B: T.Tensor((M,), "float32")):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((M, K), "float32")
            total = T.alloc_shared((M,), "float32")
            T.copy(A, a)
            for i in T.Parallel(M):
                total[i] = 0.0
                for k in T.serial(K):
                    total[i] += a[i, k]
            for k in T.serial(3):
                for i in T.Parallel(M):
                    total[i] = total[i] * 2.0 + k
            T.copy(total, B)

    return main


def test_serial_loops_inside_and_outside(device):
    a = floats(16, 24)
    check(accumulate(16, 24)(a, device=device), a.sum(1, dtype=np.float64) * 8 + 4, 1e-4)


@tilelang.jit(out_idx=[-1])
def nested(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((M, N), "float32")
            s = T.alloc_shared((M,), "float32")
            T.copy(A, a)
            for i in T.Parallel(M):
                s[i] = a[i, 1] * 2.0
                factor = s[i] + i
                if i % 2 == 1:
                    for j in T.Parallel(N):
                        a[i, j] = a[i, j] * factor + j
            T.copy(a, B)

    return main


@pytest.mark.parametrize("M, N", [(8, 32), (16, 16)])
def test_a_nest_of_loops(device, M, N):
    a = floats(M, N)
    i, j = np.arange(M)[:, None], np.arange(N)
    expected = np.where(i % 2 == 1, a * (a[:, 1:2] * 2 + i) + j, a)
    check(nested(M, N)(a, device=device), expected, 1e-5)


# --- Elements that are no region -----------------------------------------------------------------


@tilelang.jit(out_idx=[-1])
def anywhere(N):
    @T.prim_func
    def main(
        A: T.Tensor((N,), "float32"), P: T.Tensor((N,), "int32"), B: T.Tensor((5, N), "float32")
    ):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((N,), "float32")
            p = T.alloc_shared((N,), "int32")
            b = T.alloc_shared((5, N), "float32")
            T.copy(A, a)
            T.copy(P, p)
            for i in T.Parallel(N // 2):
                b[0, 2 * i] = a[i]
                b[0, 2 * i + 1] = -a[2 * i]
            for i in T.Parallel(N):
                b[1, i] = a[N - 1 - i]
                b[2, i] = a[p[i]]
                b[3, i] = a[i - 1]
                b[4, p[i]] = a[i]
            T.copy(b, B)

    return main


def test_steps_tables_and_edges(device):
    a, p = floats(32), RNG.permutation(32).astype(np.int32)
    expected = np.zeros((5, 32))
    expected[0, ::2], expected[0, 1::2] = a[:16], -a[::2]
    expected[1], expected[2], expected[3, 1:], expected[4, p] = a[::-1], a[p], a[:-1], a
    check(anywhere(32)(a, p, device=device), expected)


@tilelang.jit(out_idx=[-1])
def chosen_row(M, N):
    @T.prim_func
    def main(
        A: T.Tensor((M, N), "float32"), K: T.Tensor((8,), "int32"), B: T.Tensor((N,), "float32")
    ):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((M, N), "float32")
            k = T.alloc_shared((8,), "int32")
            b = T.alloc_shared((N,), "float32")
            T.copy(A, a)
            T.copy(K, k)
            for j in T.Parallel(N):
                b[j] = a[k[3], j] * k[4]
            T.copy(b, B)

    return main


def test_an_index_that_all_lanes_share(device):
    a, k = floats(4, 64), np.array([0, 1, 2, 3, 5, 6, 7, 8], np.int32)
    check(chosen_row(4, 64)(a, k, device=device), a[3] * 5)


# --- Names ---------------------------------------------------------------------------------------


@tilelang.jit(out_idx=[-1])
def names(M, K):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float32"), F: T.Tensor((8,), "int32"), B: T.Tensor((M,), "float32")
    ):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((M, K), "float32")
            f = T.alloc_shared((8,), "int32")
            b = T.alloc_shared((M,), "float32")
            T.copy(A, a)
            T.copy(F, f)
            for i in T.Parallel(M):
                total = 0.0
                for k in T.serial(K):
                    if a[i, k] > 0:
                        total += a[i, k]
                if f[1] > 0:
                    last = a[i, 0]
                else:
                    last = 1.0
                b[i] = total * 2.0 if total > 3 else last
            T.copy(b, B)

    return main


@pytest.mark.parametrize("flag", [0, 1])
def test_names_are_blocks(device, flag):
    a, f = floats(16, 6), np.full(8, flag, np.int32)
    total = np.where(a > 0, a, 0).sum(1, dtype=np.float64)
    expected = np.where(total > 3, total * 2, a[:, 0] if flag else 1)
    check(names(16, 6)(a, f, device=device), expected, 1e-5)


@tilelang.jit(out_idx=[-1])
def alternate(N):
    n = T.symbolic("n")

    @T.prim_func
    def main(
        A: T.Tensor((N,), "float32"), D: T.Tensor((n,), "float32"), B: T.Tensor((2, N), "float32")
    ):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((2, N), "float32")
            side = T.alloc_var("int32", 0)
            for i in T.Parallel(N):
                a[0, i] = A[i]
                a[1, i] = 0.0
            for k in T.serial(n):
                for i in T.Parallel(N):
                    a[1 - side, i] = a[side, i] + k if a[side, i] > 0 else a[side, i] - 1.0
                side = 1 - side
            T.copy(a, B)

    return main


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_a_variable_picks_the_half(device, steps):
    x = floats(64)
    a = np.stack([x, np.zeros_like(x)])
    for k in range(steps):
        now, then = a[k % 2], a[1 - k % 2]
        then[:] = np.where(now > 0, now + k, now - 1)
    check(alternate(64)(x, np.zeros(steps, np.float32), device=device), a, 1e-5)


@tilelang.jit(out_idx=[-1])
def bits(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")):
        with T.Kernel(1, threads=1) as _:
            a = T.alloc_shared((N,), "int32")
            odd = T.alloc_shared((N,), "bool")
            T.copy(A, a)
            for i in T.Parallel(N):
                odd[i] = a[i] % 2 == 1
            for i in T.Parallel(N):
                if odd[i]:
                    a[i] = a[i] // 3
                else:
                    a[i] = a[i] % 5 - (i << 1)
            T.copy(a, B)

    return main


def test_integers_round_down(device):
    a = RNG.integers(-1000, 1000, 64).astype(np.int32)
    expected = np.where(a % 2 == 1, a // 3, a % 5 - 2 * np.arange(64))
    np.testing.assert_array_equal(bits(64)(a, device=device), expected)


@tilelang.jit(out_idx=[-1])
def interleaved(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M, threads=1) as row:
            for j in T.Parallel(N // 2):
                x = A[row, 2 * j]
                y = A[row, 2 * j + 1]
                B[row, 2 * j] = x - y
                B[row, 2 * j + 1] = x + y

    return main


def test_pairs_in_global_memory(device):
    a = floats(3, 64)
    expected = np.stack([a[:, ::2] - a[:, 1::2], a[:, ::2] + a[:, 1::2]], -1).reshape(3, 64)
    check(interleaved(3, 64)(a, device=device), expected)


@tilelang.jit(out_idx=[-1])
def moved(block):
    N = T.symbolic("N")

    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), n: T.int32, B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block)) as (bx, half):
            a = T.alloc_ub((block,), "float32")
            T.copy(A[bx * block], a)
            if half == 0:
                for i in T.Parallel(T.min(block, T.min(block, N - bx * block) - n)):
                    for k in T.serial(2):
                        if n > 0:
                            a[n + i] = T.exp(a[n + i]) if k == 0 else T.max(a[n + i], 1.0)
                T.copy(a, B[bx * block])

    return main


def test_an_offset_that_leaves_the_buffer_where_lanes_are_off(device):
    a = floats(150)
    expected = a.astype(np.float64)
    for start in range(0, 150, 64):
        part = expected[start + 3 : start + 64]
        part[:] = np.maximum(np.exp(part), 1)
    check(moved(64)(a, 3, device=device), expected, 1e-5)
