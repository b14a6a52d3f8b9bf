// RUN: kiln-opt %s --canonicalize | FileCheck %s
// RUN: kiln-opt %s --canonicalize --kiln-npu-verify-program --verify-diagnostics
// RUN: kiln-translate --npu-to-asm %s | FileCheck %s --check-prefix ASM

// A window begins where its offset says, and more behind it at run time; constants go into the
// offset, and of two windows one is left.
// CHECK-LABEL: func @windows
// CHECK: [[A:%.+]] = npu.alloc at 256 named "a"
// CHECK: [[O:%.+]] = arith.muli %arg1
// CHECK: [[W:%.+]] = npu.window [[A]][16 + [[O]]] : memref<4x64xf32, #npu.mem<ub>> -> memref<8xf32, #npu.mem<ub>>
// CHECK: [[V:%.+]] = npu.window [[A]][72] : memref<4x64xf32, #npu.mem<ub>> -> memref<8xf32, #npu.mem<ub>>
// CHECK: npu.vunary <vexp> [[W]], [[V]]
// ASM: [[O:%[0-9]+]] = mul.i64 {{%arg1|%[0-9]+}}, 64
// ASM: [[B:%[0-9]+]] = mul.i64 [[O]], 4
// ASM: [[P:%[0-9]+]] = add.i64 {{[0-9]+}}, [[B]]
// ASM: vexp UB[{{[0-9]+|%[0-9]+}}] f32 [8], UB[{{%[0-9]+}}] f32 [8]
func.func @windows(%p: !tile.ptr<f32>, %n: index) attributes {tile.kernel} {
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %a = npu.alloc at 256 named "a" : memref<4x64xf32, #npu.mem<ub>>
  %o = arith.muli %n, %c64 : index
  %r = npu.window %a[0 + %o] : memref<4x64xf32, #npu.mem<ub>> -> memref<64xf32, #npu.mem<ub>>
  %w = npu.window %r[16] : memref<64xf32, #npu.mem<ub>> -> memref<8xf32, #npu.mem<ub>>
  %v = npu.window %a[64 + %c8] : memref<4x64xf32, #npu.mem<ub>> -> memref<8xf32, #npu.mem<ub>>
  npu.vunary <vexp> %w, %v : memref<8xf32, #npu.mem<ub>>, memref<8xf32, #npu.mem<ub>>
  return
}
