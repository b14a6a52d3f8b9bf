// RUN: kiln-opt %s --split-input-file --kiln-npu-bufferize | FileCheck %s

// Rows begin at 32-byte blocks of the smallest type of the function; unit dimensions do not count.
// CHECK-LABEL: func @one_type
// CHECK-DAG: npu.alloc : memref<3x16xf32, #npu.mem<ub>>
// CHECK-DAG: npu.window {{.*}} -> memref<3x10xf32, strided<[16, 1]>, #npu.mem<ub>>
// CHECK-DAG: npu.alloc : memref<16x1xf32, #npu.mem<ub>>
// CHECK-DAG: npu.window {{.*}} -> memref<10x1xf32, #npu.mem<ub>>
func.func @one_type(%v: !tile.view<3x10xf32>, %w: !tile.view<10x1xf32>) {
  %x = tile.load %v : !tile.view<3x10xf32> -> tensor<3x10xf32>
  %y = tile.load %w : !tile.view<10x1xf32> -> tensor<10x1xf32>
  tile.store %x, %v : tensor<3x10xf32>, !tile.view<3x10xf32>
  tile.store %y, %w : tensor<10x1xf32>, !tile.view<10x1xf32>
  return
}

// -----

// CHECK-LABEL: func @with_bytes
// CHECK-DAG: npu.alloc : memref<3x32xf32, #npu.mem<ub>>
// CHECK-DAG: npu.alloc : memref<3x32xi8, #npu.mem<ub>>
func.func @with_bytes(%v: !tile.view<3x10xf32>, %w: !tile.view<3x10xi8>) {
  %x = tile.load %v : !tile.view<3x10xf32> -> tensor<3x10xf32>
  %y = tile.load %w : !tile.view<3x10xi8> -> tensor<3x10xi8>
  tile.store %x, %v : tensor<3x10xf32>, !tile.view<3x10xf32>
  tile.store %y, %w : tensor<3x10xi8>, !tile.view<3x10xi8>
  return
}

// -----

// Comparisons work on whole repeats of 256 bytes, so buffers end at one.
// CHECK-LABEL: func @with_masks
// CHECK-DAG: npu.alloc : memref<64xf32, #npu.mem<ub>>
// CHECK-DAG: npu.alloc : memref<64xi1, #npu.mem<ub>>
func.func @with_masks(%v: !tile.view<10xf32>, %zero: f32) {
  %z = tensor.splat %zero : tensor<10xf32>
  %x = tile.load %v : !tile.view<10xf32> -> tensor<10xf32>
  %m = arith.cmpf olt, %x, %z : tensor<10xf32>
  %y = arith.select %m, %x, %z : tensor<10xi1>, tensor<10xf32>
  tile.store %y, %v : tensor<10xf32>, !tile.view<10xf32>
  return
}
