// RUN: kiln-translate --npu-to-asm %s --split-input-file | FileCheck %s

// A trip count is read from a tile: all that made the tile is marked, and nothing else.
// CHECK-LABEL: kernel "trip_count"
func.func @trip_count(%x: !tile.ptr<i32> {tile.alias_set = 0 : i64}, %y: !tile.ptr<f32> {tile.alias_set = 1 : i64}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %a = npu.alloc at 0 : memref<64xi32, #npu.mem<ub>>
  %f = npu.alloc at 512 : memref<64xf32, #npu.mem<ub>>
  // CHECK: load UB[0] {{.*}} control
  npu.load %x[%c0] sizes [64] strides [1], %a : !tile.ptr<i32>, memref<64xi32, #npu.mem<ub>>
  // CHECK: load UB[512]
  // CHECK-NOT: control
  npu.load %y[%c0] sizes [64] strides [1], %f : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  // CHECK: vadds UB[0] {{.*}} control
  npu.vscalar <vadds> %a, %three, %a : memref<64xi32, #npu.mem<ub>>, i32, memref<64xi32, #npu.mem<ub>>
  // CHECK: sload UB[4] {{.*}} control
  %n = npu.sload %a[%c1] : memref<64xi32, #npu.mem<ub>> -> i32
  %trips = arith.index_cast %n : i32 to index
  scf.for %i = %c0 to %trips step %c1 {
    // CHECK: vexp UB[512]
    // CHECK-NOT: control
    npu.vunary <vexp> %f, %f : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  }
  // A scalar that is data only.
  // CHECK: sload UB[512]
  // CHECK-NOT: control
  %v = npu.sload %f[%c0] : memref<64xf32, #npu.mem<ub>> -> f32
  // CHECK: sstore
  npu.sstore %v, %y[%c0] : f32, !tile.ptr<f32>
  return
}

// -----

// Through a carried value, another buffer over the same bytes, and a branch.
// CHECK-LABEL: kernel "roundabout"
func.func @roundabout(%x: !tile.ptr<i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %a = npu.alloc at 0 : memref<64xi32, #npu.mem<ub>>
  %b = npu.alloc at 128 : memref<64xi32, #npu.mem<ub>>
  %c = npu.alloc at 512 : memref<64xi32, #npu.mem<ub>>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%v = %zero) -> (i32) {
    // CHECK: vdup UB[128] {{.*}} control
    npu.vdup %v, %b : i32, memref<64xi32, #npu.mem<ub>>
    // CHECK: vdup UB[512]
    // CHECK-NOT: control
    npu.vdup %v, %c : i32, memref<64xi32, #npu.mem<ub>>
    // CHECK: sload UB[{{.*}} control
    %next = npu.sload %a[%i] : memref<64xi32, #npu.mem<ub>> -> i32
    scf.yield %next : i32
  }
  %go = arith.cmpi eq, %last, %zero : i32
  scf.if %go {
    npu.barrier
  }
  return
}

// -----

// Global memory: what is stored through an argument that may be the same.
// CHECK-LABEL: kernel "global"
func.func @global(%x: !tile.ptr<i32> {tile.alias_set = 0 : i64}, %y: !tile.ptr<i32> {tile.alias_set = 1 : i64},
                  %z: !tile.ptr<i32> {tile.alias_set = 0 : i64}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = npu.alloc at 0 : memref<64xi32, #npu.mem<ub>>
  %b = npu.alloc at 512 : memref<64xi32, #npu.mem<ub>>
  // CHECK: load UB[0] {{.*}} control
  npu.load %x[%c0] sizes [64] strides [1], %a : !tile.ptr<i32>, memref<64xi32, #npu.mem<ub>>
  // CHECK: store GM[%arg2] {{.*}} control
  npu.store %a, %z[%c0] sizes [64] strides [1] : memref<64xi32, #npu.mem<ub>>, !tile.ptr<i32>
  // CHECK: store GM[%arg1]
  // CHECK-NOT: control
  npu.store %b, %y[%c0] sizes [64] strides [1] : memref<64xi32, #npu.mem<ub>>, !tile.ptr<i32>
  // CHECK: sload GM[%arg0] {{.*}} control
  %n = npu.sload %x[%c0] : !tile.ptr<i32> -> i32
  %trips = arith.index_cast %n : i32 to index
  scf.for %i = %c0 to %trips step %c1 {
    npu.barrier
  }
  return
}
