# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with buffers that are read and written by region."""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from run import Kernel  # noqa: E402

RANDOM = np.random.default_rng(7)

HEAD = """
func.func @kernel(%x: !tile.ptr<{t}> {{tile.alias_set = 0 : i64}}, %y: !tile.ptr<{t}> {{tile.alias_set = 1 : i64}})
    attributes {{tile.kernel}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %rows = arith.constant {m} : index
  %vx = tile.view %x[%c0] strides [{n}, 1] : !tile.ptr<{t}> -> !tile.view<{m}x{n}x{t}>
  %vy = tile.view %y[%c0] strides [{n}, 1] : !tile.ptr<{t}> -> !tile.view<{m}x{n}x{t}>
  %in = tile.load %vx : !tile.view<{m}x{n}x{t}> -> tensor<{m}x{n}x{t}>
  %b = tile.local_alloc {at} "b" : !tile.local<{m}x{n}x{t}>
  tile.local_store %in, %b[0, 0] : tensor<{m}x{n}x{t}>, !tile.local<{m}x{n}x{t}>
"""
TAIL = """
  %out = tile.local_load %b[0, 0] : !tile.local<{m}x{n}x{t}> -> tensor<{m}x{n}x{t}>
  tile.store %out, %vy : tensor<{m}x{n}x{t}>, !tile.view<{m}x{n}x{t}>
  return
}}
"""


def kernel(body, reference, m=4, n=64, t="f32", at="", **more):
    """`body` works on a buffer of m x n; the reference on an array of it."""
    names = {"m": m, "n": n, "t": t, "at": at, "last": m - 1}
    text = HEAD.format(**names) + body.format(**names) + TAIL.format(**names)
    kind = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i8": np.int8, "bf16": np.uint16}[t]
    if np.issubdtype(kind, np.floating):
        values = RANDOM.standard_normal((m, n)).astype(kind)
    else:
        values = RANDOM.integers(0, 99, (m, n)).astype(kind)

    def whole(x, y):
        x = x.reshape(m, n)
        changed = reference(x)
        return x if changed is None else changed

    return Kernel(text, [values, np.zeros((m, n), kind)], whole, **more)


EACH_ROW = """
  scf.for %i = %c0 to %rows step %c1 {{
    %r = tile.local_load %b[%i, 0] : !tile.local<{m}x{n}x{t}> -> tensor<1x{n}x{t}>
    %s = arith.addf %r, %r : tensor<1x{n}x{t}>
    tile.local_store %s, %b[%i, 0] : tensor<1x{n}x{t}>, !tile.local<{m}x{n}x{t}>
  }}
"""
# The row that is read is overwritten before it is used.
OVERWRITTEN = """
  %r = tile.local_load %b[0, 0] : !tile.local<{m}x{n}x{t}> -> tensor<1x{n}x{t}>
  %q = tile.local_load %b[1, 0] : !tile.local<{m}x{n}x{t}> -> tensor<1x{n}x{t}>
  tile.local_store %q, %b[0, 0] : tensor<1x{n}x{t}>, !tile.local<{m}x{n}x{t}>
  %s = arith.addf %r, %q : tensor<1x{n}x{t}>
  tile.local_store %s, %b[1, 0] : tensor<1x{n}x{t}>, !tile.local<{m}x{n}x{t}>
"""
# Rows move down by one: source and destination share bytes.
MOVED = """
  %r = tile.local_load %b[0, 0] : !tile.local<{m}x{n}x{t}> -> tensor<{last}x{n}x{t}>
  tile.local_store %r, %b[1, 0] : tensor<{last}x{n}x{t}>, !tile.local<{m}x{n}x{t}>
"""
SWAPPED = """
  scf.for %i = %c0 to %c2 step %c1 {{
    %j = arith.subi %c3, %i : index
    %r = tile.local_load %b[%i, 0] : !tile.local<{m}x{n}x{t}> -> tensor<1x{n}x{t}>
    %q = tile.local_load %b[%j, 0] : !tile.local<{m}x{n}x{t}> -> tensor<1x{n}x{t}>
    tile.local_store %r, %b[%j, 0] : tensor<1x{n}x{t}>, !tile.local<{m}x{n}x{t}>
    tile.local_store %q, %b[%i, 0] : tensor<1x{n}x{t}>, !tile.local<{m}x{n}x{t}>
  }}
"""
ELEMENTS = """
  scf.for %i = %c0 to %rows step %c1 {{
    %e = tile.local_get %b[%i, %c3] : !tile.local<{m}x{n}x{t}> -> {t}
    %f = arith.addf %e, %e : {t}
    tile.local_set %f, %b[%i, %c2] : {t}, !tile.local<{m}x{n}x{t}>
  }}
"""
# A scalar of the buffer goes into a tile.
SCALED = """
  scf.for %i = %c0 to %rows step %c1 {{
    %e = tile.local_get %b[%i, %i] : !tile.local<{m}x{n}x{t}> -> {t}
    %r = tile.local_load %b[%i, 0] : !tile.local<{m}x{n}x{t}> -> tensor<1x{n}x{t}>
    %w = tensor.splat %e : tensor<1x{n}x{t}>
    %s = arith.mulf %r, %w : tensor<1x{n}x{t}>
    tile.local_store %s, %b[%i, 0] : tensor<1x{n}x{t}>, !tile.local<{m}x{n}x{t}>
  }}
"""


