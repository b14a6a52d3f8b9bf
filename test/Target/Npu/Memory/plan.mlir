// RUN: kiln-opt %s --kiln-npu-plan-memory | FileCheck %s

// In place where the operand dies lane on lane; the store's buffer is not the load's.
// CHECK-LABEL: func @chain
// CHECK: npu.alloc at 0 :
// CHECK: npu.alloc at 256 :
// CHECK: npu.alloc at 256 :
// CHECK: npu.alloc at 512 :
func.func @chain(%p: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %a = npu.alloc : memref<64xf32, #npu.mem<ub>>
  %b = npu.alloc : memref<64xf32, #npu.mem<ub>>
  %c = npu.alloc : memref<64xf32, #npu.mem<ub>>
  %d = npu.alloc : memref<64xf32, #npu.mem<ub>>
  %unused = npu.alloc : memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %a : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  npu.vunary <vexp> %a, %b : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  npu.vunary <vexp> %b, %c : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  npu.vunary <vexp> %c, %d : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  npu.store %d, %p[%c0] sizes [64] strides [1] : memref<64xf32, #npu.mem<ub>>, !tile.ptr<f32>
  return
}

// A value from before the loop lives through all of it; a ring too.
// CHECK-LABEL: func @loops
// CHECK: npu.alloc at [[A:[0-9]+]] : memref<64xf32
// CHECK: npu.alloc at [[R:[0-9]+]] : memref<2x64xf32
// CHECK: npu.alloc at [[B:[0-9]+]] : memref<64xf32
// CHECK-NOT: npu.alloc at [[A]] :
// CHECK-NOT: npu.alloc at [[R]] :
// CHECK: scf.for
func.func @loops(%p: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = npu.alloc : memref<64xf32, #npu.mem<ub>>
  %r = npu.alloc : memref<2x64xf32, #npu.mem<ub>>
  %b = npu.alloc : memref<64xf32, #npu.mem<ub>>
  %c = npu.alloc : memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %a : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  scf.for %i = %c0 to %n step %c1 {
    %s = npu.slot %r[%i] : memref<2x64xf32, #npu.mem<ub>> -> memref<64xf32, #npu.mem<ub>>
    npu.load %p[%i] sizes [64] strides [1], %s : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
    npu.vbinary <vadd> %a, %s, %b : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
    npu.vbinary <vadd> %b, %b, %c : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
    npu.store %c, %p[%i] sizes [64] strides [1] : memref<64xf32, #npu.mem<ub>>, !tile.ptr<f32>
  }
  return
}

// A pinned buffer stays, the others go around it.
// CHECK-LABEL: func @pinned
// CHECK: npu.alloc at 0 pinned :
// CHECK: npu.alloc at 256 :
func.func @pinned(%p: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %a = npu.alloc at 0 pinned : memref<64xf32, #npu.mem<ub>>
  %b = npu.alloc : memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %a : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %b : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  npu.store %b, %p[%c0] sizes [64] strides [1] : memref<64xf32, #npu.mem<ub>>, !tile.ptr<f32>
  npu.store %a, %p[%c0] sizes [64] strides [1] : memref<64xf32, #npu.mem<ub>>, !tile.ptr<f32>
  return
}

// The author's own memory: one behind the other, around what has an address; buffers without a name
// are lowering's and come last. Nothing shares bytes but what the author put on one another.
// CHECK-LABEL: func @authors_memory
// CHECK: npu.alloc at 576 : memref<4xf32
// CHECK: npu.alloc at 0 named "a"
// CHECK: npu.alloc at 64 pinned named "p"
// CHECK: npu.alloc at 128 pinned named "q"
// CHECK: npu.alloc at 320 named "b"
func.func @authors_memory(%p: !tile.ptr<f32>) attributes {npu.author_memory} {
  %c0 = arith.constant 0 : index
  %t = npu.alloc : memref<4xf32, #npu.mem<ub>>
  %a = npu.alloc named "a" : memref<10xf32, #npu.mem<ub>>
  %q0 = npu.alloc at 64 pinned named "p" : memref<32xf32, #npu.mem<ub>>
  %q1 = npu.alloc at 128 pinned named "q" : memref<48xf32, #npu.mem<ub>>
  %b = npu.alloc named "b" : memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [10] strides [1], %a : !tile.ptr<f32>, memref<10xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [32] strides [1], %q0 : !tile.ptr<f32>, memref<32xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [48] strides [1], %q1 : !tile.ptr<f32>, memref<48xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %b : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [4] strides [1], %t : !tile.ptr<f32>, memref<4xf32, #npu.mem<ub>>
  return
}

// A buffer that the author named may be written part by part: it lives through the whole loop.
// CHECK-LABEL: func @part_by_part
// CHECK: npu.alloc at [[A:[0-9]+]] named "a"
// CHECK-NOT: npu.alloc at [[A]] :
func.func @part_by_part(%p: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %a = npu.alloc named "a" : memref<4x64xf32, #npu.mem<ub>>
  %t = npu.alloc : memref<4x64xf32, #npu.mem<ub>>
  scf.for %i = %c0 to %c4 step %c1 {
    npu.load %p[%i] sizes [4, 64] strides [64, 1], %t : !tile.ptr<f32>, memref<4x64xf32, #npu.mem<ub>>
    npu.store %t, %p[%i] sizes [4, 64] strides [64, 1] : memref<4x64xf32, #npu.mem<ub>>, !tile.ptr<f32>
    %o = arith.muli %i, %c64 : index
    %w = npu.window %a[0 + %o] : memref<4x64xf32, #npu.mem<ub>> -> memref<64xf32, #npu.mem<ub>>
    npu.load %p[%i] sizes [64] strides [1], %w : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  }
  npu.store %a, %p[%c0] sizes [4, 64] strides [64, 1] : memref<4x64xf32, #npu.mem<ub>>, !tile.ptr<f32>
  return
}
