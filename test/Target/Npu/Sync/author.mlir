// RUN: kiln-opt %s --kiln-npu-insert-sync | FileCheck %s

// The author's flags stay and their ids are theirs; they give no order.
// CHECK-LABEL: func @flags_stay
// CHECK: npu.load
// CHECK: npu.set <mte2> to <v>[%c1{{.*}}]
// CHECK: npu.set <mte2> to <v>[%c0]
// CHECK: npu.wait <mte2> to <v>[%c0]
// CHECK: npu.wait <mte2> to <v>[%c1{{.*}}]
// CHECK: npu.vunary
func.func @flags_stay(%p: !tile.ptr<f32>) attributes {tile.asynchronous} {
  %c0 = arith.constant 0 : index
  %a = npu.alloc at 0 : memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %a : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  npu.set <mte2> to <v>[%c0]
  npu.wait <mte2> to <v>[%c0]
  npu.vunary <vexp> %a, %a : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  return
}

// Any id may be the author's: all pipes wait instead.
// CHECK-LABEL: func @no_id_left
// CHECK: npu.load
// CHECK-NOT: npu.set <mte2> to <v>[%c
// CHECK: npu.barrier because
// CHECK: npu.vunary
func.func @no_id_left(%p: !tile.ptr<f32>, %id: index) attributes {tile.asynchronous} {
  %c0 = arith.constant 0 : index
  %a = npu.alloc at 0 : memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %a : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  npu.set <mte2> to <v>[%id]
  npu.wait <mte2> to <v>[%id]
  npu.vunary <vexp> %a, %a : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  return
}

// Where the author orders everything, only buffers that lowering made get an order.
// CHECK-LABEL: func @author_sync
// CHECK: npu.load
// CHECK-NEXT: npu.vunary
// CHECK-NEXT: npu.barrier <v>
// CHECK-NEXT: npu.copy
// CHECK-NEXT: npu.store
// CHECK-NEXT: return
func.func @author_sync(%p: !tile.ptr<f32>) attributes {tile.asynchronous, npu.author_sync} {
  %c0 = arith.constant 0 : index
  %a = npu.alloc at 0 named "a" : memref<64xf32, #npu.mem<ub>>
  %t = npu.alloc at 256 : memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %a : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  npu.vunary <vexp> %a, %t : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  npu.copy %t, %a : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  npu.store %a, %p[%c0] sizes [64] strides [1] : memref<64xf32, #npu.mem<ub>>, !tile.ptr<f32>
  return
}

// A window that begins somewhere in a buffer meets all of it.
// CHECK-LABEL: func @somewhere
// CHECK: npu.load
// CHECK: npu.wait <mte2> to <v>
// CHECK: npu.vunary
func.func @somewhere(%p: !tile.ptr<f32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = npu.alloc at 0 : memref<4x64xf32, #npu.mem<ub>>
  %o = arith.muli %i, %c64 : index
  %w = npu.window %a[0 + %o] : memref<4x64xf32, #npu.mem<ub>> -> memref<64xf32, #npu.mem<ub>>
  %v = npu.window %a[192] : memref<4x64xf32, #npu.mem<ub>> -> memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %w : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  npu.vunary <vexp> %v, %v : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  return
}
