// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(canonicalize,cse,kiln-raise-access,canonicalize,cse))' -verify-diagnostics | FileCheck %s

// Offsets that a loop only increases are not negative, so their remainder wraps around.
// CHECK-LABEL: func.func @increasing(
// CHECK: scf.for {{.*}} iter_args([[O:%[a-z0-9]+]] = {{.*}}) -> (index)
// CHECK: tile.view {{.*}} strides [1] wrap [0] start([[O]])
// CHECK: tile.view {{%[a-z0-9]+}}{{\[}}[[O]]] strides [1]
func.func @increasing(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.iota 0 : tensor<30xi32>
  %xs = tensor.splat %x : tensor<30x!tile.ptr<f32>>
  %b = arith.constant dense<30> : tensor<30xi32>
  %ms = tensor.splat %m : tensor<30xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%off = %i) -> (tensor<30xi32>) : i32 {
    %w = arith.remsi %off, %ms : tensor<30xi32>
    %p = tile.addptr %xs, %w : tensor<30x!tile.ptr<f32>>, tensor<30xi32>
    %v = tile.ptr_load %p : tensor<30x!tile.ptr<f32>> -> tensor<30xf32>
    %q = tile.addptr %xs, %off : tensor<30x!tile.ptr<f32>>, tensor<30xi32>
    tile.ptr_store %q, %v : tensor<30x!tile.ptr<f32>>, tensor<30xf32>
    %off2 = arith.addi %off, %b : tensor<30xi32>
    scf.yield %off2 : tensor<30xi32>
  }
  return
}

// A loop that multiplies its offsets keeps them as a tensor.
// CHECK-LABEL: func.func @multiplied(
// CHECK: scf.for {{.*}} iter_args([[T:%[a-z0-9]+]] = {{.*}}) -> (tensor<30xi32>)
// CHECK: tile.scatter {{.*}}{{\[}}[[T]]]
func.func @multiplied(%x: !tile.ptr<f32>, %n: i32, %v: tensor<30xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.iota 0 : tensor<30xi32>
  %b = arith.constant dense<30> : tensor<30xi32>
  %xs = tensor.splat %x : tensor<30x!tile.ptr<f32>>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%off = %i) -> (tensor<30xi32>) : i32 {
    %p = tile.addptr %xs, %off : tensor<30x!tile.ptr<f32>>, tensor<30xi32>
    // expected-remark @below {{store of 30xf32 goes lane by lane: a loop or branch changes the offset in a way that is not affine}}
    tile.ptr_store %p, %v : tensor<30x!tile.ptr<f32>>, tensor<30xf32>
    %next = arith.muli %off, %b : tensor<30xi32>
    scf.yield %next : tensor<30xi32>
  }
  return
}
