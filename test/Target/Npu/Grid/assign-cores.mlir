// RUN: kiln-opt %s --kiln-npu-assign-cores --cse --split-input-file | FileCheck %s

// The mean of a row goes back into it: it never leaves the vector unit.
// CHECK-LABEL: func.func @mean
// CHECK-SAME: npu.core = "aiv"
// CHECK: %[[X:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<1x64xf32>
// CHECK: %[[S:.*]] = tile.reduce(%[[X]]) axis 1
// CHECK: (tensor<1x64xf32>) -> tensor<1xf32>
// CHECK: %[[N:.*]] = tensor.splat %arg1 : tensor<1xf32>
// CHECK: %[[M:.*]] = arith.divf %[[S]], %[[N]] : tensor<1xf32>
// CHECK: %[[B:.*]] = linalg.broadcast ins(%[[M]] : tensor<1xf32>) outs(%{{.*}} : tensor<1x64xf32>) dimensions = [1]
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[B]] {{.*}} into tensor<64xf32>
// CHECK: arith.subf %arg0, %[[C]]
// CHECK-NOT: tensor.extract
func.func @mean(%x: tensor<64xf32>, %n: f32) -> tensor<64xf32> {
  %s = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tile.yield %0 : f32
  } : (tensor<64xf32>) -> f32
  %m = arith.divf %s, %n : f32
  %t = tensor.splat %m : tensor<64xf32>
  %r = arith.subf %x, %t : tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

// Control reads the scalar where it needs it.
// CHECK-LABEL: func.func @control
// CHECK: %[[S:.*]] = tile.reduce
// CHECK: %[[V:.*]] = tensor.extract %[[S]][%c0] : tensor<1xf32>
// CHECK: arith.cmpf ogt, %[[V]], %arg1 : f32
func.func @control(%x: tensor<64xf32>, %n: f32, %p: !tile.ptr<f32>) {
  %s = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tile.yield %0 : f32
  } : (tensor<64xf32>) -> f32
  %c = arith.cmpf ogt, %s, %n : f32
  scf.if %c {
    tile.ptr_store %p, %n : !tile.ptr<f32>, f32
  }
  return
}

// -----

// A loop carries the running maximum as a tensor; its store is one lane.
// CHECK-LABEL: func.func @carried
// CHECK: %[[INIT:.*]] = arith.constant dense<0.000000e+00> : tensor<1xf32>
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[INIT]]) -> (tensor<1xf32>)
// CHECK: %[[S:.*]] = tile.reduce
// CHECK: %[[M:.*]] = arith.maxnumf %[[ACC]], %[[S]] : tensor<1xf32>
// CHECK: scf.yield %[[M]] : tensor<1xf32>
// CHECK: %[[V:.*]] = tile.view %arg2[%{{.*}}] strides [1]
// CHECK: tile.store %[[R]], %[[V]] : tensor<1xf32>, <1xf32>
func.func @carried(%x: tensor<64xf32>, %n: index, %p: !tile.ptr<f32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %start = arith.constant 0.0 : f32
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> f32 {
    %s = tile.reduce(%x) axis 0 {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maxnumf %a, %b : f32
      tile.yield %0 : f32
    } : (tensor<64xf32>) -> f32
    %m = arith.maxnumf %acc, %s : f32
    scf.yield %m : f32
  }
  tile.ptr_store %p, %r : !tile.ptr<f32>, f32
  return
}

// -----

// Both branches yield a tensor if one of them has it.
// CHECK-LABEL: func.func @branch
// CHECK: %[[R:.*]] = scf.if %arg1 -> (tensor<1xf32>)
// CHECK: tile.reduce
// CHECK: scf.yield %{{.*}} : tensor<1xf32>
// CHECK: } else {
// CHECK: %[[E:.*]] = tensor.splat %arg2 : tensor<1xf32>
// CHECK: scf.yield %[[E]] : tensor<1xf32>
// CHECK: linalg.broadcast ins(%[[R]] : tensor<1xf32>)
func.func @branch(%x: tensor<64xf32>, %c: i1, %n: f32) -> tensor<64xf32> {
  %r = scf.if %c -> f32 {
    %s = tile.reduce(%x) axis 0 {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      tile.yield %0 : f32
    } : (tensor<64xf32>) -> f32
    scf.yield %s : f32
  } else {
    scf.yield %n : f32
  }
  %t = tensor.splat %r : tensor<64xf32>
  return %t : tensor<64xf32>
}

// -----

// Scalars of the launch stay on the scalar unit.
// CHECK-LABEL: func.func @plain
// CHECK-NEXT: arith.mulf %arg0, %arg0 : f32
// CHECK-NEXT: tensor.splat
// CHECK-NEXT: return
func.func @plain(%n: f32) -> tensor<64xf32> {
  %0 = arith.mulf %n, %n : f32
  %1 = tensor.splat %0 : tensor<64xf32>
  return %1 : tensor<64xf32>
}
