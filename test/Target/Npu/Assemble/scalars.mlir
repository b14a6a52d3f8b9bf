// RUN: kiln-translate --npu-to-asm %s --split-input-file | FileCheck %s

// Constants are numbers in the instruction, in the form that registers have.
// CHECK-LABEL: kernel "constants"
func.func @constants(%x: !tile.ptr<f32>, %y: !tile.ptr<i32>, %z: !tile.ptr<i64>, %h: !tile.ptr<bf16>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant -1.5 : f32
  %i = arith.constant -7 : i32
  // CHECK: [[L:%[0-9]+]] = const.i64 9223372036854775807
  %l = arith.constant 0x7fffffffffffffff : i64
  %b = arith.constant 1.0 : bf16
  // CHECK: sstore GM[%arg0] f32 [1], -1.5
  npu.sstore %f, %x[%c0] : f32, !tile.ptr<f32>
  // CHECK: sstore GM[%arg1] i32 [1], -7
  npu.sstore %i, %y[%c0] : i32, !tile.ptr<i32>
  // CHECK: sstore GM[%arg2] i64 [1], [[L]]
  npu.sstore %l, %z[%c0] : i64, !tile.ptr<i64>
  // CHECK: sstore GM[%arg3] bf16 [1], 1.0
  npu.sstore %b, %h[%c0] : bf16, !tile.ptr<bf16>
  return
}

// -----

// CHECK-LABEL: kernel "casts"
func.func @casts(%x: !tile.ptr<i64>, %i: i32, %j: i8, %c: i1, %f: f32, %n: index) {
  // A signed integer keeps its register when it gets wider.
  %wide = arith.extsi %i : i32 to i64
  // CHECK: sstore GM[%{{.*}}] i64 [1], %arg1
  npu.sstore %wide, %x[%n] : i64, !tile.ptr<i64>
  // CHECK: [[Z:%[0-9]+]] = zext.i64 %arg2 from i8
  %zero = arith.extui %j : i8 to i64
  // CHECK: sstore GM[%{{.*}}] i64 [1], [[Z]]
  npu.sstore %zero, %x[%n] : i64, !tile.ptr<i64>
  // CHECK: [[T:%[0-9]+]] = sext.i32 [[Z]] from i32
  %cut = arith.trunci %zero : i64 to i32
  // CHECK: [[B:%[0-9]+]] = zext.i1 [[T]] from i1
  %bit = arith.trunci %cut : i32 to i1
  // CHECK: sext.i64 [[B]] from i1
  %ones = arith.extsi %bit : i1 to i64
  npu.sstore %ones, %x[%n] : i64, !tile.ptr<i64>
  // CHECK: ftos.i64 %arg4 from f32
  %fi = arith.fptosi %f : f32 to i64
  npu.sstore %fi, %x[%n] : i64, !tile.ptr<i64>
  // CHECK: sext.i32 %arg4 from i32
  %bits = arith.bitcast %f : f32 to i32
  %wb = arith.extsi %bits : i32 to i64
  npu.sstore %wb, %x[%n] : i64, !tile.ptr<i64>
  return
}

// -----

// CHECK-LABEL: kernel "comparisons"
func.func @comparisons(%x: !tile.ptr<i32>, %a: i32, %b: i32, %f: f32, %g: f32, %n: index) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  // CHECK: cmpu.lt.i32 %arg1, %arg2
  %0 = arith.cmpi ult, %a, %b : i32
  // CHECK: select.i32 %{{.*}}, 1, 2
  %1 = arith.select %0, %c1, %c2 : i32
  npu.sstore %1, %x[%n] : i32, !tile.ptr<i32>
  // CHECK: fcmp.lt.f32 %arg3, %arg4
  %2 = arith.cmpf olt, %f, %g : f32
  %3 = arith.select %2, %c1, %c2 : i32
  npu.sstore %3, %x[%n] : i32, !tile.ptr<i32>
  // CHECK: [[GE:%[0-9]+]] = fcmp.ge.f32 %arg3, %arg4
  // CHECK: xor.i1 [[GE]], 1
  %4 = arith.cmpf ult, %f, %g : f32
  %5 = arith.select %4, %c1, %c2 : i32
  npu.sstore %5, %x[%n] : i32, !tile.ptr<i32>
  return
}

// -----

// Floor and ceiling look at the remainder and the signs.
// CHECK-LABEL: kernel "divisions"
func.func @divisions(%x: !tile.ptr<i32>, %a: i32, %b: i32, %n: index) {
  // CHECK: [[Q:%[0-9]+]] = divs.i32 %arg1, %arg2
  // CHECK: [[R:%[0-9]+]] = rems.i32 %arg1, %arg2
  // CHECK: [[S:%[0-9]+]] = xor.i32 %arg1, %arg2
  // CHECK: [[W:%[0-9]+]] = cmps.lt.i32 [[S]], 0
  // CHECK: [[I:%[0-9]+]] = cmps.ne.i32 [[R]], 0
  // CHECK: [[A:%[0-9]+]] = and.i1 [[W]], [[I]]
  // CHECK: sub.i32 [[Q]], [[A]]
  %0 = arith.floordivsi %a, %b : i32
  npu.sstore %0, %x[%n] : i32, !tile.ptr<i32>
  return
}

// -----

// Pointers are byte addresses; what the launch gives stands in registers from the start.
// CHECK-LABEL: kernel "tile_ops"
// CHECK: param %arg0 : *f16
// CHECK-NEXT: param %arg1 : *f16 written
// CHECK: message "too \"large\""
func.func @tile_ops(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %i: i32, %c: i1) {
  %zero = arith.constant 0.0 : f16
  // CHECK: [[O:%[0-9]+]] = mul.i64 %arg2, 2
  // CHECK: [[P:%[0-9]+]] = add.i64 %arg0, [[O]]
  %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
  // CHECK: [[V:%[0-9]+]] = mov.i64 0
  // CHECK: if %arg3
  // CHECK: [[V]] = sload GM{{\[}}[[P]]] f16 [1]
  // CHECK: }
  %v = tile.ptr_load %p mask %c other %zero : !tile.ptr<f16> mask i1 other f16 -> f16
  // CHECK: trap_unless %arg3, "too {{.*}}large
  tile.assert %c, "too \22large\22" : i1
  tile.assume %c
  %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
  // CHECK: if %arg3
  // CHECK: sstore GM[%{{[0-9]+}}] f16 [1], [[V]]
  tile.ptr_store %q, %v mask %c : !tile.ptr<f16>, f16 mask i1
  return
}

// -----

// Names of arguments are those of the source. Any value will do for poison.
// CHECK-LABEL: kernel "names"
// CHECK: param %out : *i32 written
// CHECK-NEXT: param %n : i32
func.func @names(%x: !tile.ptr<i32> loc("out"("k.py":3:9)), %y: i32 loc("n"("k.py":3:14))) {
  %c0 = arith.constant 0 : index
  %p = ub.poison : i32
  // CHECK: sstore GM[%out] i32 [1], 0 @k.py:7:5
  npu.sstore %p, %x[%c0] : i32, !tile.ptr<i32> loc("k.py":7:5)
  return
}
