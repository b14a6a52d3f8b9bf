# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is wrong is said where it stands; what only shows at run time harms nobody."""

import runpy

import numpy as np
import pytest

import kiln
import kiln.tilelang as tilelang
import kiln.tilelang.language as T

FRAME = """
import kiln.tilelang.language as T

@T.prim_func
def main(
    x: T.Tensor((16, 32), "float32"),
    q: T.Tensor((16, 32), "int32"),
    out: T.Tensor((16, 32), "float32"),
    n: T.int32,
):
    with T.Kernel(1, threads=1) as bx:
        a = T.alloc_ub((16, 32), "float32")
        i = T.alloc_ub((16, 32), "int32")
        T.copy(x, a)
        T.copy(q, i)
"""
FIRST = FRAME.count("\n") + 1


@pytest.fixture
def launch(tmp_path):
    """Runs lines inside of a kernel, and what the output is afterwards."""

    def run(lines, device="cpu", after="        T.copy(a, out)\n"):
        body = "".join(f"        {line}\n" for line in lines.splitlines())
        file = tmp_path / "kernel.py"
        file.write_text(FRAME + body + after)
        kernel = tilelang.compile(runpy.run_path(str(file))["main"], out_idx=[2])
        x = np.arange(512, dtype=np.float32).reshape(16, 32)
        return x, kernel(x, x.astype(np.int32), 3, device=device)

    return run


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("i[0, 0] = i[0, 0] // 0", "division by zero"),
        ("i[0, 0] = n % 0", "division by zero"),
        ("for k in T.Parallel(32):\n    i[0, k] = i[0, k] % 0", "division by zero"),
        ("i[0, 0] = i[0, 0] << 40", "found a shift by 40 bits, expected 0 to 31 for int32"),
        ("i[0, 0] = n >> -1", "found a shift by -1 bits, expected 0 to 31 for int32"),
        ("i[0, 0] = T.shift_right(n, 32)", "found a shift by 32 bits, expected 0 to 31"),
        ("T.copy(q[8, 0], i, pad_value=1.5)", "found the float 1.5, expected a value of int32"),
        ("T.copy(q[8, 0], i, pad_value=1 << 40)", "the int 1099511627776 is outside the range"),
        ("a[1 << 70, 0] = 1.0", "index 1180591620717411303424 is outside dimension 0 of 'a'"),
        ("T.copy(x[0, -(1 << 63) - 1], a)", "index -9223372036854775809 is outside dimension 1"),
        ("assert a.shape[0] == 17, 'rows'", "assertion failed: rows"),
        ("a[0, 0] = a[0, 0] @ a[0, 1]", "matrices are multiplied by T.gemm"),
        ("T.annotate_address({**{}, a: 0})", "found '**' in a dictionary"),
        (
            "for k in T.serial(None):\n    pass",
            "'start' of T.serial: found None, expected an integer",
        ),
        ("for k in T.serial(1.5):\n    pass", "found the float 1.5 as a bound of the loop"),
        ("for k in T.Pipelined(4, num_stages=65):\n    pass", "num_stages 65, expected 0 to 64"),
        ("for k in T.Persistent([4], -1, bx):\n    pass", "'wave_size' of T.Persistent: found"),
        ("for k in T.Persistent([-4], 1, bx):\n    pass", "'domain' of T.Persistent: found the"),
        (
            "v = [0 for k in range(300) for j in range(300)]",
            "the list has more than 65536 elements",
        ),
        ("for k in T.unroll(9):\n    v = [j for j in range(60000)]", "has more than 131072 stat"),
        ("out[0, 0] = 'x'", "found the str 'x', expected a scalar for an element of 'out'"),
        ("for k, j in T.Parallel(32):\n    a[0, k] = 1.0", "found 2 names"),
        ("for k in T.Parallel(2, 32):\n    a[0, k] = 1.0", "found 1 name$"),
    ],
)
def test_errors_stand_at_their_line(launch, lines, message):
    with pytest.raises(kiln.CompilationError) as error:
        launch(lines)
    first = str(error.value).splitlines()[0]
    last = FIRST + lines.count("\n")
    assert any(f"kernel.py:{line}:" in first for line in range(FIRST, last + 1))
    message = message.replace("(", r"\(").replace("*", r"\*")
    error.match(f"(?m){message}")
    assert "\n" in str(error.value) and "^" in str(error.value)


