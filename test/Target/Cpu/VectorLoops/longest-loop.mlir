// RUN: kiln-opt %s "--kiln-cpu-vector-loops=longest-loop=4" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,SHORT
// RUN: kiln-opt %s --kiln-cpu-vector-loops --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,WHOLE

// A loop with as many operations as it may have is cut: what follows reads the last value from scratch,
// and what is cheap (the loaded block) again where it lies.

// CHECK-LABEL: func @chain(
// SHORT-SAME: kiln.scratch_bytes = 1024 : i64
// WHOLE-NOT: kiln.scratch_bytes
// CHECK: scf.for
// CHECK: llvm.load
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK-NEXT: arith.mulf
// SHORT: llvm.store
// SHORT: scf.for
// SHORT: llvm.load
// SHORT: llvm.load
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK: llvm.store
func.func @chain(%p: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                 %o: !tile.ptr<f32> {tile.alias_set = 1 : i64}, %off: index) {
  %vx = tile.view %p[%off] strides [1] : !tile.ptr<f32> -> !tile.view<256xf32>
  %vo = tile.view %o[%off] strides [1] : !tile.ptr<f32> -> !tile.view<256xf32>
  %x = tile.load %vx : !tile.view<256xf32> -> tensor<256xf32>
  %a = arith.mulf %x, %x : tensor<256xf32>
  %b = arith.addf %a, %x : tensor<256xf32>
  %c = arith.mulf %b, %x : tensor<256xf32>
  %d = arith.addf %c, %x : tensor<256xf32>
  %e = arith.mulf %d, %x : tensor<256xf32>
  tile.store %e, %vo : tensor<256xf32>, !tile.view<256xf32>
  return
}
