// RUN: kiln-translate --npu-to-asm %s --split-input-file --verify-diagnostics

// expected-error @below {{argument 'arg0' has type 'f64', which the NPU has not}}
func.func @argument(%x: f64) {
  return
}

// -----

// expected-error @below {{has 2 blocks, expected one}}
func.func @blocks() {
  cf.br ^bb1
^bb1:
  return
}

// -----

// expected-error @below {{does 0 programs per iteration, expected at least 1}}
func.func @programs() attributes {npu.programs_per_iteration = 0 : i64} {
  return
}

// -----

func.func @no_address() {
  // expected-error @below {{has no address, expected one from kiln-npu-plan-memory}}
  %a = npu.alloc : memref<64xf32, #npu.mem<ub>>
  return
}

// -----

func.func @program_id() {
  // expected-error @below {{has no form in a program image, expected kiln-npu-map-grid to replace it}}
  %i = tile.program_id 0
  return
}

// -----

func.func @print(%x: i32) {
  // expected-error @below {{printing on the NPU is not there yet}}
  tile.print "x" (%x) [true] : i32
  return
}

// -----

func.func @scalar_function(%x: f32) {
  // expected-error @below {{'math.exp' has no form in a program image: the scalar unit cannot do it}}
  %0 = math.exp %x : f32
  return
}

// -----

func.func @scalar_type(%x: i32) {
  // expected-error @below {{'arith.sitofp' has type 'f64', which the scalar unit has not}}
  %0 = arith.sitofp %x : i32 to f64
  return
}

// -----

func.func @tensor(%x: i32) {
  // expected-error @below {{'tensor.splat' has no form in a program image}}
  %0 = tensor.splat %x : tensor<8xi32>
  return
}

// -----

func.func @assertion(%x: i32) {
  // expected-error @below {{has type 'tensor<8xi1>', expected a scalar}}
  %0 = arith.constant dense<true> : tensor<8xi1>
  tile.assert %0, "no" : tensor<8xi1>
  return
}

// -----

func.func @unsigned_loop(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{has unsigned bounds, expected signed ones}}
  scf.for unsigned %i = %c0 to %n step %c1 : i32 {
  }
  return
}
