"""Plain Python functions that kernels call, on both devices."""

import subprocess
import sys

import numpy as np
import pytest

import kiln
import kiln.tilelang as tilelang
import kiln.tilelang.language as T

DEVICES = ["cpu", "ascend910b"]
AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


def scale(rows, buffer, factor):
    """Calls a function that the kernel does not see."""
    for i in range(rows):
        scale_row(buffer, i, factor)


def scale_row(buffer, i, factor):
    T.tile.mul(buffer[i, :], buffer[i, :], factor)


def twice(number):
    return 2 * number


@tilelang.jit(out_idx=[1], pass_configs=AUTOMATIC)
def make(M, N, wide):
    kept = "float32" if wide else "float16"

    def convert(dst, src):
        if wide:
            return T.tile.cast(dst, src, "CAST_NONE", 2 * N)
        else:
            return T.copy(src, dst)

    def first_row(block, part):
        return block * 4 + part * T.ceildiv(4, 2)

    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((M, N), kept)):
        with T.Kernel(M // 4) as (cid, vid):
            given = T.alloc_ub((2, N), "float16")
            held = T.alloc_ub((2, N), kept)
            row = first_row(cid, vid)
            T.copy(A[row, 0], given)
            convert(held, given)
            scale(2, held, float(twice(2)))
            T.copy(held, B[row, 0])

    return main


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("wide", [True, False])
def test_they_are_inlined(device, wide):
    x = np.random.default_rng(0).standard_normal((16, 32)).astype(np.float16)
    found = make(16, 32, wide)(x, device=device)
    assert found.dtype == (np.float32 if wide else np.float16)
    np.testing.assert_array_equal(found, x.astype(np.float32) * 4)


def test_a_mistake_in_one_has_its_place_and_that_of_the_call():
    def broken(buffer):
        T.tile.no_such_name(buffer, buffer)

    @T.prim_func
    def main(A: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=1):
            a = T.alloc_shared((8,), "float32")
            T.copy(A, a)
            broken(a)
            T.copy(a, A)

    with pytest.raises(kiln.CompilationError) as error:
        tilelang.compile(main)(np.zeros(8, np.float32))
    text = str(error.value)
    assert "T.tile.no_such_name(buffer, buffer)" in text
    assert "broken(a)" in text


FILE = """
import tilelang, tilelang.language as T
{import_torch}
@tilelang.jit(out_idx=[0])
def make(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=1):
            a = T.alloc_shared((N,), "float32")
            T.clear(a)
            T.copy(a, A)
    return main

out = make(8)()
print(type(out).__module__, type(out).__name__, float(abs(out).sum()))
"""


@pytest.mark.parametrize("library", ["numpy", pytest.param("torch", marks=pytest.mark.torch)])
def test_what_a_call_without_arrays_makes(library, tmp_path):
    (tmp_path / "file.py").write_text(FILE.format(import_torch=f"import {library}"))
    command = [sys.executable, "-m", "kiln", "run", "file.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    expected = {"numpy": "numpy ndarray 0.0", "torch": "torch Tensor 0.0"}[library]
    assert done.stdout.strip() == expected, done.stderr


def apply(op, dtype="float32"):
    """b[i] = op(a[i], s), lane by lane, then all of b again by rows."""

    def weighted(x, s):
        """A plain function, which names nothing of the language."""
        if s > 1:
            return x * s
        y = x + s
        return y

    @tilelang.jit(out_idx=[1], pass_configs=AUTOMATIC)
    def make(M, N):
        @T.prim_func
        def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype), s: T.int32):
            with T.Kernel(M // 4) as (cid, vid):
                a = T.alloc_ub((2, N), dtype)
                b = T.alloc_ub((2, N), dtype)
                T.copy(A[cid * 4 + vid * 2, 0], a)
                for i, j in T.Parallel(2, N):
                    b[i, j] = weighted(op(a[i, j], a[i, j]), weighted(1, 1))
                row = (lambda block, part: block * 4 + part * 2)(cid, vid)
                T.copy(b, B[row, 0])

        return main

    return make


OPERATIONS = {
    "plus": (lambda x, y: x + y, lambda x: (x + x) * 2),
    "named": (lambda x, y: T.max(x, y), lambda x: x * 2),
    "choice": (lambda x, y=3: T.if_then_else(x > 0, x, -y), lambda x: abs(x) * 2),
    # Two on one line; over several lines.
    "inner": ((lambda f: f)(lambda x, y: x * y), lambda x: x * x * 2),
    "lines": (
        lambda x, y: (
            x - 2 * y  #
        ),
        lambda x: -x * 2,
    ),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", OPERATIONS)
def test_functions_that_only_compute_take_lanes(device, name):
    op, expected = OPERATIONS[name]
    x = np.random.default_rng(1).standard_normal((16, 32)).astype(np.float32)
    found = apply(op)(16, 32)(x, 1, device=device)
    np.testing.assert_allclose(found, expected(x), rtol=1e-6)


def test_a_function_of_the_host_gets_constants_only():
    def loop(x):
        for _ in range(2):
            x = x + x
        return x

    with pytest.raises(kiln.CompilationError, match="expected a value known at compile time"):
        apply(lambda x, y: loop(x))(16, 32)(np.zeros((16, 32), np.float32), 1, device="cpu")


def test_a_mistake_in_a_lambda_has_its_place():
    with pytest.raises(kiln.CompilationError) as error:
        apply(lambda x, y: T.no_such_name(x))(16, 32)(np.zeros((16, 32), np.float32), 1)
    assert "lambda x, y: T.no_such_name(x)" in str(error.value)


def test_kernels_differ_by_the_lambdas_that_they_see():
    x = np.ones((16, 32), np.float32)
    makes = [apply(lambda x, y, k=k: x + k) for k in (1, 2)]
    found = [make(16, 32)(x, 1, device="cpu")[0, 0] for make in makes]
    assert found == [4, 6]
