"""`kiln compile` and `kiln run` on files that use TileLang."""

import subprocess
import sys

import pytest

FILE = """
import numpy as np
import tilelang
import tilelang.language as T
from tilelang import PassConfigKey

@tilelang.jit(out_idx=[-1], pass_configs={PassConfigKey.TL_ASCEND_AUTO_SYNC: True})
def make(M, N=8, dtype="float32"):
    @T.prim_func
    def kernel(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=1) as row:
            held = T.alloc_shared((1, N), dtype)
            T.copy(A[row, 0], held)
            T.copy(held, B[row, 0])
    return kernel

rows = T.symbolic("rows")

@T.prim_func
def declared(A: T.Tensor((rows, 8), "float16"), n: T.int32):
    with T.Kernel(rows * 2, threads=1) as row:
        A[row // 2, 0] = A[row // 2, 1]

@tilelang.jit
def eager(A):
    M = T.const("M")
    A: T.Tensor((M,), "float32")
    with T.Kernel(M, threads=1) as i:
        A[i] = 2.0

@T.macro
def helper(x):
    return x

if __name__ == "__main__":
    x = np.arange(24, dtype=np.float32).reshape(3, 8)
    print(np.array_equal(make(3)(x), x))
    eager(x[0])
    print(x[0].sum())
"""


@pytest.fixture
def kiln(tmp_path):
    (tmp_path / "file.py").write_text(FILE)

    def run(verb, *arguments):
        command = [sys.executable, "-m", "kiln", verb, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    return run


def test_a_file_runs_as_it_is(kiln):
    done = kiln("run", "file.py")
    assert (done.returncode, done.stdout) == (0, "True\n16.0\n"), done.stderr
    done = kiln("run", "--device", "ascend910b", "file.py")
    assert (done.returncode, done.stdout) == (0, "True\n16.0\n"), done.stderr


def test_kernels_that_a_function_makes(kiln):
    done = kiln("compile", "file.py", "--kernel", "make", "--args", "5, dtype='int32'")
    assert done.returncode == 0, done.stderr
    assert 'tile.grid = "5"' in done.stdout and "!tile.ptr<i32>" in done.stdout
    for stage, text in (("asm", "kiln_kernel"), ("linalg", "func.func")):
        done = kiln("compile", "file.py", "--kernel", "make", "--args", "M=5", "--emit", stage)
        assert done.returncode == 0 and text in done.stdout, done.stderr
    npu = ("--device", "ascend910b", "--emit", "npu")
    done = kiln("compile", "file.py", "--kernel", "make", "--args", "M=5", *npu)
    assert done.returncode == 0 and "npu.load" in done.stdout, done.stderr


def test_kernels_with_declared_types_need_no_signature(kiln):
    done = kiln("compile", "file.py", "--kernel", "declared")
    assert done.returncode == 0, done.stderr
    assert "!tile.ptr<f16>" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--kernel", "make"], "--args: make(): missing a required argument: 'M'"),
        (["--kernel", "make", "--args", "M="], "--args: found 'M=', expected a list"),
        (["--kernel", "declared", "--args", "3"], "--args: 'declared' is a kernel itself"),
        (
            ["--kernel", "declared", "--sig", "*f32"],
            "--sig: the parameters of 'declared' are declared",
        ),
        (["--kernel", "eager"], "kernel 'eager' takes its extents from the arrays of a call"),
        (["--kernel", "helper"], "found no kernel 'helper' in file.py, expected one of: make"),
    ],
)
def test_wrong_usage(kiln, arguments, text):
    done = kiln("compile", "file.py", *arguments)
    assert done.returncode == 2
    assert text in done.stderr and "Traceback" not in done.stderr
