// RUN: kiln-opt %s --kiln-cpu-expand-math --split-input-file --verify-diagnostics | FileCheck %s

// exp is straight-line code: clamp, scale and round, reduce, polynomial, two multiplications.
// CHECK-LABEL: func.func @exp
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  // CHECK-NOT: math.exp
  // CHECK: arith.select
  // CHECK: arith.select
  // CHECK-COUNT-10: math.fma {{.*}} : vector<16xf32>
  // CHECK-NOT: math.fma
  // CHECK: arith.mulf
  // CHECK: %[[R:.*]] = arith.mulf
  // CHECK: return %[[R]]
  %r = math.exp %x : vector<16xf32>
  return %r : vector<16xf32>
}

// -----

// Narrow floats compute in f32; shapes of other ranks are flattened.
// CHECK-LABEL: func.func @narrow
func.func @narrow(%x: vector<2x8xbf16>) -> vector<2x8xbf16> {
  // CHECK: vector.shape_cast %{{.*}} : vector<2x8xbf16> to vector<16xbf16>
  // CHECK: arith.extf {{.*}} : vector<16xbf16> to vector<16xf32>
  // CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
  // CHECK: vector.shape_cast %{{.*}} : vector<16xbf16> to vector<2x8xbf16>
  %r = math.tanh %x : vector<2x8xbf16>
  return %r : vector<2x8xbf16>
}

// -----

// Large arguments of sin take a branch; the bits of 2/pi are in the module once.
// CHECK: llvm.mlir.global internal constant @kiln_two_over_pi
// CHECK-NOT: llvm.mlir.global
// CHECK-LABEL: func.func @sin
func.func @sin(%x: vector<8xf64>, %y: f64) -> (vector<8xf64>, f64) {
  // CHECK: vector.reduction <or>
  // CHECK: scf.if
  // CHECK: scf.for
  // CHECK: scf.if
  %r = math.sin %x : vector<8xf64>
  %s = math.cos %y : f64
  return %r, %s : vector<8xf64>, f64
}

// -----

// Ops that are instructions stay.
// CHECK-LABEL: func.func @instructions
func.func @instructions(%x: vector<8xf32>) -> vector<8xf32> {
  // CHECK: math.sqrt
  // CHECK-NEXT: math.floor
  // CHECK-NEXT: math.absf
  // CHECK-NEXT: math.fma
  // CHECK-NEXT: return
  %0 = math.sqrt %x : vector<8xf32>
  %1 = math.floor %0 : vector<8xf32>
  %2 = math.absf %1 : vector<8xf32>
  %3 = math.fma %2, %1, %0 : vector<8xf32>
  return %3 : vector<8xf32>
}

// -----

func.func @unknown(%x: f32) -> f32 {
  // expected-error @below {{found math.acos, which has no lowering on the CPU yet}}
  %r = math.acos %x : f32
  return %r : f32
}
