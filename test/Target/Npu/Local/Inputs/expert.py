# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels whose author placed instructions, flags and barriers."""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from run import Kernel  # noqa: E402

RANDOM = np.random.default_rng(11)
UB = "#npu.mem<ub>"


def function(body, attributes):
    return f"""
func.func @kernel(%x: !tile.ptr<f32> {{tile.alias_set = 0 : i64}},
                  %y: !tile.ptr<f32> {{tile.alias_set = 1 : i64}})
    attributes {{tile.kernel, tile.asynchronous{attributes}}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %two = arith.constant 2.0 : f32
  %id = tile.program_id 0
  %p = arith.index_cast %id : i32 to index
  {body}
  return
}}
"""


# One tile per program, by block and half: program p is (p / 2, p mod 2).
STRAIGHT = f"""
  %a = tile.local_alloc "a" : !tile.local<64xf32>
  %b = tile.local_alloc "b" : !tile.local<64xf32>
  %am = npu.local %a : !tile.local<64xf32> -> memref<64xf32, {UB}>
  %bm = npu.local %b : !tile.local<64xf32> -> memref<64xf32, {UB}>
  %o = arith.muli %p, %c64 : index
  npu.load %x[%o] sizes [64] strides [1], %am : !tile.ptr<f32>, memref<64xf32, {UB}>
  SET_IN
  WAIT_IN
  npu.vscalar <vmuls> %am, %two, %bm : memref<64xf32, {UB}>, f32, memref<64xf32, {UB}>
  BARRIER
  npu.vbinary <vadd> %am, %bm, %bm
      : memref<64xf32, {UB}>, memref<64xf32, {UB}>, memref<64xf32, {UB}>
  SET_OUT
  WAIT_OUT
  npu.store %bm, %y[%o] sizes [64] strides [1] : memref<64xf32, {UB}>, !tile.ptr<f32>
"""
FLAGS = {
    "SET_IN": "npu.set <mte2> to <v> [%c0]",
    "WAIT_IN": "npu.wait <mte2> to <v> [%c0]",
    "BARRIER": "npu.barrier <v>",
    "SET_OUT": "npu.set <v> to <mte3> [%c1]",
    "WAIT_OUT": "npu.wait <v> to <mte3> [%c1]",
}
# Two buffers in turn: the flag's id is the number of the buffer. Free tokens are primed.
DOUBLE = f"""
  %a = tile.local_alloc "a" : !tile.local<2x64xf32>
  %am = npu.local %a : !tile.local<2x64xf32> -> memref<2x64xf32, {UB}>
  %base = arith.muli %p, %c256 : index
  npu.set <mte3> to <mte2> [%c0]
  npu.set <mte3> to <mte2> [%c1]
  scf.for %i = %c0 to %c4 step %c1 {{
    %k = arith.remui %i, %c2 : index
    %s = npu.slot %am[%i] : memref<2x64xf32, {UB}> -> memref<64xf32, {UB}>
    %step = arith.muli %i, %c64 : index
    %o = arith.addi %base, %step : index
    npu.wait <mte3> to <mte2> [%k]
    npu.load %x[%o] sizes [64] strides [1], %s : !tile.ptr<f32>, memref<64xf32, {UB}>
    npu.set <mte2> to <v> [%k]
    npu.wait <mte2> to <v> [%k]
    npu.vscalar <vmuls> %s, %two, %s : memref<64xf32, {UB}>, f32, memref<64xf32, {UB}>
    npu.set <v> to <mte3> [%k]
    npu.wait <v> to <mte3> [%k]
    npu.store %s, %y[%o] sizes [64] strides [1] : memref<64xf32, {UB}>, !tile.ptr<f32>
    npu.set <mte3> to <mte2> [%k]
  }}
  npu.wait <mte3> to <mte2> [%c0]
  npu.wait <mte3> to <mte2> [%c1]
"""
# An island of tile code between the author's instructions.
ISLAND = f"""
  %a = tile.local_alloc "a" : !tile.local<4x64xf32>
  %am = npu.local %a : !tile.local<4x64xf32> -> memref<4x64xf32, {UB}>
  %o = arith.muli %p, %c256 : index
  npu.load %x[%o] sizes [4, 64] strides [64, 1], %am : !tile.ptr<f32>, memref<4x64xf32, {UB}>
  npu.barrier
  scf.for %i = %c0 to %c4 step %c1 {{
    %r = tile.local_load %a[%i, 0] : !tile.local<4x64xf32> -> tensor<1x64xf32>
    %e = math.absf %r : tensor<1x64xf32>
    %s = math.sqrt %e : tensor<1x64xf32>
    %t = arith.addf %s, %r : tensor<1x64xf32>
    tile.local_store %t, %a[%i, 0] : tensor<1x64xf32>, !tile.local<4x64xf32>
  }}
  npu.barrier
  npu.store %am, %y[%o] sizes [4, 64] strides [64, 1] : memref<4x64xf32, {UB}>, !tile.ptr<f32>
"""
# No flag at all: the compiler orders it.
BARE = STRAIGHT
ALIASED = f"""
  %a = tile.local_alloc at 1024 "a" : !tile.local<64xf32>
  %b = tile.local_alloc at 1024 "b" : !tile.local<2x32xf32>
  %am = npu.local %a : !tile.local<64xf32> -> memref<64xf32, {UB}>
  %bm = npu.local %b : !tile.local<2x32xf32> -> memref<2x32xf32, {UB}>
  %o = arith.muli %p, %c64 : index
  npu.load %x[%o] sizes [64] strides [1], %am : !tile.ptr<f32>, memref<64xf32, {UB}>
  npu.vscalar <vmuls> %bm, %two, %bm : memref<2x32xf32, {UB}>, f32, memref<2x32xf32, {UB}>
  %r = tile.local_load %b[1, 0] : !tile.local<2x32xf32> -> tensor<1x32xf32>
  %e = math.exp %r : tensor<1x32xf32>
  tile.local_store %e, %b[0, 0] : tensor<1x32xf32>, !tile.local<2x32xf32>
  npu.store %am, %y[%o] sizes [64] strides [1] : memref<64xf32, {UB}>, !tile.ptr<f32>
"""


