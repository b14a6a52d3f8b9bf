"""Masks, movements of lanes, selections and reductions after kiln-npu-legalize."""

import numpy as np
import pytest

from .legalized import MLIR_TYPES, Program
from .test_legalize import BF16, dtype_of, tensor

ROWS, COLUMNS = 5, 24


def matrix(dtype, seed=0):
    rng = np.random.default_rng(seed)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, (ROWS, COLUMNS), dtype=dtype, endpoint=True)
    return rng.standard_normal((ROWS, COLUMNS)).astype(dtype)


def test_masks():
    """Built from rows and columns, moved, combined, selected by, stored."""
    x = matrix(np.dtype(np.int32))
    rows = np.arange(ROWS, dtype=np.int32)
    columns = np.arange(COLUMNS, dtype=np.int32)
    program = Program({"x": x, "r": rows, "c": columns})
    n, m, k = ROWS, COLUMNS, "x".join(map(str, x.shape))
    program.lines += [
        f"%three = arith.constant dense<3> : tensor<{n}xi32>",
        f"%ten = arith.constant dense<10> : tensor<{m}xi32>",
        f"%zero = arith.constant dense<0> : tensor<{k}xi32>",
        f"%rm = arith.cmpi slt, %r, %three : tensor<{n}xi32>",
        f"%cm = arith.cmpi uge, %c, %ten : tensor<{m}xi32>",
        f"%e = tensor.empty() : tensor<{k}xi1>",
        f"%rb = linalg.broadcast ins(%rm : tensor<{n}xi1>) outs(%e : tensor<{k}xi1>)"
        " dimensions = [1]",
        f"%cb = linalg.broadcast ins(%cm : tensor<{m}xi1>) outs(%e : tensor<{k}xi1>)"
        " dimensions = [0]",
        f"%both = arith.andi %rb, %cb : tensor<{k}xi1>",
        f"%either = arith.xori %rb, %cb : tensor<{k}xi1>",
        f"%less = arith.cmpi ult, %rb, %cb : tensor<{k}xi1>",
        f"%t = tensor.empty() : tensor<{m}x{n}xi1>",
        f"%turned = linalg.transpose ins(%both : tensor<{k}xi1>) outs(%t : tensor<{m}x{n}xi1>)"
        " permutation = [1, 0]",
        f"%flat = tensor.collapse_shape %either [[0, 1]] : tensor<{k}xi1> into tensor<{n * m}xi1>",
    ]
    program.result(
        "s", f"%s = arith.select %both, %x, %zero : tensor<{k}xi1>, tensor<{k}xi32>", np.int32
    )
    program.mask_result("l", f"%l = arith.ori %less, %both : tensor<{k}xi1>", k)
    program.result(
        "tb", f"%tb = arith.extui %turned : tensor<{m}x{n}xi1> to tensor<{m}x{n}xi8>", np.int8
    )
    program.result(
        "fb", f"%fb = arith.extsi %flat : tensor<{n * m}xi1> to tensor<{n * m}xi16>", np.int16
    )
    program.result("uf", f"%uf = arith.uitofp %either : tensor<{k}xi1> to tensor<{k}xbf16>", BF16)
    found = program.run({"tb": (m, n), "fb": (n * m,)})
    row, column = (rows < 3)[:, None], (columns >= 10)[None, :]
    np.testing.assert_array_equal(found["s"], np.where(row & column, x, 0))
    np.testing.assert_array_equal(found["l_byte"], (~row & column) | (row & column))
    np.testing.assert_array_equal(found["tb"], (row & column).T)
    np.testing.assert_array_equal(found["fb"], -(row ^ column).astype(np.int16).reshape(-1))
    np.testing.assert_array_equal(found["uf"].astype(int), row ^ column)


@pytest.mark.parametrize("name", ["int8", "int16", "bfloat16", "float32"])
def test_movements(name):
    dtype = dtype_of(name)
    x = matrix(dtype)
    element = MLIR_TYPES[dtype]
    n, m = x.shape
    program = Program({"x": x, "row": x[0].copy()})
    program.lines += [
        f"%t = tensor.empty() : tensor<{m}x{n}x{element}>",
        f"%e = tensor.empty() : {tensor(x)}",
    ]
    program.result(
        "turned",
        f"%turned = linalg.transpose ins(%x : {tensor(x)}) outs(%t : tensor<{m}x{n}x{element}>)"
        " permutation = [1, 0]",
        dtype,
    )
    program.result(
        "wide",
        f"%wide = linalg.broadcast ins(%row : {tensor(x[0])}) outs(%e : {tensor(x)})"
        " dimensions = [0]",
        dtype,
    )
    found = program.run({"turned": (m, n)})
    np.testing.assert_array_equal(found["turned"], x.T)
    np.testing.assert_array_equal(found["wide"], np.broadcast_to(x[0], x.shape))


REDUCTIONS = [
    ("int8", "maxsi", np.max),
    ("int8", "xori", np.bitwise_xor.reduce),
    ("int8", "minui", lambda x, axis: x.view(np.uint8).min(axis=axis).view(np.int8)),
    ("int8", "addi", lambda x, axis: x.sum(axis=axis, dtype=np.int8)),
    ("int16", "addi", lambda x, axis: x.sum(axis=axis, dtype=np.int16)),
    ("int32", "maxui", lambda x, axis: x.view(np.uint32).max(axis=axis).view(np.int32)),
    ("int32", "muli", lambda x, axis: x.prod(axis=axis, dtype=np.int32)),
    ("bfloat16", "maxnumf", np.max),
    ("float16", "minimumf", np.min),
]


