// RUN: kiln-opt %s -split-input-file -verify-diagnostics --pass-pipeline='builtin.module(func.func(kiln-npu-verify-program))'

// All is well: ring slots whose flags have an id each, primed before the loop and drained after it.
func.func @legal(%x: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = npu.alloc at 0 : memref<2x64xf32, #npu.mem<ub>>
  npu.set <v> to <mte2>[%c0]
  npu.set <v> to <mte2>[%c1]
  scf.for %i = %c0 to %n step %c1 {
    %id = arith.remui %i, %c2 : index
    %s = npu.slot %r[%i] : memref<2x64xf32, #npu.mem<ub>> -> memref<64xf32, #npu.mem<ub>>
    npu.wait <v> to <mte2>[%id]
    npu.load %x[%i] sizes [64] strides [1], %s : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
    npu.set <mte2> to <v>[%c0]
    npu.wait <mte2> to <v>[%c0]
    npu.vunary <vexp> %s, %s : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
    npu.barrier <v>
    npu.set <v> to <mte2>[%id]
  }
  npu.wait <v> to <mte2>[%c0]
  npu.wait <v> to <mte2>[%c1]
  return
}

// -----

// expected-error @below {{runs on a core of kind "gpu", expected "aic" or "aiv"}}
func.func @core() attributes {npu.core = "gpu"} {
  return
}

// -----

func.func @no_address() {
  // expected-error @below {{has no address, expected one from kiln-npu-plan-memory}}
  %a = npu.alloc : memref<64xf32, #npu.mem<ub>>
  return
}

// -----

func.func @alignment() {
  // expected-error @below {{starts at byte 32, expected a multiple of 512 in l0a}}
  %a = npu.alloc at 32 : memref<64xf32, #npu.mem<l0a>>
  return
}

// -----

func.func @capacity() {
  // expected-error @below {{ends at byte 196608, but ub has 196352}}
  %a = npu.alloc at 163840 : memref<64x128xf32, #npu.mem<ub>>
  return
}

// -----

func.func @pipes() {
  %c0 = arith.constant 0 : index
  // expected-error @below {{names pipe m, which a core of kind AIV has not}}
  npu.set <m> to <v>[%c0]
  // expected-error @below {{names pipe m, which a core of kind AIV has not}}
  npu.wait <m> to <v>[%c0]
  // expected-error @below {{names pipe fix, which a core of kind AIV has not}}
  npu.barrier <fix>
  return
}

// -----

func.func @cube_core() attributes {npu.core = "aic"} {
  %a = npu.alloc at 0 : memref<64xf32, #npu.mem<ub>>
  // expected-error @below {{'vexp' does not run on a core of kind AIC}}
  npu.vunary <vexp> %a, %a : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  return
}

// -----

func.func @paths(%x: !tile.ptr<f32>, %o: index) {
  %a = npu.alloc at 0 : memref<64xf32, #npu.mem<l1>>
  // expected-error @below {{there is no path from gm to l1 on a core of kind AIV}}
  npu.load %x[%o] sizes [64] strides [1], %a : !tile.ptr<f32>, memref<64xf32, #npu.mem<l1>>
  // expected-error @below {{there is no path from l1 to gm on a core of kind AIV}}
  npu.store %a, %x[%o] sizes [64] strides [1] : memref<64xf32, #npu.mem<l1>>, !tile.ptr<f32>
  // expected-error @below {{works on l1, expected ub}}
  npu.vunary <vexp> %a, %a : memref<64xf32, #npu.mem<l1>>, memref<64xf32, #npu.mem<l1>>
  return
}

// -----

func.func @types(%s: i32) {
  %a = npu.alloc at 0 : memref<64xbf16, #npu.mem<ub>>
  // expected-error @below {{'vadd' does not work on bf16 on ascend910b}}
  npu.vbinary <vadd> %a, %a, %a
    : memref<64xbf16, #npu.mem<ub>>, memref<64xbf16, #npu.mem<ub>>, memref<64xbf16, #npu.mem<ub>>
  %d = npu.alloc at 512 : memref<64xf64, #npu.mem<ub>>
  // expected-error @below {{'vexp' does not work on such elements on ascend910b}}
  npu.vunary <vexp> %d, %d : memref<64xf64, #npu.mem<ub>>, memref<64xf64, #npu.mem<ub>>
  return
}

// -----

func.func @unsigned_shift(%s: i16) {
  %a = npu.alloc at 0 : memref<64xi16, #npu.mem<ub>>
  npu.vscalar <vshr> %a, %s, %a {isUnsigned}
    : memref<64xi16, #npu.mem<ub>>, i16, memref<64xi16, #npu.mem<ub>>
  return
}

// -----

