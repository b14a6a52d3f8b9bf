// RUN: kiln-opt %s --kiln-npu-fit-axes --canonicalize --cse --split-input-file | FileCheck %s

// A small tile stays whole.
// CHECK-LABEL: func.func @small
// CHECK-NOT: scf.for
// CHECK: tile.load %{{.*}} -> tensor<4096xf32>
func.func @small(%x: !tile.ptr<f32>, %n: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.view %x[%c0] strides [1] : <f32> -> <4096xf32>
  %t = tile.load %v valid [%c0] to [%n] : <4096xf32> -> tensor<4096xf32>
  %r = arith.addf %t, %t : tensor<4096xf32>
  tile.store %r, %v valid [%c0] to [%n] : tensor<4096xf32>, <4096xf32>
  return
}

// -----

// Offsets and bounds move with the piece; pieces behind the last stored lane do not run. In place:
// each lane is its own.
// CHECK-LABEL: func.func @bounded
// CHECK-SAME: %[[X:.*]]: !tile.ptr<f32>, %[[O:.*]]: index, %[[N:.*]]: index
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[SIZE:.*]] = arith.constant 65536 : index
// CHECK: %[[END:.*]] = arith.minsi %[[N]], %[[SIZE]]
// CHECK: scf.for %[[I:.*]] = %[[ZERO]] to %[[END]] step
// CHECK: %[[AT:.*]] = arith.addi %[[O]], %[[I]]
// CHECK: tile.view %[[X]][%[[AT]]] strides [1] : <f32> -> <[[P:[0-9]+]]xf32>
// CHECK: %[[UPPER:.*]] = arith.subi %{{.*}}, %[[I]]
// CHECK: tile.load %{{.*}} valid[%[[ZERO]]] to[%[[UPPER]]]
// CHECK: arith.addf %{{.*}} : tensor<[[P]]xf32>
// CHECK: tile.store %{{.*}} valid[%[[ZERO]]] to[%[[UPPER]]]
func.func @bounded(%x: !tile.ptr<f32>, %o: index, %n: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.view %x[%o] strides [1] : <f32> -> <65536xf32>
  %t = tile.load %v valid [%c0] to [%n] : <65536xf32> -> tensor<65536xf32>
  %r = arith.addf %t, %t : tensor<65536xf32>
  tile.store %r, %v valid [%c0] to [%n] : tensor<65536xf32>, <65536xf32>
  return
}

// -----

// The last piece is clipped by a bound of its own; counts begin where the piece does; strides count.
// CHECK-LABEL: func.func @counted
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : index
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[IOTA:.*]] = tile.iota 5 : tensor<[[P:[0-9]+]]xi32>
// CHECK: %[[START:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK: %[[ALL:.*]] = tensor.splat %[[START]] : tensor<[[P]]xi32>
// CHECK: %[[COUNT:.*]] = arith.addi %[[IOTA]], %[[ALL]]
// CHECK: %[[AT:.*]] = arith.muli %[[I]], %[[THREE]]
// CHECK: %[[V:.*]] = tile.view %{{.*}}[%[[AT]]] strides [3]
// CHECK: %[[UPPER:.*]] = arith.subi %{{.*}}, %[[I]]
// CHECK: tile.store %[[COUNT]], %[[V]] valid[%{{.*}}] to[%[[UPPER]]]
func.func @counted(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %t = tile.iota 5 : tensor<65536xi32>
  %v = tile.view %x[%c0] strides [3] : <i32> -> <65536xi32>
  tile.store %t, %v : tensor<65536xi32>, <65536xi32>
  return
}

// -----

// The rows of a tile are cut before its columns, which are reduced.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for
// CHECK: tile.reduce(%{{.*}}) axis 1
// CHECK: (tensor<[[R:[0-9]+]]x1024xf32>) -> tensor<[[R]]xf32>
// CHECK: tile.store %{{.*}} : tensor<[[R]]xf32>
func.func @rows(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64}, %y: !tile.ptr<f32> {tile.alias_set = 1 : i64}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.view %x[%c0] strides [1024, 1] : <f32> -> <256x1024xf32>
  %t = tile.load %v : <256x1024xf32> -> tensor<256x1024xf32>
  %s = tile.reduce(%t) axis 1 {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tile.yield %0 : f32
  } : (tensor<256x1024xf32>) -> tensor<256xf32>
  %w = tile.view %y[%c0] strides [1] : <f32> -> <256xf32>
  tile.store %s, %w : tensor<256xf32>, <256xf32>
  return
}

// -----

// A tile that a loop carries: the loop is inside of the pieces.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for %[[I:.*]] =
// CHECK: scf.for {{.*}} -> (tensor<[[P:[0-9]+]]xf32>)
// CHECK: tile.load %{{.*}} -> tensor<[[P]]xf32>
// CHECK: tile.store %{{.*}} : tensor<[[P]]xf32>
func.func @carried(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64}, %y: !tile.ptr<f32> {tile.alias_set = 1 : i64}, %m: index) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c65536 = arith.constant 65536 : index
  %zero = arith.constant dense<0.0> : tensor<65536xf32>
  %sum = scf.for %i = %c0 to %m step %c1 iter_args(%a = %zero) -> tensor<65536xf32> {
    %o = arith.muli %i, %c65536 : index
    %v = tile.view %x[%o] strides [1] : <f32> -> <65536xf32>
    %t = tile.load %v : <65536xf32> -> tensor<65536xf32>
    %r = arith.addf %a, %t : tensor<65536xf32>
    scf.yield %r : tensor<65536xf32>
  }
  %w = tile.view %y[%c0] strides [1] : <f32> -> <65536xf32>
  tile.store %sum, %w : tensor<65536xf32>, <65536xf32>
  return
}
