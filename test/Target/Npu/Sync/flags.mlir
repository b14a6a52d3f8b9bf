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

// Rows of a slot, stored one by one: each may be any of the slot, so that the store is behind all
// that writes there.
// CHECK-LABEL: func @rows_of_a_slot
// CHECK: npu.vdup
// CHECK-NOT: npu.set <v> to <mte3>
// CHECK: npu.vdup
// CHECK: npu.set <v> to <mte3>
// CHECK: npu.wait <v> to <mte3>
// CHECK: npu.store
func.func @rows_of_a_slot(%q: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  %a = npu.alloc at 0 : memref<2x6x8xf32, #npu.mem<ub>>
  scf.for %i = %c0 to %n step %c1 {
    %slot = npu.slot %a[%i] : memref<2x6x8xf32, #npu.mem<ub>> -> memref<6x8xf32, #npu.mem<ub>>
    %top = npu.window %slot[0] : memref<6x8xf32, #npu.mem<ub>> -> memref<4x8xf32, #npu.mem<ub>>
    %rest = npu.window %slot[32] : memref<6x8xf32, #npu.mem<ub>> -> memref<2x8xf32, #npu.mem<ub>>
    npu.vdup %zero, %top : f32, memref<4x8xf32, #npu.mem<ub>>
    npu.vdup %zero, %rest : f32, memref<2x8xf32, #npu.mem<ub>>
    scf.for %row = %c0 to %c6 step %c1 {
      %line = npu.slot %slot[%row] : memref<6x8xf32, #npu.mem<ub>> -> memref<8xf32, #npu.mem<ub>>
      %part = npu.window %line[0] : memref<8xf32, #npu.mem<ub>> -> memref<5xf32, #npu.mem<ub>>
      npu.store %part, %q[%row] sizes [5] strides [1] : memref<5xf32, #npu.mem<ub>>, !tile.ptr<f32>
    }
  }
  return
}
