"""assign-cores and map-grid on numbers: each core's share of the grid, run in turn on the CPU."""

import re
import subprocess
import sys

import numpy as np
import pytest

from .legalized import CHECKOUT, call, legalize

EXAMPLES = CHECKOUT / "examples" / "triton"


def tile_ir(file, kernel, signature, **constants):
    command = [sys.executable, "-m", "kiln", "compile", str(EXAMPLES / file), "--kernel", kernel]
    command += ["--sig", signature, "--emit", "tile"]
    for name, value in constants.items():
        command += ["--const", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_cores(text, arguments, grid, cores, per_iteration):
    """The programs of all cores, one core after the other."""
    mapped = legalize(
        text,
        "--kiln-npu-assign-cores",
        f"--kiln-npu-map-grid=per-iteration={per_iteration}",
        "--cse",
    )
    assert "npu.persistent" in mapped

    # The CPU target divides integers of a width: program numbers as i64.
    mapped = re.sub(
        r'(%\S+) = "arith\.(remui|divui)"\((%\S+), (%\S+)\) : \(index, index\) -> index',
        r'\1x = "arith.index_cast"(\3) : (index) -> i64\n'
        r'\1y = "arith.index_cast"(\4) : (index) -> i64\n'
        r'\1z = "arith.\2"(\1x, \1y) : (i64, i64) -> i64\n'
        r'\1 = "arith.index_cast"(\1z) : (i64) -> index',
        mapped,
    )
    # It reads the one lane of a tensor as a reduction does.
    mapped = re.sub(
        r'(%\S+) = "tensor\.extract"\((%\S+), %\S+\) : \((tensor<1x(\w+)>), index\) -> \w+',
        r'\1 = "tile.reduce"(\2) <{axis = 0 : i64}> ({\n^bb0(%left: \4, %right: \4):\n'
        r'"tile.yield"(%left) : (\4) -> ()\n}) : (\3) -> \4',
        mapped,
    )
    # Names that begin with digits may hold digits only.
    mapped = re.sub(r"%(\d+)([xyz])\b", r"%division\1\2", mapped)

    def constant(op, value):
        return (
            f'"{op}"() : () -> index',
            f'"arith.constant"() <{{value = {value} : index}}> : () -> index',
        )

    for core in range(cores):
        alone = mapped.replace(*constant("npu.core_index", core))
        call(alone.replace(*constant("npu.core_count", cores)), arguments, grid)


SHARES = [(1, 3), (3, 2), (2, 8)]


@pytest.mark.parametrize(("cores", "per_iteration"), SHARES)
def test_vector_add(cores, per_iteration):
    rng = np.random.default_rng(0)
    n, block = 1000, 64
    x, y = rng.standard_normal((2, n)).astype(np.float32)
    out = np.full(n + 64, np.nan, np.float32)
    text = tile_ir("vector_add.py", "vector_add_kernel", "*f32,*f32,*f32,i32", BLOCK_SIZE=block)
    run_cores(text, [x, y, out, n], (-(-n // block), 1, 1), cores, per_iteration)
    np.testing.assert_array_equal(out[:n], x + y)
    assert np.isnan(out[n:]).all()


@pytest.mark.parametrize(("dtype", "cores", "per_iteration"), [("f32", 2, 3), ("f16", 1, 0)])
def test_softmax(dtype, cores, per_iteration):
    rng = np.random.default_rng(1)
    kind = {"f32": np.float32, "f16": np.float16}[dtype]
    rows, columns = 10, 50
    x = rng.standard_normal((rows, columns)).astype(kind)
    out = np.full_like(x, np.nan)
    signature = f"*{dtype},*{dtype},i32,i32,i32"
    constants = {"ACC": "tl.float32", "BLOCK": 64}
    text = tile_ir("softmax.py", "softmax_kernel", signature, **constants)
    arguments = [out, x, columns, columns, columns]
    run_cores(text, arguments, (rows, 1, 1), cores, per_iteration)
    wide = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    expected = wide / wide.sum(axis=1, keepdims=True)
    tolerance = {"f32": 1e-6, "f16": 1e-3}[dtype]
    np.testing.assert_allclose(
        out.astype(np.float64), expected, rtol=tolerance, atol=tolerance / 10
    )


def test_two_axes():
    """Programs of three axes, each writing its own number."""
    text = """
    func.func @kernel(%out: !tile.ptr<i32>) attributes {tile.kernel} {
      %x = tile.program_id 0
      %y = tile.program_id 1
      %z = tile.program_id 2
      %nx = tile.num_programs 0
      %ny = tile.num_programs 1
      %zy = arith.muli %z, %ny : i32
      %row = arith.addi %zy, %y : i32
      %rx = arith.muli %row, %nx : i32
      %place = arith.addi %rx, %x : i32
      %ten = arith.constant 10 : i32
      %z1 = arith.muli %z, %ten : i32
      %z2 = arith.addi %z1, %y : i32
      %z3 = arith.muli %z2, %ten : i32
      %value = arith.addi %z3, %x : i32
      %at = arith.index_cast %place : i32 to index
      %tile = tensor.splat %value : tensor<1xi32>
      %view = tile.view %out[%at] strides [1] : <i32> -> <1xi32>
      tile.store %tile, %view : tensor<1xi32>, <1xi32>
      return
    }"""
    grid = (5, 3, 2)
    expected = [100 * z + 10 * y + x for z in range(2) for y in range(3) for x in range(5)]
    for cores, per_iteration in SHARES:
        out = np.full(31, -1, np.int32)
        run_cores(text, [out], grid, cores, per_iteration)
        np.testing.assert_array_equal(out[:-1], expected)
        assert out[-1] == -1


def test_row_statistics():
    """Sums that are stored, carried by a loop, and read by control."""
    text = """
    func.func @kernel(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                      %out: !tile.ptr<f32> {tile.alias_set = 1 : i64}) attributes {tile.kernel} {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %three = arith.constant 3 : index
      %width = arith.constant 48 : index
      %limit = arith.constant 0.0 : f32
      %pid = tile.program_id 0
      %p = arith.index_cast %pid : i32 to index
      %row = arith.muli %p, %width : index
      %sum = scf.for %k = %zero to %three step %one iter_args(%acc = %limit) -> f32 {
        %sixteen = arith.constant 16 : index
        %step = arith.muli %k, %sixteen : index
        %at = arith.addi %row, %step : index
        %view = tile.view %x[%at] strides [1] : <f32> -> <16xf32>
        %tile = tile.load %view : <16xf32> -> tensor<16xf32>
        %part = tile.reduce(%tile) axis 0 {
        ^bb0(%a: f32, %b: f32):
          %0 = arith.addf %a, %b : f32
          tile.yield %0 : f32
        } : (tensor<16xf32>) -> f32
        %next = arith.addf %acc, %part : f32
        scf.yield %next : f32
      }
      %positive = arith.cmpf ogt, %sum, %limit : f32
      %value = scf.if %positive -> f32 {
        %root = math.exp2 %sum : f32
        scf.yield %root : f32
      } else {
        scf.yield %sum : f32
      }
      %to = tile.addptr %out, %pid : !tile.ptr<f32>, i32
      tile.ptr_store %to, %value : !tile.ptr<f32>, f32
      return
    }"""
    x = (np.random.default_rng(5).integers(-9, 9, (7, 48)) / 8).astype(np.float32)
    out = np.full(8, np.nan, np.float32)
    run_cores(text, [x, out], (7, 1, 1), 2, 1)
    sums = x.sum(axis=1, dtype=np.float64)
    expected = np.where(sums > 0, np.exp2(sums), sums)
    np.testing.assert_allclose(out[:7], expected, rtol=1e-6)
    assert np.isnan(out[7])
