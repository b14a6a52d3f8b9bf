# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs mean where compilers are known to slip; on the CPU and on the simulated NPU."""

import numpy as np
import pytest

import kiln
import kiln.tilelang as tilelang
import kiln.tilelang.language as T

RNG = np.random.default_rng(11)


@pytest.fixture(params=["cpu", "ascend910b"])
def device(request):
    return request.param


# --- Integers round down -------------------------------------------------------------------------


@tilelang.jit(out_idx=[-1])
def quotients(count, divisor, rest):
    @T.prim_func
    def main(x: T.Tensor((count,), "int32"), out: T.Tensor((count,), "int32")):
        with T.Kernel(1) as _:
            held = T.alloc_shared((count,), "int32")
            made = T.alloc_shared((count,), "int32")
            T.copy(x, held)
            for i in T.Parallel(count):
                made[i] = held[i] % divisor if rest else held[i] // divisor
            T.copy(made, out)

    return main


@pytest.mark.parametrize("divisor", [1, 3, -4, 7])
@pytest.mark.parametrize("rest", [False, True])
def test_division_of_values_rounds_down(device, divisor, rest):
    x = RNG.integers(-100, 100, 64).astype(np.int32)
    found = quotients(64, divisor, rest)(x, device=device)
    np.testing.assert_array_equal(found, x % divisor if rest else x // divisor)


@tilelang.jit(out_idx=[-2, -1])
def shifted(blocks, shift):
    @T.prim_func
    def main(
        x: T.Tensor((blocks, 16), "float32"),
        out: T.Tensor((blocks, 16), "float32"),
        turns: T.Tensor((blocks, 8), "int32"),
    ):
        with T.Kernel(blocks) as block:
            held = T.alloc_shared((16,), "float32")
            turn = T.alloc_shared((8,), "int32")
            # Negative before the remainder is taken.
            T.copy(x[(block - shift) % blocks, 0], held)
            T.copy(held, out[block, 0])
            T.fill(turn, (block - shift) // blocks)
            T.copy(turn, turns[block, 0])

    return main


def test_division_in_addresses_rounds_down(device):
    x = RNG.standard_normal((5, 16)).astype(np.float32)
    for shift in (0, 2, 4, 13):
        out, turns = shifted(5, shift)(x, device=device)
        np.testing.assert_array_equal(out, np.roll(x, shift, axis=0))
        np.testing.assert_array_equal(turns[:, 0], (np.arange(5) - shift) // 5)


@tilelang.jit(out_idx=[-1])
def both_halves(size):
    @T.prim_func
    def main(x: T.Tensor((size,), "float32"), out: T.Tensor((size,), "float32")):
        with T.Kernel(T.ceildiv(size, 32)) as (cid, vid):
            held = T.alloc_shared((32,), "float32")
            T.copy(x[cid * 32], held)
            T.copy(held, out[cid * 32])

    return main


def test_halves_that_nothing_tells_apart(device):
    x = RNG.standard_normal(100).astype(np.float32)
    np.testing.assert_array_equal(both_halves(100)(x, device=device), x)


# --- Scalars ----X


@tilelang.jit(out_idx=[-1])
def running(count, declared):
    @T.prim_func
    def main(x: T.Tensor((count,), "int32"), out: T.Tensor((count,), "int32")):
        with T.Kernel(1) as _:
            held = T.alloc_shared((count,), "int32")
            T.copy(x, held)
            total = T.alloc_var("int32", init=0) if declared else T.cast(0, "int32")
            for i in T.serial(count):
                total = total + held[i]
                if total > 50:
                    total = total - 100
                held[i] = total
            T.copy(held, out)

    return main


@pytest.mark.parametrize("declared", [True, False])
def test_a_rebound_scalar_carries(device, declared):
    x = RNG.integers(-20, 30, 40).astype(np.int32)
    expected, total = [], 0
    for value in x:
        total += int(value)
        total -= 100 if total > 50 else 0
        expected.append(total)
    np.testing.assert_array_equal(running(40, declared)(x, device=device), expected)


@tilelang.jit(out_idx=[-1])
def counted(size):
    @T.prim_func
    def main(x: T.Tensor((size,), "int32"), out: T.Tensor((8,), "int32")):
        with T.Kernel(1, threads=1) as _:
            held = T.alloc_shared((size,), "int32")
            made = T.alloc_shared((8,), "int32")
            T.copy(x, held)
            T.clear(made)
            at = T.alloc_var("int32", init=-7)
            # Quotients and remainders of what the loop carries, in its condition.
            while at // 3 < 2 and at % 5 != 4:
                at = at + 1
            made[0] = at
            while at < 0 or held[(at - 3) % size] > 0:
                at = at + 1
            made[1] = at
            while T.ceildiv(at, 3) > 1:
                at = at - 1
            made[2] = at
            T.copy(made, out)

    return main


def test_conditions_divide_what_the_loop_carries(device):
    x = RNG.integers(1, 9, 11).astype(np.int32)
    x[5] = 0
    at = -7
    while at // 3 < 2 and at % 5 != 4:
        at += 1
    expected = [at]
    while at < 0 or x[(at - 3) % 11] > 0:
        at += 1
    expected.append(at)
    while -(-at // 3) > 1:
        at -= 1
    expected.append(at)
    np.testing.assert_array_equal(counted(11)(x, device=device)[:3], expected)


# --- Regions ----X


@tilelang.jit(out_idx=[-1])
def sum_of_slice(rows, columns, first, last):
    @T.prim_func
    def main(x: T.Tensor((rows, columns), "float32"), out: T.Tensor((rows,), "float32")):
        with T.Kernel(1) as _:
            held = T.alloc_shared((rows, columns), "float32")
            total = T.alloc_shared((rows,), "float32")
            T.copy(x, held)
            T.reduce_sum(held[:, first:last], total, dim=1)
            T.copy(total, out)

    return main


@pytest.mark.parametrize("first, last", [(0, 8), (8, 24), (0, 32)])
def test_a_reduction_of_a_slice_reduces_the_slice(device, first, last):
    x = RNG.standard_normal((6, 32)).astype(np.float32)
    found = sum_of_slice(6, 32, first, last)(x, device=device)
    np.testing.assert_allclose(found, x[:, first:last].sum(1, dtype=np.float64), 1e-5, 1e-5)


@pytest.mark.parametrize("index", [8, 100, -9])
def test_a_bad_constant_index_is_an_error(index):
    @T.prim_func
    def main(x: T.Tensor((8,), "float32")):
        with T.Kernel(1) as _:
            held = T.alloc_shared((8,), "float32")
            T.copy(x, held)
            held[0] = held[index]
            T.copy(held, x)

    with pytest.raises(kiln.CompilationError, match=rf"index {index} .*'held'.* 8 elements"):
        tilelang.compile(main)(np.zeros(8, np.float32))


@tilelang.jit(out_idx=[-1])
def narrow_rows(rows, columns, padded):
    @T.prim_func
    def main(x: T.Tensor((rows, columns), "float32"), out: T.Tensor((rows, padded), "float32")):
        with T.Kernel(1) as _:
            compact = T.alloc_shared((rows, columns), "float32")
            wide = T.alloc_shared((rows, padded), "float32")
            T.copy(x, compact)
            T.clear(wide)
            for i, j in T.Parallel(rows, columns):
                wide[i, j] = compact[i, j] + 1
            T.copy(wide, out)

    return main


@pytest.mark.parametrize("columns, padded", [(1, 8), (3, 8), (5, 16), (7, 9), (8, 8)])
def test_rows_keep_their_pitch(device, columns, padded):
    x = RNG.standard_normal((6, columns)).astype(np.float32)
    expected = np.zeros((6, padded), np.float32)
    expected[:, :columns] = x + 1
    found = narrow_rows(6, columns, padded)(x, device=device)
    np.testing.assert_array_equal(found, expected)


@tilelang.jit
def ragged_rows(rows, columns, shift):
    @T.prim_func
    def main(
        x: T.Tensor((rows, columns), "float32"),
        lengths: T.Tensor((rows,), "int32"),
        kept: T.Tensor((rows, columns), "float32"),
        moved: T.Tensor((rows, columns), "float16"),
        cut: T.Tensor((rows, columns), "float32"),
    ):
        with T.Kernel(rows) as row:
            held = T.alloc_shared((columns,), "float32")
            wide = T.alloc_shared((2, columns + 3), "float32")
            half = T.alloc_shared((columns,), "float16")
            T.fill(held, 9)
            T.fill(wide, 7)
            T.fill(half, 5)
            n = lengths[row]
            T.copy(x[row, 0:n], held[0:n])
            T.copy(held, kept[row, :])
            T.copy(held[0:n], wide[1, 3 : 3 + n])
            T.copy(wide[1, 3 : 3 + n], half[shift : shift + n])
            T.copy(half, moved[row, 0])
            T.copy(wide[1, 3 : 3 + n], cut[row, 0])

    return main


@pytest.mark.parametrize("rows, columns, shift", [(5, 31, 0), (3, 8, 2), (4, 1, 0), (4, 100, 7)])
def test_slices_with_a_length_of_the_run(device, rows, columns, shift):
    x = RNG.integers(-50, 50, (rows, columns)).astype(np.float32)
    lengths = RNG.integers(0, columns + 1, rows).astype(np.int32)
    lengths[:2] = 0, columns
    kept, cut = np.full((2, rows, columns), np.nan, np.float32)
    moved = np.full((rows, columns), np.nan, np.float16)
    ragged_rows(rows, columns, shift)(x, lengths, kept, moved, cut, device=device)
    inside = np.arange(columns) < lengths[:, None]
    np.testing.assert_array_equal(kept, np.where(inside, x, 9))
    # What no lane of the slice covers stays as it was.
    np.testing.assert_array_equal(cut, np.where(inside, x, np.nan))
    expected = np.full((rows, columns), 5, np.float16)
    for row, n in enumerate(np.minimum(lengths, columns - shift)):
        expected[row, shift : shift + n] = x[row, :n]
    np.testing.assert_array_equal(moved, expected)


# --- Pipelines --X


@tilelang.jit(out_idx=[-1])
def pieces(size, start, stop, stages):
    @T.prim_func
    def main(x: T.Tensor((size,), "float32"), out: T.Tensor((16,), "float32")):
        with T.Kernel(1) as _:
            held = T.alloc_shared((16,), "float32")
            total = T.alloc_shared((16,), "float32")
            T.clear(total)
            for k in T.Pipelined(start, stop, num_stages=stages):
                T.copy(x[k * 16], held)
                for i in T.Parallel(16):
                    total[i] = total[i] * 0.5 + held[i]
            T.copy(total, out)

    return main


@pytest.mark.parametrize("stages", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("start", [0, 3])
def test_pipelined_equals_serial(device, stages, start):
    for trips in (0, 1, 2, 3, 4, 7):
        x = RNG.standard_normal(16 * (start + trips) + 5).astype(np.float32)
        expected = np.zeros(16, np.float32)
        for k in range(start, start + trips):
            expected = expected * np.float32(0.5) + x[k * 16 : k * 16 + 16]
        found = pieces(x.size, start, start + trips, stages)(x, device=device)
        np.testing.assert_allclose(found, expected, 1e-6, 1e-6)


# --- Tiles in turn -------------------------------------------------------------------------------


@tilelang.jit(out_idx=[-1])
def persistent(rows, columns, programs, group):
    @T.prim_func
    def main(out: T.Tensor((rows, columns * 8), "int32")):
        with T.Kernel(programs) as program:
            held = T.alloc_shared((8,), "int32")
            for i, j in T.Persistent([rows, columns], programs, program, group):
                T.fill(held, i * 1000 + j)
                T.copy(held, out[i, j * 8])

    return main


@pytest.mark.parametrize("rows, columns", [(1, 1), (3, 7), (8, 5)])
@pytest.mark.parametrize("programs, group", [(1, 1), (4, 2), (5, 8)])
def test_persistent_visits_every_tile(device, rows, columns, programs, group):
    found = persistent(rows, columns, programs, group)(device=device)
    expected = np.arange(rows)[:, None] * 1000 + np.arange(columns)[None, :]
    np.testing.assert_array_equal(found, np.repeat(expected, 8, axis=1))


# --- Slots that the author counts ----------------------------------------------------------------


@tilelang.jit(out_idx=[-1])
def slots(pieces, negative):
    @T.prim_func
    def main(x: T.Tensor((pieces * 2, 32), "float32"), out: T.Tensor((pieces * 2, 32), "float32")):
        with T.Kernel(1) as _:
            held = T.alloc_shared((4, 32), "float32")
            for k in T.serial(pieces):
                slot = k - 3 if negative else k
                T.copy(x[k * 2, 0], held[(slot % 2) * 2 : (slot % 2) * 2 + 2, :])
                T.copy(held[(slot % 2) * 2 : (slot % 2) * 2 + 2, :], out[k * 2, 0])

    return main


@pytest.mark.parametrize("negative", [False, True])
def test_a_slice_with_a_remainder_has_a_known_extent(device, negative):
    x = RNG.standard_normal((10, 32)).astype(np.float32)
    np.testing.assert_array_equal(slots(5, negative)(x, device=device), x)


@tilelang.jit(out_idx=[-1])
def spread_column(rows, source, target):
    @T.prim_func
    def main(x: T.Tensor((rows,), source), out: T.Tensor((rows, 32), target)):
        with T.Kernel(1) as _:
            held = T.alloc_shared((rows,), source)
            made = T.alloc_shared((rows, 32), target)
            T.copy(x, held)
            for i, j in T.Parallel(rows, 32):
                made[i, j] = T.cast(held[i], target)
            T.copy(made, out)

    return main


@pytest.mark.parametrize("rows", [1, 5, 8])
@pytest.mark.parametrize(
    "source, target",
    [("int32", "float16"), ("float32", "float16"), ("float16", "float32"), ("int32", "int16"),
     ("float16", "int8"), ("int8", "float16")],
)  # fmt: skip
def test_a_column_is_converted_and_spread(device, rows, source, target):
    x = RNG.integers(-100, 100, rows).astype(source)
    found = spread_column(rows, source, target)(x, device=device)
    np.testing.assert_array_equal(found, np.repeat(x.astype(target)[:, None], 32, axis=1))


def test_blocks_that_a_launch_cannot_count_are_an_error():
    @T.prim_func
    def main(x: T.Tensor((8,), "int32")):
        with T.Kernel(x[0] + 1) as _:
            held = T.alloc_shared((8,), "int32")
            T.copy(x, held)
            T.copy(held, x)

    with pytest.raises(kiln.CompilationError, match="number of blocks is a scalar int32"):
        tilelang.compile(main)(np.zeros(8, np.int32))


# --- Buffers on the same bytes -------------------------------------------------------------------


@tilelang.jit(
    out_idx=[-2, -1],
    pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True},
)
def one_under_another(size, first):
    @T.prim_func
    def main(
        x: T.Tensor((size,), "float32"),
        out: T.Tensor((size,), "float32"),
        bits: T.Tensor((size,), "int32"),
    ):
        with T.Kernel(1, threads=1) as _:
            held = T.alloc_ub((size,), "float32")
            over = T.alloc_ub((size - first,), "float32")
            same = T.alloc_ub((size,), "int32")
            T.annotate_address({held: 256, over: 256 + first * 4, same: 256})
            T.copy(x, held)
            T.tile.add(over, over, 1.0)
            for k in T.serial(2):
                over[k] = over[k] * 2
            T.copy(held, out)
            for i in T.Parallel(size):
                same[i] = same[i] & 0x7FFFFFFF
            T.copy(same, bits)

    return main


@pytest.mark.parametrize("first", [0, 8, 24])
def test_buffers_at_one_address_are_one_memory(device, first):
    x = RNG.standard_normal(32).astype(np.float32)
    expected = x.copy()
    expected[first:] += 1
    expected[first : first + 2] *= 2
    out, bits = one_under_another(32, first)(x, device=device)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(bits, np.abs(expected).view(np.int32))


# --- Python at compile time ----------------------------------------------------------------------


@tilelang.jit(out_idx=[-1])
def of_lists(size, taps):
    @T.prim_func
    def main(x: T.Tensor((size,), "float32"), out: T.Tensor((size,), "float32")):
        with T.Kernel(1) as _:
            held = T.alloc_shared((size,), "float32")
            made = T.alloc_shared((size,), "float32")
            T.copy(x, held)
            T.clear(made)
            for k, tap in enumerate(taps):
                for i in T.Parallel(size):
                    made[i] = made[i] + held[i] ** k * tap
            for buffer, tap in zip([held, made], reversed(taps)):
                for i in T.Parallel(size):
                    buffer[i] = buffer[i] * tap + sum(taps, 1)
            for i in T.Parallel(size):
                made[i] = made[i] - held[i]
            T.copy(made, out)

    return main


def test_lists_are_walked_when_compiling(device):
    x = RNG.uniform(-2, 2, 31).astype(np.float32)
    a, b, c = taps = (0.5, -1.0, 3.0)
    wide = x.astype(np.float64)
    made = a + b * wide + c * wide**2
    expected = (made * b + sum(taps) + 1) - (wide * c + sum(taps) + 1)
    np.testing.assert_allclose(of_lists(31, taps)(x, device=device), expected, 1e-5, 1e-5)
