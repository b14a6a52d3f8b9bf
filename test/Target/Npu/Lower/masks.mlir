// RUN: kiln-opt %s --split-input-file --kiln-npu-bufferize --kiln-npu-lower | FileCheck %s

// Unordered or less is not greater or equal; only the second operand of a selection is a scalar.
// CHECK-LABEL: func @select
// CHECK: npu.vdup %cst,
// CHECK: npu.vcmp <ge> {{.*}}, %arg1,
// CHECK: npu.vcmp <lt> {{.*}}, %arg2, [[K:%.+]] :
// CHECK: npu.vunary <vnot>
// CHECK: npu.vsel [[K]], {{.*}}, %cst_0,
// CHECK: npu.vbinary <vand>
// CHECK: npu.vunary <vnot>
// CHECK: npu.vsel {{.*}}, %arg2,
// CHECK: npu.vsel {{.*}}, %arg1,
func.func @select(%v: !tile.ptr<f32>, %s: f32, %t: f32) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %a = tensor.splat %s : tensor<64xf32>
  %b = tensor.splat %t : tensor<64xf32>
  %x = tile.load %view : !tile.view<64xf32> -> tensor<64xf32>
  %m = arith.cmpf ult, %x, %a : tensor<64xf32>
  %k = arith.cmpf ogt, %b, %x : tensor<64xf32>
  %mk = arith.andi %m, %k : tensor<64xi1>
  %0 = arith.select %mk, %b, %x : tensor<64xi1>, tensor<64xf32>
  %1 = arith.select %mk, %0, %a : tensor<64xi1>, tensor<64xf32>
  %2 = arith.uitofp %k : tensor<64xi1> to tensor<64xf32>
  %3 = arith.mulf %1, %2 : tensor<64xf32>
  tile.store %3, %view : tensor<64xf32>, !tile.view<64xf32>
  return
}

// -----

// A mask of a row for all rows: as numbers, repeated, as bits again.
// CHECK-LABEL: func @broadcast
// CHECK: npu.vcmp <lt>
// CHECK: npu.vsel {{.*}} memref<64xi1, #npu.mem<ub>>, memref<64xf32
// CHECK: npu.copy {{.*}} memref<4x64xf32, strided<[0, 1]>, #npu.mem<ub>>, memref<4x64xf32
// CHECK: npu.vcmp <ne> {{.*}} memref<256xi1
// CHECK: npu.vsel {{.*}} memref<256xi1
func.func @broadcast(%v: !tile.ptr<f32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [64, 1] : !tile.ptr<f32> -> !tile.view<4x64xf32>
  %first = tile.view %v[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %z = tensor.splat %s : tensor<64xf32>
  %zz = tensor.splat %s : tensor<4x64xf32>
  %x = tile.load %view : !tile.view<4x64xf32> -> tensor<4x64xf32>
  %y = tile.load %first : !tile.view<64xf32> -> tensor<64xf32>
  %m = arith.cmpf olt, %y, %z : tensor<64xf32>
  %e = tensor.empty() : tensor<4x64xi1>
  %mm = linalg.broadcast ins(%m : tensor<64xi1>) outs(%e : tensor<4x64xi1>) dimensions = [0]
  %r = arith.select %mm, %x, %zz : tensor<4x64xi1>, tensor<4x64xf32>
  tile.store %r, %view : tensor<4x64xf32>, !tile.view<4x64xf32>
  return
}
