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
