// RUN: kiln-opt %s --kiln-npu-bufferize --kiln-npu-lower | FileCheck %s

// Two chains: what does not depend on one another stands together.
// CHECK-LABEL: func @two_chains
// CHECK: npu.load
// CHECK: npu.load
// CHECK-NEXT: npu.vunary <vexp>
// CHECK-NEXT: npu.vunary <vexp>
// CHECK-NEXT: npu.vunary <vsqrt>
// CHECK-NEXT: npu.vunary <vsqrt>
// CHECK: npu.store
// CHECK: npu.store
func.func @two_chains(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %x[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %w = tile.view %x[%c64] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %o = tile.view %y[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %p = tile.view %y[%c64] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %a = tile.load %v : !tile.view<64xf32> -> tensor<64xf32>
  %b = tile.load %w : !tile.view<64xf32> -> tensor<64xf32>
  %0 = math.exp %a : tensor<64xf32>
  %1 = math.sqrt %0 : tensor<64xf32>
  %2 = math.exp %b : tensor<64xf32>
  %3 = math.sqrt %2 : tensor<64xf32>
  tile.store %1, %o : tensor<64xf32>, !tile.view<64xf32>
  tile.store %3, %p : tensor<64xf32>, !tile.view<64xf32>
  return
}

// A store stays between two loads: they may be of the same memory.
// CHECK-LABEL: func @memory_order
// CHECK: npu.load
// CHECK: npu.store
// CHECK: npu.load
// CHECK: npu.store
func.func @memory_order(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %v = tile.view %x[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %o = tile.view %y[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %a = tile.load %v : !tile.view<64xf32> -> tensor<64xf32>
  tile.store %a, %o : tensor<64xf32>, !tile.view<64xf32>
  %b = tile.load %v : !tile.view<64xf32> -> tensor<64xf32>
  tile.store %b, %o : tensor<64xf32>, !tile.view<64xf32>
  return
}
