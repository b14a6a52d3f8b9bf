// RUN: kiln-opt %s --kiln-npu-fit-axes --split-input-file --verify-diagnostics

func.func @reverse(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %last = arith.constant 65535 : index
  %v = tile.view %x[%last] strides [-1] : <f32> -> <65536xf32>
  // expected-error@+4 {{tiles need 786432 bytes of UB at once here, expected at most 190208 of ascend910b}}
  // expected-note@+3 {{262144 bytes for 'tensor<65536xf32>'}}
  // expected-note@+4 {{the dimension of 65536 cannot be cut at this operation: pieces of it may overwrite what other pieces have yet to read}}
  // expected-note@+1 {{the other access is here}}
  %t = tile.load %v : <65536xf32> -> tensor<65536xf32>
  %w = tile.view %x[%c0] strides [1] : <f32> -> <65536xf32>
  tile.store %t, %w : tensor<65536xf32>, <65536xf32>
  return
}
