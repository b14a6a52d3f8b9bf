// RUN: kiln-opt %s --split-input-file --kiln-npu-bufferize --kiln-npu-lower | FileCheck %s

// One column for all lanes of its row: each element fills a block, which the row reads over and over.
// CHECK-LABEL: func @column
// CHECK: npu.vbrc {{.*}} memref<16xf32, #npu.mem<ub>>, memref<16x8xf32
// CHECK-NOT: npu.sload
// CHECK: npu.vbinary <vsub> {{.*}} memref<16x8x8xf32, strided<[8, 0, 1]>
// CHECK: npu.store
func.func @column(%v: !tile.ptr<f32>, %w: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [64, 1] : !tile.ptr<f32> -> !tile.view<16x64xf32>
  %col = tile.view %w[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<16xf32>
  %x = tile.load %view : !tile.view<16x64xf32> -> tensor<16x64xf32>
  %y = tile.load %col : !tile.view<16xf32> -> tensor<16xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %b = linalg.broadcast ins(%y : tensor<16xf32>) outs(%e : tensor<16x64xf32>) dimensions = [1]
  %r = arith.subf %x, %b : tensor<16x64xf32>
  tile.store %r, %view : tensor<16x64xf32>, !tile.view<16x64xf32>
  return
}

// -----

// CHECK-LABEL: func @row
// CHECK-NOT: npu.copy
// CHECK: npu.vbinary <vmul> {{.*}} memref<16x64xf32, #npu.mem<ub>>, memref<16x64xf32, strided<[0, 1]>, #npu.mem<ub>>, memref<16x64xf32
// CHECK-NOT: npu.copy
// CHECK: npu.store
func.func @row(%v: !tile.ptr<f32>, %w: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [64, 1] : !tile.ptr<f32> -> !tile.view<16x64xf32>
  %row = tile.view %w[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %x = tile.load %view : !tile.view<16x64xf32> -> tensor<16x64xf32>
  %y = tile.load %row : !tile.view<64xf32> -> tensor<64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %b = linalg.broadcast ins(%y : tensor<64xf32>) outs(%e : tensor<16x64xf32>) dimensions = [0]
  %r = arith.mulf %x, %b : tensor<16x64xf32>
  tile.store %r, %view : tensor<16x64xf32>, !tile.view<16x64xf32>
  return
}

// -----

// Unit dimensions come and go for nothing; so does a reshape without gaps.
// CHECK-LABEL: func @reshape
// CHECK: npu.load
// CHECK-NOT: npu.copy
// CHECK: npu.vunary <vexp> {{.*}} memref<512xf32
// CHECK-NEXT: npu.store
func.func @reshape(%v: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<512xf32>
  %out = tile.view %v[%c0] strides [64, 64, 1] : !tile.ptr<f32> -> !tile.view<8x1x64xf32>
  %x = tile.load %view : !tile.view<512xf32> -> tensor<512xf32>
  %y = tensor.expand_shape %x [[0, 1, 2]] output_shape [8, 1, 64] : tensor<512xf32> into tensor<8x1x64xf32>
  %z = math.exp %y : tensor<8x1x64xf32>
  tile.store %z, %out : tensor<8x1x64xf32>, !tile.view<8x1x64xf32>
  return
}
