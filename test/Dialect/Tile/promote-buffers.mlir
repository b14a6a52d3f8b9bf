// RUN: kiln-opt %s -split-input-file -kiln-promote-buffers -canonicalize | FileCheck %s
// RUN: kiln-opt %s -split-input-file -kiln-promote-buffers=pinned=true -canonicalize | FileCheck %s --check-prefix=PINNED

// A straight line: what was written last is what is read.
// CHECK-LABEL: func.func @line(
// CHECK-SAME: [[T:%[a-z0-9]+]]: tensor<4x8xf32>, [[U:%[a-z0-9]+]]: tensor<4x8xf32>
// CHECK-NEXT: return [[T]], [[U]]
func.func @line(%t: tensor<4x8xf32>, %u: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %b = tile.local_alloc "b" : !tile.local<4x8xf32>
  tile.local_store %t, %b[0, 0] : tensor<4x8xf32>, !tile.local<4x8xf32>
  %x = tile.local_load %b[0, 0] : !tile.local<4x8xf32> -> tensor<4x8xf32>
  tile.local_store %u, %b[0, 0] : tensor<4x8xf32>, !tile.local<4x8xf32>
  %y = tile.local_load %b[0, 0] : !tile.local<4x8xf32> -> tensor<4x8xf32>
  return %x, %y : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A loop that reads it, writes it, and may not run at all.
// CHECK-LABEL: func.func @carried(
// CHECK-SAME: [[T:%[a-z0-9]+]]: tensor<8xf32>
// CHECK: [[R:%.+]] = scf.for {{.*}} iter_args([[X:%.+]] = [[T]]) -> (tensor<8xf32>)
// CHECK-NEXT: [[Y:%.+]] = arith.addf [[X]], [[X]]
// CHECK-NEXT: scf.yield [[Y]]
// CHECK: return [[R]]
func.func @carried(%t: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.local_alloc : !tile.local<8xf32>
  tile.local_store %t, %b[0] : tensor<8xf32>, !tile.local<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %x = tile.local_load %b[0] : !tile.local<8xf32> -> tensor<8xf32>
    %y = arith.addf %x, %x : tensor<8xf32>
    tile.local_store %y, %b[0] : tensor<8xf32>, !tile.local<8xf32>
  } {kept}
  %r = tile.local_load %b[0] : !tile.local<8xf32> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Written whole before it is read, and not read behind the loop: nothing to carry. The value that
// the loop before it left is not carried either.
// CHECK-LABEL: func.func @temporary(
// CHECK-NOT: iter_args
// CHECK: scf.for
// CHECK-NOT: tile.local
// CHECK: [[A:%.+]] = tile.load
// CHECK: [[E:%.+]] = math.exp [[A]]
// CHECK: tile.store [[E]]
// CHECK: } {kept}
func.func @temporary(%p: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.local_alloc "a" : !tile.local<8xf32>
  %b = tile.local_alloc "b" : !tile.local<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = tile.view %p[%i] strides [1] : !tile.ptr<f32> -> !tile.view<8xf32>
    %0 = tile.load %v : !tile.view<8xf32> -> tensor<8xf32>
    tile.local_store %0, %a[0] : tensor<8xf32>, !tile.local<8xf32>
    %1 = tile.local_load %a[0] : !tile.local<8xf32> -> tensor<8xf32>
    %2 = math.exp %1 : tensor<8xf32>
    tile.local_store %2, %b[0] : tensor<8xf32>, !tile.local<8xf32>
    %3 = tile.local_load %b[0] : !tile.local<8xf32> -> tensor<8xf32>
    tile.store %3, %v : tensor<8xf32>, !tile.view<8xf32>
  } {kept}
  return
}

// -----

// Read only in the loop: the value from before is used where it is.
// CHECK-LABEL: func.func @invariant(
// CHECK-SAME: [[T:%[a-z0-9]+]]: tensor<8xf32>
// CHECK-NOT: iter_args
// CHECK: tile.store [[T]]
func.func @invariant(%t: tensor<8xf32>, %p: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.local_alloc : !tile.local<8xf32>
  tile.local_store %t, %b[0] : tensor<8xf32>, !tile.local<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = tile.view %p[%i] strides [1] : !tile.ptr<f32> -> !tile.view<8xf32>
    %3 = tile.local_load %b[0] : !tile.local<8xf32> -> tensor<8xf32>
    tile.store %3, %v : tensor<8xf32>, !tile.view<8xf32>
  }
  return
}

