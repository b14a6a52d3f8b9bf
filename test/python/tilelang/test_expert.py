# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose author orders the instructions: values, and what each flag and barrier is for."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

import kiln
import kiln.tilelang as tilelang
import kiln.tilelang.language as T

CHIP = "ascend910b"
EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "tilelang"
RNG = np.random.default_rng(17)


@pytest.fixture(autouse=True, params=[None, 1], ids=["timed", "order1"])
def order(request):
    """The checker judges every run, whatever the order: a finding is an exception."""
    settings = {} if request.param is None else {"order": request.param, "mode": "functional"}
    with kiln.simulation(CHIP, **settings):
        yield


def floats(*shape, dtype="float32", low=-4, high=4):
    return RNG.uniform(low, high, shape).astype(dtype)


def check(found, expected, tolerance=1e-6):
    expected = np.asarray(expected, np.float64)
    np.testing.assert_allclose(np.asarray(found, np.float64), expected, tolerance, tolerance)


# --- Examples ------------------------------------------------------------------------------------


def example(name, function):
    sys.path.insert(0, str(EXAMPLES))
    try:
        kiln.install_aliases()
        return getattr(__import__(name), function)
    finally:
        sys.path.pop(0)


# The last one has more programs than there are cores.
@pytest.mark.parametrize("size", [1, 64, 257, 1000, 2049, 20_000])
def test_double_buffered_copy(size):
    x = floats(size)
    out = example("expert_copy", "expert_copy")(size, 64, 4)(x, device=CHIP)
    check(out, np.exp(x.astype(np.float64)) + 1)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (7, 127), (16, 64), (33, 200), (900, 64)])
def test_softmax(rows, columns):
    x = floats(rows, columns)
    kernel = example("expert_softmax", "expert_softmax")(columns, -(-columns // 64) * 64)
    wide = np.exp(x.astype(np.float64))
    check(kernel(x, device=CHIP), wide / wide.sum(axis=1, keepdims=True))


# --- Single instructions -------------------------------------------------------------------------


@tilelang.jit(out_idx=[-1])
def unary(op, dtype):
    @T.prim_func
    def main(A: T.Tensor((4, 64), dtype), B: T.Tensor((4, 64), dtype)):
        with T.Kernel(1):
            a = T.alloc_ub((4, 64), dtype)
            b = T.alloc_ub((4, 64), dtype)
            T.copy(A, a)
            T.barrier_all()
            op(b, a)
            T.barrier_all()
            T.copy(b, B)

    return main


UNARY = {
    "exp": np.exp,
    "ln": np.log,
    "abs": np.abs,
    "reciprocal": lambda x: 1 / x,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
}


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype):
    positive = name in ("ln", "sqrt", "rsqrt", "reciprocal")
    a = floats(4, 64, dtype=dtype, low=0.1 if positive else -4)
    found = unary(getattr(T.tile, name), dtype)(a, device=CHIP)
    check(found, UNARY[name](a.astype(np.float64)), 1e-6 if dtype == "float32" else 4e-3)


@tilelang.jit(out_idx=[-1])
def binary(op, dtype, kind):
    @T.prim_func
    def main(
        A: T.Tensor((4, 64), dtype),
        B: T.Tensor((4, 64), dtype),
        s: dtype,
        C: T.Tensor((4, 64), dtype),
    ):
        with T.Kernel(1):
            a = T.alloc_ub((4, 64), dtype)
            b = T.alloc_ub((4, 64), dtype)
            T.copy(A, a)
            T.copy(B, b)
            T.barrier_all()
            if kind == "buffer":
                op(a, a, b)
            elif kind == "number":
                op(a, a, 3)
            elif kind == "scalar":
                op(a, a, s)
            elif kind == "element":
                op(a, a, b[1, 2])
            else:
                op(a[0:2, 0:48], a[2:4, 16:64], b[2:4, 0:48])
            T.barrier_all()
            T.copy(a, C)

    return main


BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
}


def is_there(name, dtype, kind):
    if name == "div":
        return dtype.startswith("float")
    if not name.startswith("bitwise"):
        return True
    return dtype == "int16" and "xor" not in name or dtype == "int32" and kind in ("buffer", "part")


