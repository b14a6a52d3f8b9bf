// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s -canonicalize | FileCheck %s --check-prefix=CANON

// Every form of the operations on buffers that an author named.
// CHECK-LABEL: func.func @forms
// CHECK: [[A:%.+]] = tile.local_alloc : <16x64xf32>
// CHECK: tile.local_alloc "scores" : <16xi8>
// CHECK: [[C:%.+]] = tile.local_alloc at 1024 "rows" in "ub" : <2x3x4x5xf16>
// CHECK: [[T:%.+]] = tile.local_load [[A]] [%{{.+}}, 0] : <16x64xf32> -> tensor<1x64xf32>
// CHECK: tile.local_store [[T]], [[A]] [15, 0] : tensor<1x64xf32>, <16x64xf32>
// CHECK: [[X:%.+]] = tile.local_get [[A]][%{{.+}}, %{{.+}}] : <16x64xf32> -> f32
// CHECK: tile.local_set [[X]], [[A]][%{{.+}}, %{{.+}}] : f32, <16x64xf32>
// CHECK: tile.local_load [[C]] [0, 0, 0, 0] : <2x3x4x5xf16> -> tensor<2x3x4x5xf16>
// Nobody uses the second buffer.
// CANON-LABEL: func.func @forms
// CANON-NOT: "scores"
// CANON: return
func.func @forms(%i: index) -> tensor<2x3x4x5xf16> attributes {tile.asynchronous} {
  %a = tile.local_alloc : !tile.local<16x64xf32>
  %b = tile.local_alloc "scores" : !tile.local<16xi8>
  %c = tile.local_alloc at 1024 "rows" in "ub" : !tile.local<2x3x4x5xf16>
  %t = tile.local_load %a[%i, 0] : !tile.local<16x64xf32> -> tensor<1x64xf32>
  tile.local_store %t, %a[15, 0] : tensor<1x64xf32>, !tile.local<16x64xf32>
  %x = tile.local_get %a[%i, %i] : !tile.local<16x64xf32> -> f32
  tile.local_set %x, %a[%i, %i] : f32, !tile.local<16x64xf32>
  %u = tile.local_load %c[0, 0, 0, 0] : !tile.local<2x3x4x5xf16> -> tensor<2x3x4x5xf16>
  return %u : tensor<2x3x4x5xf16>
}

// Constant offsets become static; one that leaves the buffer, which only dead code may have, and one
// that nobody knows, stay. Where a region covers a dimension it starts at 0.
// CANON-LABEL: func.func @offsets
// CANON-SAME: [[I:%[a-z0-9]+]]: index
// CANON-DAG: [[C9:%.+]] = arith.constant 9 : index
// CANON: [[T:%.+]] = tile.local_load [[B:%.+]] [8, [[I]]]
// CANON: tile.local_store [[T]], [[B]] [0, 3]
// CANON: tile.local_store [[T]], [[B]] [[[C9]], [[I]]]
// CANON: tile.local_load [[B]] [[[I]], 0]
func.func @offsets(%i: index) -> tensor<1x64xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %b = tile.local_alloc : !tile.local<16x64xf32>
  %t = tile.local_load %b[%c8, %i] : !tile.local<16x64xf32> -> tensor<8x4xf32>
  tile.local_store %t, %b[%c0, %c3] : tensor<8x4xf32>, !tile.local<16x64xf32>
  tile.local_store %t, %b[%c9, %i] : tensor<8x4xf32>, !tile.local<16x64xf32>
  %row = tile.local_load %b[%i, %i] : !tile.local<16x64xf32> -> tensor<1x64xf32>
  return %row : tensor<1x64xf32>
}
