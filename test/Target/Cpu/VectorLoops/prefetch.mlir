// RUN: kiln-opt %s "--kiln-cpu-vector-loops=streaming=true" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,STREAM
// RUN: kiln-opt %s "--kiln-cpu-vector-loops=streaming=false" --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,CACHED

// The second loop over a row asks for the row of the next program: one stride further.
// CHECK-LABEL: func @rows(
// CHECK-SAME: %[[STRIDE:arg[0-9]+]]: i32
// CHECK: llvm.load
// CHECK-NOT: llvm.intr.prefetch
// CHECK: scf.yield
// CHECK: %[[WIDE:.*]] = arith.extsi %[[STRIDE]] : i32 to i64
// CHECK: %[[BYTES:.*]] = arith.muli %[[WIDE]], %c4_i64 : i64
// CHECK: llvm.getelementptr %{{.*}}[%[[BYTES]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK: "llvm.intr.prefetch"({{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// CHECK: arith.subf
func.func @rows(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                %o: !tile.ptr<f32> {tile.alias_set = 1 : i64}, %stride: i32) {
  %pid = tile.program_id 0
  %row = arith.muli %pid, %stride : i32
  %off = arith.index_cast %row : i32 to index
  %vx = tile.view %x[%off] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %vo = tile.view %o[%off] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %t = tile.load %vx : !tile.view<1024xf32> -> tensor<1024xf32>
  %m = tile.reduce(%t) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maxnumf %a, %b : f32
    tile.yield %0 : f32
  } : (tensor<1024xf32>) -> f32
  %s = tensor.splat %m : tensor<1024xf32>
  %d = arith.subf %t, %s : tensor<1024xf32>
  tile.store %d, %vo : tensor<1024xf32>, !tile.view<1024xf32>
  return
}

// In a loop over rows the next one is a step further.
// CHECK-LABEL: func @loop(
// CHECK-SAME: index, %[[STEP:arg[0-9]+]]: index
// CHECK: arith.index_cast %[[STEP]] : index to i64
// CHECK: arith.subf
func.func @loop(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                %o: !tile.ptr<f32> {tile.alias_set = 1 : i64}, %n: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %n step %step {
    %off = arith.muli %i, %c1024 : index
    %vx = tile.view %x[%off] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
    %vo = tile.view %o[%off] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
    %t = tile.load %vx : !tile.view<1024xf32> -> tensor<1024xf32>
    %m = tile.reduce(%t) axis 0 {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maxnumf %a, %b : f32
      tile.yield %0 : f32
    } : (tensor<1024xf32>) -> f32
    %s = tensor.splat %m : tensor<1024xf32>
    %d = arith.subf %t, %s : tensor<1024xf32>
    tile.store %d, %vo : tensor<1024xf32>, !tile.view<1024xf32>
  }
  return
}

// A row whose place does not follow from the program's number is left to the hardware.
// CHECK-LABEL: func @elsewhere(
// CHECK-NOT: prefetch
// CHECK: return
func.func @elsewhere(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                     %o: !tile.ptr<f32> {tile.alias_set = 1 : i64}, %modulus: i32) {
  %pid = tile.program_id 0
  %row = arith.remsi %pid, %modulus : i32
  %off = arith.index_cast %row : i32 to index
  %vx = tile.view %x[%off] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %vo = tile.view %o[%off] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %t = tile.load %vx : !tile.view<1024xf32> -> tensor<1024xf32>
  %m = tile.reduce(%t) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maxnumf %a, %b : f32
    tile.yield %0 : f32
  } : (tensor<1024xf32>) -> f32
  %s = tensor.splat %m : tensor<1024xf32>
  %d = arith.subf %t, %s : tensor<1024xf32>
  tile.store %d, %vo : tensor<1024xf32>, !tile.view<1024xf32>
  return
}

// A row that is read once is asked for a little ahead, line by line, where it comes from memory.
// CHECK-LABEL: func @once(
// CACHED-NOT: prefetch
// STREAM: %[[AHEAD:.*]] = llvm.getelementptr %{{.*}}[1024] : (!llvm.ptr) -> !llvm.ptr, i8
// STREAM: "llvm.intr.prefetch"(%[[AHEAD]]) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
// STREAM: llvm.load
// CHECK: return
func.func @once(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                %o: !tile.ptr<f32> {tile.alias_set = 1 : i64}) {
  %pid = tile.program_id 0
  %off = arith.index_cast %pid : i32 to index
  %vx = tile.view %x[%off] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %vo = tile.view %o[%off] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %t = tile.load %vx : !tile.view<1024xf32> -> tensor<1024xf32>
  tile.store %t, %vo : tensor<1024xf32>, !tile.view<1024xf32>
  return
}

// What stays where it is from program to program is in the caches.
// CHECK-LABEL: func @weights(
// CHECK-NOT: prefetch
// CHECK: return
func.func @weights(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                   %o: !tile.ptr<f32> {tile.alias_set = 1 : i64}) {
  %pid = tile.program_id 0
  %off = arith.index_cast %pid : i32 to index
  %c0 = arith.constant 0 : index
  %vx = tile.view %x[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %vo = tile.view %o[%off] strides [1] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %t = tile.load %vx : !tile.view<1024xf32> -> tensor<1024xf32>
  tile.store %t, %vo : tensor<1024xf32>, !tile.view<1024xf32>
  return
}

// In a block of rows the next one lies a stride further.
// CHECK-LABEL: func @block(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: prefetch
// CHECK: scf.for
// CHECK: llvm.getelementptr %{{.*}}[12000] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: "llvm.intr.prefetch"({{.*}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// CHECK: arith.subf
func.func @block(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64},
                 %o: !tile.ptr<f32> {tile.alias_set = 1 : i64}) {
  %pid = tile.program_id 0
  %off = arith.index_cast %pid : i32 to index
  %vx = tile.view %x[%off] strides [3000, 1] : !tile.ptr<f32> -> !tile.view<8x1024xf32>
  %vo = tile.view %o[%off] strides [3000, 1] : !tile.ptr<f32> -> !tile.view<8x1024xf32>
  %t = tile.load %vx : !tile.view<8x1024xf32> -> tensor<8x1024xf32>
  %m = tile.reduce(%t) axis 1 {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maxnumf %a, %b : f32
    tile.yield %0 : f32
  } : (tensor<8x1024xf32>) -> tensor<8xf32>
  %s = tensor.empty() : tensor<8x1024xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                                        affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
       ins(%t, %m : tensor<8x1024xf32>, tensor<8xf32>) outs(%s : tensor<8x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x1024xf32>
  tile.store %w, %vo : tensor<8x1024xf32>, !tile.view<8x1024xf32>
  return
}
