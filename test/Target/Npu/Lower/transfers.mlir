// RUN: kiln-opt %s --split-input-file --kiln-npu-bufferize --kiln-npu-lower | FileCheck %s

// Stored under the same bound: the lanes outside may hold anything.
// CHECK-LABEL: func @pad_is_not_seen
// CHECK-NOT: npu.vdup
// CHECK: [[N:%.+]] = arith.minsi %arg1, %c64
// CHECK: npu.load {{.*}} sizes {{\[}}[[N]]] strides [1]
// CHECK-NOT: npu.vdup
// CHECK: npu.store {{.*}} sizes {{\[}}[[N]]] strides [1]
func.func @pad_is_not_seen(%v: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %x = tile.load %view valid [%c0] to [%n] : !tile.view<64xf32> -> tensor<64xf32>
  %y = math.exp %x : tensor<64xf32>
  tile.store %y, %view valid [%c0] to [%n] : tensor<64xf32>, !tile.view<64xf32>
  return
}

// -----

// CHECK-LABEL: func @pad_is_seen
// CHECK: [[N:%.+]] = arith.minsi
// CHECK: [[P:%.+]] = arith.cmpi slt, [[N]], %c64
// CHECK: scf.if [[P]] {
// CHECK-NEXT: npu.vdup %arg2,
// CHECK-NEXT: npu.load {{.*}} sizes {{\[}}[[N]]]
// CHECK-NEXT: } else {
// CHECK-NEXT: npu.load {{.*}} sizes [64]
// CHECK-NEXT: }
func.func @pad_is_seen(%v: !tile.ptr<f32>, %n: index, %p: f32) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %x = tile.load %view valid [%c0] to [%n] pad %p : !tile.view<64xf32> pad f32 -> tensor<64xf32>
  tile.store %x, %view : tensor<64xf32>, !tile.view<64xf32>
  return
}

// -----

// Rows whose length is known at run time only: long ones at once, short ones one by one.
// CHECK-LABEL: func @short_rows
// CHECK: [[C:%.+]] = arith.cmpi sge, {{.*}}, %c8
// CHECK: scf.if [[C]] {
// CHECK-NEXT: npu.load {{.*}} sizes [{{%.+}}, {{%.+}}] strides [%arg3, 1]
// CHECK-NEXT: } else {
// CHECK: scf.for [[I:%.+]] =
// CHECK: npu.slot {{.*}}{{\[}}[[I]]] : memref<4x64xf32
// CHECK: npu.load {{.*}} sizes [{{%.+}}] strides [1]
// CHECK: scf.if [[C]] {
// CHECK-NEXT: npu.store
// CHECK-NEXT: } else {
// CHECK: scf.for
// CHECK: npu.store
func.func @short_rows(%v: !tile.ptr<f32>, %m: index, %n: index, %s: index) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [%s, 1] : !tile.ptr<f32> -> !tile.view<4x64xf32>
  %x = tile.load %view valid [%c0, %c0] to [%m, %n] : !tile.view<4x64xf32> -> tensor<4x64xf32>
  tile.store %x, %view valid [%c0, %c0] to [%m, %n] : tensor<4x64xf32>, !tile.view<4x64xf32>
  return
}

// -----

// Rows that follow one another in both places are one.
// CHECK-LABEL: func @one_piece
// CHECK: [[N:%.+]] = arith.muli {{.*}}, %c64
// CHECK: npu.load {{.*}} sizes {{\[}}[[N]]] strides [1]
// CHECK: npu.store {{.*}} sizes {{\[}}[[N]]] strides [1]
func.func @one_piece(%v: !tile.ptr<f32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %view = tile.view %v[%c0] strides [64, 1] : !tile.ptr<f32> -> !tile.view<4x64xf32>
  %x = tile.load %view valid [%c0, %c0] to [%m, %c64] : !tile.view<4x64xf32> -> tensor<4x64xf32>
  tile.store %x, %view valid [%c0, %c0] to [%m, %c64] : tensor<4x64xf32>, !tile.view<4x64xf32>
  return
}

// -----

// Backwards: the span, and a gather.
// CHECK-LABEL: func @reverse
// CHECK: npu.viota
// CHECK: npu.vscalar <vmuls> {{.*}}, %c-4_i32,
// CHECK: npu.vscalar <vadds>
// CHECK: npu.vgather
func.func @reverse(%v: !tile.ptr<f32>, %o: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %view = tile.view %v[%c63] strides [-1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %out = tile.view %o[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %x = tile.load %view : !tile.view<64xf32> -> tensor<64xf32>
  tile.store %x, %out : tensor<64xf32>, !tile.view<64xf32>
  return
}

// -----

// Columns in memory are rows in UB: loaded as they lie, then transposed.
// CHECK-LABEL: func @columns
// CHECK: npu.load {{.*}} sizes [64, 8] strides [%arg1, 1], {{.*}} memref<64x8xf32
// CHECK-COUNT-8: npu.vscalar <vadds>
// CHECK: npu.vgather {{.*}} memref<8x64xf32
// CHECK: npu.store {{.*}} sizes [8, 64]
func.func @columns(%v: !tile.ptr<f32>, %s: index) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [1, %s] : !tile.ptr<f32> -> !tile.view<8x64xf32>
  %out = tile.view %v[%c0] strides [%s, 1] : !tile.ptr<f32> -> !tile.view<8x64xf32>
  %x = tile.load %view : !tile.view<8x64xf32> -> tensor<8x64xf32>
  tile.store %x, %out : tensor<8x64xf32>, !tile.view<8x64xf32>
  return
}

// -----

// Rows shorter than a block in more than one dimension: a slot of a slot.
// CHECK-LABEL: func @nested_rows
// CHECK: scf.for [[I:%.+]] =
// CHECK: [[S:%.+]] = npu.slot {{.*}}{{\[}}[[I]]] : memref<4x16xf32, #npu.mem<ub>> -> memref<16xf32
// CHECK: scf.for [[J:%.+]] =
// CHECK: [[W:%.+]] = npu.window [[S]][0] : {{.*}} -> memref<2x8xf32
// CHECK: npu.slot [[W]]{{\[}}[[J]]] : memref<2x8xf32, #npu.mem<ub>> -> memref<8xf32
// CHECK: npu.load {{.*}} sizes [4] strides [1], {{.*}} memref<4xf32
func.func @nested_rows(%v: !tile.ptr<f32>, %s: index) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [%s, 4, 1] : !tile.ptr<f32> -> !tile.view<4x2x4xf32>
  %x = tile.load %view : !tile.view<4x2x4xf32> -> tensor<4x2x4xf32>
  tile.store %x, %view : tensor<4x2x4xf32>, !tile.view<4x2x4xf32>
  return
}
