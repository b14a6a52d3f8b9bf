// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(canonicalize,cse,kiln-raise-access,canonicalize,cse))' | FileCheck %s

// Loops and branches carry scalars; where lanes differ, a tensor of offsets.

// CHECK-LABEL: func.func @for_ptr(
// CHECK-SAME: [[A0:%[a-z0-9_]+]]:{{[^%]*}}[[A1:%[a-z0-9_]+]]:{{[^%]*}}[[A2:%[a-z0-9_]+]]:
// CHECK: [[C64:%[a-z0-9_]+]] = arith.constant 64 : index
// CHECK: [[C0_I32:%[a-z0-9_]+]] = arith.constant 0 : i32
// CHECK: [[C1_I32:%[a-z0-9_]+]] = arith.constant 1 : i32
// CHECK: [[CST:%[a-z0-9_]+]] = arith.constant dense<0.000000e+00> : tensor<64xf32>
// CHECK: [[C0:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK: [[V0:%[a-z0-9_]+]]:3 = scf.for [[A3:%[a-z0-9_]+]] = [[C0_I32]] to [[A1]] step [[C1_I32]] iter_args([[A4:%[a-z0-9_]+]] = [[CST]], [[A5:%[a-z0-9_]+]] = [[C0]], [[A6:%[a-z0-9_]+]] = [[C0]]) -> (tensor<64xf32>, index, index)  : i32 {
// CHECK: [[V3:%[a-z0-9_]+]] = arith.index_cast [[A1]] : i32 to index
// CHECK: [[V4:%[a-z0-9_]+]] = arith.subi [[V3]], [[A6]] : index
// CHECK: [[V5:%[a-z0-9_]+]] = arith.index_cast [[A2]] : i32 to index
// CHECK: [[V6:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[A5]]] strides {{\[}}[[V5]]] : <f32> -> <64xf32>
// CHECK: [[V7:%[a-z0-9_]+]] = tile.load [[V6]] valid{{\[}}[[C0]]] to{{\[}}[[V4]]] : <64xf32> -> tensor<64xf32>
// CHECK: [[V8:%[a-z0-9_]+]] = arith.addf [[A4]], [[V7]] : tensor<64xf32>
// CHECK: [[V9:%[a-z0-9_]+]] = arith.addi [[A5]], [[C64]] : index
// CHECK: [[V10:%[a-z0-9_]+]] = arith.addi [[A6]], [[C64]] : index
// CHECK: scf.yield [[V8]], [[V9]], [[V10]] : tensor<64xf32>, index, index
// CHECK: [[V1:%[a-z0-9_]+]] = arith.index_cast [[A2]] : i32 to index
// CHECK: [[V2:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[V0]]#1] strides {{\[}}[[V1]]] : <f32> -> <64xf32>
// CHECK: tile.store [[V0]]#0, [[V2]] : tensor<64xf32>, <64xf32>
func.func @for_ptr(%x: !tile.ptr<f32>, %n: i32, %s: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %i = tile.iota 0 : tensor<64xi32>
  %ss = tensor.splat %s : tensor<64xi32>
  %o = arith.muli %i, %ss : tensor<64xi32>
  %xs = tensor.splat %x : tensor<64x!tile.ptr<f32>>
  %p0 = tile.addptr %xs, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %b = arith.constant dense<64> : tensor<64xi32>
  %ns = tensor.splat %n : tensor<64xi32>
  %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %p0, %acc = %zero, %off = %i) -> (tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi32>) : i32 {
    %m = arith.cmpi slt, %off, %ns : tensor<64xi32>
    %v = tile.ptr_load %p mask %m : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
    %a = arith.addf %acc, %v : tensor<64xf32>
    %q = tile.addptr %p, %b : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %off2 = arith.addi %off, %b : tensor<64xi32>
    scf.yield %q, %a, %off2 : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi32>
  }
  tile.ptr_store %r#0, %r#1 : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// CHECK-LABEL: func.func @nested(
