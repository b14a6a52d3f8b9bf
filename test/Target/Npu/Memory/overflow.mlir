// RUN: kiln-opt %s --split-input-file --kiln-npu-plan-memory --verify-diagnostics

// expected-error @below {{UB needs 262144 bytes, but ascend910b has 196352}}
func.func @overflow(%p: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{131072 bytes for 32768xf32}}
  %a = npu.alloc : memref<32768xf32, #npu.mem<ub>>
  // expected-note @below {{131072 bytes for 32768xf32}}
  %b = npu.alloc : memref<32768xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %a : !tile.ptr<f32>, memref<32768xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %b : !tile.ptr<f32>, memref<32768xf32, #npu.mem<ub>>
  npu.store %b, %p[%c0] sizes [64] strides [1] : memref<32768xf32, #npu.mem<ub>>, !tile.ptr<f32>
  npu.store %a, %p[%c0] sizes [64] strides [1] : memref<32768xf32, #npu.mem<ub>>, !tile.ptr<f32>
  return
}

// -----

// Two pinned buffers may share bytes; what is planned goes around both.
func.func @pinned_beyond_the_end(%p: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{bytes 0 to 256 for 64xf32}}
  %a = npu.alloc at 0 pinned : memref<64xf32, #npu.mem<ub>>
  // expected-error @below {{capacity overflow in explicit placement: the buffer ends at byte 196608, but UB of ascend910b has 196352}}
  // expected-note @below {{bytes 196352 to 196608 for 'scores', 64xf32}}
  %b = npu.alloc at 196352 pinned named "scores" : memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %a : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %b : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  return
}

// -----

func.func @authors_memory(%p: !tile.ptr<f32>) attributes {npu.author_memory} {
  %c0 = arith.constant 0 : index
  // expected-note @below {{bytes 0 to 131072 for 'a', 32768xf32}}
  %a = npu.alloc named "a" : memref<32768xf32, #npu.mem<ub>>
  // expected-error @below {{capacity overflow in explicit placement: the buffer ends at byte 262144, but UB of ascend910b has 196352}}
  // expected-note @below {{bytes 131072 to 262144 for 'b', 32768xf32}}
  %b = npu.alloc named "b" : memref<32768xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %a : !tile.ptr<f32>, memref<32768xf32, #npu.mem<ub>>
  npu.store %a, %p[%c0] sizes [64] strides [1] : memref<32768xf32, #npu.mem<ub>>, !tile.ptr<f32>
  npu.load %p[%c0] sizes [64] strides [1], %b : !tile.ptr<f32>, memref<32768xf32, #npu.mem<ub>>
  return
}
