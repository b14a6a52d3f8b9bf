// RUN: kiln-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @window_of_window
func.func @window_of_window(%n: index) -> f32 {
  // CHECK: %[[B:.*]] = npu.alloc
  %b = npu.alloc : memref<8x64xf32, #npu.mem<ub>>
  %w = npu.window %b[64] : memref<8x64xf32, #npu.mem<ub>> -> memref<4x64xf32, #npu.mem<ub>>
  // CHECK-NOT: npu.window %{{.*}}[64]
  // CHECK: npu.window %[[B]][72] : memref<8x64xf32, #npu.mem<ub>> -> memref<4x8xf32, strided<[64, 1]>, #npu.mem<ub>>
  %v = npu.window %w[8] : memref<4x64xf32, #npu.mem<ub>> -> memref<4x8xf32, strided<[64, 1]>, #npu.mem<ub>>
  %x = npu.sload %v[%n] : memref<4x8xf32, strided<[64, 1]>, #npu.mem<ub>> -> f32
  return %x : f32
}

// Between other widths the sum counts elements of the outermost buffer.
// CHECK-LABEL: func.func @window_through_bytes
func.func @window_through_bytes(%n: index) -> f16 {
  // CHECK: %[[B:.*]] = npu.alloc
  %b = npu.alloc : memref<128xi8, #npu.mem<ub>>
  %w = npu.window %b[32] : memref<128xi8, #npu.mem<ub>> -> memref<32xf16, #npu.mem<ub>>
  // CHECK: npu.window %[[B]][64] : memref<128xi8, #npu.mem<ub>> -> memref<16xf16, #npu.mem<ub>>
  %v = npu.window %w[16] : memref<32xf16, #npu.mem<ub>> -> memref<16xf16, #npu.mem<ub>>
  %x = npu.sload %v[%n] : memref<16xf16, #npu.mem<ub>> -> f16
  return %x : f16
}

// A byte view of f32 elements cannot be named from them.
// CHECK-LABEL: func.func @window_between_widths
func.func @window_between_widths(%n: index) -> f16 {
  %b = npu.alloc : memref<32xf32, #npu.mem<ub>>
  // CHECK: %[[W:.*]] = npu.window %{{.*}}[0] : memref<32xf32, #npu.mem<ub>> -> memref<128xi8, #npu.mem<ub>>
  %w = npu.window %b[0] : memref<32xf32, #npu.mem<ub>> -> memref<128xi8, #npu.mem<ub>>
  // CHECK: npu.window %[[W]][32] : memref<128xi8, #npu.mem<ub>> -> memref<16xf16, #npu.mem<ub>>
  %v = npu.window %w[32] : memref<128xi8, #npu.mem<ub>> -> memref<16xf16, #npu.mem<ub>>
  %x = npu.sload %v[%n] : memref<16xf16, #npu.mem<ub>> -> f16
  return %x : f16
}

// CHECK-LABEL: func.func @whole_window
func.func @whole_window(%n: index) -> f32 {
  // CHECK: %[[B:.*]] = npu.alloc
  %b = npu.alloc : memref<64xf32, #npu.mem<ub>>
  %w = npu.window %b[0] : memref<64xf32, #npu.mem<ub>> -> memref<64xf32, #npu.mem<ub>>
  // CHECK: npu.sload %[[B]]
  %x = npu.sload %w[%n] : memref<64xf32, #npu.mem<ub>> -> f32
  return %x : f32
}

// CHECK-LABEL: func.func @slots
func.func @slots(%n: index) -> (f32, f32, f32) {
  %c5 = arith.constant 5 : index
  // CHECK: %[[R:.*]] = npu.alloc : memref<3x16xf32
  %r = npu.alloc : memref<3x16xf32, #npu.mem<ub>>
  // CHECK: %[[Q:.*]] = npu.alloc : memref<1x16xf32
  %q = npu.alloc : memref<1x16xf32, #npu.mem<ub>>
  // CHECK: npu.window %[[R]][32] : memref<3x16xf32, #npu.mem<ub>> -> memref<16xf32, #npu.mem<ub>>
  %a = npu.slot %r[%c5] : memref<3x16xf32, #npu.mem<ub>> -> memref<16xf32, #npu.mem<ub>>
  // CHECK: npu.window %[[Q]][0] : memref<1x16xf32, #npu.mem<ub>> -> memref<16xf32, #npu.mem<ub>>
  %b = npu.slot %q[%n] : memref<1x16xf32, #npu.mem<ub>> -> memref<16xf32, #npu.mem<ub>>
  // CHECK: npu.slot %[[R]]
  %c = npu.slot %r[%n] : memref<3x16xf32, #npu.mem<ub>> -> memref<16xf32, #npu.mem<ub>>
  %x = npu.sload %a[%n] : memref<16xf32, #npu.mem<ub>> -> f32
  %y = npu.sload %b[%n] : memref<16xf32, #npu.mem<ub>> -> f32
  %z = npu.sload %c[%n] : memref<16xf32, #npu.mem<ub>> -> f32
  return %x, %y, %z : f32, f32, f32
}

// Nobody reads it: no buffer.
// CHECK-LABEL: func.func @dead
func.func @dead() {
  // CHECK-NEXT: return
  %b = npu.alloc : memref<64xf32, #npu.mem<ub>>
  return
}
