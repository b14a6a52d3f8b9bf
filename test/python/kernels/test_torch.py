"""Kernels on PyTorch CPU tensors, and a published-style PyTorch file run as it is."""

import subprocess
import sys

import pytest

import kiln.language as tl
import kiln.triton as triton

pytestmark = pytest.mark.torch


@triton.jit
def scale(x_ptr, out_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x * FACTOR, mask=i < n)


@pytest.mark.parametrize("name", ("float32", "float64", "float16", "bfloat16", "int32", "uint8"))
@pytest.mark.parametrize("size", (1, 127, 4097))
def test_tensors(name, size):
    import torch

    dtype = getattr(torch, name)
    x = torch.arange(size).remainder(100).to(dtype)
    out = torch.full_like(x, 77)
    scale[(triton.cdiv(size, 1024),)](x, out, size, FACTOR=2, BLOCK=1024)
    assert torch.equal(out, x * 2)


def test_strided_and_offset_tensors():
    import torch

    base = torch.arange(300, dtype=torch.float32)
    out = torch.zeros(100)
    scale[(1,)](base[100:200], out, 100, FACTOR=3, BLOCK=128)
    assert torch.equal(out, base[100:200] * 3)


def test_unmodified_file(checkout):
    """`kiln run` on a file that knows nothing of Kiln."""
    file = checkout / "examples" / "triton" / "torch_vector_add.py"
    done = subprocess.run(
        [sys.executable, "-m", "kiln", "run", str(file)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    assert all(line.endswith("from PyTorch 0") for line in lines)
