// RUN: kiln-opt %s --kiln-npu-insert-sync | FileCheck %s

// Other pipes: flags. The same pipe: a barrier.
// CHECK-LABEL: func @straight
// CHECK: npu.load
// CHECK: npu.set <mte2> to <v>
// CHECK: npu.wait <mte2> to <v>
// CHECK: npu.vunary
// CHECK: npu.barrier <v>
// CHECK: npu.vunary
// CHECK: npu.set <v> to <mte3>
// CHECK: npu.wait <v> to <mte3>
// CHECK: npu.store
func.func @straight(%p: !tile.ptr<f32> {tile.alias_set = 0 : i64}, %q: !tile.ptr<f32> {tile.alias_set = 1 : i64}) {
  %c0 = arith.constant 0 : index
  %a = npu.alloc at 0 : memref<64xf32, #npu.mem<ub>>
  %b = npu.alloc at 256 : memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %a : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  npu.vunary <vexp> %a, %b : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  npu.vunary <vexp> %b, %b : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  npu.store %b, %q[%c0] sizes [64] strides [1] : memref<64xf32, #npu.mem<ub>>, !tile.ptr<f32>
  return
}

// A token: primed before the loop, drained behind it.
// CHECK-LABEL: func @loop
// CHECK: npu.set <v> to <mte2>
// CHECK: scf.for
// CHECK: npu.wait <v> to <mte2>
// CHECK: npu.load
// CHECK: npu.vunary
// CHECK: npu.set <v> to <mte2>
// CHECK: }
// CHECK: npu.wait <v> to <mte2>
func.func @loop(%p: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = npu.alloc at 0 : memref<64xf32, #npu.mem<ub>>
  %b = npu.alloc at 256 : memref<64xf32, #npu.mem<ub>>
  scf.for %i = %c0 to %n step %c1 {
    npu.load %p[%i] sizes [64] strides [1], %a : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
    npu.vunary <vexp> %a, %b : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  }
  return
}