def columns(first, size):
    return f"""
  %r = tile.local_load %b[0, {first}] : !tile.local<{{m}}x{{n}}x{{t}}> -> tensor<{{m}}x{size}x{{t}}>
  %s = arith.addf %r, %r : tensor<{{m}}x{size}x{{t}}>
  tile.local_store %s, %b[0, {first}] : tensor<{{m}}x{size}x{{t}}>, !tile.local<{{m}}x{{n}}x{{t}}>
"""


SUM = """
  scf.for %i = %c0 to %rows step %c1 {{
    %r = tile.local_load %b[%i, 8] : !tile.local<{m}x{n}x{t}> -> tensor<1x24x{t}>
    %q = tile.reduce(%r) axis 1 {{
    ^bb0(%p: {t}, %o: {t}):
      %z = arith.addf %p, %o : {t}
      tile.yield %z : {t}
    }} : (tensor<1x24x{t}>) -> tensor<1x{t}>
    %e = tensor.expand_shape %q [[0, 1]] output_shape [1, 1] : tensor<1x{t}> into tensor<1x1x{t}>
    tile.local_store %e, %b[%i, 0] : tensor<1x1x{t}>, !tile.local<{m}x{n}x{t}>
  }}
"""


def twice(x):
    return x + x


def overwritten(x):
    x[0], x[1] = x[1].copy(), x[0] + x[1]


def moved(x):
    x[1:] = x[:-1].copy()


def elements(x):
    x[:, 2] = x[:, 3] + x[:, 3]


def scaled(x):
    return x * np.diagonal(x)[:, None]


def twice_columns(first, size):
    def change(x):
        x[:, first : first + size] *= 2

    return change


def sums(x):
    x[:, 0] = x[:, 8:32].sum(axis=1)


OFF = ("do not begin at 32-byte blocks",)
KERNELS = {
    "rows": kernel(EACH_ROW, twice),
    "rows-with-gaps": kernel(EACH_ROW, twice, m=5, n=20),
    "rows-without-gaps": kernel(EACH_ROW, twice, m=5, n=24, at="at 64"),
    "rows-off-blocks": kernel(EACH_ROW, twice, m=5, n=20, at="at 64", slow=OFF),
    "rows-f16": kernel(EACH_ROW, twice, t="f16"),
    "overwritten": kernel(OVERWRITTEN, overwritten),
    "moved": kernel(MOVED, moved),
    "moved-pinned": kernel(MOVED, moved, m=5, n=20, at="at 4096", slow=OFF),
    "moved-bytes": kernel(MOVED, moved, t="i8"),
    "moved-bf16": kernel(MOVED, moved, t="bf16", bf16=(0, 1)),
    "swapped": kernel(SWAPPED, lambda x: x[::-1].copy()),
    "elements": kernel(ELEMENTS, elements),
    "scaled": kernel(SCALED, scaled),
    "columns": kernel(columns(8, 16), twice_columns(8, 16)),
    "columns-off-blocks": kernel(columns(4, 9), twice_columns(4, 9), slow=OFF),
    "sums": kernel(SUM, sums, tolerance=1e-5),
}
