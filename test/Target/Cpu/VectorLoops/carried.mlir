// RUN: kiln-opt %s --kiln-cpu-vector-loops --canonicalize --cse | FileCheck %s

// A carried tensor is updated in place: one buffer, one loop over its lanes in the body.

// CHECK-LABEL: func @inPlace(
// CHECK-SAME: kiln.scratch_bytes = 4096 : i64
// CHECK: scf.for
// CHECK: llvm.store
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step
// CHECK-NOT: iter_args
// CHECK: scf.for
// CHECK-COUNT-2: llvm.load
// CHECK: llvm.store
// CHECK-NOT: scf.for
// CHECK: }
func.func @inPlace(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                   %o: !tile.ptr<f32> {tile.alias_set = 1 : i64}, %n: index) {
  %c0 = arith.constant 0 : index
  %step = arith.constant 1024 : index
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %r = scf.for %i = %c0 to %n step %step iter_args(%acc = %zero) -> (tensor<1024xf32>) {
    %v = tile.view %x[%i] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
    %a = tile.load %v : !tile.view<1024xf32> -> tensor<1024xf32>
    %t = arith.addf %acc, %a : tensor<1024xf32>
    scf.yield %t : tensor<1024xf32>
  }
  %w = tile.view %o[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
  tile.store %r, %w : tensor<1024xf32>, !tile.view<1024xf32>
  return
}

// A branch that yields a tensor writes it to scratch on both sides.

// CHECK-LABEL: func @branch(
// CHECK: scf.if %{{.*}} {
// CHECK: llvm.store
// CHECK: } else {
// CHECK: llvm.store
// CHECK: }
func.func @branch(%x: !tile.ptr<f32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %v = tile.view %x[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %a = tile.load %v : !tile.view<64xf32> -> tensor<64xf32>
  %r = scf.if %c -> tensor<64xf32> {
    %b = math.exp %a : tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  } else {
    scf.yield %a : tensor<64xf32>
  }
  tile.store %r, %v : tensor<64xf32>, !tile.view<64xf32>
  return
}

// A load of the block around is repeated in the loop, with its view and its bounds in front of it.

// CHECK-LABEL: func @around(
// CHECK: scf.for
// CHECK: llvm.intr.masked.load
func.func @around(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                  %o: !tile.ptr<f32> {tile.alias_set = 1 : i64}, %n: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %u = arith.index_cast %n : i32 to index
  %pad = arith.constant 1.0 : f32
  %v = tile.view %x[%u] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %a = tile.load %v valid [%c0] to [%u] pad %pad : !tile.view<64xf32> pad f32 -> tensor<64xf32>
  scf.for %i = %c0 to %u step %c1 {
    %w = tile.view %o[%i] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
    tile.store %a, %w : tensor<64xf32>, !tile.view<64xf32>
  }
  return
}
