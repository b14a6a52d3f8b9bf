// RUN: kiln-opt %s --kiln-cpu-kernel-to-llvm | FileCheck %s

// Masked accesses to bf16 move integers: no lane is converted on the way.

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
