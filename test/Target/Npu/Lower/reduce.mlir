// RUN: kiln-opt %s --split-input-file --kiln-npu-bufferize --kiln-npu-lower | FileCheck %s

// A long row: every block to one element, as often as that leaves whole blocks.
// CHECK-LABEL: func @long_row
// CHECK: npu.vreduce <vcgadd> {{.*}} memref<512x8xf32, #npu.mem<ub>>, memref<512xf32
// CHECK: npu.vreduce <vcgadd> {{.*}} memref<64x8xf32, #npu.mem<ub>>, memref<64xf32
// CHECK: npu.vreduce <vcadd> {{.*}} memref<1x64xf32, #npu.mem<ub>>, memref<1xf32
// CHECK: [[S:%.+]] = npu.sload
// CHECK: npu.sstore [[S]], %arg1
func.func @long_row(%v: !tile.ptr<f32>, %o: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<4096xf32>
  %x = tile.load %view : !tile.view<4096xf32> -> tensor<4096xf32>
  %s = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %q = arith.addf %a, %b : f32
    tile.yield %q : f32
  } : (tensor<4096xf32>) -> f32
  tile.ptr_store %o, %s : !tile.ptr<f32>, f32
  return
}

// -----

// Many short rows, with a gap behind each: in row form.
// CHECK-LABEL: func @ragged_rows
// CHECK: npu.vreduce <vcmax> {{.*}} memref<16x60xf32, strided<[64, 1]>, #npu.mem<ub>>, memref<16xf32
// CHECK: npu.store
func.func @ragged_rows(%v: !tile.ptr<f32>, %o: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [60, 1] : !tile.ptr<f32> -> !tile.view<16x60xf32>
  %out = tile.view %o[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<16xf32>
  %x = tile.load %view : !tile.view<16x60xf32> -> tensor<16x60xf32>
  %s = tile.reduce(%x) axis 1 {
  ^bb0(%a: f32, %b: f32):
    %q = arith.maxnumf %a, %b : f32
    tile.yield %q : f32
  } : (tensor<16x60xf32>) -> tensor<16xf32>
  tile.store %s, %out : tensor<16xf32>, !tile.view<16xf32>
  return
}

// -----

// Columns: halves of the rows, the odd one last.
// CHECK-LABEL: func @columns
// CHECK: npu.vbinary <vadd> {{.*}} memref<128xi32
// CHECK: npu.vbinary <vadd> {{.*}} memref<64xi32
// CHECK: npu.vbinary <vadd> {{.*}} memref<64xi32
// CHECK: npu.store
func.func @columns(%v: !tile.ptr<i32>, %o: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [64, 1] : !tile.ptr<i32> -> !tile.view<5x64xi32>
  %out = tile.view %o[%c0] strides [1] : !tile.ptr<i32> -> !tile.view<64xi32>
  %x = tile.load %view : !tile.view<5x64xi32> -> tensor<5x64xi32>
  %s = tile.reduce(%x) axis 0 {
  ^bb0(%a: i32, %b: i32):
    %q = arith.addi %a, %b : i32
    tile.yield %q : i32
  } : (tensor<5x64xi32>) -> tensor<64xi32>
  tile.store %s, %out : tensor<64xi32>, !tile.view<64xi32>
  return
}

// -----

// No row instruction for integers: halves down to a block, then a gather makes the rest whole rows.
// CHECK-LABEL: func @integer_row
// CHECK: npu.vbinary <vadd> {{.*}} memref<16xi32
// CHECK: npu.vbinary <vadd> {{.*}} memref<8xi32
// CHECK: npu.vgather {{.*}} memref<8x1xi32
// CHECK: npu.vbinary <vadd> {{.*}} memref<32xi32
// CHECK: npu.vbinary <vadd> {{.*}} memref<16xi32
// CHECK: npu.vbinary <vadd> {{.*}} memref<1xi32
// CHECK: npu.sload
func.func @integer_row(%v: !tile.ptr<i32>, %o: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [1] : !tile.ptr<i32> -> !tile.view<32xi32>
  %x = tile.load %view : !tile.view<32xi32> -> tensor<32xi32>
  %s = tile.reduce(%x) axis 0 {
  ^bb0(%a: i32, %b: i32):
    %q = arith.addi %a, %b : i32
    tile.yield %q : i32
  } : (tensor<32xi32>) -> i32
  tile.ptr_store %o, %s : !tile.ptr<i32>, i32
  return
}

// -----

// Two values and a comparison: whole rows of lanes, no copies.
// CHECK-LABEL: func @argmax
// Steps 0, 4, 2, 6, … of the eight: what is combined are neighbours.
// CHECK-DAG: npu.vscalar <vadds> {{.*}}, %c16_i32, {{.*}} memref<8xi32
// CHECK-NOT: npu.copy
// CHECK-COUNT-2: npu.vgather
// CHECK: npu.vcmp <ge> {{.*}} memref<256xf32
// CHECK-COUNT-2: npu.vsel {{.*}} memref<256x
// CHECK-NOT: npu.copy
// CHECK: npu.vcmp <ge> {{.*}} memref<128xf32
// CHECK-COUNT-2: npu.vsel
// CHECK: npu.vcmp <ge> {{.*}} memref<64xf32
// CHECK-COUNT-2: npu.vsel
// CHECK-COUNT-2: npu.vgather
// CHECK-NOT: npu.copy
// CHECK: npu.sload
func.func @argmax(%v: !tile.ptr<f32>, %o: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %view = tile.view %v[%c0] strides [1] : !tile.ptr<f32> -> !tile.view<64xf32>
  %x = tile.load %view : !tile.view<64xf32> -> tensor<64xf32>
  %i = tile.iota 0 : tensor<64xi32>
  %m:2 = tile.reduce(%x, %i) axis 0 {
  ^bb0(%a: f32, %k: i32, %b: f32, %l: i32):
    %q = arith.cmpf oge, %a, %b : f32
    %r = arith.select %q, %a, %b : f32
    %t = arith.select %q, %k, %l : i32
    tile.yield %r, %t : f32, i32
  } : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  tile.ptr_store %o, %m#1 : !tile.ptr<i32>, i32
  return
}
