// RUN: kiln-opt %s -split-input-file -verify-diagnostics

func.func @iota_c1() {
  // expected-error @below {{has type 'tensor<0xi32>', expected a static positive size}}
  %0 = tile.iota 0 : tensor<0xi32>
  return
}

// -----

func.func @hint_c1(%a: i32) {
  // expected-error @below {{has kind "even", expected multiple_of, max_contiguous or max_constancy}}
  %0 = tile.hint %a "even" [2] : i32
  return
}

// -----

func.func @hint_c2(%a: tensor<4x8xi32>) {
  // expected-error @below {{has 1 values, expected 2}}
  %0 = tile.hint %a "multiple_of" [16] : tensor<4x8xi32>
  return
}

// -----

func.func @hint_c2_positive(%a: i32) {
  // expected-error @below {{has value 0, expected a positive number}}
  %0 = tile.hint %a "multiple_of" [0] : i32
  return
}

// -----

func.func @reduce_c1(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error @below {{input has type 'tensor<5xf32>', expected the shape [4]}}
  %0:2 = "tile.reduce"(%a, %b) <{axis = 0 : i64}> ({
  ^bb0(%l: f32, %m: f32, %r: f32, %s: f32):
    tile.yield %l, %m : f32, f32
  }) : (tensor<4xf32>, tensor<5xf32>) -> (f32, f32)
  return
}

// -----

func.func @reduce_c2(%a: tensor<4xf32>) {
  // expected-error @below {{axis is 1, expected 0 to 0}}
  %0 = tile.reduce(%a) axis 1 {
  ^bb0(%l: f32, %r: f32):
    tile.yield %l : f32
  } : (tensor<4xf32>) -> f32
  return
}

// -----

func.func @reduce_c3(%a: tensor<4xf32>) {
  // expected-error @below {{combine region does not take and yield 'f32' at position 0}}
  %0 = tile.reduce(%a) axis 0 {
  ^bb0(%l: i32, %r: i32):
    tile.yield %l : i32
  } : (tensor<4xf32>) -> f32
  return
}

// -----

func.func @addptr_c1(%p: tensor<4x!tile.ptr<f32>>, %o: tensor<5xi32>) {
  // expected-error @below {{all non-scalar operands/results must have the same shape and base type}}
  %0 = tile.addptr %p, %o : tensor<4x!tile.ptr<f32>>, tensor<5xi32>
  return
}

// -----

func.func @ptr_cast_c1(%p: tensor<4x!tile.ptr<f32>>) {
  // expected-error @below {{expected the shape [4]}}
  %0 = tile.ptr_cast %p : tensor<4x!tile.ptr<f32>> -> tensor<2x!tile.ptr<f64>>
  return
}

// -----

func.func @ptr_to_int_c1(%p: tensor<4x!tile.ptr<f32>>) {
  // expected-error @below {{result has type 'i64', expected the shape [4]}}
  %0 = tile.ptr_to_int %p : tensor<4x!tile.ptr<f32>> -> i64
  return
}

// -----

func.func @int_to_ptr_c1(%a: i64) {
  // expected-error @below {{expected the shape []}}
  %0 = tile.int_to_ptr %a : i64 -> tensor<4x!tile.ptr<f32>>
  return
}

// -----

func.func @ptr_load_c1(%p: tensor<4x!tile.ptr<f32>>, %m: tensor<8xi1>) {
  // expected-error @below {{mask has type 'tensor<8xi1>', expected the shape [4]}}
  %0 = tile.ptr_load %p mask %m : tensor<4x!tile.ptr<f32>> mask tensor<8xi1> -> tensor<4xf32>
  return
}

// -----

func.func @ptr_load_c2(%p: !tile.ptr<f32>) {
  // expected-error @below {{result has element type 'f16', expected 'f32'}}
  %0 = tile.ptr_load %p : !tile.ptr<f32> -> f16
  return
}

// -----

func.func @ptr_store_c1(%p: tensor<4x!tile.ptr<f32>>, %v: tensor<5xf32>) {
  // expected-error @below {{value has type 'tensor<5xf32>', expected the shape [4]}}
  tile.ptr_store %p, %v : tensor<4x!tile.ptr<f32>>, tensor<5xf32>
  return
}

