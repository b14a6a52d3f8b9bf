// RUN: kiln-opt %s --kiln-cpu-vector-loops --split-input-file --verify-diagnostics

func.func @constant(%x: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : index
  %v = tile.view %x[%c0] strides [1] : !tile.ptr<i32> -> !tile.view<2xi32>
  // expected-error @below {{found a constant tensor with different lanes, expected a splat}}
  %a = arith.constant dense<[1, 2]> : tensor<2xi32>
  tile.store %a, %v : tensor<2xi32>, !tile.view<2xi32>
  return
}

// -----

func.func @dynamic(%t: tensor<?xf32>) {
  // expected-error @below {{found the tensor type 'tensor<?xf32>', expected a static shape of rank 1 or more}}
  %a = arith.addf %t, %t : tensor<?xf32>
  return
}

// -----

func.func @unknown(%t: tensor<4xf32>, %i: index) -> f32 {
  // expected-error @below {{works on tensors in a way that the CPU target does not know}}
  %a = tensor.extract %t[%i] : tensor<4xf32>
  return %a : f32
}
