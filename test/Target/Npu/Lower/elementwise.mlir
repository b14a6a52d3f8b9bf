// RUN: kiln-opt %s --split-input-file --kiln-npu-bufferize --kiln-npu-lower | FileCheck %s

// CHECK-LABEL: func @scalars
// CHECK: [[N:%.+]] = arith.negf %arg1
// CHECK: npu.load {{.*}}, [[X:%.+]] :
// CHECK: npu.vdup %arg1, [[S:%.+]] :
// CHECK: npu.vdup %arg1, [[B:%.+]] :
// CHECK: npu.vscalar <vadds> [[X]], [[N]], [[D:%.+]] :
// CHECK: npu.copy [[X]], [[A:%.+]] :
// CHECK: npu.vscalar <vmuls> [[D]], %cst, [[E:%.+]] :
// CHECK: npu.vscalar <vadds> [[E]], %arg1, [[E]] :
// CHECK: npu.vbinary <vdiv> [[E]], [[S]], [[F:%.+]] :
// CHECK: npu.vscalar <vmaxs> [[F]], %arg1
// CHECK: npu.vscalar <vmuls>
// CHECK: npu.vscalar <vaxpy> {{.*}}, %arg1, [[A]] :
// CHECK: npu.vternary <vmuladd> [[A]], [[X]], [[B]] :
// CHECK: npu.store [[B]]
func.func @scalars(%v: !tile.ptr<f32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %b = tensor.splat %s : tensor<64xf32>
  %x = tile.load %view : !tile.view<64xf32> -> tensor<64xf32>
  %0 = arith.subf %x, %b : tensor<64xf32>
  %1 = arith.subf %b, %0 : tensor<64xf32>
  %2 = arith.divf %1, %b : tensor<64xf32>
  %3 = arith.maxnumf %b, %2 : tensor<64xf32>
  %4 = arith.negf %3 : tensor<64xf32>
  %5 = math.fma %4, %b, %x : tensor<64xf32>
  %6 = math.fma %5, %x, %b : tensor<64xf32>
  tile.store %6, %view : tensor<64xf32>, !tile.view<64xf32>
  return
}

// -----

// CHECK-LABEL: func @rows
// Flat over the rows with their gaps; only what is moved has the rows' length.
// CHECK: npu.load {{.*}} sizes [4, 60] strides [60, 1], {{.*}} memref<4x60xf32, strided<[64, 1]>
// CHECK: npu.vbinary <vadd> {{.*}} memref<256xf32
// CHECK: npu.vunary <vexp> {{.*}} memref<256xf32
// CHECK: npu.store {{.*}} memref<4x60xf32, strided<[64, 1]>
func.func @rows(%v: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [60, 1] : !tile.ptr<f32> -> !tile.view<4x60xf32>
  %x = tile.load %view : !tile.view<4x60xf32> -> tensor<4x60xf32>
  %0 = arith.addf %x, %x : tensor<4x60xf32>
  %1 = math.exp %0 : tensor<4x60xf32>
  tile.store %1, %view : tensor<4x60xf32>, !tile.view<4x60xf32>
  return
}

// -----

// CHECK-LABEL: func @integers
// CHECK: [[N:%.+]] = arith.subi %c0_i32, %arg1
// CHECK: npu.vscalar <vadds> {{.*}}, [[N]],
// CHECK: npu.vunary <vnot> {{.*}} memref<128xi16
// CHECK: npu.vscalar <vshr> {{.*}} {isUnsigned}
// CHECK: npu.vscalar <vshr>
// CHECK-NOT: isUnsigned
// CHECK: npu.vbinary <vand>
// CHECK-DAG: npu.vbinary <vand>
// CHECK-DAG: npu.vbinary <vor>
// CHECK: npu.vunary <vnot>
// CHECK: npu.vbinary <vand>
func.func @integers(%v: !tile.ptr<i32>, %s: i32) {
  %c0 = arith.constant 0 : index
  %ones = arith.constant dense<-1> : tensor<64xi32>
  %three = arith.constant dense<3> : tensor<64xi32>
  %view = tile.view %v[%c0] strides [1] : !tile.ptr<i32> -> !tile.view<64xi32>
  %x = tile.load %view : !tile.view<64xi32> -> tensor<64xi32>
  %b = tensor.splat %s : tensor<64xi32>
  %0 = arith.subi %x, %b : tensor<64xi32>
  %1 = arith.xori %0, %ones : tensor<64xi32>
  %2 = arith.shrui %1, %three : tensor<64xi32>
  %3 = arith.shrsi %2, %three : tensor<64xi32>
  %4 = arith.andi %3, %x : tensor<64xi32>
  %5 = arith.xori %4, %x : tensor<64xi32>
  tile.store %5, %view : tensor<64xi32>, !tile.view<64xi32>
  return
}

// -----

// CHECK-LABEL: func @casts
// CHECK-DAG: npu.vcast <rint> {{.*}} memref<64xf32, #npu.mem<ub>>, memref<64xf16,
// CHECK-DAG: npu.vcast <floor> {{.*}} memref<64xf32, #npu.mem<ub>>, memref<64xf32,
// CHECK-DAG: npu.vcast <trunc> {{.*}} memref<64xf32, #npu.mem<ub>>, memref<64xi32,
// CHECK-DAG: npu.vcast <rint> {{.*}} memref<64xi32, #npu.mem<ub>>, memref<64xf32,
// CHECK-DAG: npu.vcast <none> {{.*}} {isUnsignedSrc} : memref<64xi8, #npu.mem<ub>>, memref<64xf16,
func.func @casts(%v: !tile.ptr<f32>, %o: !tile.ptr<f16>, %i: !tile.ptr<i8>) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %out = tile.view %o[%c0] strides [1] : !tile.ptr<f16> -> !tile.view<64xf16>
  %bytes = tile.view %i[%c0] strides [1] : !tile.ptr<i8> -> !tile.view<64xi8>
  %x = tile.load %view : !tile.view<64xf32> -> tensor<64xf32>
  %h = arith.truncf %x : tensor<64xf32> to tensor<64xf16>
  tile.store %h, %out : tensor<64xf16>, !tile.view<64xf16>
  %w = math.floor %x : tensor<64xf32>
  %n = arith.fptosi %w : tensor<64xf32> to tensor<64xi32>
  %f = arith.sitofp %n : tensor<64xi32> to tensor<64xf32>
  tile.store %f, %view : tensor<64xf32>, !tile.view<64xf32>
  %u = tile.load %bytes : !tile.view<64xi8> -> tensor<64xi8>
  %uf = arith.uitofp %u : tensor<64xi8> to tensor<64xf16>
  tile.store %uf, %out : tensor<64xf16>, !tile.view<64xf16>
  return
}
