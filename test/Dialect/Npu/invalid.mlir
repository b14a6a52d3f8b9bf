// RUN: kiln-opt %s -split-input-file -verify-diagnostics

// expected-error @+2 {{failed to parse Npu_MemoryAttr parameter 'value'}}
// expected-error @below {{found 'ram', expected one of gm, l1, l0a, l0b, l0c, ub, bias, fixpipe}}
func.func @memory_name(%a: memref<8xf32, #npu.mem<ram>>) { return }

// -----

func.func @on_chip(%n: index, %a: memref<8xf32>) {
  // expected-error @below {{operand #0 must be memref in an on-chip memory or a typed pointer into global memory}}
  %0 = npu.sload %a[%n] : memref<8xf32> -> f32
  return
}

// -----

func.func @alloc_c1() {
  // expected-error @below {{expected a static shape and no layout}}
  %0 = npu.alloc : memref<8x8xf32, strided<[16, 1]>, #npu.mem<ub>>
  return
}

// -----

func.func @alloc_c2() {
  // expected-error @below {{has address 40, expected a multiple of 32 that is not negative}}
  %0 = npu.alloc at 40 : memref<8xf32, #npu.mem<ub>>
  return
}

// -----

func.func @alloc_c3(%c: i1) {
  scf.if %c {
    // expected-error @below {{stands in a nested block, expected the entry block of a function}}
    %0 = npu.alloc : memref<8xf32, #npu.mem<ub>>
  }
  return
}

// -----

func.func @alloc_c4() {
  // expected-error @below {{is pinned without an address}}
  %0 = npu.alloc pinned : memref<8xf32, #npu.mem<ub>>
  return
}

// -----

func.func @slot_c1(%n: index) {
  %r = npu.alloc : memref<2x16xf32, #npu.mem<ub>>
  // expected-error @below {{expected 'memref<16xf32, #npu.mem<ub>>'}}
  %0 = npu.slot %r[%n] : memref<2x16xf32, #npu.mem<ub>> -> memref<8xf32, #npu.mem<ub>>
  return
}

// -----

func.func @slot_c2(%n: index) {
  %r = npu.alloc : memref<2x12xi1, #npu.mem<ub>>
  // expected-error @below {{has 12 bits, expected whole bytes}}
  %0 = npu.slot %r[%n] : memref<2x12xi1, #npu.mem<ub>> -> memref<12xi1, #npu.mem<ub>>
  return
}

// -----

func.func @window_c1() {
  %b = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{takes bits 256 to 544, expected at most 512}}
  %0 = npu.window %b[8] : memref<16xf32, #npu.mem<ub>> -> memref<9xf32, #npu.mem<ub>>
  return
}

// -----

func.func @window_c2() {
  %b = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{has element type 'f16' in a buffer of 'f32', expected the same width, or one of both in bytes}}
  %0 = npu.window %b[0] : memref<16xf32, #npu.mem<ub>> -> memref<8xf16, #npu.mem<ub>>
  return
}

// -----

func.func @window_c2_memory() {
  %b = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{is in another memory than its source}}
  %0 = npu.window %b[0] : memref<16xf32, #npu.mem<ub>> -> memref<8xf32, #npu.mem<l1>>
  return
}

// -----

func.func @window_c3() {
  %b = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{expected a static shape and static strides, none negative}}
  %0 = npu.window %b[0] : memref<16xf32, #npu.mem<ub>> -> memref<8xf32, strided<[?]>, #npu.mem<ub>>
  return
}

// -----

func.func @window_c3_bits() {
  %b = npu.alloc : memref<16xi1, #npu.mem<ub>>
  // expected-error @below {{starts at bit 4, expected a whole byte}}
  %0 = npu.window %b[4] : memref<16xi1, #npu.mem<ub>> -> memref<8xi1, #npu.mem<ub>>
  return
}

// -----

func.func @instruction_i1(%s: f32) {
  %b = npu.alloc : memref<2x2x2x8xf32, #npu.mem<ub>>
  // expected-error @below {{'dst' has type 'memref<2x2x2x8xf32, #npu.mem<ub>>', expected a static strided region of one to three dimensions}}
  npu.vdup %s, %b : f32, memref<2x2x2x8xf32, #npu.mem<ub>>
  return
}

// -----

func.func @instruction_i2(%s: i1) {
  %b = npu.alloc : memref<64xi1, #npu.mem<ub>>
  // expected-error @below {{'dst' has element type 'i1', expected another one than i1}}
  npu.vdup %s, %b : i1, memref<64xi1, #npu.mem<ub>>
  return
}

