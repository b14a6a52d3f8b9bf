// RUN: kiln-opt %s --split-input-file --kiln-npu-plan-memory --verify-diagnostics

// expected-error @below {{UB needs 262144 bytes, but ascend910b has 196352}}
func.func @overflow(%p: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{131072 bytes for 'memref<32768xf32, #npu.mem<ub>>'}}
  %a = npu.alloc : memref<32768xf32, #npu.mem<ub>>
  // expected-note @below {{131072 bytes for 'memref<32768xf32, #npu.mem<ub>>'}}
  %b = npu.alloc : memref<32768xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %a : !tile.ptr<f32>, memref<32768xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %b : !tile.ptr<f32>, memref<32768xf32, #npu.mem<ub>>
  npu.store %b, %p[%c0] sizes [64] strides [1] : memref<32768xf32, #npu.mem<ub>>, !tile.ptr<f32>
  npu.store %a, %p[%c0] sizes [64] strides [1] : memref<32768xf32, #npu.mem<ub>>, !tile.ptr<f32>
  return
}

// -----

func.func @pinned_twice(%p: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{pinned bytes 0 to 256 are also those of another buffer that lives at the same time}}
  %a = npu.alloc at 0 pinned : memref<64xf32, #npu.mem<ub>>
  // expected-note @below {{which is pinned to bytes 128 to 384}}
  %b = npu.alloc at 128 pinned : memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %a : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  npu.load %p[%c0] sizes [64] strides [1], %b : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
  npu.store %b, %p[%c0] sizes [64] strides [1] : memref<64xf32, #npu.mem<ub>>, !tile.ptr<f32>
  npu.store %a, %p[%c0] sizes [64] strides [1] : memref<64xf32, #npu.mem<ub>>, !tile.ptr<f32>
  return
}