@pytest.mark.parametrize(
    ("name", "dtype", "kind"),
    [
        case
        for case in itertools.product(
            BINARY,
            ("float32", "float16", "int32", "int16"),
            ("buffer", "number", "scalar", "element", "part"),
        )
        if is_there(*case)
    ],
)
def test_binary(name, dtype, kind):
    low = 1 if name == "div" else -4
    a, b = (floats(4, 64, low=low * 100, high=400).astype(dtype) / 100 for _ in range(2))
    a, b = a.astype(dtype), b.astype(dtype)
    scalar = 1.25 if dtype.startswith("float") else 5
    found = binary(getattr(T.tile, name), dtype, kind)(a, b, scalar, device=CHIP)
    wide = (lambda x: x.astype(np.float64)) if dtype.startswith("float") else (lambda x: x)
    rhs = {"buffer": wide(b), "number": 3, "scalar": scalar, "element": wide(b)[1, 2]}
    if kind == "part":
        expected = wide(a).copy()
        expected[0:2, 0:48] = BINARY[name](wide(a)[2:4, 16:64], wide(b)[2:4, 0:48])
    else:
        expected = BINARY[name](wide(a), rhs[kind])
    check(found, expected, 2e-3 if dtype == "float16" else 1e-6)


@tilelang.jit(out_idx=[-1])
def several(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((8, n), "float32")):
        with T.Kernel(1):
            a = T.alloc_ub((n,), "float32")
            b = T.alloc_ub((8, n), "float32")
            whole = T.alloc_ub((n,), "int32")
            T.copy(A, a)
            T.tile.fill(b, 2.0)
            T.barrier_all()
            T.tile.axpy(b[0, :], a, 3.0)
            T.tile.mul_add_dst(b[1, :], a, a)
            T.tile.leaky_relu(b[2, :], a, 0.25)
            T.tile.clamp(b[3, :], a, -1.0, 2.0)
            T.tile.clamp_max(b[4, :], a, 1.0)
            T.tile.cast(whole, a, "CAST_FLOOR")
            T.tile.createvecindex(b[6, :], 5)
            T.tile.arith_progression(b[7, :], 1.0, 0.5, n)
            T.barrier_all()
            T.tile.bitwise_lshift(whole, whole, 2)
            T.pipe_barrier("v")
            T.copy(whole, b[5, :])
            T.barrier_all()
            T.copy(b, B)

    return main


@pytest.mark.parametrize("n", [64, 72])
def test_several(n):
    a = floats(n)
    found = several(n)(a, device=CHIP)
    wide = a.astype(np.float64)
    expected = [
        2 + 3 * wide,
        2 + wide * wide,
        np.where(wide > 0, wide, wide / 4),
        np.clip(wide, -1, 2),
        np.minimum(wide, 1),
        np.floor(wide) * 4,
        np.arange(n) + 5,
        1 + np.arange(n) / 2,
    ]
    check(found, np.stack(expected))


@tilelang.jit(out_idx=[-1])
def masks(mode):
    @T.prim_func
    def main(
        A: T.Tensor((4, 64), "float32"),
        B: T.Tensor((4, 64), "float32"),
        C: T.Tensor((4, 64), "float32"),
    ):
        with T.Kernel(1):
            a = T.alloc_ub((4, 64), "float32")
            b = T.alloc_ub((4, 64), "float32")
            bits = T.alloc_ub((2, 32), "uint8")
            T.copy(A, a)
            T.copy(B, b)
            T.barrier_all()
            T.tile.compare(bits[1, :], a, b, "GT")
            T.pipe_barrier("v")
            if mode == "VSEL_TENSOR_SCALAR_MODE":
                T.tile.select(a, bits[1, :], a, -7.0, mode)
            else:
                T.tile.select(a, bits[1, :], a, b, mode)
            T.barrier_all()
            T.copy(a, C)

    return main


