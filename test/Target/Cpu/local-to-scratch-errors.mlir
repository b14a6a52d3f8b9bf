// RUN: kiln-opt %s -split-input-file -kiln-cpu-local-to-scratch=limit=1000 -verify-diagnostics

func.func @limit() attributes {tile.kernel} {
  %a = tile.local_alloc "a" : !tile.local<7xf32>
  // expected-error @below {{buffer 'b' of type '!tile.local<1000xi8>' does not fit: found 64 bytes of other buffers, expected at most 1000 bytes of all}}
  %b = tile.local_alloc "b" : !tile.local<1000xi8>
  return
}

// -----

// The size does not fit 64 bits.
func.func @overflow() attributes {tile.kernel} {
  // expected-error @below {{buffer of type '!tile.local<1099511627776x1099511627776x1099511627776xf64>' does not fit}}
  %b = tile.local_alloc : !tile.local<1099511627776x1099511627776x1099511627776xf64>
  return
}

// -----

func.func @instruction() attributes {tile.kernel} {
  %b = tile.local_alloc : !tile.local<8xf32>
  // expected-error @below {{uses a buffer in a way that the CPU target does not know}}
  %m = npu.local %b : !tile.local<8xf32> -> memref<8xf32, #npu.mem<ub>>
  return
}
