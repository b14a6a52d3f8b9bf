// RUN: kiln-opt %s --kiln-npu-bufferize | FileCheck %s

// A carried tensor ends where it began: one buffer, and the zeros are its only copy.
// CHECK-LABEL: func @accumulate
// CHECK-DAG: [[B:%.+]] = npu.alloc : memref<64xf32, #npu.mem<ub>>
// CHECK-DAG: [[Z:%.+]] = tensor.splat
// CHECK: materialize_in_destination [[Z]] in restrict writable [[B]]
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: [[A:%.+]] = bufferization.to_tensor [[B]]
// CHECK: [[X:%.+]] = tile.load
// CHECK-NEXT: materialize_in_destination [[X]] in restrict writable {{%.+}} :
// CHECK: [[S:%.+]] = arith.addf [[A]], [[X]]
// CHECK-NEXT: materialize_in_destination [[S]] in restrict writable [[B]]
// CHECK-NEXT: }
// CHECK: [[R:%.+]] = bufferization.to_tensor [[B]]
// CHECK-NOT: materialize
// CHECK: tile.store [[R]]
func.func @accumulate(%x: !tile.ptr<f32>, %n: index, %zero: f32) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %x[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %init = tensor.splat %zero : tensor<64xf32>
  %sum = scf.for %i = %c0 to %n step %c64 iter_args(%a = %init) -> tensor<64xf32> {
    %w = tile.view %x[%i] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
    %t = tile.load %w : !tile.view<64xf32> -> tensor<64xf32>
    %s = arith.addf %a, %t : tensor<64xf32>
    scf.yield %s : tensor<64xf32>
  }
  tile.store %sum, %v : tensor<64xf32>, !tile.view<64xf32>
  return
}

// The result of an inner loop is the next value of the outer one: still one buffer.
// CHECK-LABEL: func @nested
// CHECK-COUNT-1: npu.alloc
// CHECK-NOT: npu.alloc
// CHECK-COUNT-2: materialize_in_destination
// CHECK-NOT: materialize_in_destination
// CHECK: return
func.func @nested(%n: index, %zero: f32, %out: !tile.view<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tensor.splat %zero : tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> tensor<8xf32> {
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> tensor<8xf32> {
      %e = math.exp %b : tensor<8xf32>
      scf.yield %e : tensor<8xf32>
    }
    scf.yield %q : tensor<8xf32>
  }
  tile.store %r, %out : tensor<8xf32>, !tile.view<8xf32>
  return
}

// The old value is read when the new one is there: that one is made elsewhere and copied.
// CHECK-LABEL: func @old_value_lives
// CHECK: scf.for
// CHECK: [[OLD:%.+]] = bufferization.to_tensor [[B:%.+]] restrict
// CHECK: [[NEW:%.+]] = math.exp [[OLD]]
// CHECK-NEXT: materialize_in_destination [[NEW]] in restrict writable [[T:%.+]] :
// CHECK: arith.subf [[NEW]], [[OLD]]
// CHECK: tile.store
// CHECK-NEXT: materialize_in_destination [[NEW]] in restrict writable [[B]] :
// CHECK-NEXT: }
func.func @old_value_lives(%n: index, %zero: f32, %out: !tile.view<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = tensor.splat %zero : tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> tensor<8xf32> {
    %e = math.exp %a : tensor<8xf32>
    %d = arith.subf %e, %a : tensor<8xf32>
    tile.store %d, %out : tensor<8xf32>, !tile.view<8xf32>
    scf.yield %e : tensor<8xf32>
  }
  tile.store %r, %out : tensor<8xf32>, !tile.view<8xf32>
  return
}

// Two tensors that change places: both are saved before one is overwritten.
// CHECK-LABEL: func @swap
// CHECK: scf.for
// CHECK-DAG: [[A:%.+]] = bufferization.to_tensor [[BA:%.+]] restrict
// CHECK-DAG: [[B:%.+]] = bufferization.to_tensor [[BB:%.+]] restrict
// CHECK: materialize_in_destination [[B]] in restrict writable [[T0:%.+]] :
// CHECK-NEXT: [[S0:%.+]] = bufferization.to_tensor [[T0]]
// CHECK-NEXT: materialize_in_destination [[A]] in restrict writable [[T1:%.+]] :
// CHECK-NEXT: [[S1:%.+]] = bufferization.to_tensor [[T1]]
// CHECK-NEXT: materialize_in_destination [[S0]] in restrict writable [[BA]] :
// CHECK-NEXT: materialize_in_destination [[S1]] in restrict writable [[BB]] :
func.func @swap(%n: index, %zero: f32, %one: f32, %out: !tile.view<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = tensor.splat %zero : tensor<8xf32>
  %i1 = tensor.splat %one : tensor<8xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %i0, %b = %i1)
      -> (tensor<8xf32>, tensor<8xf32>) {
    scf.yield %b, %a : tensor<8xf32>, tensor<8xf32>
  }
  tile.store %r#0, %out : tensor<8xf32>, !tile.view<8xf32>
  tile.store %r#1, %out : tensor<8xf32>, !tile.view<8xf32>
  return
}

// Both branches write the place of the result; the branch that passes a value on does nothing.
// CHECK-LABEL: func @branch
// CHECK: [[X:%.+]] = tile.load
// CHECK-NEXT: materialize_in_destination [[X]] in restrict writable [[B:%.+]] :
// CHECK-NEXT: scf.if
// CHECK-NEXT: [[E:%.+]] = math.exp [[X]]
// CHECK-NEXT: materialize_in_destination [[E]] in restrict writable [[B]] :
// CHECK-NEXT: }
// CHECK: [[R:%.+]] = bufferization.to_tensor [[B]]
// CHECK: tile.store [[R]]
func.func @branch(%c: i1, %v: !tile.view<8xf32>) {
  %x = tile.load %v : !tile.view<8xf32> -> tensor<8xf32>
  %r = scf.if %c -> tensor<8xf32> {
    %e = math.exp %x : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  tile.store %r, %v : tensor<8xf32>, !tile.view<8xf32>
  return
}

// CHECK-LABEL: func @while
// CHECK: scf.while : () -> ()
// CHECK: [[A:%.+]] = bufferization.to_tensor [[B:%.+]] restrict
// CHECK: scf.condition
// CHECK: [[E:%.+]] = math.exp
// CHECK-NEXT: materialize_in_destination [[E]] in restrict writable [[B]] :
func.func @while(%v: !tile.view<8xf32>, %limit: f32) {
  %c0 = arith.constant 0 : index
  %x = tile.load %v : !tile.view<8xf32> -> tensor<8xf32>
  %r = scf.while (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %first = tensor.extract %a[%c0] : tensor<8xf32>
    %go = arith.cmpf olt, %first, %limit : f32
    scf.condition(%go) %a : tensor<8xf32>
  } do {
  ^bb0(%b: tensor<8xf32>):
    %e = math.exp %b : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  }
  tile.store %r, %v : tensor<8xf32>, !tile.view<8xf32>
  return
}