// -----

func.func @ptr_store_c2(%p: !tile.ptr<f32>, %v: f16) {
  // expected-error @below {{value has element type 'f16', expected 'f32'}}
  tile.ptr_store %p, %v : !tile.ptr<f32>, f16
  return
}

// -----

func.func @view_c1(%p: !tile.ptr<f32>, %o: index) {
  // expected-error @below {{has 1 strides, expected 2}}
  %0 = tile.view %p[%o] strides [1] : !tile.ptr<f32> -> !tile.view<4x8xf32>
  return
}

// -----

func.func @view_c2(%p: !tile.ptr<f32>, %o: index) {
  // expected-error @below {{wraps 1 dimensions, but has 2 starts and 1 sizes}}
  %0 = tile.view %p[%o] strides [8, 1] wrap [0] start (%o, %o) size (%o)
    : !tile.ptr<f32> -> !tile.view<4x8xf32>
  return
}

// -----

func.func @view_c2_sorted(%p: !tile.ptr<f32>, %o: index) {
  // expected-error @below {{wrap dimensions must be increasing and below 2}}
  %0 = tile.view %p[%o] strides [8, 1] wrap [1, 0] start (%o, %o) size (%o, %o)
    : !tile.ptr<f32> -> !tile.view<4x8xf32>
  return
}

// -----

func.func @view_c3(%p: !tile.ptr<f32>, %o: index) {
  // expected-error @below {{views 'f16', but its base points to 'f32'}}
  %0 = tile.view %p[%o] strides [1] : !tile.ptr<f32> -> !tile.view<4xf16>
  return
}

// -----