// CHECK-SAME: [[A0:%[a-z0-9_]+]]:{{[^%]*}}[[A1:%[a-z0-9_]+]]:{{[^%]*}}[[A2:%[a-z0-9_]+]]:{{[^%]*}}[[A3:%[a-z0-9_]+]]:{{[^%]*}}[[A4:%[a-z0-9_]+]]:
// CHECK: [[CST:%[a-z0-9_]+]] = arith.constant dense<2> : tensor<64xi64>
// CHECK: [[C0_I64:%[a-z0-9_]+]] = arith.constant 0 : i64
// CHECK: [[C64:%[a-z0-9_]+]] = arith.constant 64 : index
// CHECK: [[C0_I32:%[a-z0-9_]+]] = arith.constant 0 : i32
// CHECK: [[C1_I32:%[a-z0-9_]+]] = arith.constant 1 : i32
// CHECK: [[C0:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK: [[V0:%[a-z0-9_]+]] = tile.ptr_to_int [[A0]] : !tile.ptr<f32> -> i64
// CHECK: [[SPLAT:%[a-z0-9_]+]] = tensor.splat [[V0]] : tensor<64xi64>
// CHECK: [[V1:%[a-z0-9_]+]] = tile.ptr_to_int [[A1]] : !tile.ptr<f32> -> i64
// CHECK: [[SPLAT_0:%[a-z0-9_]+]] = tensor.splat [[V1]] : tensor<64xi64>
// CHECK: [[V2:%[a-z0-9_]+]] = scf.for [[A5:%[a-z0-9_]+]] = [[C0_I32]] to [[A2]] step [[C1_I32]] iter_args([[A6:%[a-z0-9_]+]] = [[C0]]) -> (index)  : i32 {
// CHECK: [[V11:%[a-z0-9_]+]] = scf.for [[A7:%[a-z0-9_]+]] = [[C0_I32]] to [[A5]] step [[C1_I32]] iter_args([[A8:%[a-z0-9_]+]] = [[A6]]) -> (index)  : i32 {
// CHECK: [[V13:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[A8]]] strides [1] : <f32> -> <64xf32>
// CHECK: [[V14:%[a-z0-9_]+]] = tile.load [[V13]] : <64xf32> -> tensor<64xf32>
// CHECK: [[V15:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[A6]]] strides [1] : <f32> -> <64xf32>
// CHECK: tile.store [[V14]], [[V15]] : tensor<64xf32>, <64xf32>
// CHECK: [[V16:%[a-z0-9_]+]] = arith.addi [[A8]], [[C64]] : index
// CHECK: scf.yield [[V16]] : index
// CHECK: [[V12:%[a-z0-9_]+]] = scf.if [[A3]] -> (index) {
// CHECK: [[V13]] = arith.addi [[V11]], [[C64]] : index
// CHECK: scf.yield [[V13]] : index
// CHECK: } else {
// CHECK: scf.yield [[V11]] : index
// CHECK: scf.yield [[V12]] : index
// CHECK: [[V3:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[V2]]] strides [1] : <f32> -> <64xf32>
// CHECK: [[V4:%[a-z0-9_]+]] = tile.load [[V3]] : <64xf32> -> tensor<64xf32>
// CHECK: [[V5:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[C0]]] strides [1] : <f32> -> <64xf32>
// CHECK: tile.store [[V4]], [[V5]] : tensor<64xf32>, <64xf32>
// CHECK: [[V6:%[a-z0-9_]+]] = arith.select [[A3]], [[A1]], [[A0]] : !tile.ptr<f32>
// CHECK: [[V7:%[a-z0-9_]+]] = tile.view [[V6]]{{\[}}[[C0]]] strides [1] : <f32> -> <64xf32>
// CHECK: tile.store [[V4]], [[V7]] : tensor<64xf32>, <64xf32>
// CHECK: [[V8:%[a-z0-9_]+]] = arith.select [[A4]], [[SPLAT]], [[SPLAT_0]] : tensor<64xi1>, tensor<64xi64>
// CHECK: [[V9:%[a-z0-9_]+]] = tile.int_to_ptr [[C0_I64]] : i64 -> !tile.ptr<f32>
// CHECK: [[V10:%[a-z0-9_]+]] = arith.shrui [[V8]], [[CST]] : tensor<64xi64>
// CHECK: tile.scatter [[V4]], [[V9]]{{\[}}[[V10]]] : tensor<64xf32>, <f32>[tensor<64xi64>]
func.func @nested(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %c: i1, %lanes: tensor<64xi1>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.iota 0 : tensor<64xi32>
  %xs = tensor.splat %x : tensor<64x!tile.ptr<f32>>
  %ys = tensor.splat %y : tensor<64x!tile.ptr<f32>>
  %p0 = tile.addptr %xs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %b = arith.constant dense<64> : tensor<64xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %p0) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    %r1 = scf.for %k2 = %c0 to %k step %c1 iter_args(%p1 = %p) -> (tensor<64x!tile.ptr<f32>>) : i32 {
      %v = tile.ptr_load %p1 : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
      tile.ptr_store %p, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
      %q = tile.addptr %p1, %b : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
      scf.yield %q : tensor<64x!tile.ptr<f32>>
    }
    %t = scf.if %c -> (tensor<64x!tile.ptr<f32>>) {
      %q = tile.addptr %r1, %b : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
      scf.yield %q : tensor<64x!tile.ptr<f32>>
    } else {
      scf.yield %r1 : tensor<64x!tile.ptr<f32>>
    }
    scf.yield %t : tensor<64x!tile.ptr<f32>>
  }
  %v = tile.ptr_load %r : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  tile.ptr_store %p0, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  // other base in a branch
  %t = scf.if %c -> (tensor<64x!tile.ptr<f32>>) {
    %q = tile.addptr %ys, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %q : tensor<64x!tile.ptr<f32>>
  } else {
    scf.yield %p0 : tensor<64x!tile.ptr<f32>>
  }
  tile.ptr_store %t, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  // lane by lane
  %sel = arith.select %lanes, %xs, %ys : tensor<64xi1>, tensor<64x!tile.ptr<f32>>
  tile.ptr_store %sel, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// CHECK-LABEL: func.func @while(