@pytest.mark.parametrize(("name", "op", "reference"), REDUCTIONS)
def test_reductions(name, op, reference):
    dtype = dtype_of(name)
    x = matrix(dtype)
    element = MLIR_TYPES[dtype]
    program = Program({"x": x})
    program.result(
        "r",
        f"%r = tile.reduce(%x) axis 1 {{\n^bb0(%a: {element}, %b: {element}):\n"
        f"%v = arith.{op} %a, %b : {element}\ntile.yield %v : {element}\n}}"
        f" : ({tensor(x)}) -> tensor<{ROWS}x{element}>",
        dtype,
    )
    found = program.run({"r": (ROWS,)})
    np.testing.assert_array_equal(found["r"], reference(x, axis=1))


def test_sum_of_bf16():
    """Partial results are not rounded: 256 + 1 + 1 + … does not stick at 256."""
    x = np.ones((ROWS, COLUMNS), BF16)
    x[:, 0] = 256
    program = Program({"x": x})
    program.result(
        "r",
        "%r = tile.reduce(%x) axis 1 {\n^bb0(%a: bf16, %b: bf16):\n"
        "%v = arith.addf %a, %b : bf16\ntile.yield %v : bf16\n}"
        f" : ({tensor(x)}) -> tensor<{ROWS}xbf16>",
        BF16,
    )
    expected = np.array(256 + COLUMNS - 1).astype(BF16)
    np.testing.assert_array_equal(program.run({"r": (ROWS,)})["r"], expected)


@pytest.mark.parametrize("name", ["int8", "bfloat16"])
def test_argmax(name):
    """Value and index together, ties to the left, in a type that travels as another."""
    dtype = dtype_of(name)
    x = (matrix(np.dtype(np.int8)) % 7).astype(dtype)
    element = MLIR_TYPES[dtype]
    dialect_op = "arith.cmpi sgt" if dtype.kind == "i" else "arith.cmpf ogt"
    equal = "arith.cmpi eq" if dtype.kind == "i" else "arith.cmpf oeq"
    index = np.broadcast_to(np.arange(COLUMNS, dtype=np.int32), x.shape).copy()
    program = Program({"x": x, "i": index})
    program.lines += [
        "%v, %k = tile.reduce(%x, %i) axis 1 {",
        f"^bb0(%a: {element}, %n: i32, %b: {element}, %m: i32):",
        f"%gt = {dialect_op}, %a, %b : {element}",
        f"%eq = {equal}, %a, %b : {element}",
        "%lt = arith.cmpi slt, %n, %m : i32",
        "%tie = arith.andi %eq, %lt : i1",
        "%better = arith.ori %gt, %tie : i1",
        f"%rv = arith.select %better, %a, %b : {element}",
        "%rk = arith.select %better, %n, %m : i32",
        f"tile.yield %rv, %rk : {element}, i32",
        f"}} : ({tensor(x)}, {tensor(index)}) -> (tensor<{ROWS}x{element}>, tensor<{ROWS}xi32>)",
    ]
    program.results.update(v=dtype, k=np.dtype(np.int32))
    found = program.run({"v": (ROWS,), "k": (ROWS,)})
    np.testing.assert_array_equal(found["v"], x.max(axis=1))
    np.testing.assert_array_equal(found["k"], x.argmax(axis=1))


@pytest.mark.parametrize("name", ["int32", "uint32"])
def test_high_products(name):
    dtype = np.dtype(name)
    x, y = matrix(dtype), matrix(dtype, 1)
    program = Program({"x": x, "y": y})
    program.lines.append(f"%low, %high = arith.mului_extended %x, %y : {tensor(x)}")
    program.results.update(low=dtype, high=dtype)
    found = program.run()
    product = x.view(np.uint32).astype(np.uint64) * y.view(np.uint32).astype(np.uint64)
    np.testing.assert_array_equal(found["low"].view(np.uint32), product.astype(np.uint32))
    np.testing.assert_array_equal(found["high"].view(np.uint32), (product >> 32).astype(np.uint32))


def test_long_comparisons():
    """i64 that does not fit: masks come from arithmetic on i64."""
    x = matrix(np.dtype(np.int64))
    y = np.where(np.arange(COLUMNS) % 3 == 0, x, matrix(np.dtype(np.int64), 1))
    y[0, :2] = [np.iinfo(np.int64).min, np.iinfo(np.int64).max]
    program = Program({"x": x, "y": y}, allow_long=True)
    shape = "x".join(map(str, x.shape))
    table = {"eq": x == y, "ne": x != y, "slt": x < y, "sge": x >= y, "sle": x <= y, "sgt": x > y}
    ux, uy = x.view(np.uint64), y.view(np.uint64)
    table.update(ult=ux < uy, ule=ux <= uy, ugt=ux > uy, uge=ux >= uy)
    for op in table:
        program.mask_result(op, f"%{op} = arith.cmpi {op}, %x, %y : {tensor(x)}", shape)
    found = program.run()
    for op, value in table.items():
        np.testing.assert_array_equal(found[f"{op}_byte"], value, op)