func.func @load_c1(%v: !tile.view<4x8xf32>, %i: index) {
  // expected-error @below {{has 1 lower and 1 upper bounds, expected none or 2 of each}}
  %0 = tile.load %v valid [%i] to [%i] : !tile.view<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @load_c2(%v: !tile.view<4x8xf32>) {
  // expected-error @below {{yields 'tensor<8x4xf32>', expected 'tensor<4x8xf32>'}}
  %0 = tile.load %v : !tile.view<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @load_c3(%v: !tile.view<4xf32>, %p: f16) {
  // expected-error @below {{pad has type 'f16', expected 'f32' or 'tensor<4xf32>'}}
  %0 = tile.load %v pad %p : !tile.view<4xf32> pad f16 -> tensor<4xf32>
  return
}

// -----

func.func @store_c1(%v: !tile.view<4x8xf32>, %t: tensor<4x8xf32>, %i: index) {
  // expected-error @below {{has 1 lower and 1 upper bounds, expected none or 2 of each}}
  tile.store %t, %v valid [%i] to [%i] : tensor<4x8xf32>, !tile.view<4x8xf32>
  return
}

// -----

func.func @store_c2(%v: !tile.view<4xf32>, %t: tensor<4xf32>, %m: tensor<8xi1>) {
  // expected-error @below {{mask has type 'tensor<8xi1>', expected the shape [4]}}
  tile.store %t, %v mask %m : tensor<4xf32>, !tile.view<4xf32> mask tensor<8xi1>
  return
}

// -----

func.func @gather_c1(%p: !tile.ptr<f32>, %o: tensor<4xi32>) {
  // expected-error @below {{value has type 'tensor<8xf32>', expected the shape [4]}}
  %0 = tile.gather %p[%o] : !tile.ptr<f32>[tensor<4xi32>] -> tensor<8xf32>
  return
}

// -----

func.func @gather_c2(%p: !tile.ptr<f32>, %o: tensor<4xf32>) {
  // expected-error @below {{offsets have type 'tensor<4xf32>', expected integers}}
  %0 = tile.gather %p[%o] : !tile.ptr<f32>[tensor<4xf32>] -> tensor<4xf32>
  return
}

// -----

func.func @scatter_c2(%p: !tile.ptr<f32>, %o: tensor<4xi32>, %v: tensor<4xf16>) {
  // expected-error @below {{value has element type 'f16', expected 'f32'}}
  tile.scatter %v, %p[%o] : tensor<4xf16>, !tile.ptr<f32>[tensor<4xi32>]
  return
}

// -----

func.func @print_c1(%a: i32) {
  // expected-error @below {{says the signedness of 2 arguments, expected 1}}
  tile.print "a"(%a) [true, false] : i32
  return
}

// -----

func.func @print_c2(%a: tensor<4xi32>, %b: tensor<5xi32>) {
  // expected-error @below {{argument has type 'tensor<5xi32>', expected the shape [4]}}
  tile.print "a"(%a, %b) [true, true] : tensor<4xi32>, tensor<5xi32>
  return
}

// -----

func.func @local_alloc_c1() {
  // expected-error @below {{found '!tile.local<4x0xf32>', expected one to four positive sizes}}
  %0 = tile.local_alloc : !tile.local<4x0xf32>
  return
}

// -----

func.func @local_alloc_c1_rank() {
  // expected-error @below {{found '!tile.local<1x2x1x2x1xf32>', expected one to four positive sizes}}
  %0 = tile.local_alloc : !tile.local<1x2x1x2x1xf32>
  return
}

// -----

func.func @local_alloc_c2() {
  // expected-error @below {{found elements of i1, expected i8: masks lie in memory as bytes}}
  %0 = tile.local_alloc : !tile.local<64xi1>
  return
}

// -----

func.func @local_alloc_c3() {
  // expected-error @below {{found address 48, expected a multiple of 32 that is not negative}}
  %0 = tile.local_alloc at 48 : !tile.local<64xf32>
  return
}

// -----

func.func @local_alloc_c4(%c: i1) {
  scf.if %c {
    // expected-error @below {{stands in a region, expected it in the entry block of a function}}
    %0 = tile.local_alloc : !tile.local<64xf32>
  }
  return
}

// -----

func.func @local_load_c1(%b: !tile.local<16x64xf32>) {
  // expected-error @below {{found a region of rank 1 at 2 offsets, expected 2 of both}}
  %0 = tile.local_load %b[0, 0] : !tile.local<16x64xf32> -> tensor<64xf32>
  return
}

// -----

func.func @local_load_c1_offsets(%b: !tile.local<16x64xf32>) {
  // expected-error @below {{found a region of rank 2 at 1 offsets, expected 2 of both}}
  %0 = tile.local_load %b[0] : !tile.local<16x64xf32> -> tensor<1x64xf32>
  return
}

// -----

func.func @local_load_c1_elements(%b: !tile.local<16x64xf32>) {
  // expected-error @below {{found elements of 'f16', expected 'f32'}}
  %0 = tile.local_load %b[0, 0] : !tile.local<16x64xf32> -> tensor<1x64xf16>
  return
}

// -----

func.func @local_load_c2(%b: !tile.local<16x64xf32>, %i: index) {
  // expected-error @below {{dimension 1 goes from 33 to 65, expected a part of 64 elements}}
  %0 = tile.local_load %b[%i, 33] : !tile.local<16x64xf32> -> tensor<1x32xf32>
  return
}

// -----

// The number that stands for "known at run time only" is no offset.
func.func @local_load_c2_sentinel(%b: !tile.local<7xi8>) {
  // expected-error @below {{has another number of offset operands than dynamic offsets}}
  %0 = tile.local_load %b[-9223372036854775808] : !tile.local<7xi8> -> tensor<3xi8>
  return
}

// -----

func.func @local_store_c2(%b: !tile.local<16x64xf32>, %i: index, %t: tensor<17x1xf32>) {
  // expected-error @below {{dimension 0 goes from 0 to 17, expected a part of 16 elements}}
  tile.local_store %t, %b[%i, 33] : tensor<17x1xf32>, !tile.local<16x64xf32>
  return
}

// -----

func.func @local_get_c1(%b: !tile.local<16x64xf32>, %i: index) {
  // expected-error @below {{found 1 indices, expected 2}}
  %0 = tile.local_get %b[%i] : !tile.local<16x64xf32> -> f32
  return
}

// -----

func.func @local_set_c2(%b: !tile.local<16x64xf32>, %i: index, %x: i32) {
  // expected-error @below {{found an element of 'i32', expected 'f32'}}
  tile.local_set %x, %b[%i, %i] : i32, !tile.local<16x64xf32>
  return
}