// -----

func.func @instruction_i2_rank(%s: f32) {
  %a = npu.alloc : memref<8x8xf32, #npu.mem<ub>>
  %m = npu.alloc : memref<8x8xi1, #npu.mem<ub>>
  // expected-error @below {{'dst' has type 'memref<8x8xi1, #npu.mem<ub>>', expected one dimension of consecutive bits}}
  npu.vcmp <lt> %a, %s, %m : memref<8x8xf32, #npu.mem<ub>>, f32, memref<8x8xi1, #npu.mem<ub>>
  return
}

// -----

func.func @load_c1(%x: !tile.ptr<f32>, %o: index) {
  %b = npu.alloc : memref<4x16xf32, #npu.mem<ub>>
  // expected-error @below {{has 1 sizes and 2 strides, expected 2 of each}}
  npu.load %x[%o] sizes [16] strides [16, 1], %b : !tile.ptr<f32>, memref<4x16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @load_c1_size(%x: !tile.ptr<f32>, %o: index) {
  %b = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{has size 17, expected at most 16}}
  npu.load %x[%o] sizes [17] strides [1], %b : !tile.ptr<f32>, memref<16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @store_c2(%x: !tile.ptr<f32>, %o: index) {
  %b = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{has an innermost stride other than 1}}
  npu.store %b, %x[%o] sizes [16] strides [2] : memref<16xf32, #npu.mem<ub>>, !tile.ptr<f32>
  return
}

// -----

func.func @load_c3(%x: !tile.ptr<f16>, %o: index) {
  %b = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{'dst' has element type 'f32', expected 'f16'}}
  npu.load %x[%o] sizes [16] strides [1], %b : !tile.ptr<f16>, memref<16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @store_c4(%x: !tile.ptr<f32>, %o: index) {
  %b = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{combines by 'xor', expected add, max or min}}
  npu.store %b, %x[%o] sizes [16] strides [1] atomic <xor> : memref<16xf32, #npu.mem<ub>>, !tile.ptr<f32>
  return
}

// -----

func.func @copy_c1() {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  %b = npu.alloc : memref<8xf32, #npu.mem<ub>>
  // expected-error @below {{'src' has shape [16], expected [8]}}
  npu.copy %a, %b : memref<16xf32, #npu.mem<ub>>, memref<8xf32, #npu.mem<ub>>
  return
}

// -----

func.func @vbinary_c1() {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{'vexp' is of class vunary, expected vbinary}}
  npu.vbinary <vexp> %a, %a, %a
    : memref<16xf32, #npu.mem<ub>>, memref<16xf32, #npu.mem<ub>>, memref<16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @vbinary_c2() {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  %b = npu.alloc : memref<8xf32, #npu.mem<ub>>
  // expected-error @below {{'rhs' has shape [8], expected [16]}}
  npu.vbinary <vadd> %a, %b, %a
    : memref<16xf32, #npu.mem<ub>>, memref<8xf32, #npu.mem<ub>>, memref<16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @vbinary_c3() {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  %b = npu.alloc : memref<16xf16, #npu.mem<ub>>
  // expected-error @below {{'lhs' has element type 'f16', expected 'f32'}}
  npu.vbinary <vadd> %b, %a, %a
    : memref<16xf16, #npu.mem<ub>>, memref<16xf32, #npu.mem<ub>>, memref<16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @vternary_c1() {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{'vadd' is of class vbinary, expected vternary}}
  npu.vternary <vadd> %a, %a, %a
    : memref<16xf32, #npu.mem<ub>>, memref<16xf32, #npu.mem<ub>>, memref<16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @vunary_c1() {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{'vadd' is of class vbinary, expected vunary}}
  npu.vunary <vadd> %a, %a : memref<16xf32, #npu.mem<ub>>, memref<16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @vscalar_c4(%s: f16) {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{'scalar' has element type 'f16', expected 'f32'}}
  npu.vscalar <vadds> %a, %s, %a : memref<16xf32, #npu.mem<ub>>, f16, memref<16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @vscalar_c5(%s: i32) {
  %a = npu.alloc : memref<16xi32, #npu.mem<ub>>
  // expected-error @below {{'vadds' is unsigned, expected vshr}}
  npu.vscalar <vadds> %a, %s, %a {isUnsigned}
    : memref<16xi32, #npu.mem<ub>>, i32, memref<16xi32, #npu.mem<ub>>
  return
}