// -----

// Read at the start of an iteration what the one before wrote at its end: undefined in the first.
// CHECK-LABEL: func.func @undefined_first(
// CHECK: [[E:%.+]] = tensor.empty() : tensor<8xf32>
// CHECK: scf.for {{.*}} iter_args([[X:%.+]] = [[E]])
// CHECK: tile.store [[X]]
// CHECK: [[A:%.+]] = tile.load
// CHECK: scf.yield [[A]]
func.func @undefined_first(%p: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.local_alloc : !tile.local<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = tile.view %p[%i] strides [1] : !tile.ptr<f32> -> !tile.view<8xf32>
    %0 = tile.local_load %b[0] : !tile.local<8xf32> -> tensor<8xf32>
    tile.store %0, %v : tensor<8xf32>, !tile.view<8xf32>
    %1 = tile.load %v : !tile.view<8xf32> -> tensor<8xf32>
    tile.local_store %1, %b[0] : tensor<8xf32>, !tile.local<8xf32>
  }
  return
}

// -----

// Undefined altogether, and written in the loop only: read behind it.
// CHECK-LABEL: func.func @undefined(
// CHECK-SAME: [[N:%[a-z0-9]+]]: index, [[T:%[a-z0-9]+]]: tensor<8xf32>
// CHECK: [[E:%.+]] = tensor.empty() : tensor<8xf32>
// CHECK: [[R:%.+]] = scf.for {{.*}} iter_args({{.*}} = {{%.+}}) -> (tensor<8xf32>)
// CHECK: scf.yield [[T]]
// CHECK: return [[E]], [[R]]
func.func @undefined(%n: index, %t: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.local_alloc : !tile.local<8xf32>
  %b = tile.local_alloc : !tile.local<8xf32>
  %x = tile.local_load %a[0] : !tile.local<8xf32> -> tensor<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    tile.local_store %t, %b[0] : tensor<8xf32>, !tile.local<8xf32>
  }
  %y = tile.local_load %b[0] : !tile.local<8xf32> -> tensor<8xf32>
  return %x, %y : tensor<8xf32>, tensor<8xf32>
}

// -----

// A branch yields what it wrote, beside what it yields already; what is not read behind it (%b), it
// does not.
// CHECK-LABEL: func.func @branch(
// CHECK-SAME: [[C:%[a-z0-9]+]]: i1, [[T:%[a-z0-9]+]]: tensor<8xf32>, [[P:%[a-z0-9]+]]: !tile.ptr<f32>
// CHECK: [[R:%.+]]:2 = scf.if [[C]] -> (i32, tensor<8xf32>)
// CHECK: [[E:%.+]] = math.exp [[T]]
// CHECK: [[K:%.+]] = tile.ptr_load
// CHECK: scf.yield [[K]], [[E]]
// CHECK: } else {
// CHECK: scf.yield {{.*}}, [[T]]
// CHECK: return [[R]]#0, [[R]]#1
func.func @branch(%c: i1, %t: tensor<8xf32>, %p: !tile.ptr<f32>, %q: !tile.ptr<i32>)
    -> (i32, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i32
  %a = tile.local_alloc : !tile.local<8xf32>
  %b = tile.local_alloc : !tile.local<8xf32>
  tile.local_store %t, %a[0] : tensor<8xf32>, !tile.local<8xf32>
  %v = tile.view %p[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<8xf32>
  %i = scf.if %c -> i32 {
    %x = tile.local_load %a[0] : !tile.local<8xf32> -> tensor<8xf32>
    %e = math.exp %x : tensor<8xf32>
    tile.local_store %e, %a[0] : tensor<8xf32>, !tile.local<8xf32>
    tile.local_store %e, %b[0] : tensor<8xf32>, !tile.local<8xf32>
    %y = tile.local_load %b[0] : !tile.local<8xf32> -> tensor<8xf32>
    tile.store %y, %v : tensor<8xf32>, !tile.view<8xf32>
    %k = tile.ptr_load %q : !tile.ptr<i32> -> i32
    scf.yield %k : i32
  } else {
    scf.yield %c7 : i32
  }
  %r = tile.local_load %a[0] : !tile.local<8xf32> -> tensor<8xf32>
  return %i, %r : i32, tensor<8xf32>
}

// -----

// Both branches write it: what was there before is not needed, so the loop does not carry it.
// CHECK-LABEL: func.func @both_branches(
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: [[S:%.+]] = scf.if {{.*}} -> (tensor<8xf32>)
// CHECK: tile.store [[S]]
func.func @both_branches(%p: !tile.ptr<f32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.local_alloc : !tile.local<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = tile.view %p[%i] strides [1] : !tile.ptr<f32> -> !tile.view<8xf32>
    %0 = tile.load %v : !tile.view<8xf32> -> tensor<8xf32>
    scf.if %c {
      %1 = math.exp %0 : tensor<8xf32>
      tile.local_store %1, %b[0] : tensor<8xf32>, !tile.local<8xf32>
    } else {
      %2 = math.log %0 : tensor<8xf32>
      tile.local_store %2, %b[0] : tensor<8xf32>, !tile.local<8xf32>
    }
    %3 = tile.local_load %b[0] : !tile.local<8xf32> -> tensor<8xf32>
    tile.store %3, %v : tensor<8xf32>, !tile.view<8xf32>
  }
  return
}

