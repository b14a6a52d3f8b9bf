// RUN: kiln-opt %s --kiln-npu-insert-sync --split-input-file --verify-diagnostics

func.func @no_address() {
  // expected-error @+1 {{the buffer has no address, expected kiln-npu-plan-memory before}}
  %a = npu.alloc : memref<64xf32, #npu.mem<ub>>
  return
}

// -----

func.func @flags_of_the_author() {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{found 'npu.set', expected no flags or barriers}}
  npu.set <v> to <mte3>[%c0]
  npu.wait <v> to <mte3>[%c0]
  return
}

// -----

func.func @other_control_flow() {
  // expected-error @+1 {{found 'scf.execute_region', expected no control flow but scf.for, scf.if and scf.while}}
  scf.execute_region {
    scf.yield
  }
  return
}
