// RUN: kiln-opt %s --kiln-npu-insert-sync --verify-diagnostics

func.func @no_address() {
  // expected-error @+1 {{the buffer has no address, expected kiln-npu-plan-memory before}}
  %a = npu.alloc : memref<64xf32, #npu.mem<ub>>
  return
}
