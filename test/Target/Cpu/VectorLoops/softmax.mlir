// RUN: kiln-opt %s --kiln-cpu-vector-loops --canonicalize --cse | FileCheck %s

// Three groups: the maximum; the exponentials, kept, and their sum; the division. The row is read again
// for the second, the exponentials come from scratch.

// CHECK-LABEL: func @row(
// CHECK-SAME: kiln.scratch_bytes = 512 : i64
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.select %{{.*}} : vector<64xi1>, vector<64xf32>
// CHECK: scf.yield
// CHECK: scf.for {{.*}} iter_args
// CHECK: math.exp
// CHECK: llvm.store
// CHECK: arith.addf
// CHECK: scf.for
// CHECK: arith.divf
// CHECK: llvm.store
// CHECK-NOT: scf.for
func.func @row(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
               %o: !tile.ptr<f32> {tile.alias_set = 1 : i64}, %off: index) {
  %vx = tile.view %x[%off] strides [1] : !tile.ptr<f32> -> !tile.view<128xf32>
  %vo = tile.view %o[%off] strides [1] : !tile.ptr<f32> -> !tile.view<128xf32>
  %a = tile.load %vx : !tile.view<128xf32> -> tensor<128xf32>
  %m = tile.reduce(%a) axis 0 {
  ^bb0(%p: f32, %q: f32):
    %r = arith.maxnumf %p, %q : f32
    tile.yield %r : f32
  } : (tensor<128xf32>) -> f32
  %ms = tensor.splat %m : tensor<128xf32>
  %d = arith.subf %a, %ms : tensor<128xf32>
  %e = math.exp %d : tensor<128xf32>
  %sum = tile.reduce(%e) axis 0 {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  } : (tensor<128xf32>) -> f32
  %ss = tensor.splat %sum : tensor<128xf32>
  %y = arith.divf %e, %ss : tensor<128xf32>
  tile.store %y, %vo : tensor<128xf32>, !tile.view<128xf32>
  return
}

// In two dimensions the rows are a loop around the same groups, and scratch holds one row.

// CHECK-LABEL: func @rows(
// CHECK-SAME: kiln.scratch_bytes = 512 : i64
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1 {
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.for
// CHECK-NOT: scf.for
func.func @rows(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                %o: !tile.ptr<f32> {tile.alias_set = 1 : i64}, %off: index) {
  %vx = tile.view %x[%off] strides [128, 1] : !tile.ptr<f32> -> !tile.view<16x128xf32>
  %vo = tile.view %o[%off] strides [128, 1] : !tile.ptr<f32> -> !tile.view<16x128xf32>
  %a = tile.load %vx : !tile.view<16x128xf32> -> tensor<16x128xf32>
  %m = tile.reduce(%a) axis 1 {
  ^bb0(%p: f32, %q: f32):
    %r = arith.maximumf %p, %q : f32
    tile.yield %r : f32
  } : (tensor<16x128xf32>) -> tensor<16xf32>
  %0 = tensor.empty() : tensor<16x128xf32>
  %mb = linalg.broadcast ins(%m : tensor<16xf32>) outs(%0 : tensor<16x128xf32>) dimensions = [1]
  %d = arith.subf %a, %mb : tensor<16x128xf32>
  %e = math.exp %d : tensor<16x128xf32>
  %s = tile.reduce(%e) axis 1 {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  } : (tensor<16x128xf32>) -> tensor<16xf32>
  %sb = linalg.broadcast ins(%s : tensor<16xf32>) outs(%0 : tensor<16x128xf32>) dimensions = [1]
  %y = arith.divf %e, %sb : tensor<16x128xf32>
  tile.store %y, %vo : tensor<16x128xf32>, !tile.view<16x128xf32>
  return
}
