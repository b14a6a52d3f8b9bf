// RUN: kiln-opt %s --kiln-npu-fit-axes --split-input-file --verify-diagnostics

func.func @reverse(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %last = arith.constant 65535 : index
  %v = tile.view %x[%last] strides [-1] : <f32> -> <65536xf32>
  // expected-error@+4 {{tiles need 786432 bytes of UB at once here, expected at most 190208 of ascend910b}}
  // expected-note@+3 {{262144 bytes for 65536xf32}}
  // expected-note@+4 {{the dimension of 65536 cannot be cut at this operation: pieces of it may overwrite what other pieces have yet to read}}
  // expected-note@+1 {{the other access is here}}
  %t = tile.load %v : <65536xf32> -> tensor<65536xf32>
  %w = tile.view %x[%c0] strides [1] : <f32> -> <65536xf32>
  tile.store %t, %w : tensor<65536xf32>, <65536xf32>
  return
}

// -----

// The second pass would have to load what the store of the first has changed.
func.func @reload(%x: !tile.ptr<f32> {tile.alias_set = 0 : i64}, %y: !tile.ptr<f32> {tile.alias_set = 1 : i64}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %v = tile.view %x[%c0] strides [1, 1] : <f32> -> <1x65536xf32>
  // expected-note@+2 {{the dimension of 65536 cannot be cut at this operation: it has to be read again for each pass, after a store that may have changed it}}
  // expected-note@+1 {{262144 bytes for 1x65536xf32}}
  %t = tile.load %v : <1x65536xf32> -> tensor<1x65536xf32>
  %d = arith.addf %t, %t : tensor<1x65536xf32>
  // expected-note@+1 {{the other access is here}}
  tile.store %d, %v : tensor<1x65536xf32>, <1x65536xf32>
  // expected-note@+1 {{32 bytes for 1xf32}}
  %s = tile.reduce(%t) axis 1 {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tile.yield %0 : f32
  } : (tensor<1x65536xf32>) -> tensor<1xf32>
  %e = tensor.empty() : tensor<1x65536xf32>
  %b = linalg.broadcast ins(%s : tensor<1xf32>) outs(%e : tensor<1x65536xf32>) dimensions = [1]
  // expected-error@+2 {{tiles need 524320 bytes of UB at once here}}
  // expected-note@+1 {{262144 bytes for 1x65536xf32}}
  %r = arith.divf %t, %b : tensor<1x65536xf32>
  %w = tile.view %y[%c0] strides [1, 1] : <f32> -> <1x65536xf32>
  tile.store %r, %w : tensor<1x65536xf32>, <1x65536xf32>
  return
}

// -----

// The lanes of a transposed tile meet those of the tile.
func.func @square(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{the dimension of 512 cannot be cut at this operation: two of its dimensions depend on each other}}
  %v = tile.view %x[%c0] strides [512, 1] : <f32> -> <512x512xf32>
  // expected-note@+1 {{1048576 bytes for 512x512xf32}}
  %t = tile.load %v : <512x512xf32> -> tensor<512x512xf32>
  %e = tensor.empty() : tensor<512x512xf32>
  // expected-note@+1 {{1048576 bytes for 512x512xf32}}
  %u = linalg.transpose ins(%t : tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) permutation = [1, 0]
  // expected-error@+2 {{tiles need 3145728 bytes of UB at once here}}
  // expected-note@+1 {{1048576 bytes for 512x512xf32}}
  %r = arith.addf %t, %u : tensor<512x512xf32>
  tile.store %r, %v : tensor<512x512xf32>, <512x512xf32>
  return
}
