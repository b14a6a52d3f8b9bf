// RUN: kiln-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @pointers(
// CHECK-SAME: [[P:%[a-z0-9]+]]: !tile.ptr<f32>, [[A:%[a-z0-9]+]]: i64
// CHECK-NEXT: [[C:%.+]] = tile.ptr_cast [[P]] : !tile.ptr<f32> -> !tile.ptr<i8>
// CHECK-NEXT: return [[P]], [[P]], [[C]], [[A]]
func.func @pointers(%p: !tile.ptr<f32>, %a: i64)
    -> (!tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<i8>, i64) {
  %c0 = arith.constant 0 : i32
  %0 = tile.addptr %p, %c0 : !tile.ptr<f32>, i32
  %1 = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<f32>
  %2 = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i32>
  %3 = tile.ptr_cast %2 : !tile.ptr<i32> -> !tile.ptr<i8>
  %4 = tile.int_to_ptr %a : i64 -> !tile.ptr<f32>
  %5 = tile.ptr_to_int %4 : !tile.ptr<f32> -> i64
  return %0, %1, %3, %5 : !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<i8>, i64
}

// CHECK-LABEL: func.func @view(
// CHECK-SAME: [[P:%[a-z0-9]+]]: !tile.ptr<f32>, [[O:%[a-z0-9]+]]: index, [[I:%[a-z0-9]+]]: i32
// CHECK: [[IDX:%.+]] = arith.index_cast [[I]]
// CHECK: [[SUM:%.+]] = arith.addi [[O]], [[IDX]]
// CHECK: tile.view [[P]]{{\[}}[[SUM]]] strides [8, [[O]]]
func.func @view(%p: !tile.ptr<f32>, %o: index, %i: i32) -> !tile.view<4x4xf32> {
  %c8 = arith.constant 8 : index
  %q = tile.addptr %p, %i : !tile.ptr<f32>, i32
  %0 = tile.view %q[%o] strides [%c8, %o] : !tile.ptr<f32> -> !tile.view<4x4xf32>
  return %0 : !tile.view<4x4xf32>
}

// Bounds and masks that all lanes satisfy, then those that none does.
// CHECK-LABEL: func.func @loads(
// CHECK-SAME: [[V:%[a-z0-9]+]]: !tile.view<4xf32>, [[PAD:%[a-z0-9]+]]: f32
// CHECK-DAG: [[ZERO:%.+]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-DAG: [[ALL:%.+]] = tile.load [[V]] : <4xf32> -> tensor<4xf32>
// CHECK-DAG: [[NONE:%.+]] = tensor.splat [[PAD]]
// CHECK: return [[ALL]], [[NONE]], [[ZERO]]
func.func @loads(%v: !tile.view<4xf32>, %pad: f32) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %true = arith.constant dense<true> : tensor<4xi1>
  %false = arith.constant dense<false> : tensor<4xi1>
  %0 = tile.load %v valid [%c0] to [%c4] mask %true pad %pad
    : !tile.view<4xf32> mask tensor<4xi1> pad f32 -> tensor<4xf32>
  %1 = tile.load %v mask %false pad %pad : !tile.view<4xf32> mask tensor<4xi1> pad f32 -> tensor<4xf32>
  %2 = tile.load %v valid [%c4] to [%c4] : !tile.view<4xf32> -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A bound that is not known, and a load that must happen.
// CHECK-LABEL: func.func @loads_kept(
// CHECK: tile.load {{.*}} valid
// CHECK: tile.load {{.*}} mask {{.*}} {is_volatile}
func.func @loads_kept(%v: !tile.view<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %false = arith.constant dense<false> : tensor<4xi1>
  %0 = tile.load %v valid [%c0] to [%n] : !tile.view<4xf32> -> tensor<4xf32>
  %1 = tile.load %v mask %false {is_volatile} : !tile.view<4xf32> mask tensor<4xi1> -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @stores(
// CHECK-SAME: [[V:%[a-z0-9]+]]: !tile.view<4xf32>, [[T:%[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: tile.store [[T]], [[V]] : tensor<4xf32>, <4xf32>
// CHECK-NEXT: tile.scatter [[T]], {{%.+}}[{{%.+}}] : tensor<4xf32>
// CHECK-NEXT: return
func.func @stores(%v: !tile.view<4xf32>, %t: tensor<4xf32>, %p: !tile.ptr<f32>, %o: tensor<4xi32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %true = arith.constant dense<true> : tensor<4xi1>
  %false = arith.constant dense<false> : tensor<4xi1>
  tile.store %t, %v valid [%c0] to [%c4] mask %true : tensor<4xf32>, !tile.view<4xf32> mask tensor<4xi1>
  tile.store %t, %v valid [%c0] to [%c0] : tensor<4xf32>, !tile.view<4xf32>
  tile.scatter %t, %p[%o] mask %true : tensor<4xf32>, !tile.ptr<f32>[tensor<4xi32>] mask tensor<4xi1>
  tile.scatter %t, %p[%o] mask %false : tensor<4xf32>, !tile.ptr<f32>[tensor<4xi32>] mask tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @gathers(
// CHECK: [[ALL:%.+]] = tile.gather {{[^ ]+}} : <f32>
// CHECK: [[NONE:%.+]] = tensor.splat
// CHECK: return [[ALL]], [[NONE]]
func.func @gathers(%p: !tile.ptr<f32>, %o: tensor<4xi32>, %pad: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %true = arith.constant dense<true> : tensor<4xi1>
  %false = arith.constant dense<false> : tensor<4xi1>
  %0 = tile.gather %p[%o] mask %true pad %pad
    : !tile.ptr<f32>[tensor<4xi32>] mask tensor<4xi1> pad f32 -> tensor<4xf32>
  %1 = tile.gather %p[%o] mask %false pad %pad
    : !tile.ptr<f32>[tensor<4xi32>] mask tensor<4xi1> pad f32 -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
