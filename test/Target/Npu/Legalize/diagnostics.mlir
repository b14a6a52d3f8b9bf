// RUN: kiln-opt %s --kiln-npu-legalize --split-input-file --verify-diagnostics -o /dev/null

func.func @f64_tensor(%x: tensor<64xf32>) -> tensor<64xf64> {
  // expected-error @below {{f64 does not run on ascend910b: no unit of it has 64-bit floats}}
  %0 = arith.extf %x : tensor<64xf32> to tensor<64xf64>
  return %0 : tensor<64xf64>
}

// -----

// expected-error @below {{f64 does not run on ascend910b}}
func.func @f64_argument(%x: f64) {
  return
}

// -----

func.func @i64(%x: tensor<64xi64>) -> tensor<64xi64> {
  // expected-remark @below {{64-bit integers run element by element on the scalar unit: the vector unit of ascend910b has none}}
  %0 = arith.addi %x, %x : tensor<64xi64>
  return %0 : tensor<64xi64>
}

// -----

func.func @unknown(%x: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @below {{found math.acos, which has no lowering on the NPU yet}}
  %0 = math.acos %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

func.func @unknown_scalar(%x: f32) -> f32 {
  // expected-error @below {{found math.acos, which has no lowering on the NPU yet}}
  %0 = math.acos %x : f32
  return %0 : f32
}

// -----

func.func @control_flow(%x: tensor<64xf32>, %n: index) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{found control flow in the combine function of a reduction}}
    %r = scf.for %i = %zero to %n step %one iter_args(%s = %a) -> f32 {
      %t = arith.addf %s, %b : f32
      scf.yield %t : f32
    }
    tile.yield %r : f32
  } : (tensor<64xf32>) -> f32
  return %0 : f32
}