@pytest.mark.parametrize(
    "mode", ["VSEL_TENSOR_SCALAR_MODE", "VSEL_TENSOR_TENSOR_MODE", "VSEL_CMPMASK_SPR"]
)
def test_masks(mode):
    a, b = floats(4, 64), floats(4, 64)
    mask = a > b
    if mode == "VSEL_CMPMASK_SPR":
        mask = np.broadcast_to(mask[0], mask.shape)
    other = -7.0 if "SCALAR" in mode else b
    np.testing.assert_array_equal(masks(mode)(a, b, device=CHIP), np.where(mask, a, other))


@tilelang.jit(out_idx=[-3, -2, -1])
def shapes(n):
    @T.prim_func
    def main(
        A: T.Tensor((16, 1), "float32"),
        H: T.Tensor((32, 16), "float16"),
        O: T.Tensor((64,), "uint32"),
        W: T.Tensor((16, n), "float32"),
        R: T.Tensor((16, 32), "float16"),
        G: T.Tensor((64,), "float32"),
    ):
        with T.Kernel(1):
            a = T.alloc_ub((16, 1), "float32")
            h = T.alloc_ub((32, 16), "float16")
            o = T.alloc_ub((64,), "uint32")
            w = T.alloc_ub((16, 32), "float32")
            r = T.alloc_ub((16, 32), "float16")
            g = T.alloc_ub((64,), "float32")
            T.copy(A, a)
            T.copy(H, h)
            T.copy(O, o)
            T.barrier_all()
            T.tile.broadcast(w[:, 0:n], a)
            T.tile.transpose(r, h)
            T.tile.gather(g, a, o, 0)
            T.barrier_all()
            T.copy(w[:, 0:n], W)
            T.copy(r, R)
            T.copy(g, G)

    return main


@pytest.mark.parametrize("n", [5, 8, 20, 32])
def test_shapes(n):
    a, h = floats(16, 1), floats(32, 16, dtype="float16")
    index = RNG.integers(0, 16, 64)
    wide, turned, gathered = shapes(n)(a, h, (index * 4).astype(np.uint32), device=CHIP)
    np.testing.assert_array_equal(wide, np.broadcast_to(a, (16, n)))
    np.testing.assert_array_equal(turned, h.T)
    np.testing.assert_array_equal(gathered, a[index, 0])


# --- Copies --------------------------------------------------------------------------------------


