// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @movement
func.func @movement(%x: !tile.ptr<f32>, %n: index, %s: index) {
  // CHECK: %[[A:.*]] = npu.alloc : memref<2x16x64xf32, #npu.mem<ub>>
  %ring = npu.alloc : memref<2x16x64xf32, #npu.mem<ub>>
  // CHECK: npu.alloc at 8192 pinned : memref<16x64xf32, #npu.mem<ub>>
  %b = npu.alloc at 8192 pinned : memref<16x64xf32, #npu.mem<ub>>
  // CHECK: %[[SLOT:.*]] = npu.slot %[[A]][%{{.*}}] : memref<2x16x64xf32, #npu.mem<ub>> -> memref<16x64xf32, #npu.mem<ub>>
  %slot = npu.slot %ring[%n] : memref<2x16x64xf32, #npu.mem<ub>> -> memref<16x64xf32, #npu.mem<ub>>
  // CHECK: npu.window %[[SLOT]][64] : memref<16x64xf32, #npu.mem<ub>> -> memref<8x8xf32, strided<[64, 1], offset: ?>, #npu.mem<ub>>
  %w = npu.window %slot[64] : memref<16x64xf32, #npu.mem<ub>>
    -> memref<8x8xf32, strided<[64, 1], offset: ?>, #npu.mem<ub>>
  // CHECK: npu.load %{{.*}}[%{{.*}}] sizes [%{{.*}}, 64] strides [%{{.*}}, 1], %[[SLOT]] : <f32>, memref<16x64xf32, #npu.mem<ub>>
  npu.load %x[%n] sizes [%n, 64] strides [%s, 1], %slot : !tile.ptr<f32>, memref<16x64xf32, #npu.mem<ub>>
  // CHECK: npu.copy
  npu.copy %slot, %b : memref<16x64xf32, #npu.mem<ub>>, memref<16x64xf32, #npu.mem<ub>>
  // CHECK: npu.store %{{.*}}, %{{.*}}[%{{.*}}] sizes [8, 8] strides [64, 1] atomic <add> : memref<8x8xf32, strided<[64, 1], offset: ?>, #npu.mem<ub>>, <f32>
  npu.store %w, %x[%n] sizes [8, 8] strides [64, 1] atomic <add>
    : memref<8x8xf32, strided<[64, 1], offset: ?>, #npu.mem<ub>>, !tile.ptr<f32>
  // CHECK: npu.store %{{.*}}, %{{.*}}[%{{.*}}] sizes [16, 64] strides [64, 1] : memref<16x64xf32, #npu.mem<ub>>, <f32>
  npu.store %b, %x[%n] sizes [16, 64] strides [64, 1] : memref<16x64xf32, #npu.mem<ub>>, !tile.ptr<f32>
  return
}

