// RUN: kiln-opt %s -split-input-file -kiln-cpu-local-to-scratch -canonicalize | FileCheck %s
// RUN: kiln-opt %s -split-input-file -kiln-cpu-local-to-scratch -kiln-tile-to-linalg -kiln-cpu-vector-loops -o /dev/null

// Regions are dense views, elements scalar accesses; constants meet in the offset. The second buffer
// lies behind the first, at a multiple of 64 bytes.
// CHECK-LABEL: func.func @accesses(
// CHECK-SAME: [[I:%[a-z0-9]+]]: index, [[X:%[a-z0-9]+]]: f32,
// CHECK-SAME: [[A:%[a-z0-9]+]]: !tile.ptr<f32> {kiln.scratch = 0 : i64, tile.divisibility = 64 : i64, tile.private}
// CHECK-SAME: [[B:%[a-z0-9]+]]: !tile.ptr<i8> {kiln.scratch = 192 : i64, tile.divisibility = 64 : i64, tile.private}
// CHECK-SAME: kiln.scratch_bytes = 256 : i64
// CHECK-NOT: tile.local
// CHECK-DAG: [[C1:%.+]] = arith.constant 1 : index
// CHECK-DAG: [[C3:%.+]] = arith.constant 3 : index
// CHECK-DAG: [[C9:%.+]] = arith.constant 9 : index
// A corner that may lie outside is moved inside.
// CHECK-DAG: [[C4:%.+]] = arith.constant 4 : index
// CHECK-DAG: [[C0:%.+]] = arith.constant 0 : index
// CHECK: [[BELOW:%.+]] = arith.minsi [[I]], [[C4]]
// CHECK: [[INSIDE:%.+]] = arith.maxsi [[BELOW]], [[C0]]
// CHECK: [[ROW:%.+]] = arith.muli [[INSIDE]], [[C9]]
// CHECK: [[AT:%.+]] = arith.addi [[ROW]], [[C1]]
// CHECK: [[V:%.+]] = tile.view [[A]]{{\[}}[[AT]]] strides [9, 1] : <f32> -> <1x8xf32>
// CHECK: [[T:%.+]] = tile.load [[V]] : <1x8xf32> -> tensor<1x8xf32>
// CHECK: [[W:%.+]] = tile.view [[A]]{{.*}} strides [9, 1] : <f32> -> <1x8xf32>
// CHECK: tile.store [[T]], [[W]]
// CHECK: [[P:%.+]] = tile.addptr [[A]], {{.*}} : !tile.ptr<f32>, index
// CHECK: tile.ptr_load [[P]] : !tile.ptr<f32> -> f32
// CHECK: [[Q:%.+]] = tile.addptr [[A]], {{.*}} : !tile.ptr<f32>, index
// CHECK: tile.ptr_store [[Q]], [[X]]
// CHECK: [[Z:%.+]] = tile.view [[B]]{{.*}} strides [1] : <i8> -> <3xi8>
// CHECK: tile.load [[Z]]
func.func @accesses(%i: index, %x: f32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %c2 = arith.constant 2 : index
  %a = tile.local_alloc "a" : !tile.local<5x9xf32>
  %b = tile.local_alloc "b" : !tile.local<7xi8>
  %t = tile.local_load %a[%i, 1] : !tile.local<5x9xf32> -> tensor<1x8xf32>
  tile.local_store %t, %a[3, 0] : tensor<1x8xf32>, !tile.local<5x9xf32>
  %y = tile.local_get %a[%i, %c2] : !tile.local<5x9xf32> -> f32
  tile.ptr_store %out, %y : !tile.ptr<f32>, f32
  tile.local_set %x, %a[%c2, %i] : f32, !tile.local<5x9xf32>
  %m = tile.local_load %b[3] : !tile.local<7xi8> -> tensor<3xi8>
  tile.local_store %m, %b[%i] : tensor<3xi8>, !tile.local<7xi8>
  return
}

// -----

// Bounds that hold anyway are not asked for.
// CHECK-LABEL: func.func @inside(
// CHECK-NOT: arith.minsi
// CHECK-NOT: arith.maxsi
// CHECK: tile.store
func.func @inside(%x: f32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %t = tensor.splat %x : tensor<1x8xf32>
  %a = tile.local_alloc "a" : !tile.local<5x9xf32>
  scf.for %i = %c0 to %c5 step %c1 {
    tile.local_store %t, %a[%i, 1] : tensor<1x8xf32>, !tile.local<5x9xf32>
  }
  return
}

// -----

// Buffers that their author put on the same bytes lie as far from each other as he said, first of
// all, and may be each other; the one beside them is private.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME: !tile.ptr<f32> {kiln.scratch = 0 : i64, tile.alias_set = -1 : i64, tile.divisibility = 64 : i64}
// CHECK-SAME: !tile.ptr<i8> {kiln.scratch = 32 : i64, tile.alias_set = -1 : i64, tile.divisibility = 32 : i64}
// CHECK-SAME: !tile.ptr<f32> {kiln.scratch = 64 : i64, tile.divisibility = 64 : i64, tile.private}
// CHECK-SAME: kiln.scratch_bytes = 128 : i64
func.func @shared(%x: f32, %y: i8) attributes {tile.kernel} {
  %t = tensor.splat %x : tensor<8xf32>
  %u = tensor.splat %y : tensor<4xi8>
  %c = tile.local_alloc at 512 "c" : !tile.local<8xf32>
  %b = tile.local_alloc at 160 "b" : !tile.local<4xi8>
  %a = tile.local_alloc at 128 "a" : !tile.local<16xf32>
  tile.local_store %t, %a[0] : tensor<8xf32>, !tile.local<16xf32>
  tile.local_store %u, %b[0] : tensor<4xi8>, !tile.local<4xi8>
  tile.local_store %t, %c[0] : tensor<8xf32>, !tile.local<8xf32>
  return
}
