// RUN: kiln-opt %s --kiln-cpu-allow-contraction | FileCheck %s

// CHECK-LABEL: func.func @mad
func.func @mad(%a: f32, %b: f32) -> f32 {
  // CHECK: arith.mulf {{.*}} fastmath<contract>
  // CHECK: arith.addf {{.*}} fastmath<nnan,contract>
  // CHECK: arith.divf %{{.*}}, %{{.*}} : f32
  %0 = arith.mulf %a, %b : f32
  %1 = arith.addf %0, %b fastmath<nnan> : f32
  %2 = arith.divf %1, %b : f32
  return %2 : f32
}