// CHECK-SAME: [[A0:%[a-z0-9_]+]]:{{[^%]*}}[[A1:%[a-z0-9_]+]]:{{[^%]*}}[[A2:%[a-z0-9_]+]]:
// CHECK: [[C64:%[a-z0-9_]+]] = arith.constant 64 : index
// CHECK: [[C0_I32:%[a-z0-9_]+]] = arith.constant 0 : i32
// CHECK: [[C1_I32:%[a-z0-9_]+]] = arith.constant 1 : i32
// CHECK: [[C0:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK: [[V0:%[a-z0-9_]+]]:2 = scf.while ([[A3:%[a-z0-9_]+]] = [[C0_I32]], [[A4:%[a-z0-9_]+]] = [[C0]]) : (i32, index) -> (i32, index) {
// CHECK: [[V5:%[a-z0-9_]+]] = arith.cmpi slt, [[A3]], [[A1]] : i32
// CHECK: scf.condition([[V5]]) [[A3]], [[A4]] : i32, index
// CHECK: } do {
// CHECK: ^bb0([[A3]]: i32, [[A4]]: index):
// CHECK: [[V5]] = tile.view [[A0]]{{\[}}[[A4]]] strides [1] : <f32> -> <64xf32>
// CHECK: [[V6:%[a-z0-9_]+]] = tile.load [[V5]] : <64xf32> -> tensor<64xf32>
// CHECK: [[V7:%[a-z0-9_]+]] = arith.addi [[A4]], [[C64]] : index
// CHECK: [[V8:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[V7]]] strides [1] : <f32> -> <64xf32>
// CHECK: tile.store [[V6]], [[V8]] : tensor<64xf32>, <64xf32>
// CHECK: [[V9:%[a-z0-9_]+]] = arith.addi [[A3]], [[C1_I32]] : i32
// CHECK: scf.yield [[V9]], [[V7]] : i32, index
// CHECK: [[V1:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[V0]]#1] strides [1] : <f32> -> <64xf32>
// CHECK: [[V2:%[a-z0-9_]+]] = tile.load [[V1]] : <64xf32> -> tensor<64xf32>
// CHECK: [[V3:%[a-z0-9_]+]] = arith.extsi [[A2]] : tensor<64xi32> to tensor<64xi64>
// CHECK: [[V4:%[a-z0-9_]+]] = scf.for [[A3]] = [[C0_I32]] to [[A1]] step [[C1_I32]] iter_args([[A4]] = [[V3]]) -> (tensor<64xi64>)  : i32 {
// CHECK: tile.scatter [[V2]], [[A0]]{{\[}}[[A4]]] : tensor<64xf32>, <f32>[tensor<64xi64>]
// CHECK: [[V5]] = arith.addi [[A4]], [[V3]] : tensor<64xi64>
// CHECK: scf.yield [[V5]] : tensor<64xi64>
func.func @while(%x: !tile.ptr<f32>, %n: i32, %idx: tensor<64xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.iota 0 : tensor<64xi32>
  %xs = tensor.splat %x : tensor<64x!tile.ptr<f32>>
  %p0 = tile.addptr %xs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %b = arith.constant dense<64> : tensor<64xi32>
  %w:2 = scf.while (%k = %c0, %p = %p0) : (i32, tensor<64x!tile.ptr<f32>>) -> (i32, tensor<64x!tile.ptr<f32>>) {
    %lt = arith.cmpi slt, %k, %n : i32
    scf.condition(%lt) %k, %p : i32, tensor<64x!tile.ptr<f32>>
  } do {
  ^bb0(%k: i32, %p: tensor<64x!tile.ptr<f32>>):
    %v = tile.ptr_load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
    %q = tile.addptr %p, %b : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    tile.ptr_store %q, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
    %k1 = arith.addi %k, %c1 : i32
    scf.yield %k1, %q : i32, tensor<64x!tile.ptr<f32>>
  }
  %v = tile.ptr_load %w#1 : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  // Indexed carried
  %p1 = tile.addptr %xs, %idx : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %p1) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    tile.ptr_store %p, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
    %q = tile.addptr %p, %idx : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %q : tensor<64x!tile.ptr<f32>>
  }
  return
}