func.func @atomics(%x: !tile.ptr<i64>, %o: index) {
  %a = npu.alloc at 0 : memref<64xi64, #npu.mem<ub>>
  // expected-error @below {{ascend910b does not combine i64 by add in global memory}}
  npu.store %a, %x[%o] sizes [64] strides [1] atomic <add> : memref<64xi64, #npu.mem<ub>>, !tile.ptr<i64>
  return
}

// -----

func.func @conversions() {
  %a = npu.alloc at 0 : memref<64xi8, #npu.mem<ub>>
  %f = npu.alloc at 512 : memref<64xf32, #npu.mem<ub>>
  %h = npu.alloc at 1024 : memref<64xf16, #npu.mem<ub>>
  // expected-error @below {{ascend910b does not convert 'i8' to 'f32'}}
  npu.vcast <none> %a, %f : memref<64xi8, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  // expected-error @below {{ascend910b does not convert f16 to f32 with rounding floor}}
  npu.vcast <floor> %h, %f : memref<64xf16, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  npu.vcast <none> %a, %h {isUnsignedSrc} : memref<64xi8, #npu.mem<ub>>, memref<64xf16, #npu.mem<ub>>
  return
}

// -----

func.func @comparisons(%s: i32) {
  %a = npu.alloc at 0 : memref<64xi32, #npu.mem<ub>>
  %m = npu.alloc at 512 : memref<64xi1, #npu.mem<ub>>
  npu.vcmp <eq> %a, %s, %m : memref<64xi32, #npu.mem<ub>>, i32, memref<64xi1, #npu.mem<ub>>
  // expected-error @below {{ascend910b does not compare 'i32' by lt}}
  npu.vcmp <lt> %a, %s, %m : memref<64xi32, #npu.mem<ub>>, i32, memref<64xi1, #npu.mem<ub>>
  return
}

// -----

func.func @operand_start(%s: f32) {
  %a = npu.alloc at 0 : memref<64xf32, #npu.mem<ub>>
  %w = npu.window %a[3] : memref<64xf32, #npu.mem<ub>> -> memref<8xf32, #npu.mem<ub>>
  // expected-error @below {{has an operand that starts 12 bytes behind a multiple of 32, expected such a multiple}}
  npu.vdup %s, %w : f32, memref<8xf32, #npu.mem<ub>>
  // The result of a reduction may start at any element.
  %m = npu.alloc at 512 : memref<8x8xf32, #npu.mem<ub>>
  npu.vreduce <vcadd> %m, %w : memref<8x8xf32, #npu.mem<ub>>, memref<8xf32, #npu.mem<ub>>
  return
}

// -----

func.func @slot_start(%s: f32, %n: index) {
  %r = npu.alloc at 0 : memref<2x12xf32, #npu.mem<ub>>
  %a = npu.slot %r[%n] : memref<2x12xf32, #npu.mem<ub>> -> memref<12xf32, #npu.mem<ub>>
  // expected-error @below {{has an operand in slots of a multiple of 48 bytes, expected a multiple of 32}}
  npu.vdup %s, %a : f32, memref<12xf32, #npu.mem<ub>>
  return
}

// -----

func.func @mask_start(%s: f32) {
  %a = npu.alloc at 0 : memref<64xf32, #npu.mem<ub>>
  %b = npu.alloc at 512 : memref<128xi1, #npu.mem<ub>>
  %m = npu.window %b[64] : memref<128xi1, #npu.mem<ub>> -> memref<64xi1, #npu.mem<ub>>
  // expected-error @below {{has an operand that starts 8 bytes behind a multiple of 32, expected such a multiple}}
  npu.vcmp <lt> %a, %s, %m : memref<64xf32, #npu.mem<ub>>, f32, memref<64xi1, #npu.mem<ub>>
  return
}

// -----

func.func @row_stride(%s: f32) {
  %a = npu.alloc at 0 : memref<128xf32, #npu.mem<ub>>
  %w = npu.window %a[0] : memref<128xf32, #npu.mem<ub>> -> memref<4x8xf32, strided<[12, 1]>, #npu.mem<ub>>
  // expected-error @below {{has an operand with rows every 48 bytes, expected a multiple of 32}}
  npu.vdup %s, %w : f32, memref<4x8xf32, strided<[12, 1]>, #npu.mem<ub>>
  return
}

// -----

func.func @row_elements(%s: f32) {
  %a = npu.alloc at 0 : memref<128xf32, #npu.mem<ub>>
  %w = npu.window %a[0] : memref<128xf32, #npu.mem<ub>> -> memref<8xf32, strided<[2]>, #npu.mem<ub>>
  // expected-error @below {{expected adjacent elements in a row}}
  npu.vdup %s, %w : f32, memref<8xf32, strided<[2]>, #npu.mem<ub>>
  return
}

// -----

