// RUN: kiln-opt %s --kiln-cpu-vector-loops --canonicalize --cse --verify-diagnostics | FileCheck %s

// A fold of the outermost dimension grows in a row of scratch.

// CHECK-LABEL: func @columns(
// CHECK-SAME: kiln.scratch_bytes = 512 : i64
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c32 step %c1 {
// CHECK: arith.cmpi eq, %[[ROW]], %c0
// CHECK: scf.for
// CHECK: arith.addf
// CHECK: arith.select
// CHECK: llvm.store
// CHECK: }
// CHECK: scf.for
func.func @columns(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                   %o: !tile.ptr<f32> {tile.alias_set = 1 : i64}, %off: index) {
  %vx = tile.view %x[%off] strides [128, 1] : !tile.ptr<f32> -> !tile.view<32x128xf32>
  %vo = tile.view %o[%off] strides [1] : !tile.ptr<f32> -> !tile.view<128xf32>
  %a = tile.load %vx : !tile.view<32x128xf32> -> tensor<32x128xf32>
  %s = tile.reduce(%a) axis 0 {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  } : (tensor<32x128xf32>) -> tensor<128xf32>
  tile.store %s, %vo : tensor<128xf32>, !tile.view<128xf32>
  return
}

// A combine function that is no known operation keeps the order of lanes: neighbours first.

// CHECK-LABEL: func @ordered(
// CHECK: scf.for {{.*}} iter_args(
// CHECK: vector.shuffle %{{.*}} [0, 2, 4, 6,
// CHECK: vector.shuffle %{{.*}} [1, 3, 5, 7,
func.func @ordered(%x: !tile.ptr<i32>, %o: !tile.ptr<i32>, %off: index) {
  %vx = tile.view %x[%off] strides [1] : !tile.ptr<i32> -> !tile.view<128xi32>
  %a = tile.load %vx : !tile.view<128xi32> -> tensor<128xi32>
  %s = tile.reduce(%a) axis 0 {
  ^bb0(%p: i32, %q: i32):
    %r = arith.subi %p, %q : i32
    %t = arith.muli %r, %q : i32
    tile.yield %t : i32
  } : (tensor<128xi32>) -> i32
  tile.ptr_store %o, %s : !tile.ptr<i32>, i32
  return
}

// Control flow in the combine function: one lane at a time, and said so.

// CHECK-LABEL: func @serial(
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c1
func.func @serial(%x: !tile.ptr<i32>, %o: !tile.ptr<i32>, %off: index) {
  %vx = tile.view %x[%off] strides [1] : !tile.ptr<i32> -> !tile.view<128xi32>
  %a = tile.load %vx : !tile.view<128xi32> -> tensor<128xi32>
  // expected-remark @below {{runs one lane at a time: the combine function has control flow}}
  %s = tile.reduce(%a) axis 0 {
  ^bb0(%p: i32, %q: i32):
    %c = arith.cmpi slt, %p, %q : i32
    %r = scf.if %c -> i32 {
      %d = arith.subi %p, %q : i32
      scf.yield %d : i32
    } else {
      scf.yield %q : i32
    }
    tile.yield %r : i32
  } : (tensor<128xi32>) -> i32
  tile.ptr_store %o, %s : !tile.ptr<i32>, i32
  return
}

// The largest that is no NaN: it and the smallest start at the infinities, so that they are never NaN
// themselves; both still there at the end means that there was no number.

// CHECK-LABEL: func @largest(
// CHECK-DAG: %[[LOW:.*]] = arith.constant dense<0xFF800000> : vector<64xf32>
// CHECK-DAG: %[[HIGH:.*]] = arith.constant dense<0x7F800000> : vector<64xf32>
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %[[LOW]], %[[B:.*]] = %[[HIGH]])
// CHECK: %[[X:.*]] = llvm.load
// CHECK: %[[GREATER:.*]] = arith.cmpf ogt, %[[X]], %[[A]]
// CHECK: arith.select %[[GREATER]], %[[X]], %[[A]]
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[X]], %[[B]]
// CHECK: arith.select %[[LESS]], %[[X]], %[[B]]
// CHECK: arith.andi
// CHECK: arith.select {{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: tile.ptr_store
func.func @largest(%x: !tile.ptr<f32>, %o: !tile.ptr<f32>, %off: index) {
  %vx = tile.view %x[%off] strides [1] : !tile.ptr<f32> -> !tile.view<128xf32>
  %a = tile.load %vx : !tile.view<128xf32> -> tensor<128xf32>
  %m = tile.reduce(%a) axis 0 {
  ^bb0(%p: f32, %q: f32):
    %r = arith.maxnumf %p, %q : f32
    tile.yield %r : f32
  } : (tensor<128xf32>) -> f32
  tile.ptr_store %o, %m : !tile.ptr<f32>, f32
  return
}
