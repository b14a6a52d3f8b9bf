// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(canonicalize,cse,kiln-raise-access,canonicalize,cse))' | FileCheck %s

// Rows of a block whose number is a quotient. By an extent it is not negative, whatever the extent
// is, and `0 <= row` is no bound of the access. By a number of any sign it may be.

// CHECK-LABEL: func.func @by_an_extent(
// CHECK-NOT: valid
// CHECK: tile.load %{{[a-z0-9_]+}} : <64xf32> -> tensor<64xf32>
func.func @by_an_extent(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32 {tile.extent}) attributes {tile.kernel} {
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %sum = arith.addi %n, %c63 : i32
  %columns = arith.divsi %sum, %c64 : i32
  %block = arith.divsi %pid, %columns : i32
  %row = arith.muli %block, %c64 : i32
  %i = tile.iota 0 : tensor<64xi32>
  %first = tensor.splat %row : tensor<64xi32>
  %rows = arith.addi %first, %i : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %inside = arith.cmpi sge, %rows, %zero : tensor<64xi32>
  %xs = tensor.splat %x : tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %rows : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.ptr_load %xp mask %inside : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
  %ys = tensor.splat %y : tensor<64x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.ptr_store %yp, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// CHECK-LABEL: func.func @by_a_number(
// CHECK: tile.load {{.*}} valid[%{{[a-z0-9_]+}}] to
func.func @by_a_number(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %sum = arith.addi %n, %c63 : i32
  %columns = arith.divsi %sum, %c64 : i32
  %block = arith.divsi %pid, %columns : i32
  %row = arith.muli %block, %c64 : i32
  %i = tile.iota 0 : tensor<64xi32>
  %first = tensor.splat %row : tensor<64xi32>
  %rows = arith.addi %first, %i : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %inside = arith.cmpi sge, %rows, %zero : tensor<64xi32>
  %xs = tensor.splat %x : tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %rows : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.ptr_load %xp mask %inside : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
  %ys = tensor.splat %y : tensor<64x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.ptr_store %yp, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}
