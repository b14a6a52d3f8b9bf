// RUN: kiln-opt %s -split-input-file -kiln-tile-to-linalg -kiln-cpu-vector-loops="vector-bits=512 masked-tails=true" -canonicalize -cse | FileCheck %s

// What a loop carries is undefined at first: nothing is written before the loop. The buffer lives
// through all of the loop, so the staged %s (read in the loop, used behind what it carries) lies
// elsewhere.
// CHECK-LABEL: func.func @carried(
// CHECK-NOT: llvm.store
// CHECK: scf.for
func.func @carried(%p: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<1024xf32>
  %v = tile.view %p[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e) -> (tensor<1024xf32>) {
    %w = tile.view %p[%i] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
    %t = tile.load %w : !tile.view<1024xf32> -> tensor<1024xf32>
    tile.store %a, %w : tensor<1024xf32>, !tile.view<1024xf32>
    scf.yield %t : tensor<1024xf32>
  }
  tile.store %r, %v : tensor<1024xf32>, !tile.view<1024xf32>
  return
}

// -----

// A branch that yields nothing defined writes nothing.
// CHECK-LABEL: func.func @branch(
// CHECK: scf.if
// CHECK: llvm.store
// CHECK-NOT: } else {
// CHECK: scf.for
func.func @branch(%p: !tile.ptr<f32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %r = scf.if %c -> (tensor<1024xf32>) {
    %t = tile.load %v : !tile.view<1024xf32> -> tensor<1024xf32>
    %u = arith.addf %t, %t : tensor<1024xf32>
    scf.yield %u : tensor<1024xf32>
  } else {
    %e = tensor.empty() : tensor<1024xf32>
    scf.yield %e : tensor<1024xf32>
  }
  tile.store %r, %v : tensor<1024xf32>, !tile.view<1024xf32>
  return
}

// -----

// Where undefined lanes are computed with, or stored, they are zero.
// CHECK-LABEL: func.func @used(
// CHECK-DAG: [[Z:%.+]] = arith.constant dense<0.000000e+00>
// CHECK: llvm.store [[Z]]
func.func @used(%p: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<16xf32>
  %v = tile.view %p[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<16xf32>
  tile.store %e, %v : tensor<16xf32>, !tile.view<16xf32>
  return
}
