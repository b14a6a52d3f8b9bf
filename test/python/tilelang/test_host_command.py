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

one = eager.compile(np.zeros(6, dtype=np.float32))

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
        ([], "file.py has 4 kernels, expected --kernel with one of: make, declared, eager, one"),
        (["--device", "cup"], "--device: device 'cup': is not known, expected one of 'cpu'"),
    ],
)
def test_wrong_usage(kiln, arguments, text):
    done = kiln("compile", "file.py", *arguments)
    assert done.returncode == 2
    assert text in done.stderr and "Traceback" not in done.stderr


def test_a_kernel_of_one_call(kiln):
    done = kiln("compile", "file.py", "--kernel", "one")
    assert done.returncode == 0, done.stderr
    assert 'tile.grid = "6"' in done.stdout


# As published files are: with a command line, prints and launches beside the kernels.
EXPERT = """
import argparse
import numpy as np
import tilelang
import tilelang.language as T

parser = argparse.ArgumentParser()
parser.add_argument("--n", type=int, default=64)
N = parser.parse_args().n

@tilelang.jit(out_idx=[-1])
def make(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=1) as block:
            held = T.alloc_ub((N,), "float32")
            T.copy(A, held)
            T.set_flag("mte2", "mte3", 0)
            T.wait_flag("mte2", "mte3", 0)
            T.copy(held, B)
    return main

made = make(N)
print("sum", made(np.ones(N, dtype=np.float32)).sum())
"""


def test_what_a_file_does_besides(kiln, tmp_path):
    (tmp_path / "expert.py").write_text(EXPERT)
    npu = ("--device", "ascend910b")
    done = kiln("compile", "expert.py", "--args", "N=32", *npu)  # `made` takes no --args
    assert done.returncode == 0 and done.stderr == "sum 64.0\n"
    assert done.stdout.startswith("module") and "npu.set" in done.stdout
    (tmp_path / "expert.py").write_text(EXPERT + "raise ValueError('no more')\n")
    done = kiln("compile", "expert.py", "--kernel", "made", *npu)
    assert done.returncode == 0 and "npu.set" in done.stdout
    assert done.stderr == "sum 64.0\nkiln compile: expert.py ended with ValueError: no more\n"
    (tmp_path / "expert.py").write_text("1 / 0\n")
    done = kiln("compile", "expert.py")
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr
    assert "runpy" not in done.stderr
