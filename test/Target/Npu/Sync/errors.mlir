// RUN: kiln-opt %s --kiln-npu-insert-sync --split-input-file --verify-diagnostics

func.func @no_address() {
  // expected-error @+1 {{the buffer has no address, expected kiln-npu-plan-memory before}}
  %a = npu.alloc : memref<64xf32, #npu.mem<ub>>
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