func.func @short_rows(%x: !tile.ptr<f32>, %o: index) {
  %a = npu.alloc at 0 : memref<4x4xf32, #npu.mem<ub>>
  %b = npu.alloc at 512 : memref<4x8xf32, #npu.mem<ub>>
  %w = npu.window %b[0] : memref<4x8xf32, #npu.mem<ub>> -> memref<4x4xf32, strided<[8, 1]>, #npu.mem<ub>>
  // Without a gap on either side it is one row.
  npu.load %x[%o] sizes [4, 4] strides [4, 1], %a : !tile.ptr<f32>, memref<4x4xf32, #npu.mem<ub>>
  // expected-error @below {{moves 4 rows of 16 bytes, expected rows of at least 32}}
  npu.load %x[%o] sizes [4, 4] strides [4, 1], %w : !tile.ptr<f32>, memref<4x4xf32, strided<[8, 1]>, #npu.mem<ub>>
  return
}

// -----

func.func @twice_up() {
  %c0 = arith.constant 0 : index
  npu.set <mte2> to <v>[%c0]
  // expected-error @below {{raises one of the flags from mte2 to v with id 0 while it is still up}}
  npu.set <mte2> to <v>[%c0]
  return
}

// -----

func.func @never_up() {
  %c1 = arith.constant 1 : index
  // expected-error @below {{waits for one of the flags from mte2 to v with id 1, but none was raised}}
  npu.wait <mte2> to <v>[%c1]
  return
}

// -----

// expected-error @below {{ends with 1 of the flags from v to mte3 with id 0 up}}
func.func @left_up() {
  %c0 = arith.constant 0 : index
  npu.set <v> to <mte3>[%c0]
  return
}

// -----

func.func @branches(%c: i1) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{the branches do not leave the same number of the flags from v to mte3 with id 0: 0 and 1 up}}
  scf.if %c {
    npu.set <v> to <mte3>[%c0]
  }
  return
}

// -----

func.func @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{a pass of the loop does not leave as it found the flags from v to mte3 with id 0: 1 and 0 up}}
  scf.for %i = %c0 to %n step %c1 {
    npu.set <v> to <mte3>[%c0]
  }
  return
}

// -----

func.func @while_loop(%c: i1) {
  %c0 = arith.constant 0 : index
  scf.while : () -> () {
    npu.set <v> to <mte3>[%c0]
    scf.condition(%c)
  } do {
    npu.wait <v> to <mte3>[%c0]
    scf.yield
  }
  npu.wait <v> to <mte3>[%c0]
  return
}

// -----

// Flags of the author may go with conditions: what is one in every run is an error.
func.func @authors_conditions(%c: i1) attributes {tile.asynchronous} {
  %c0 = arith.constant 0 : index
  scf.if %c {
    npu.set <v> to <mte3>[%c0]
  }
  scf.if %c {
    npu.wait <v> to <mte3>[%c0]
  }
  return
}

// -----

func.func @authors_flag_stays_up() attributes {tile.asynchronous} {
  %c1 = arith.constant 1 : index
  // expected-error @below {{raises the flag from mte2 to v with id 1, which nothing waits for}}
  npu.set <mte2> to <v>[%c1]
  return
}

// -----

func.func @authors_flag_twice() attributes {tile.asynchronous} {
  %c1 = arith.constant 1 : index
  // expected-note @below {{it was raised here}}
  npu.set <mte2> to <v>[%c1]
  // expected-error @below {{raises the flag from mte2 to v with id 1, which is still up}}
  npu.set <mte2> to <v>[%c1]
  npu.wait <mte2> to <v>[%c1]
  return
}

// -----

// The wait of a loop whose set stands behind it: the author primes it elsewhere, or it hangs.
func.func @authors_wait_first(%n: index) attributes {tile.asynchronous} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  npu.set <v> to <mte2>[%c1]
  scf.for %i = %c0 to %n step %c1 {
    npu.wait <v> to <mte2>[%c1]
    npu.set <v> to <mte2>[%c1]
  }
  npu.wait <v> to <mte2>[%c1]
  return
}

// -----

func.func @authors_wait_for_nothing() attributes {tile.asynchronous} {
  %c1 = arith.constant 1 : index
  // expected-error @below {{waits for the flag from mte2 to v with id 1, which nothing has raised}}
  npu.wait <mte2> to <v>[%c1]
  return
}

// -----

// Where a window begins at run time: an error is what cannot be right.
func.func @begins_anywhere(%n: index) {
  %c4 = arith.constant 4 : index
  %a = npu.alloc at 0 : memref<4x64xf32, #npu.mem<ub>>
  %o = arith.muli %n, %c4 : index
  %w = npu.window %a[0 + %o] : memref<4x64xf32, #npu.mem<ub>> -> memref<64xf32, #npu.mem<ub>>
  npu.vunary <vexp> %w, %w : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  %v = npu.window %a[2 + %o] : memref<4x64xf32, #npu.mem<ub>> -> memref<64xf32, #npu.mem<ub>>
  // expected-error @below {{has an operand that starts 8 bytes behind a multiple of 32, expected such a multiple}}
  npu.vunary <vexp> %v, %v : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
  return
}
