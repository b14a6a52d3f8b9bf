// RUN: kiln-translate --npu-to-asm %s --split-input-file | FileCheck %s

// Windows start in bytes; dimensions without a gap between them are one, in all operands alike.
// CHECK-LABEL: kernel "windows"
func.func @windows() {
  %a = npu.alloc at 0 : memref<8x64xf32, #npu.mem<ub>>
  %b = npu.alloc at 4096 : memref<8x64xf32, #npu.mem<ub>>
  %w = npu.window %b[128] : memref<8x64xf32, #npu.mem<ub>> -> memref<4x64xf32, #npu.mem<ub>>
  %v = npu.window %a[8] : memref<8x64xf32, #npu.mem<ub>> -> memref<4x8xf32, strided<[64, 1]>, #npu.mem<ub>>
  %u = npu.window %b[0] : memref<8x64xf32, #npu.mem<ub>> -> memref<4x8xf32, #npu.mem<ub>>
  %r = npu.window %b[64] : memref<8x64xf32, #npu.mem<ub>> -> memref<4x8xf32, strided<[0, 1]>, #npu.mem<ub>>
  // CHECK: vexp UB[4608] f32 [256], UB[4608] f32 [256]
  npu.vunary <vexp> %w, %w : memref<4x64xf32, #npu.mem<ub>>, memref<4x64xf32, #npu.mem<ub>>
  // CHECK: vadd UB[4096] f32 [4, 8], UB[32] f32 [4, 8] stride [256, 4], UB[4352] f32 [4, 8] stride [0, 4]
  npu.vbinary <vadd> %v, %r, %u : memref<4x8xf32, strided<[64, 1]>, #npu.mem<ub>>,
    memref<4x8xf32, strided<[0, 1]>, #npu.mem<ub>>, memref<4x8xf32, #npu.mem<ub>>
  return
}

// -----

// CHECK-LABEL: kernel "transfers"
func.func @transfers(%x: !tile.ptr<f16>, %o: index, %n: index, %s: index) {
  %a = npu.alloc at 0 : memref<8x64xf16, #npu.mem<ub>>
  // Two rows of global memory that follow one another are one on both sides.
  // CHECK: load UB[0] f16 [512] <- GM[%{{[0-9]+}}] f16 [512]
  npu.load %x[%o] sizes [8, 64] strides [64, 1], %a : !tile.ptr<f16>, memref<8x64xf16, #npu.mem<ub>>
  // CHECK: [[S:%[0-9]+]] = mul.i64 %arg3, 2
  // CHECK: load UB[0] f16 [%arg2, 64] <- GM[%{{[0-9]+}}] f16 [%arg2, 64] stride {{\[}}[[S]], 2]
  npu.load %x[%o] sizes [%n, 64] strides [%s, 1], %a : !tile.ptr<f16>, memref<8x64xf16, #npu.mem<ub>>
  // CHECK: store.add GM[%{{[0-9]+}}] f16 [8, 32] stride {{\[}}[[S]], 2] <- UB[0] f16 [8, 32] stride [128, 2]
  npu.store %a, %x[%o] sizes [8, 32] strides [%s, 1] atomic <add> : memref<8x64xf16, #npu.mem<ub>>, !tile.ptr<f16>
  return
}

// -----

// CHECK-LABEL: kernel "masks"
func.func @masks(%s: f32) {
  %a = npu.alloc at 0 : memref<8x64xf32, #npu.mem<ub>>
  %m = npu.alloc at 2048 : memref<512xi1, #npu.mem<ub>>
  // CHECK: vcmps.lt UB[2048] i1 [512], UB[0] f32 [512], %arg0
  npu.vcmp <lt> %a, %s, %m : memref<8x64xf32, #npu.mem<ub>>, f32, memref<512xi1, #npu.mem<ub>>
  // CHECK: vsel UB[0] f32 [512], UB[2048] i1 [512], UB[0] f32 [512], UB[0] f32 [512]
  npu.vsel %m, %a, %a, %a : memref<512xi1, #npu.mem<ub>>, memref<8x64xf32, #npu.mem<ub>>,
    memref<8x64xf32, #npu.mem<ub>>, memref<8x64xf32, #npu.mem<ub>>
  return
}

// -----

// The dimensions of reductions and broadcasts have a meaning, and stay.
// CHECK-LABEL: kernel "rows"
func.func @rows() {
  %a = npu.alloc at 0 : memref<8x64xf32, #npu.mem<ub>>
  %r = npu.alloc at 2048 : memref<8xf32, #npu.mem<ub>>
  %b = npu.alloc at 4096 : memref<8x8xf32, #npu.mem<ub>>
  %f = npu.alloc at 8192 : memref<64xf32, #npu.mem<ub>>
  // CHECK: vcadd UB[2048] f32 [8], UB[0] f32 [8, 64]
  npu.vreduce <vcadd> %a, %r : memref<8x64xf32, #npu.mem<ub>>, memref<8xf32, #npu.mem<ub>>
  // CHECK: vbrcb UB[4096] f32 [8, 8], UB[2048] f32 [8]
  npu.vbrc %r, %b : memref<8xf32, #npu.mem<ub>>, memref<8x8xf32, #npu.mem<ub>>
  // CHECK: vbrcb UB[8192] f32 [8, 8], UB[2048] f32 [8]
  npu.vbrc %r, %f : memref<8xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  return
}

// -----

// Element types: the op says what is unsigned.
// CHECK-LABEL: kernel "types"
func.func @types(%s: i16) {
  %c = npu.alloc at 0 : memref<64xi8, #npu.mem<ub>>
  %h = npu.alloc at 512 : memref<64xf16, #npu.mem<ub>>
  %i = npu.alloc at 1024 : memref<64xi16, #npu.mem<ub>>
  %o = npu.alloc at 2048 : memref<64xi32, #npu.mem<ub>>
  // CHECK: vconv UB[512] f16 [64], UB[0] u8 [64]
  npu.vcast <none> %c, %h {isUnsignedSrc} : memref<64xi8, #npu.mem<ub>>, memref<64xf16, #npu.mem<ub>>
  // CHECK: vconv.trunc UB[0] i8 [64], UB[512] f16 [64]
  npu.vcast <trunc> %h, %c : memref<64xf16, #npu.mem<ub>>, memref<64xi8, #npu.mem<ub>>
  // CHECK: vshr UB[1024] u16 [64], UB[1024] u16 [64], %arg0
  npu.vscalar <vshr> %i, %s, %i {isUnsigned} : memref<64xi16, #npu.mem<ub>>, i16, memref<64xi16, #npu.mem<ub>>
  // CHECK: vshr UB[1024] i16 [64], UB[1024] i16 [64], %arg0
  npu.vscalar <vshr> %i, %s, %i : memref<64xi16, #npu.mem<ub>>, i16, memref<64xi16, #npu.mem<ub>>
  // CHECK: vgather UB[512] f16 [64], UB[2048] u32 [64], UB[512] f16 [64]
  npu.vgather %h[%o], %h : memref<64xf16, #npu.mem<ub>>, memref<64xi32, #npu.mem<ub>>, memref<64xf16, #npu.mem<ub>>
  return
}
