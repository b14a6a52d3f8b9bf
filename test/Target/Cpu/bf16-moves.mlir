// RUN: kiln-opt %s --kiln-cpu-kernel-to-llvm | FileCheck %s

// What is left of bf16 moves as integers: no lane is converted on the way.

// CHECK-LABEL: @copy
// CHECK: %[[LOADED:.*]] = llvm.intr.masked.load {{.*}} -> vector<32xi16>
// CHECK: llvm.intr.masked.store {{.*}} : vector<32xi16>, vector<32xi1> into !llvm.ptr
// CHECK-NOT: masked{{.*}}bf16
func.func @copy(%from: !llvm.ptr, %to: !llvm.ptr, %mask: vector<32xi1>, %pad: vector<32xbf16>) {
  %x = llvm.intr.masked.load %from, %mask, %pad {alignment = 2 : i32}
    : (!llvm.ptr, vector<32xi1>, vector<32xbf16>) -> vector<32xbf16>
  llvm.intr.masked.store %x, %to, %mask {alignment = 2 : i32}
    : vector<32xbf16>, vector<32xi1> into !llvm.ptr
  return
}

// Other types stay as they are.

// CHECK-LABEL: @look_alike
// CHECK: llvm.intr.masked.load {{.*}} -> vector<32xf16>
func.func @look_alike(%from: !llvm.ptr, %mask: vector<32xi1>, %pad: vector<32xf16>) -> vector<32xf16> {
  %x = llvm.intr.masked.load %from, %mask, %pad {alignment = 2 : i32}
    : (!llvm.ptr, vector<32xi1>, vector<32xf16>) -> vector<32xf16>
  return %x : vector<32xf16>
}

// Constants, splats and selections of bf16, too.

// CHECK-LABEL: @splat
// CHECK-NOT: bf16
// CHECK: llvm.mlir.constant(dense<16256> : vector<8xi16>) : vector<8xi16>
// CHECK-NOT: bf16
// CHECK: llvm.load {{.*}} -> i16
// CHECK-NOT: bf16
// CHECK: llvm.return
func.func @splat(%from: !llvm.ptr, %to: !llvm.ptr, %flag: i1) {
  %one = arith.constant dense<1.0> : vector<8xbf16>
  %x = llvm.load %from : !llvm.ptr -> bf16
  %v = vector.broadcast %x : bf16 to vector<8xbf16>
  %r = arith.select %flag, %v, %one : vector<8xbf16>
  llvm.store %r, %to : vector<8xbf16>, !llvm.ptr
  return
}
