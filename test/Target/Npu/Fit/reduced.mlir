// RUN: kiln-opt %s --kiln-npu-fit-axes --canonicalize --cse --split-input-file | FileCheck %s
// RUN: kiln-opt %s --kiln-npu-fit-axes=explain --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=CUT

// What is left over comes first and seeds the result; partial results are combined in order.
// CUT: remark: the dimension of 100003 is cut into pieces of {{[0-9]+}}, in 1 pass
// CHECK-LABEL: func.func @sum
// CHECK: %[[FIRST:.*]] = tile.reduce
// CHECK: -> tensor<1xf32>
// CHECK: scf.for {{.*}} to %c100003 step %c[[P:[0-9]+]] iter_args(%[[SO_FAR:.*]] = %[[FIRST]])
// CHECK: tile.load %{{.*}} -> tensor<1x[[P]]xf32>
// CHECK: %[[PART:.*]] = tile.reduce
// CHECK: %[[NEXT:.*]] = arith.addf %[[SO_FAR]], %[[PART]]
// CHECK: scf.yield %[[NEXT]]
func.func @sum(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.view %x[%c0] strides [1, 1] : <f32> -> <1x100003xf32>
  %t = tile.load %v : <1x100003xf32> -> tensor<1x100003xf32>
  %s = tile.reduce(%t) axis 1 {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tile.yield %0 : f32
  } : (tensor<1x100003xf32>) -> tensor<1xf32>
  %w = tile.view %y[%c0] strides [1] : <f32> -> <1xf32>
  tile.store %s, %w : tensor<1xf32>, <1xf32>
  return
}

// -----

// Two results at once: the left one is what came before.
// CHECK-LABEL: func.func @first_largest
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[I:.*]] = %{{.*}})
// CHECK: %[[R:.*]]:2 = tile.reduce
// CHECK: (tensor<1x{{[0-9]+}}xf32>, tensor<1x{{[0-9]+}}xi32>) -> (tensor<1xf32>, tensor<1xi32>)
// CHECK: %[[C:.*]] = arith.cmpf oge, %[[A]], %[[R]]#0 : tensor<1xf32>
// CHECK: arith.select %[[C]], %[[A]], %[[R]]#0
// CHECK: arith.select %[[C]], %[[I]], %[[R]]#1
func.func @first_largest(%x: !tile.ptr<f32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.view %x[%c0] strides [1] : <f32> -> <65536xf32>
  %t = tile.load %v : <65536xf32> -> tensor<65536xf32>
  %n = tile.iota 0 : tensor<65536xi32>
  %e = tensor.expand_shape %t [[0, 1]] output_shape [1, 65536] : tensor<65536xf32> into tensor<1x65536xf32>
  %f = tensor.expand_shape %n [[0, 1]] output_shape [1, 65536] : tensor<65536xi32> into tensor<1x65536xi32>
  %s:2 = tile.reduce(%e, %f) axis 1 {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %c = arith.cmpf oge, %a, %b : f32
    %0 = arith.select %c, %a, %b : f32
    %1 = arith.select %c, %i, %j : i32
    tile.yield %0, %1 : f32, i32
  } : (tensor<1x65536xf32>, tensor<1x65536xi32>) -> (tensor<1xf32>, tensor<1xi32>)
  %w = tile.view %y[%c0] strides [1] : <i32> -> <1xi32>
  tile.store %s#1, %w : tensor<1xi32>, <1xi32>
  return
}

// -----

// The sum is needed before the quotient: two passes, the second of which loads again.
// CUT: remark: the dimension of 65536 is cut into pieces of {{[0-9]+}}, in 2 passes
// CHECK-LABEL: func.func @share
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: tile.load
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: tile.load
// CHECK: linalg.broadcast ins(%[[SUM]]
// CHECK: arith.divf
// CHECK: tile.store
func.func @share(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.view %x[%c0] strides [1, 1] : <f32> -> <1x65536xf32>
  %t = tile.load %v : <1x65536xf32> -> tensor<1x65536xf32>
  %s = tile.reduce(%t) axis 1 {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tile.yield %0 : f32
  } : (tensor<1x65536xf32>) -> tensor<1xf32>
  %e = tensor.empty() : tensor<1x65536xf32>
  %b = linalg.broadcast ins(%s : tensor<1xf32>) outs(%e : tensor<1x65536xf32>) dimensions = [1]
  %r = arith.divf %t, %b : tensor<1x65536xf32>
  tile.store %r, %v : tensor<1x65536xf32>, <1x65536xf32>
  return
}
