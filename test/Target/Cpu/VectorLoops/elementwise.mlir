// RUN: kiln-opt %s --kiln-cpu-vector-loops --canonicalize --cse | FileCheck %s
// RUN: kiln-opt %s "--kiln-cpu-vector-loops=vector-bits=256 masked-tails=false" --canonicalize --cse | FileCheck %s --check-prefix=LANES
// RUN: kiln-opt %s "--kiln-cpu-vector-loops=streaming=true" --canonicalize --cse | FileCheck %s --check-prefix=STREAM

// Load, compute and store share a loop. Edges in front of it, up to a cache line of the result, and
// behind it, where a bound ends, have masks and are one register wide.

// CHECK-LABEL: func @add(
// CHECK-NOT: kiln.scratch
// CHECK: llvm.ptrtoint
// CHECK: scf.for %{{.*}} = %c0 to %[[START:.*]] step %c16 {
// CHECK: llvm.intr.masked.store
// CHECK: scf.for %{{.*}} = %[[START]] to %[[MAIN:.*]] step %c32 {
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<32xf32>
// CHECK: arith.addf %{{.*}} : vector<32xf32>
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : vector<32xf32>
// CHECK: scf.for %{{.*}} = %[[MAIN]] to %{{.*}} step %c16 {
// CHECK-COUNT-2: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
// CHECK-NOT: scf.for

// Without masks for every element size the rest runs one lane at a time.
// LANES-LABEL: func @add(
// LANES: scf.for {{.*}} step %c16 {
// LANES: scf.for {{.*}} step %c1 {
// LANES: scf.if
// LANES: llvm.load %{{.*}} -> f32

// A streamed result bypasses the caches in the main loop.
// STREAM-LABEL: func @add(
// STREAM: llvm.ptrtoint
// STREAM: scf.for
// STREAM: llvm.intr.masked.store
// STREAM: scf.for
// STREAM: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<32xf32>
// STREAM: scf.for
// STREAM: llvm.intr.masked.store
func.func @add(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
               %y: !tile.ptr<f32> {tile.alias_set = 1 : i64},
               %o: !tile.ptr<f32> {tile.alias_set = 2 : i64}, %off: index, %n: index) {
  %c0 = arith.constant 0 : index
  %vx = tile.view %x[%off] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %vy = tile.view %y[%off] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %vo = tile.view %o[%off] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %a = tile.load %vx valid [%c0] to [%n] : !tile.view<1024xf32> -> tensor<1024xf32>
  %b = tile.load %vy valid [%c0] to [%n] : !tile.view<1024xf32> -> tensor<1024xf32>
  %s = arith.addf %a, %b : tensor<1024xf32>
  tile.store %s, %vo valid [%c0] to [%n] : tensor<1024xf32>, !tile.view<1024xf32>
  return
}

// An array that the kernel reads stays in the caches. Short rows are not aligned, and without bounds a
// multiple of the width is one loop.

// CHECK-LABEL: func @inPlace(
// CHECK: scf.for
// CHECK-NOT: masked
// CHECK-NOT: scf.for
// STREAM-LABEL: func @inPlace(
// STREAM-NOT: nontemporal
func.func @inPlace(%x: !tile.ptr<f32>, %off: index) {
  %vx = tile.view %x[%off] strides [1] : !tile.ptr<f32> -> !tile.view<128xf32>
  %a = tile.load %vx : !tile.view<128xf32> -> tensor<128xf32>
  %s = arith.addf %a, %a : tensor<128xf32>
  tile.store %s, %vx : tensor<128xf32>, !tile.view<128xf32>
  return
}