// -----

// Only one branch writes it: an iteration may see what an earlier one wrote. Nested twice.
// CHECK-LABEL: func.func @nested(
// CHECK: [[R:%.+]] = scf.for {{.*}} iter_args([[O:%.+]] = {{.*}}) -> (tensor<8xf32>)
// CHECK: [[I:%.+]] = scf.for {{.*}} iter_args([[J:%.+]] = [[O]]) -> (tensor<8xf32>)
// CHECK: [[S:%.+]] = scf.if {{.*}} -> (tensor<8xf32>)
// CHECK: math.exp [[J]]
// CHECK: scf.yield [[J]]
// CHECK: scf.yield [[S]]
// CHECK: scf.yield [[I]]
// CHECK: return [[R]]
func.func @nested(%t: tensor<8xf32>, %n: index, %c: i1) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.local_alloc : !tile.local<8xf32>
  tile.local_store %t, %b[0] : tensor<8xf32>, !tile.local<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %i step %c1 {
      scf.if %c {
        %0 = tile.local_load %b[0] : !tile.local<8xf32> -> tensor<8xf32>
        %1 = math.exp %0 : tensor<8xf32>
        tile.local_store %1, %b[0] : tensor<8xf32>, !tile.local<8xf32>
      }
    }
  }
  %r = tile.local_load %b[0] : !tile.local<8xf32> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Carried around by a while loop; written and read within one of its regions (%tmp); read where it
// is decided whether to go on.
// CHECK-LABEL: func.func @while(
// CHECK-SAME: [[T:%[a-z0-9]+]]: tensor<8xf32>
// CHECK: [[R:%.+]]:2 = scf.while ([[I:%.+]] = %{{.+}}, [[B:%.+]] = [[T]]) : (i32, tensor<8xf32>) -> (i32, tensor<8xf32>)
// CHECK: scf.condition({{.*}}) [[I]], [[B]] : i32, tensor<8xf32>
// CHECK: ^bb0([[J:%.+]]: i32, [[D:%.+]]: tensor<8xf32>):
// CHECK: [[E:%.+]] = math.exp [[D]]
// CHECK: [[F:%.+]] = arith.addf [[E]], [[E]]
// CHECK: scf.yield {{.*}}, [[F]] : i32, tensor<8xf32>
// CHECK: return [[R]]#0, [[R]]#1
func.func @while(%t: tensor<8xf32>, %n: i32) -> (i32, tensor<8xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = tile.local_alloc : !tile.local<8xf32>
  %tmp = tile.local_alloc : !tile.local<8xf32>
  tile.local_store %t, %b[0] : tensor<8xf32>, !tile.local<8xf32>
  %k = scf.while (%i = %c0) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %0 = tile.local_load %b[0] : !tile.local<8xf32> -> tensor<8xf32>
    %1 = math.exp %0 : tensor<8xf32>
    tile.local_store %1, %tmp[0] : tensor<8xf32>, !tile.local<8xf32>
    %2 = tile.local_load %tmp[0] : !tile.local<8xf32> -> tensor<8xf32>
    %3 = arith.addf %2, %2 : tensor<8xf32>
    tile.local_store %3, %b[0] : tensor<8xf32>, !tile.local<8xf32>
    %j = arith.addi %i, %c1 : i32
    scf.yield %j : i32
  }
  %r = tile.local_load %b[0] : !tile.local<8xf32> -> tensor<8xf32>
  return %k, %r : i32, tensor<8xf32>
}

