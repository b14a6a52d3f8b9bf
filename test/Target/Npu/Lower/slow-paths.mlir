// RUN: kiln-opt %s --split-input-file --kiln-npu-bufferize --kiln-npu-lower --verify-diagnostics | FileCheck %s

// A masked-off lane does not touch memory: no whole rows may be written.
// CHECK-LABEL: func @masked_store
// CHECK-NOT: npu.store
// CHECK: scf.for
// CHECK: [[BYTE:%.+]] = npu.sload {{.*}} -> i8
// CHECK: scf.if
// CHECK: [[V:%.+]] = npu.sload {{.*}} -> f32
// CHECK: npu.sstore [[V]], %arg0
// CHECK-NOT: npu.store
func.func @masked_store(%v: !tile.ptr<f32>, %s: f32) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %z = tensor.splat %s : tensor<64xf32>
  %x = tile.load %view : !tile.view<64xf32> -> tensor<64xf32>
  %m = arith.cmpf olt, %x, %z : tensor<64xf32>
  // expected-remark @below {{slow path: element by element on the scalar unit, as a mask that is no range decides for each lane}}
  tile.store %z, %view mask %m : tensor<64xf32>, !tile.view<64xf32> mask tensor<64xi1>
  return
}

// -----

// CHECK-LABEL: func @gather
// CHECK: npu.vdup
// CHECK: scf.for
// CHECK: [[O:%.+]] = npu.sload {{.*}} -> i32
// CHECK: [[I:%.+]] = arith.index_cast [[O]]
// CHECK: npu.sload %arg0{{\[}}[[I]]]
// CHECK: npu.sstore
func.func @gather(%v: !tile.ptr<f32>, %i: !tile.ptr<i32>, %s: i32) {
  %c0 = arith.constant 0 : index
  %view = tile.view %i[%c0] strides [1] : !tile.ptr<i32> -> !tile.view<64xi32>
  %out = tile.view %v[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %k = tensor.splat %s : tensor<64xi32>
  %o = tile.load %view : !tile.view<64xi32> -> tensor<64xi32>
  %m = arith.cmpi eq, %o, %k : tensor<64xi32>
  // expected-remark @below {{as every lane has an address of its own}}
  %x = tile.gather %v[%o] mask %m : !tile.ptr<f32>[tensor<64xi32>] mask tensor<64xi1> -> tensor<64xf32>
  tile.store %x, %out : tensor<64xf32>, !tile.view<64xf32>
  return
}

// -----

// CHECK-LABEL: func @long_integers
// CHECK: npu.load {{.*}} memref<64xi64
// CHECK: scf.for
// CHECK: arith.addi {{.*}} : i64
// CHECK: npu.sstore {{.*}} : i64
// CHECK: npu.store
func.func @long_integers(%v: !tile.ptr<i64>) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [1] : !tile.ptr<i64> -> !tile.view<64xi64>
  %x = tile.load %view : !tile.view<64xi64> -> tensor<64xi64>
  // expected-remark @below {{as the vector unit has no such operation on these types}}
  %y = arith.addi %x, %x : tensor<64xi64>
  tile.store %y, %view : tensor<64xi64>, !tile.view<64xi64>
  return
}

// -----

// Wide strides: one access for each lane.
func.func @wide_stride(%v: !tile.ptr<f32>, %s: index) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [%s] : !tile.ptr<f32> -> !tile.view<64xf32>
  // expected-remark @below {{as neighbouring lanes are not neighbours in memory}}
  %x = tile.load %view : !tile.view<64xf32> -> tensor<64xf32>
  // expected-remark @below {{as neighbouring lanes are not neighbours in memory}}
  tile.store %x, %view : tensor<64xf32>, !tile.view<64xf32>
  return
}

// -----

func.func @wrapped(%v: !tile.ptr<f32>, %i: index, %m: index) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [1] wrap [0] start(%i) size(%m) : !tile.ptr<f32> -> !tile.view<64xf32>
  %out = tile.view %v[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  // expected-remark @below {{as its lanes wrap around}}
  %x = tile.load %view : !tile.view<64xf32> -> tensor<64xf32>
  tile.store %x, %out : tensor<64xf32>, !tile.view<64xf32>
  return
}

// -----

func.func @mask_reduced(%v: !tile.ptr<f32>, %s: f32) -> i1 {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %z = tensor.splat %s : tensor<64xf32>
  %x = tile.load %view : !tile.view<64xf32> -> tensor<64xf32>
  %m = arith.cmpf olt, %x, %z : tensor<64xf32>
  // expected-error @below {{reduces a mask; expected numbers}}
  %r = tile.reduce(%m) axis 0 {
  ^bb0(%a: i1, %b: i1):
    %q = arith.ori %a, %b : i1
    tile.yield %q : i1
  } : (tensor<64xi1>) -> i1
  return %r : i1
}
