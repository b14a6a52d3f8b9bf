// RUN: kiln-translate --npu-to-asm %s --split-input-file | FileCheck %s

// Carried values that change places: one of them goes through a spare register.
// CHECK-LABEL: kernel "swap"
func.func @swap(%out: !tile.ptr<i32>, %a: i32, %b: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: [[X:%[0-9]+]] = mov.i64 %arg1
  // CHECK: [[Y:%[0-9]+]] = mov.i64 %arg2
  // CHECK: loop
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (i32, i32) {
    // CHECK: [[S:%[0-9]+]] = mov.i64 [[X]]
    // CHECK: [[X]] = mov.i64 [[Y]]
    // CHECK: [[Y]] = mov.i64 [[S]]
    scf.yield %y, %x : i32, i32
  }
  // CHECK: sstore GM[%arg0] i32 [1], [[X]]
  npu.sstore %r#0, %out[%c0] : i32, !tile.ptr<i32>
  return
}

// -----

// A shift needs an order, but no spare register.
// CHECK-LABEL: kernel "shift"
func.func @shift(%out: !tile.ptr<i32>, %a: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: [[X:%[0-9]+]] = mov.i64 %arg1
  // CHECK: [[Y:%[0-9]+]] = mov.i64 %arg1
  // CHECK: [[Z:%[0-9]+]] = mov.i64 %arg1
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %a, %z = %a) -> (i32, i32, i32) {
    // CHECK: [[NEW:%[0-9]+]] = add.i32
    %new = arith.addi %x, %y : i32
    // CHECK-NEXT: [[Z]] = mov.i64 [[Y]]
    // CHECK-NEXT: [[Y]] = mov.i64 [[X]]
    // CHECK-NEXT: [[X]] = mov.i64 [[NEW]]
    // CHECK-NEXT: }
    scf.yield %new, %x, %y : i32, i32, i32
  }
  npu.sstore %r#2, %out[%c0] : i32, !tile.ptr<i32>
  return
}

// -----

// CHECK-LABEL: kernel "branches"
func.func @branches(%out: !tile.ptr<i32>, %a: i32, %b: i32, %c: i1) {
  %c0 = arith.constant 0 : index
  // CHECK: if %arg3
  // CHECK: [[R:%[0-9]+]] = mov.i64 %arg1
  // CHECK: } else
  // CHECK: [[SUM:%[0-9]+]] = add.i32 %arg1, %arg2
  // CHECK: [[R]] = mov.i64 [[SUM]]
  // CHECK: }
  %r = scf.if %c -> i32 {
    scf.yield %a : i32
  } else {
    %sum = arith.addi %a, %b : i32
    scf.yield %sum : i32
  }
  // What a branch made is not known behind it.
  // CHECK: [[AGAIN:%[0-9]+]] = add.i32 %arg1, %arg2
  %again = arith.addi %a, %b : i32
  // CHECK: mul.i32 [[R]], [[AGAIN]]
  %product = arith.muli %r, %again : i32
  // The same op on the same operands is made once.
  // CHECK-NOT: add.i32
  %third = arith.addi %a, %b : i32
  %all = arith.xori %product, %third : i32
  // CHECK: if %arg3
  // CHECK: sstore
  // CHECK-NOT: else
  scf.if %c {
    npu.sstore %all, %out[%c0] : i32, !tile.ptr<i32>
  }
  return
}

// -----

// CHECK-LABEL: kernel "while_loop"
func.func @while_loop(%out: !tile.ptr<i32>, %a: i32, %n: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  // CHECK: [[B:%[0-9]+]] = mov.i64 %arg1
  // CHECK: repeat
  // CHECK: [[C:%[0-9]+]] = cmps.lt.i32 [[B]], %arg2
  // CHECK: [[D:%[0-9]+]] = mul.i32 [[B]], [[B]]
  // CHECK: [[A:%[0-9]+]] = mov.i64 [[D]]
  // CHECK: exit_unless [[C]]
  // CHECK: [[NEXT:%[0-9]+]] = add.i32 [[A]], 1
  // CHECK: [[B]] = mov.i64 [[NEXT]]
  // CHECK: }
  %r = scf.while (%b = %a) : (i32) -> i32 {
    %go = arith.cmpi slt, %b, %n : i32
    %square = arith.muli %b, %b : i32
    scf.condition(%go) %square : i32
  } do {
  ^bb0(%v: i32):
    %next = arith.addi %v, %c1 : i32
    scf.yield %next : i32
  }
  // CHECK: sstore GM[%arg0] i32 [1], [[A]]
  npu.sstore %r, %out[%c0] : i32, !tile.ptr<i32>
  return
}

// -----

// Buffers may be carried like scalars: they are addresses.
// CHECK-LABEL: kernel "carried_buffers"
func.func @carried_buffers(%s: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = npu.alloc at 0 : memref<64xf32, #npu.mem<ub>>
  %b = npu.alloc at 256 : memref<64xf32, #npu.mem<ub>>
  // CHECK: [[X:%[0-9]+]] = mov.i64 0
  // CHECK: [[Y:%[0-9]+]] = mov.i64 256
  // CHECK: vdup UB{{\[}}[[X]]] f32 [64], %arg0
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b)
      -> (memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>) {
    npu.vdup %s, %x : f32, memref<64xf32, #npu.mem<ub>>
    scf.yield %y, %x : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  }
  return
}

// -----

// What does not change in a loop stands in front of it, out of branches within it too; what a loop
// carries stays. Out of a branch alone nothing is moved.
// CHECK-LABEL: kernel "invariant"
func.func @invariant(%x: !tile.ptr<f32>, %a: index, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %b = npu.alloc at 0 : memref<8x8xf32, #npu.mem<ub>>
  // CHECK: [[I:%[0-9]+]] = mov.i64 0
  // CHECK-NEXT: [[SQUARE:%[0-9]+]] = mul.i64 %arg1, %arg1
  // CHECK-NEXT: [[BYTES:%[0-9]+]] = mul.i64 [[SQUARE]], 4
  // CHECK-NEXT: loop
  scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    // CHECK-NEXT: if %arg3
    scf.if %c {
      %square = arith.muli %a, %a : index
      // CHECK-NEXT: [[OFFSET:%[0-9]+]] = mul.i64 [[I]], 4
      // CHECK-NEXT: add.i64 %arg0, [[OFFSET]]
      // CHECK-NEXT: load {{.*}} stride {{\[}}[[BYTES]], 4]
      npu.load %x[%s] sizes [8, 8] strides [%square, 1], %b : !tile.ptr<f32>, memref<8x8xf32, #npu.mem<ub>>
    }
    // CHECK: [[NEXT:%[0-9]+]] = add.i64 [[I]], 3
    %next = arith.addi %s, %c3 : index
    scf.yield %next : index
  }
  // CHECK: if %arg3
  // CHECK-NEXT: mul.i64 %arg2, %arg2
  scf.if %c {
    %other = arith.muli %n, %n : index
    npu.load %x[%c0] sizes [8, 8] strides [%other, 1], %b : !tile.ptr<f32>, memref<8x8xf32, #npu.mem<ub>>
  }
  return
}