// -----

// A scalar that the author keeps in a buffer decides how long a loop runs.
// CHECK-LABEL: func.func @while_scalar(
// CHECK: [[R:%.+]] = scf.while ([[I:%.+]] = %c0{{.*}}) : (i32) -> i32
// CHECK: arith.cmpi slt, [[I]]
// CHECK: scf.condition({{.*}}) [[I]]
// CHECK: return [[R]]
func.func @while_scalar(%n: i32) -> i32 {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = tile.local_alloc : !tile.local<1xi32>
  tile.local_set %c0, %b[%z] : i32, !tile.local<1xi32>
  scf.while : () -> () {
    %i = tile.local_get %b[%z] : !tile.local<1xi32> -> i32
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c)
  } do {
    %i = tile.local_get %b[%z] : !tile.local<1xi32> -> i32
    %j = arith.addi %i, %c1 : i32
    tile.local_set %j, %b[%z] : i32, !tile.local<1xi32>
    scf.yield
  }
  %r = tile.local_get %b[%z] : !tile.local<1xi32> -> i32
  return %r : i32
}

// -----

// One element: a scalar, also where all of it is read; a tensor where it is written as a splat; and
// undefined is zero.
// CHECK-LABEL: func.func @scalars(
// CHECK-SAME: [[X:%[a-z0-9]+]]: f32
// CHECK-DAG: [[Z:%.+]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: [[S:%.+]] = tensor.splat [[X]] : tensor<1x1xf32>
// CHECK: return [[X]], [[S]], [[Z]], [[S]]
func.func @scalars(%x: f32, %t: tensor<1x1xf32>) -> (f32, tensor<1x1xf32>, f32, tensor<1x1xf32>) {
  %z = arith.constant 0 : index
  %a = tile.local_alloc : !tile.local<1x1xf32>
  %b = tile.local_alloc : !tile.local<1xf32>
  %c = tile.local_alloc : !tile.local<1x1xf32>
  tile.local_set %x, %a[%z, %z] : f32, !tile.local<1x1xf32>
  %0 = tile.local_get %a[%z, %z] : !tile.local<1x1xf32> -> f32
  %1 = tile.local_load %a[0, 0] : !tile.local<1x1xf32> -> tensor<1x1xf32>
  %2 = tile.local_get %b[%z] : !tile.local<1xf32> -> f32
  tile.local_store %t, %c[0, 0] : tensor<1x1xf32>, !tile.local<1x1xf32>
  tile.local_set %x, %c[%z, %z] : f32, !tile.local<1x1xf32>
  %3 = tile.local_load %c[0, 0] : !tile.local<1x1xf32> -> tensor<1x1xf32>
  return %0, %1, %2, %3 : f32, tensor<1x1xf32>, f32, tensor<1x1xf32>
}

// -----

