// RUN: kiln-opt %s --kiln-tile-to-linalg --split-input-file | FileCheck %s

// Broadcasts and transposes of operands become indexing maps, splats scalar operands.

// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$NONE:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-DAG: #[[$SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>

// CHECK-LABEL: func @maps(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>, %[[R:.*]]: tensor<4xf32>, %[[T:.*]]: tensor<6x4xf32>, %[[S:.*]]: f32
func.func @maps(%x: tensor<4x6xf32>, %r: tensor<4xf32>, %t: tensor<6x4xf32>, %s: f32)
    -> tensor<4x6xf32> {
  // CHECK-NOT: linalg.broadcast
  %0 = tensor.empty() : tensor<4x6xf32>
  %b = linalg.broadcast ins(%r : tensor<4xf32>) outs(%0 : tensor<4x6xf32>) dimensions = [1]
  // CHECK: linalg.generic {indexing_maps = [#[[$ID]], #[[$ROW]], #[[$ID]]]
  // CHECK-SAME: ins(%[[X]], %[[R]] : tensor<4x6xf32>, tensor<4xf32>)
  // CHECK: arith.subf
  %1 = arith.subf %x, %b : tensor<4x6xf32>
  %u = linalg.transpose ins(%t : tensor<6x4xf32>) outs(%0 : tensor<4x6xf32>) permutation = [1, 0]
  // CHECK: linalg.generic {indexing_maps = [#[[$ID]], #[[$SWAP]], #[[$ID]]]
  %2 = arith.addf %1, %u : tensor<4x6xf32>
  %p = tensor.splat %s : tensor<4x6xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[$ID]], #[[$NONE]], #[[$ID]]]
  // CHECK-SAME: ins(%{{.*}}, %[[S]] : tensor<4x6xf32>, f32)
  %3 = arith.mulf %2, %p : tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// -----

// Scalars, and broadcasts that something else reads, stay as they are; so do attributes of ops.

// CHECK-LABEL: func @stays(
func.func @stays(%r: tensor<4xf32>, %s: f32) -> (tensor<4x6xf32>, tensor<4xi1>, f32) {
  %0 = tensor.empty() : tensor<4x6xf32>
  // CHECK: linalg.broadcast
  %b = linalg.broadcast ins(%r : tensor<4xf32>) outs(%0 : tensor<4x6xf32>) dimensions = [1]
  // CHECK: linalg.generic
  // CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} fastmath<nnan> : f32
  %c = arith.cmpf olt, %r, %r fastmath<nnan> : tensor<4xf32>
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
  %t = arith.addf %s, %s : f32
  return %b, %c, %t : tensor<4x6xf32>, tensor<4xi1>, f32
}
