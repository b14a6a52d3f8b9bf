// RUN: kiln-opt %s -split-input-file -kiln-cpu-check-synchronous -verify-diagnostics

func.func @placed(%n: i32) attributes {tile.kernel, tile.asynchronous} {
  %b = tile.local_alloc : !tile.local<64xf32>
  // expected-error @below {{kernel 'placed' orders its instructions by hand, expected a device with such pipes (a simulated NPU)}}
  %m = npu.local %b : !tile.local<64xf32> -> memref<64xf32, #npu.mem<ub>>
  return
}

// -----

func.func @flags(%n: i32) attributes {tile.kernel, tile.asynchronous} {
  %b = tile.local_alloc : !tile.local<64xf32>
  %m = npu.local %b : !tile.local<64xf32> -> memref<64xf32, #npu.mem<ub>>
  // expected-error @below {{kernel 'flags' orders its instructions by hand, expected a device with such pipes (a simulated NPU)}}
  npu.barrier <v>
  return
}

// -----

// expected-error @below {{kernel 'only_said' orders its instructions by hand, expected a device with such pipes (a simulated NPU)}}
func.func @only_said(%n: i32) attributes {tile.kernel, tile.asynchronous} {
  return
}

// -----

func.func @synchronous(%n: i32) attributes {tile.kernel} {
  %b = tile.local_alloc : !tile.local<64xf32>
  return
}