def test_nothing_runs_outside_of_the_blocks(launch):
    with pytest.raises(kiln.CompilationError, match="found T.copy outside of T.Kernel"):
        launch("pass", after="    T.copy(x, out)\n")
    with pytest.raises(kiln.CompilationError, match="outside of T.Kernel, expected it inside"):
        launch("pass", after="    out[0, 0] = 1.0\n")


@pytest.mark.parametrize(
    ("extents", "message"),
    [
        ("1 << 70", "found 1180591620717411303424 blocks, expected from 0 to 2^30"),
        ("1 << 16, 1 << 16", "found 4294967296 blocks, expected from 0 to 2^30"),
        ("1, threads=-7", "argument 'threads' of T.Kernel: found the int -7, expected an int of"),
        ("1, threads='x'", "argument 'threads' of T.Kernel: found the str 'x', expected an int of"),
    ],
)
def test_numbers_of_blocks(tmp_path, extents, message):
    file = tmp_path / "kernel.py"
    file.write_text(
        "import kiln.tilelang.language as T\n\n@T.prim_func\ndef main(x: T.Tensor((8,), 'int8')):\n"
        f"    with T.Kernel({extents}):\n        pass\n"
    )
    kernel = tilelang.compile(runpy.run_path(str(file))["main"])
    with pytest.raises(kiln.CompilationError) as error:
        kernel(np.zeros(8, np.int8))
    assert message in str(error.value) and "kernel.py:5:" in str(error.value)


@pytest.mark.parametrize("extents", [(0, 3), (3, 0), (0, 0)])
def test_a_grid_without_blocks_does_nothing(extents):
    @T.prim_func
    def main(x: T.Tensor((64,), "float32")):
        with T.Kernel(*extents) as (bx, by):
            held = T.alloc_ub((8,), "float32")
            T.fill(held, 1.0)
            T.copy(held, x[(bx + by) * 8])

    x = np.zeros(64, np.float32)
    tilelang.compile(main)(x)
    assert not x.any()


@pytest.mark.parametrize("device", ["cpu", "ascend910b"])
def test_an_element_outside_of_its_buffer_is_zero_and_is_not_written(launch, device):
    x, out = launch(
        "held = T.alloc_ub((8,), 'float32')\n"
        "T.fill(held, 5.0)\n"
        "for k in T.serial(n * 1000):\n"
        "    held[k - 4] = 1.0\n"
        "a[n * 1000000, 0] = 2.0\n"
        "a[0, 0] = held[7] + held[n * 100000]\n"
        "a[0, 1] = held[n - 4]",
        device,
    )
    expected = x.copy()
    expected[0, :2] = 1, 0
    np.testing.assert_array_equal(out, expected)


def test_a_region_outside_of_its_buffer_reaches_no_memory_but_its_own(launch):
    x, out = launch("T.copy(a[n * 10000000 : n * 10000000 + 8, :], a[0:8, :])")
    np.testing.assert_array_equal(out[:8], x[8:])
    with pytest.raises(kiln.KilnError, match="out of bounds"):
        launch("T.copy(a[n * 10000000 : n * 10000000 + 8, :], a[0:8, :])", "ascend910b")


@pytest.mark.parametrize("device", ["cpu", "ascend910b"])
def test_loops_come_to_an_end(launch, device):
    x, out = launch(
        "for k in T.serial(0, 10, n - 3):\n"
        "    a[0, 0] = 100.0\n"
        "for k in T.serial(0, 10, n - 5):\n"
        "    a[0, 0] = 100.0\n"
        "for k in T.serial(2147483640, 2147483647, 5):\n"
        "    a[0, 1] = a[0, 1] + 1.0\n"
        "for k in T.serial(0, 10, n):\n"
        "    a[0, 2] = a[0, 2] + 1.0",
        device,
    )
    expected = x.copy()
    expected[0, 1:3] += 2, 4
    np.testing.assert_array_equal(out, expected)


@T.macro
def one_of(buffer, n):
    if n > 2:
        return buffer[0]
    else:
        return buffer[1]