def filled(text, without=(), **more):
    for name, flag in {**FLAGS, **more}.items():
        text = text.replace(name, "" if name in without else flag)
    return text


def arrays(count):
    return [RANDOM.standard_normal(count).astype(np.float32), np.zeros(count, np.float32)]


def aliased(x, y):
    x = 2 * x.reshape(-1, 2, 32)
    x[:, 0] = np.exp(x[:, 1])
    return x.reshape(-1)


SYNC = ", npu.author_sync"
BOTH = ", npu.author_sync, npu.author_memory"
KERNELS = {
    "straight": Kernel(function(filled(STRAIGHT), SYNC), arrays(64 * 100), lambda x, y: 3 * x, 100),
    "straight-memory": Kernel(
        function(filled(STRAIGHT), BOTH), arrays(64 * 100), lambda x, y: 3 * x, 100
    ),
    # The author's flags are there, and the compiler's too.
    "flags-of-both": Kernel(function(filled(STRAIGHT), ""), arrays(64 * 9), lambda x, y: 3 * x, 9),
    "bare": Kernel(
        function(filled(STRAIGHT, without=FLAGS), ""), arrays(64 * 9), lambda x, y: 3 * x, 9
    ),
    "double": Kernel(function(DOUBLE, SYNC), arrays(256 * 50), lambda x, y: 2 * x, 50),
    "double-of-both": Kernel(
        function(DOUBLE, ""),
        arrays(256 * 50),
        lambda x, y: 2 * x,
        50,
        slow=("all pipes of the core stop",),
    ),
    "island": Kernel(
        function(ISLAND, SYNC), arrays(256 * 3), lambda x, y: np.sqrt(abs(x)) + x, 3, 1e-5
    ),
    "island-automatic": Kernel(
        function(ISLAND, ""), arrays(256 * 3), lambda x, y: np.sqrt(abs(x)) + x, 3, 1e-5
    ),
    "aliased": Kernel(function(ALIASED, ""), arrays(64 * 60), aliased, 60, 1e-5),
}