// One element that is written as a splat, in whatever shape, is read as the scalar.
// CHECK-LABEL: func.func @splats(
// CHECK-SAME: [[C:%[a-z0-9]+]]: i1, [[X:%[a-z0-9]+]]: f32
// CHECK-DAG: [[TWO:%.+]] = arith.constant 2.000000e+00 : f32
// CHECK: [[S:%.+]] = arith.select [[C]], [[X]], [[TWO]]
// CHECK-NOT: tile.local
// CHECK: return [[S]]
func.func @splats(%c: i1, %x: f32) -> f32 {
  %z = arith.constant 0 : index
  %two = arith.constant dense<2.0> : tensor<1x1xf32>
  %b = tile.local_alloc : !tile.local<1x1xf32>
  tile.local_store %two, %b[0, 0] : tensor<1x1xf32>, !tile.local<1x1xf32>
  scf.if %c {
    %0 = tensor.splat %x : tensor<1xf32>
    %1 = tensor.expand_shape %0 [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
    tile.local_store %1, %b[0, 0] : tensor<1x1xf32>, !tile.local<1x1xf32>
  }
  %r = tile.local_get %b[%z, %z] : !tile.local<1x1xf32> -> f32
  return %r : f32
}

// -----

// Stay memory: a part written, a part read, an element of many, an element of what was computed.
// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-4: tile.local_alloc
// CHECK-COUNT-4: tile.local_store
func.func @kept(%t: tensor<4x8xf32>, %row: tensor<1x8xf32>, %one: tensor<1xf32>, %i: index)
    -> (tensor<4x8xf32>, tensor<1x8xf32>, f32, f32) {
  %z = arith.constant 0 : index
  %a = tile.local_alloc : !tile.local<4x8xf32>
  %b = tile.local_alloc : !tile.local<4x8xf32>
  %c = tile.local_alloc : !tile.local<4x8xf32>
  %d = tile.local_alloc : !tile.local<1xf32>
  tile.local_store %row, %a[%i, 0] : tensor<1x8xf32>, !tile.local<4x8xf32>
  %0 = tile.local_load %a[0, 0] : !tile.local<4x8xf32> -> tensor<4x8xf32>
  tile.local_store %t, %b[0, 0] : tensor<4x8xf32>, !tile.local<4x8xf32>
  %1 = tile.local_load %b[%i, 0] : !tile.local<4x8xf32> -> tensor<1x8xf32>
  tile.local_store %t, %c[0, 0] : tensor<4x8xf32>, !tile.local<4x8xf32>
  %2 = tile.local_get %c[%i, %z] : !tile.local<4x8xf32> -> f32
  tile.local_store %one, %d[0] : tensor<1xf32>, !tile.local<1xf32>
  %3 = tile.local_get %d[%z] : !tile.local<1xf32> -> f32
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<1x8xf32>, f32, f32
}

// -----

// An address keeps a buffer where it is, unless addresses mean nothing. Nobody reads the second.
// CHECK-LABEL: func.func @pinned(
// CHECK: tile.local_alloc at 1024
// CHECK: tile.local_load
// PINNED-LABEL: func.func @pinned(
// PINNED-SAME: [[T:%[a-z0-9]+]]: tensor<8xf32>
// PINNED-NEXT: return [[T]]
func.func @pinned(%t: tensor<8xf32>, %row: tensor<1xf32>) -> tensor<8xf32> {
  %b = tile.local_alloc at 1024 : !tile.local<8xf32>
  %unread = tile.local_alloc : !tile.local<8xf32>
  tile.local_store %t, %b[0] : tensor<8xf32>, !tile.local<8xf32>
  %0 = tile.local_load %b[0] : !tile.local<8xf32> -> tensor<8xf32>
  tile.local_store %row, %unread[3] : tensor<1xf32>, !tile.local<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Where the author placed flags buffers are memory; scalars are not.
// CHECK-LABEL: func.func @asynchronous(
// CHECK-COUNT-2: tile.local_alloc{{.*}}<8xf32>
// CHECK-NOT: tile.local_alloc
// CHECK: tile.local_store
// CHECK: tile.local_load
// CHECK-NOT: tile.local_get
func.func @asynchronous(%t: tensor<8xf32>, %x: f32) -> (tensor<8xf32>, f32)
    attributes {tile.asynchronous} {
  %z = arith.constant 0 : index
  %a = tile.local_alloc : !tile.local<8xf32>
  %b = tile.local_alloc : !tile.local<8xf32>
  %s = tile.local_alloc : !tile.local<1xf32>
  tile.local_store %t, %a[0] : tensor<8xf32>, !tile.local<8xf32>
  tile.local_store %t, %b[0] : tensor<8xf32>, !tile.local<8xf32>
  %0 = tile.local_load %a[0] : !tile.local<8xf32> -> tensor<8xf32>
  tile.local_set %x, %s[%z] : f32, !tile.local<1xf32>
  %1 = tile.local_get %s[%z] : !tile.local<1xf32> -> f32
  return %0, %1 : tensor<8xf32>, f32
}

// -----

// On the same bytes as another: what is written to one, the other reads.
// PINNED-LABEL: func.func @shared(
// PINNED: tile.local_alloc
// PINNED-NEXT: tile.local_alloc
// PINNED-NEXT: tile.local_store
// PINNED-NEXT: [[X:%.+]] = tile.local_load
// PINNED-NEXT: return [[X]]
func.func @shared(%t: tensor<8xf32>) -> tensor<8xi32> {
  %a = tile.local_alloc at 64 "a" : !tile.local<8xf32>
  %b = tile.local_alloc at 64 "b" : !tile.local<8xi32>
  tile.local_store %t, %a[0] : tensor<8xf32>, !tile.local<8xf32>
  %x = tile.local_load %b[0] : !tile.local<8xi32> -> tensor<8xi32>
  return %x : tensor<8xi32>
}