@T.macro
def one_or_nothing(buffer, n):
    if n > 2:
        return buffer[0]


@pytest.mark.parametrize("device", ["cpu", "ascend910b"])
def test_branches_return_elements(device):
    @T.prim_func
    def main(x: T.Tensor((8,), "float32"), n: T.int32, y: T.Tensor((8,), "float32")):
        with T.Kernel(1):
            y[0] = one_of(x, n)

    kernel = tilelang.compile(main)
    x, y = np.arange(5, 13, dtype=np.float32), np.zeros(8, np.float32)
    for n, expected in ((3, 5), (2, 6)):
        kernel(x, n, y, device=device)
        assert y[0] == expected


def test_a_macro_that_returns_on_some_ways_only():
    @T.prim_func
    def main(x: T.Tensor((8,), "float32"), n: T.int32):
        with T.Kernel(1):
            x[1] = one_or_nothing(x, n)

    with pytest.raises(kiln.CompilationError, match="but nothing on the other ways"):
        tilelang.compile(main)(np.zeros(8, np.float32), 3)


# --- What stands outside of kernels --------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: T.ceildiv("x", 3), TypeError, "T.ceildiv: found 'x', expected an integer"),
        (lambda: T.ceildiv(T.symbolic("M"), (1, 2)), TypeError, r"T.ceildiv: found \(1, 2\)"),
        (lambda: T.floordiv(3.5, 2), TypeError, "T.floordiv: found 3.5, expected an integer"),
        (lambda: T.max("x", T.symbolic("M")), TypeError, "T.max: found 'x', expected a number"),
        (lambda: T.ceildiv(3), TypeError, r"T.ceildiv\(\) missing 1 required"),
        (lambda: T.symbolic(None), TypeError, "found None, expected a name"),
        (lambda: T.symbolic("for"), ValueError, "found 'for', expected a name"),
    ],
)
def test_extents_on_the_host(make, error, message):
    with pytest.raises(error, match=message):
        make()
    assert (T.ceildiv(np.int64(7), 2), T.min(0.5, 3), T.max(1, 2)) == (4, 0.5, 2)


def test_an_extent_has_a_name_of_its_own():
    x = T.symbolic("x")
    with pytest.raises(kiln.KilnError, match=r"test_refused_kernels.py:\d+: .* with the name 'x'"):

        @T.prim_func
        def main(x: T.Tensor((x,), "float32")):
            pass


@pytest.mark.parametrize(
    ("extent", "message"),
    [
        (T.symbolic("M") - 8, r"'y' \(index 1\): found shape \(-4,\), expected no negative extent"),
        (T.symbolic("M") * (1 << 50), r"'y' \(index 1\): an output of shape .* is not to be had"),
    ],
)
def test_outputs_that_nobody_can_make(extent, message):
    @T.prim_func
    def main(x: T.Tensor((T.symbolic("M"),), "float32"), y: T.Tensor((extent,), "float32")):
        with T.Kernel(1):
            pass

    with pytest.raises((ValueError, kiln.KilnError), match=message):
        tilelang.compile(main, out_idx=-1)(np.zeros(4, np.float32))


@pytest.mark.parametrize("configs", [["tl.ascend_auto_sync"], "tl.ascend_auto_sync"])
def test_settings_that_are_no_dictionary(configs):
    with pytest.raises(TypeError, match=r"pass_configs: found .*, expected a dictionary"):
        tilelang.jit(lambda: None, pass_configs=configs)


def test_an_eager_kernel_does_not_return_early():
    def kernel(x):
        M = T.const("M")
        x: T.Tensor((M,), "float32")
        if M > 3:
            return x
        with T.Kernel(M):
            pass

    with pytest.raises(
        kiln.KilnError, match=r"test_refused_kernels.py:\d+: kernel 'kernel': 'return'"
    ):
        tilelang.jit(kernel)(np.zeros(4, np.float32))


def test_more_programs_than_a_launch_counts():
    @T.prim_func
    def main(x: T.Tensor((4,), "float32"), n: T.int64):
        with T.Kernel(n):
            pass

    with pytest.raises(ValueError, match=r"kernel 'main': found 4000000000 programs, expected at"):
        tilelang.compile(main)(np.zeros(4, np.float32), 4_000_000_000)