// CHECK-LABEL: func.func @vector
func.func @vector(%s: f32) {
  %a = npu.alloc : memref<128xf32, #npu.mem<ub>>
  %b = npu.alloc : memref<128xf32, #npu.mem<ub>>
  %h = npu.alloc : memref<128xf16, #npu.mem<ub>>
  %m = npu.alloc : memref<128xi1, #npu.mem<ub>>
  // CHECK: npu.vbinary <vadd> %{{.*}}, %{{.*}}, %{{.*}} : memref<128xf32, #npu.mem<ub>>, memref<128xf32, #npu.mem<ub>>, memref<128xf32, #npu.mem<ub>>
  npu.vbinary <vadd> %a, %b, %b
    : memref<128xf32, #npu.mem<ub>>, memref<128xf32, #npu.mem<ub>>, memref<128xf32, #npu.mem<ub>>
  // CHECK: npu.vternary <vmuladd>
  npu.vternary <vmuladd> %a, %a, %b
    : memref<128xf32, #npu.mem<ub>>, memref<128xf32, #npu.mem<ub>>, memref<128xf32, #npu.mem<ub>>
  // CHECK: npu.vunary <vexp>
  npu.vunary <vexp> %a, %b : memref<128xf32, #npu.mem<ub>>, memref<128xf32, #npu.mem<ub>>
  // CHECK: npu.vscalar <vmuls> %{{.*}}, %{{.*}}, %{{.*}} : memref<128xf32, #npu.mem<ub>>, f32, memref<128xf32, #npu.mem<ub>>
  npu.vscalar <vmuls> %a, %s, %b : memref<128xf32, #npu.mem<ub>>, f32, memref<128xf32, #npu.mem<ub>>
  // CHECK: npu.vcmp <lt> %{{.*}}, %{{.*}}, %{{.*}} : memref<128xf32, #npu.mem<ub>>, f32, memref<128xi1, #npu.mem<ub>>
  npu.vcmp <lt> %a, %s, %m : memref<128xf32, #npu.mem<ub>>, f32, memref<128xi1, #npu.mem<ub>>
  // CHECK: npu.vsel
  npu.vsel %m, %a, %b, %b : memref<128xi1, #npu.mem<ub>>, memref<128xf32, #npu.mem<ub>>,
    memref<128xf32, #npu.mem<ub>>, memref<128xf32, #npu.mem<ub>>
  // CHECK: npu.vcast <rint> %{{.*}}, %{{.*}} : memref<128xf32, #npu.mem<ub>>, memref<128xf16, #npu.mem<ub>>
  npu.vcast <rint> %a, %h : memref<128xf32, #npu.mem<ub>>, memref<128xf16, #npu.mem<ub>>
  // CHECK: npu.vdup
  npu.vdup %s, %a : f32, memref<128xf32, #npu.mem<ub>>
  return
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%i: i32, %x: !tile.ptr<f32>, %n: index) {
  %a = npu.alloc : memref<16x16xf16, #npu.mem<ub>>
  %t = npu.alloc : memref<16x16xf16, #npu.mem<ub>>
  %r = npu.alloc : memref<16xf16, #npu.mem<ub>>
  %o = npu.alloc : memref<64xi32, #npu.mem<ub>>
  %f = npu.alloc : memref<64xf32, #npu.mem<ub>>
  %g = npu.alloc : memref<64xf32, #npu.mem<ub>>
  // CHECK: npu.vreduce <vcmax> %{{.*}}, %{{.*}} : memref<16x16xf16, #npu.mem<ub>>, memref<16xf16, #npu.mem<ub>>
  npu.vreduce <vcmax> %a, %r : memref<16x16xf16, #npu.mem<ub>>, memref<16xf16, #npu.mem<ub>>
  // CHECK: npu.vbrc
  npu.vbrc %r, %a : memref<16xf16, #npu.mem<ub>>, memref<16x16xf16, #npu.mem<ub>>
  // CHECK: npu.vtrans
  npu.vtrans %a, %t : memref<16x16xf16, #npu.mem<ub>>, memref<16x16xf16, #npu.mem<ub>>
  // CHECK: npu.viota
  npu.viota %i, %o : i32, memref<64xi32, #npu.mem<ub>>
  // CHECK: npu.vgather %{{.*}}[%{{.*}}], %{{.*}} : memref<64xf32, #npu.mem<ub>>, memref<64xi32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  npu.vgather %f[%o], %g
    : memref<64xf32, #npu.mem<ub>>, memref<64xi32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  // CHECK: %[[V:.*]] = npu.sload %{{.*}}[%{{.*}}] : memref<64xf32, #npu.mem<ub>> -> f32
  %v = npu.sload %f[%n] : memref<64xf32, #npu.mem<ub>> -> f32
  // CHECK: npu.sstore %[[V]], %{{.*}}[%{{.*}}] : f32, !tile.ptr<f32>
  npu.sstore %v, %x[%n] : f32, !tile.ptr<f32>
  return
}

// CHECK-LABEL: func.func @order
func.func @order(%id: index) -> (index, index) {
  // CHECK: npu.set <mte2> to <v>[%{{.*}}]
  npu.set <mte2> to <v>[%id]
  // CHECK: npu.wait <mte2> to <v>[%{{.*}}]
  npu.wait <mte2> to <v>[%id]
  // CHECK: npu.barrier <v> because "no id was left"
  npu.barrier <v> because "no id was left"
  // CHECK: npu.barrier{{$}}
  npu.barrier
  // CHECK: npu.core_index
  %i = npu.core_index
  // CHECK: npu.core_count
  %n = npu.core_count
  return %i, %n : index, index
}