// -----

func.func @vcmp_c1(%s: f32) {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  %m = npu.alloc : memref<24xi1, #npu.mem<ub>>
  // expected-error @below {{'dst' has 24 elements, expected 16}}
  npu.vcmp <lt> %a, %s, %m : memref<16xf32, #npu.mem<ub>>, f32, memref<24xi1, #npu.mem<ub>>
  return
}

// -----

func.func @vcmp_c3(%s: f16) {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  %m = npu.alloc : memref<16xi1, #npu.mem<ub>>
  // expected-error @below {{'rhs' has element type 'f16', expected 'f32'}}
  npu.vcmp <lt> %a, %s, %m : memref<16xf32, #npu.mem<ub>>, f16, memref<16xi1, #npu.mem<ub>>
  return
}

// -----

func.func @vsel_c1() {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  %m = npu.alloc : memref<8xi1, #npu.mem<ub>>
  // expected-error @below {{'mask' has 8 elements, expected 16}}
  npu.vsel %m, %a, %a, %a : memref<8xi1, #npu.mem<ub>>, memref<16xf32, #npu.mem<ub>>,
    memref<16xf32, #npu.mem<ub>>, memref<16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @vcast_c2() {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  %b = npu.alloc : memref<16xf16, #npu.mem<ub>>
  // expected-error @below {{marks a float as unsigned}}
  npu.vcast <rint> %a, %b {isUnsignedDst} : memref<16xf32, #npu.mem<ub>>, memref<16xf16, #npu.mem<ub>>
  return
}

// -----

func.func @vreduce_c2() {
  %a = npu.alloc : memref<4x16xf32, #npu.mem<ub>>
  %r = npu.alloc : memref<8xf32, #npu.mem<ub>>
  // expected-error @below {{'dst' has 8 elements, expected 4}}
  npu.vreduce <vcadd> %a, %r : memref<4x16xf32, #npu.mem<ub>>, memref<8xf32, #npu.mem<ub>>
  return
}

// -----

func.func @vreduce_c4() {
  %a = npu.alloc : memref<4x72xf32, #npu.mem<ub>>
  %r = npu.alloc : memref<4xf32, #npu.mem<ub>>
  // expected-error @below {{rows have 288 bytes, expected at most 256}}
  npu.vreduce <vcadd> %a, %r : memref<4x72xf32, #npu.mem<ub>>, memref<4xf32, #npu.mem<ub>>
  return
}

// -----

func.func @vbrc_c1() {
  %a = npu.alloc : memref<4xf32, #npu.mem<ub>>
  %b = npu.alloc : memref<4x16xf32, #npu.mem<ub>>
  // expected-error @below {{'dst' has 64 elements, expected 32}}
  npu.vbrc %a, %b : memref<4xf32, #npu.mem<ub>>, memref<4x16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @vdup_c1(%s: f16) {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{'scalar' has element type 'f16', expected 'f32'}}
  npu.vdup %s, %a : f16, memref<16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @viota_c1(%s: i32) {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{'start' has element type 'i32', expected 'f32'}}
  npu.viota %s, %a : i32, memref<16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @vgather_c1() {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  %o = npu.alloc : memref<16xi16, #npu.mem<ub>>
  // expected-error @below {{'offsets' has element type 'i16', expected 'i32'}}
  npu.vgather %a[%o], %a
    : memref<16xf32, #npu.mem<ub>>, memref<16xi16, #npu.mem<ub>>, memref<16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @vtrans_c1() {
  %a = npu.alloc : memref<16x16xf32, #npu.mem<ub>>
  // expected-error @below {{expected 16 × 16 elements of the same 16-bit type}}
  npu.vtrans %a, %a : memref<16x16xf32, #npu.mem<ub>>, memref<16x16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @sload_c1(%n: index) {
  %a = npu.alloc : memref<16xf32, #npu.mem<ub>>
  // expected-error @below {{moves a value of type 'f16', expected 'f32'}}
  %0 = npu.sload %a[%n] : memref<16xf32, #npu.mem<ub>> -> f16
  return
}

// -----

func.func @set_c1(%n: index) {
  // expected-error @below {{goes from v to itself, expected two different pipes}}
  npu.set <v> to <v>[%n]
  return
}

// -----

func.func @wait_c1() {
  %c8 = arith.constant 8 : index
  // expected-error @below {{has id 8, expected 0 to 7}}
  npu.wait <mte2> to <v>[%c8]
  return
}
