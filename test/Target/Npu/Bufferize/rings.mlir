// RUN: kiln-opt %s --kiln-npu-bufferize | FileCheck %s

// The producer writes the slot.
// CHECK-LABEL: func @forwarded
// CHECK: [[R:%.+]] = npu.alloc : memref<2x64xf32, #npu.mem<ub>>
// CHECK: scf.for [[I:%.+]] =
// CHECK: [[S:%.+]] = npu.slot [[R]][[[I]]] : memref<2x64xf32, #npu.mem<ub>> -> memref<64xf32, #npu.mem<ub>>
// CHECK-NEXT: [[X:%.+]] = tile.load
// CHECK-NEXT: materialize_in_destination [[X]] in restrict writable [[S]]
// CHECK-NOT: materialize_in_destination
// CHECK: tile.store [[X]]
func.func @forwarded(%n: index, %v: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create : !tile.ring<64xf32, 2>
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.load %v : !tile.view<64xf32> -> tensor<64xf32>
    %y = tile.ring_put %x, %ring[%i] : tensor<64xf32>, !tile.ring<64xf32, 2>
    tile.store %y, %v : tensor<64xf32>, !tile.view<64xf32>
  }
  return
}

// Rows with gaps: the slot holds padded rows, the tile is a window of it. The number is made after
// the value, but of what is there before.
// CHECK-LABEL: func @padded
// CHECK: npu.alloc : memref<3x4x64xf32, #npu.mem<ub>>
// CHECK: arith.addi
// CHECK-NEXT: [[S:%.+]] = npu.slot {{.*}} -> memref<4x64xf32, #npu.mem<ub>>
// CHECK-NEXT: [[W:%.+]] = npu.window [[S]][0] : {{.*}} -> memref<4x60xf32, strided<[64, 1]>, #npu.mem<ub>>
// CHECK-NEXT: [[X:%.+]] = tile.load
// CHECK-NEXT: materialize_in_destination [[X]] in restrict writable [[W]]
func.func @padded(%n: index, %v: !tile.view<4x60xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create : !tile.ring<4x60xf32, 3>
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.load %v : !tile.view<4x60xf32> -> tensor<4x60xf32>
    %k = arith.addi %i, %c1 : index
    %y = tile.ring_put %x, %ring[%k] : tensor<4x60xf32>, !tile.ring<4x60xf32, 3>
    tile.store %y, %v : tensor<4x60xf32>, !tile.view<4x60xf32>
  }
  return
}

// What was made outside the loop cannot have been made in the slot.
// CHECK-LABEL: func @copied
// CHECK: [[X:%.+]] = tile.load
// CHECK-NEXT: materialize_in_destination [[X]]
// CHECK: scf.for
// CHECK: [[S:%.+]] = npu.slot
// CHECK-NEXT: materialize_in_destination [[X]] in restrict writable [[S]]
// CHECK-NEXT: [[Y:%.+]] = bufferization.to_tensor [[S]]
// CHECK: tile.store [[Y]]
func.func @copied(%n: index, %v: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create : !tile.ring<64xf32, 2>
  %x = tile.load %v : !tile.view<64xf32> -> tensor<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    %y = tile.ring_put %x, %ring[%i] : tensor<64xf32>, !tile.ring<64xf32, 2>
    tile.store %y, %v : tensor<64xf32>, !tile.view<64xf32>
  }
  return
}