@tilelang.jit(out_idx=[-1])
def tails(rows, columns, block_rows, block_columns, dtype, pad):
    down, across = -(-rows // block_rows), -(-columns // block_columns)

    @T.prim_func
    def main(
        A: T.Tensor((rows, columns), dtype),
        B: T.Tensor((down * block_rows, across * block_columns), dtype),
        C: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel(down * across) as bx:
            a = T.alloc_ub((block_rows, block_columns), dtype)
            i = bx // across * block_rows
            j = bx % across * block_columns
            T.copy(A[i, j], a, pad_value=pad)
            T.barrier_all()
            T.copy(a, B[i, j])
            T.copy(a, C[i, j])

    return main


@pytest.mark.parametrize(
    ("rows", "columns", "block_rows", "block_columns", "dtype"),
    [
        (5, 70, 4, 32, "float32"),
        (9, 33, 4, 32, "float16"),
        (3, 100, 8, 64, "int32"),
        (7, 13, 3, 32, "int8"),
        (4, 65, 2, 64, "float32"),
    ],
)
def test_tails(rows, columns, block_rows, block_columns, dtype):
    a = RNG.integers(-100, 100, (rows, columns)).astype(dtype)
    kernel = tails(rows, columns, block_rows, block_columns, dtype, 3)
    padded = np.zeros(
        (-(-rows // block_rows) * block_rows, -(-columns // block_columns) * block_columns), dtype
    )
    out = kernel(a, padded, device=CHIP)
    np.testing.assert_array_equal(out, a)
    expected = np.full_like(padded, 3)
    expected[:rows, :columns] = a
    np.testing.assert_array_equal(padded, expected)


@tilelang.jit
def placed(first, second):
    @T.prim_func
    def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
        with T.Kernel(1):
            a = T.alloc_ub((64,), "float32")
            b = T.alloc_ub((64,), "float32")
            T.annotate_address({a: first, b: second})
            T.copy(A, a)
            T.barrier_all()
            # Where both lie on the same bytes, b is a.
            T.tile.add(b, b, 1.0)
            T.barrier_all()
            T.copy(b, B)

    return main


def test_buffers_share_bytes_where_the_author_says_so():
    a, b = floats(64), np.zeros(64, np.float32)
    placed(4096, 4096)(a, b, device=CHIP)
    np.testing.assert_array_equal(b, a + 1)
    with pytest.raises(kiln.KilnError, match="undefined"):
        placed(4096, 8192)(a, b, device=CHIP)


# --- Who orders ----------------------------------------------------------------------------------


def scaled(**settings):
    @tilelang.jit(out_idx=[-1], pass_configs={f"tl.ascend_{k}": v for k, v in settings.items()})
    def make(n):
        @T.prim_func
        def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
            with T.Kernel(T.ceildiv(n, 64)) as block, T.Scope("V"):
                a = T.alloc_ub((64,), "float32")
                for k in T.Pipelined(2, num_stages=2):
                    T.copy(A[block * 64], a)
                    T.tile.mul(a, a, 2.0)
                    T.tile.add(a, a, k)
                    T.copy(a, B[block * 64])

        return main

    return make


@pytest.mark.parametrize("n", [64, 100])
@pytest.mark.parametrize("settings", [{}, {"auto_sync": True}, {"memory_planning": False}])
def test_instructions_in_the_compilers_order(settings, n):
    a = floats(n)
    check(scaled(**settings)(n)(a, device=CHIP), 2 * a.astype(np.float64) + 1)


def test_without_order_there_is_a_race():
    with pytest.raises(kiln.KilnError, match=r"race: read after write in UB(.|\n)*test_expert"):
        scaled(auto_sync=False)(64)(floats(64), device=CHIP)


@tilelang.jit(out_idx=[-1])
def elements(n):
    @T.prim_func
    def main(
        A: T.Tensor((n,), "float32"), I: T.Tensor((8,), "int32"), B: T.Tensor((n,), "float32")
    ):
        with T.Kernel(1):
            a = T.alloc_ub((n,), "float32")
            b = T.alloc_ub((8, n), "float32")
            at = T.alloc_ub((8,), "int32")
            T.copy(I, at)
            T.copy(A, a)
            T.barrier_all()
            # An element is an index, a scalar operand, a value.
            row = at[2]
            T.tile.mul(b[row, :], a, a[at[3]])
            T.barrier_all()
            b[row, 1] = a[0] + b[row, 2]
            T.barrier_all()
            T.copy(b[row, :], B)

    return main


def test_elements():
    a, index = floats(64), np.array([0, 1, 5, 7, 0, 0, 0, 0], np.int32)
    expected = a * a[7]
    expected[1] = a[0] + expected[2]
    check(elements(64)(a, index, device=CHIP), expected)


@tilelang.jit(out_idx=[-1])
def islands(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1):
            a = T.alloc_ub((n,), "float32")
            b = T.alloc_ub((n,), "float32")
            T.copy(A, a)
            T.barrier_all()
            for i in T.Parallel(n):
                b[i] = T.if_then_else(a[i] > 0, a[i] * 2, a[i] - 1)
            T.barrier_all()
            T.tile.sin(a, b)
            T.barrier_all()
            T.copy(a, B)

    return main


def test_what_is_no_instruction_stands_between_them():
    a = floats(64).astype(np.float64)
    found = islands(64)(a.astype(np.float32), device=CHIP)
    check(found, np.sin(np.where(a > 0, a * 2, a - 1)), 2e-6)


# --- Forms of published kernels -------------------------------------------------------------------


@tilelang.jit(out_idx=[-1])
def reinterpreted():
    """Swaps neighbours: offsets are computed as int32 and used as uint32."""

    @T.prim_func
    def kernel(x: T.Tensor((2, 64), "float32"), out: T.Tensor((2, 64), "float32")):
        with T.Kernel(1, threads=1):
            a = T.alloc_ub((2, 64), "float32")
            b = T.alloc_ub((2, 64), "float32")
            index = T.alloc_ub((2, 64), "int32")
            words = T.alloc_ub((2, 128), "int16")
            odd = T.alloc_ub((2, 128), "int16")
            offsets = T.alloc_ub((2, 64), "uint32")
            T.copy(x, a)
            T.tile.createvecindex(index, 0)
            T.tile.bitwise_lshift(index, index, 2)
            T.reinterpretcast(words, index, "int16_t")
            T.tile.fill(odd, 4)
            T.reinterpretcast(offsets, index, "uint32_t")
            T.tile.bitwise_xor(words, words, odd)
            T.tile.bitwise_lshift(index, index, 16)
            T.tile.bitwise_rshift(offsets, offsets, 16)
            T.tile.gather(b, a, offsets, 0)
            T.copy(b, out)

    return kernel


def test_buffers_that_share_memory():
    x = floats(2, 64)
    expected = x.reshape(-1, 2)[:, ::-1].reshape(2, 64)
    np.testing.assert_array_equal(reinterpreted()(x, device=CHIP), expected)


@tilelang.jit(out_idx=[-1])
def padded(pad):
    @T.prim_func
    def kernel(x: T.Tensor((3, 7), "float32"), out: T.Tensor((2, 3, 16), "float32")):
        with T.Kernel(1, threads=1):
            rows = T.alloc_ub((2, 3, 16), "float32")
            one = T.alloc_ub((2, 8), "float32")
            total = T.alloc_ub((1,), "float32")
            T.copy(x[0, 2:7], one[1, :])
            T.set_flag("mte2", "v", 0)
            T.wait_flag("mte2", "v", 0)
            T.reduce_sum(one[1, :], total)
            T.pipe_barrier("v")
            T.set_flag("v", "s", 0)
            T.wait_flag("v", "s", 0)
            T.tile.fill(rows[1, 0, :], total)
            T.pipe_barrier("v")
            T.tile.broadcast(rows[0, :, :], rows[1, 0, :])
            T.set_flag("v", "mte2", 0)
            T.wait_flag("v", "mte2", 0)
            T.copy(x[:, 2:7], rows[1, :, :], pad_value=pad)
            T.barrier_all()
            T.copy(rows, out)

    return kernel


def test_padding_and_indexed_buffers():
    x = floats(3, 7)
    expected = np.full((2, 3, 16), -2.5)
    expected[0] = x[0, 2:].astype(np.float64).sum()
    expected[1, :, :5] = x[:, 2:]
    check(padded(-2.5)(x, device=CHIP), expected)


@tilelang.jit(out_idx=[-1])
def lanes_one_by_one(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "int32"), I: T.Tensor((n,), "int32"), B: T.Tensor((2, n), "int32")):
        with T.Kernel(1):
            a = T.alloc_ub((2, n), "int32")
            at = T.alloc_ub((n,), "int32")
            b = T.alloc_ub((2, n), "int32")
            c = T.alloc_ub((2, n), "int32")
            T.copy(I, at)
            for k in T.serial(2):
                half = k % 2
                T.copy(A, a[half, :])
                T.set_flag("mte2", "v", half)
                T.wait_flag("mte2", "v", half)
                for i in T.Parallel(n):
                    b[half, i] = a[half, n - 1 - i] + a[half, at[i]]
                T.pipe_barrier("v")
                for i in T.Parallel(n):
                    c[half, n - 1 - i] = b[half, i]
                T.set_flag("v", "mte3", half)
                T.wait_flag("v", "mte3", half)
                T.copy(c[half, :], B[half, :])

    return main


def test_lanes_of_the_scalar_unit_stand_where_v_would():
    """The author places flags for V, and cannot know that no instruction of V does it."""
    a, at = RNG.integers(-99, 99, 40, np.int32), RNG.permutation(40).astype(np.int32)
    expected = (a[::-1] + a[at])[::-1]
    found = lanes_one_by_one(40)(a, at, device=CHIP)
    np.testing.assert_array_equal(found, np.stack([expected, expected]))
