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
func.func @kernel(%x: !tile.ptr<{t}> {{tile.alias_set = 0 : i64}},
                  %y: !tile.ptr<{t}> {{tile.alias_set = 1 : i64}})
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
    kind = {
        "f32": np.float32,
        "f16": np.float16,
        "i32": np.int32,
        "i8": np.int8,
        "bf16": np.uint16,
    }[t]
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


# A row is added to all rows.
BROADCAST = """
  %r = tile.local_load %b[1, 0] : !tile.local<{m}x{n}x{t}> -> tensor<1x{n}x{t}>
  %f = tensor.collapse_shape %r [[0, 1]] : tensor<1x{n}x{t}> into tensor<{n}x{t}>
  %z = tensor.empty() : tensor<{m}x{n}x{t}>
  %w = linalg.broadcast ins(%f : tensor<{n}x{t}>) outs(%z : tensor<{m}x{n}x{t}>) dimensions = [0]
  %a = tile.local_load %b[0, 0] : !tile.local<{m}x{n}x{t}> -> tensor<{m}x{n}x{t}>
  %s = arith.addf %a, %w : tensor<{m}x{n}x{t}>
  tile.local_store %s, %b[0, 0] : tensor<{m}x{n}x{t}>, !tile.local<{m}x{n}x{t}>
"""
# A column is added to all columns.
BROADCAST_COLUMN = """
  %r = tile.local_load %b[0, 8] : !tile.local<{m}x{n}x{t}> -> tensor<{m}x1x{t}>
  %f = tensor.collapse_shape %r [[0, 1]] : tensor<{m}x1x{t}> into tensor<{m}x{t}>
  %z = tensor.empty() : tensor<{m}x{n}x{t}>
  %w = linalg.broadcast ins(%f : tensor<{m}x{t}>) outs(%z : tensor<{m}x{n}x{t}>) dimensions = [1]
  %a = tile.local_load %b[0, 0] : !tile.local<{m}x{n}x{t}> -> tensor<{m}x{n}x{t}>
  %s = arith.addf %a, %w : tensor<{m}x{n}x{t}>
  tile.local_store %s, %b[0, 0] : tensor<{m}x{n}x{t}>, !tile.local<{m}x{n}x{t}>
"""
# Masks: comparisons work on whole repeats.
RELU = """
  %zero = arith.constant dense<0.0> : tensor<1x{n}x{t}>
  scf.for %i = %c1 to %c3 step %c1 {{
    %r = tile.local_load %b[%i, 0] : !tile.local<{m}x{n}x{t}> -> tensor<1x{n}x{t}>
    %k = arith.cmpf ogt, %r, %zero : tensor<1x{n}x{t}>
    %d = arith.addf %r, %r : tensor<1x{n}x{t}>
    %s = arith.select %k, %d, %zero : tensor<1x{n}xi1>, tensor<1x{n}x{t}>
    tile.local_store %s, %b[%i, 0] : tensor<1x{n}x{t}>, !tile.local<{m}x{n}x{t}>
  }}
"""
# A row goes through a loop and a branch.
CARRIED = """
  %r = tile.local_load %b[0, 0] : !tile.local<{m}x{n}x{t}> -> tensor<1x{n}x{t}>
  %a = scf.for %i = %c1 to %rows step %c1 iter_args(%k = %r) -> tensor<1x{n}x{t}> {{
    %q = tile.local_load %b[%i, 0] : !tile.local<{m}x{n}x{t}> -> tensor<1x{n}x{t}>
    %s = arith.addf %k, %q : tensor<1x{n}x{t}>
    tile.local_store %s, %b[%i, 0] : tensor<1x{n}x{t}>, !tile.local<{m}x{n}x{t}>
    %o = arith.remui %i, %c2 : index
    %p = arith.cmpi eq, %o, %c1 : index
    %v = scf.if %p -> tensor<1x{n}x{t}> {{
      scf.yield %q : tensor<1x{n}x{t}>
    }} else {{
      scf.yield %s : tensor<1x{n}x{t}>
    }}
    scf.yield %v : tensor<1x{n}x{t}>
  }}
  tile.local_store %a, %b[0, 0] : tensor<1x{n}x{t}>, !tile.local<{m}x{n}x{t}>
"""
# Rows of one type into rows of another, and back.
HALVES = """
  %h = tile.local_alloc "h" : !tile.local<{m}x{n}xf16>
  scf.for %i = %c0 to %rows step %c1 {{
    %r = tile.local_load %b[%i, 0] : !tile.local<{m}x{n}x{t}> -> tensor<1x{n}x{t}>
    %s = arith.truncf %r : tensor<1x{n}x{t}> to tensor<1x{n}xf16>
    %j = arith.subi %c3, %i : index
    tile.local_store %s, %h[%j, 0] : tensor<1x{n}xf16>, !tile.local<{m}x{n}xf16>
  }}
  %w = tile.local_load %h[0, 0] : !tile.local<{m}x{n}xf16> -> tensor<{m}x{n}xf16>
  %x2 = arith.extf %w : tensor<{m}x{n}xf16> to tensor<{m}x{n}x{t}>
  tile.local_store %x2, %b[0, 0] : tensor<{m}x{n}x{t}>, !tile.local<{m}x{n}x{t}>
"""
# A buffer of tiles.
TILES = """
  %d = tile.local_alloc "d" : !tile.local<2x{m}x{n}x{t}>
  %a = tile.local_load %b[0, 0] : !tile.local<{m}x{n}x{t}> -> tensor<{m}x{n}x{t}>
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [1, {m}, {n}]
      : tensor<{m}x{n}x{t}> into tensor<1x{m}x{n}x{t}>
  scf.for %i = %c0 to %c2 step %c1 {{
    %p = arith.addf %e, %e : tensor<1x{m}x{n}x{t}>
    tile.local_store %p, %d[%i, 0, 0] : tensor<1x{m}x{n}x{t}>, !tile.local<2x{m}x{n}x{t}>
    %u = tile.local_load %d[%i, 2, 0] : !tile.local<2x{m}x{n}x{t}> -> tensor<1x1x{n}x{t}>
    %v = arith.mulf %u, %u : tensor<1x1x{n}x{t}>
    tile.local_store %v, %d[%i, 1, 0] : tensor<1x1x{n}x{t}>, !tile.local<2x{m}x{n}x{t}>
  }}
  %l = tile.local_load %d[1, 0, 0] : !tile.local<2x{m}x{n}x{t}> -> tensor<1x{m}x{n}x{t}>
  %f = tensor.collapse_shape %l [[0, 1], [2]] : tensor<1x{m}x{n}x{t}> into tensor<{m}x{n}x{t}>
  tile.local_store %f, %b[0, 0] : tensor<{m}x{n}x{t}>, !tile.local<{m}x{n}x{t}>
"""
# A part is filled with one value.
FILLED = """
  %w = arith.constant dense<5> : tensor<2x16x{t}>
  tile.local_store %w, %b[1, 32] : tensor<2x16x{t}>, !tile.local<{m}x{n}x{t}>
"""
# Sums down the columns of a part.
DOWN = """
  %r = tile.local_load %b[1, 0] : !tile.local<{m}x{n}x{t}> -> tensor<3x{n}x{t}>
  %q = tile.reduce(%r) axis 0 {{
  ^bb0(%p: {t}, %o: {t}):
    %z = arith.addf %p, %o : {t}
    tile.yield %z : {t}
  }} : (tensor<3x{n}x{t}>) -> tensor<{n}x{t}>
  %e = tensor.expand_shape %q [[0, 1]] output_shape [1, {n}]
      : tensor<{n}x{t}> into tensor<1x{n}x{t}>
  tile.local_store %e, %b[0, 0] : tensor<1x{n}x{t}>, !tile.local<{m}x{n}x{t}>
"""
# What is needed later was loaded from elsewhere, in a loop with rings.
FROM_MEMORY = """
  scf.for %i = %c0 to %rows step %c1 {{
    %stride = arith.constant {n} : index
    %o = arith.muli %i, %stride : index
    %v = tile.view %x[%o] strides [1] : !tile.ptr<{t}> -> !tile.view<{n}x{t}>
    %g = tile.load %v : !tile.view<{n}x{t}> -> tensor<{n}x{t}>
    %h = arith.mulf %g, %g : tensor<{n}x{t}>
    %e = tensor.expand_shape %h [[0, 1]] output_shape [1, {n}]
      : tensor<{n}x{t}> into tensor<1x{n}x{t}>
    %j = arith.subi %c3, %i : index
    tile.local_store %e, %b[%j, 0] : tensor<1x{n}x{t}>, !tile.local<{m}x{n}x{t}>
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


def relu(x):
    x[1:3] = 2 * np.maximum(x[1:3], 0)


def carried(x):
    k = x[0].copy()
    for i in range(1, len(x)):
        q = x[i].copy()
        x[i] = k + q
        k = q if i % 2 == 1 else x[i].copy()
    x[0] = k


def halves(x):
    return x[::-1].astype(np.float16).astype(np.float32)


def tiles(x):
    x *= 2
    x[1] = x[2] * x[2]


def filled(x):
    x[1:3, 32:48] = 5


def down(x):
    x[0] = x[1:].sum(axis=0)


APART = ("neighbouring lanes are not neighbours in the buffer",)
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
    "broadcast": kernel(BROADCAST, lambda x: x + x[1]),
    "broadcast-with-gaps": kernel(BROADCAST, lambda x: x + x[1], m=5, n=20),
    "broadcast-column": kernel(BROADCAST_COLUMN, lambda x: x + x[:, 8:9], slow=APART),
    "masks": kernel(RELU, relu),
    "masks-with-gaps": kernel(RELU, relu, m=5, n=40),
    "masks-pinned": kernel(RELU, relu, n=24, at="at 640"),
    "carried": kernel(CARRIED, carried, m=6),
    "carried-with-gaps": kernel(CARRIED, carried, m=6, n=12),
    "two-types": kernel(HALVES, halves),
    "two-types-with-gaps": kernel(HALVES, halves, n=24),
    "tiles": kernel(TILES, tiles),
    "tiles-with-gaps": kernel(TILES, tiles, m=3, n=20),
    "filled": kernel(FILLED, filled, t="i32"),
    "filled-bytes": kernel(FILLED, filled, t="i8"),
    "down": kernel(DOWN, down),
    "down-with-gaps": kernel(DOWN, down, n=37),
    "from-memory": kernel(FROM_MEMORY, lambda x: (x * x)[::-1].copy()),
    "elements-f16": kernel(ELEMENTS, elements, t="f16", tolerance=1e-2),
    "broadcast-pinned": kernel(BROADCAST, lambda x: x + x[1], m=5, n=20, at="at 64", slow=OFF),
    "carried-pinned": kernel(CARRIED, carried, m=6, n=12, at="at 64", slow=OFF),
    "sums": kernel(SUM, sums, tolerance=1e-5),
}
