// RUN: kiln-opt %s --kiln-cpu-vector-loops --canonicalize --cse | FileCheck %s

// All lanes of a load come before any lane of a later store that may touch them: reverse in place is
// staged.

// CHECK-LABEL: func @reverse(
// CHECK-SAME: !llvm.ptr {kiln.scratch}) attributes {kiln.scratch_bytes = 512 : i64}
// CHECK: scf.for
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.store
// CHECK: scf.for
// CHECK: llvm.load
// CHECK: llvm.store
func.func @reverse(%x: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %last = arith.constant 127 : index
  %v = tile.view %x[%last] strides [-1] : !tile.ptr<f32> -> !tile.view<128xf32>
  %w = tile.view %x[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<128xf32>
  %a = tile.load %v : !tile.view<128xf32> -> tensor<128xf32>
  tile.store %a, %w : tensor<128xf32>, !tile.view<128xf32>
  return
}

// The same on arrays that cannot overlap is one loop.

// CHECK-LABEL: func @reverseApart(
// CHECK-NOT: kiln.scratch
// CHECK: scf.for
// CHECK-NOT: scf.for
func.func @reverseApart(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                        %y: !tile.ptr<f32> {tile.alias_set = 1 : i64}) {
  %c0 = arith.constant 0 : index
  %last = arith.constant 127 : index
  %v = tile.view %x[%last] strides [-1] : !tile.ptr<f32> -> !tile.view<128xf32>
  %w = tile.view %y[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<128xf32>
  %a = tile.load %v : !tile.view<128xf32> -> tensor<128xf32>
  tile.store %a, %w : tensor<128xf32>, !tile.view<128xf32>
  return
}

// A load is not repeated behind a store to the same place: its lanes are kept for the second store.

// CHECK-LABEL: func @keptAcrossStore(
// CHECK-SAME: kiln.scratch_bytes
func.func @keptAcrossStore(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                           %y: !tile.ptr<f32> {tile.alias_set = 1 : i64}) {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %v = tile.view %x[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<128xf32>
  %w = tile.view %x[%c9] strides [1] : !tile.ptr<f32> -> !tile.view<128xf32>
  %o = tile.view %y[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<128xf32>
  %a = tile.load %v : !tile.view<128xf32> -> tensor<128xf32>
  %b = tile.load %o : !tile.view<128xf32> -> tensor<128xf32>
  tile.store %b, %w : tensor<128xf32>, !tile.view<128xf32>
  tile.store %a, %o : tensor<128xf32>, !tile.view<128xf32>
  return
}
