// RUN: kiln-opt %s --kiln-cpu-legalize-arith --split-input-file --verify-diagnostics | FileCheck %s

// Each operation on bf16 is rounded: widened by a shift, rounded in integers.
// CHECK-LABEL: func.func @bf16_add
func.func @bf16_add(%a: vector<16xbf16>, %b: vector<16xbf16>) -> vector<16xbf16> {
  // CHECK: arith.bitcast {{.*}} : vector<16xbf16> to vector<16xi16>
  // CHECK: arith.extui
  // CHECK: arith.shli
  // CHECK: arith.addf {{.*}} : vector<16xf32>
  // CHECK: arith.cmpf uno
  // CHECK: arith.trunci {{.*}} : vector<16xi32> to vector<16xi16>
  // CHECK: arith.bitcast {{.*}} : vector<16xi16> to vector<16xbf16>
  %r = arith.addf %a, %b : vector<16xbf16>
  return %r : vector<16xbf16>
}

// -----

// f16 converts by instructions; flags stay.
// CHECK-LABEL: func.func @f16_mul
func.func @f16_mul(%a: f16, %b: f16) -> f16 {
  // CHECK: %[[A:.*]] = arith.extf %{{.*}} : f16 to f32
  // CHECK: %[[B:.*]] = arith.extf %{{.*}} : f16 to f32
  // CHECK: %[[R:.*]] = arith.mulf %[[A]], %[[B]] fastmath<contract> : f32
  // CHECK: arith.truncf %[[R]] : f32 to f16
  %r = arith.mulf %a, %b fastmath<contract> : f16
  return %r : f16
}

// -----

// Moving narrow values about is no arithmetic.
// CHECK-LABEL: func.func @data
func.func @data(%c: i1, %a: bf16) -> bf16 {
  // CHECK-NEXT: arith.constant
  // CHECK-NEXT: arith.select
  // CHECK-NEXT: return
  %z = arith.constant 0.0 : bf16
  %r = arith.select %c, %a, %z : bf16
  return %r : bf16
}

// -----

// Unknown divisors are guarded, vectors divide as floats.
// CHECK-LABEL: func.func @div
func.func @div(%a: vector<8xi32>, %b: vector<8xi32>, %c: i64, %d: i64) -> (vector<8xi32>, i64) {
  // CHECK: arith.select
  // CHECK: arith.divf {{.*}} : vector<8xf64>
  // CHECK: arith.select
  // CHECK: arith.remui {{.*}} : i64
  %r = arith.divsi %a, %b : vector<8xi32>
  %s = arith.remui %c, %d : i64
  return %r, %s : vector<8xi32>, i64
}

// -----

// Known ones are left to LLVM.
// CHECK-LABEL: func.func @div_constant
func.func @div_constant(%a: vector<8xi32>) -> vector<8xi32> {
  // CHECK-NEXT: arith.constant
  // CHECK-NEXT: arith.divsi
  // CHECK-NEXT: return
  %c = arith.constant dense<7> : vector<8xi32>
  %r = arith.divsi %a, %c : vector<8xi32>
  return %r : vector<8xi32>
}

// -----

func.func @div_wide(%a: vector<8xi64>, %b: vector<8xi64>) -> vector<8xi64> {
  // expected-remark @below {{64-bit integer division by a divisor unknown at compile time runs lane by lane}}
  %r = arith.divsi %a, %b : vector<8xi64>
  return %r : vector<8xi64>
}
