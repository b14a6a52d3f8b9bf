// RUN: kiln-opt %s --kiln-npu-legalize --cse --split-input-file | FileCheck %s

// bf16 computes in f32 and rounds op by op.
// CHECK-LABEL: func.func @bf16
// CHECK: %[[X:.*]] = arith.extf %arg0 : tensor<64xbf16> to tensor<64xf32>
// CHECK: %[[Y:.*]] = arith.extf %arg1 : tensor<64xbf16> to tensor<64xf32>
// CHECK: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : tensor<64xf32>
// CHECK: %[[R:.*]] = arith.truncf %[[S]] : tensor<64xf32> to tensor<64xbf16>
// CHECK: return %[[R]]
func.func @bf16(%x: tensor<64xbf16>, %y: tensor<64xbf16>) -> tensor<64xbf16> {
  %s = arith.addf %x, %y : tensor<64xbf16>
  return %s : tensor<64xbf16>
}

// -----

// What the unit has stays as it is, in f16 as in f32.
// CHECK-LABEL: func.func @native
// CHECK-NEXT: arith.addf %arg0, %arg0 : tensor<64xf16>
// CHECK-NEXT: math.exp
// CHECK-NEXT: arith.maxnumf
// CHECK-NEXT: return
func.func @native(%x: tensor<64xf16>) -> tensor<64xf16> {
  %0 = arith.addf %x, %x : tensor<64xf16>
  %1 = math.exp %0 : tensor<64xf16>
  %2 = arith.maxnumf %1, %x : tensor<64xf16>
  return %2 : tensor<64xf16>
}

// -----

// A chain of i8 stays in i16 and is cut once, at its end.
// CHECK-LABEL: func.func @bytes
// CHECK-COUNT-2: arith.fptosi {{.*}} : tensor<64xf16> to tensor<64xi16>
// CHECK: arith.addi {{.*}} : tensor<64xi16>
// CHECK-NEXT: arith.muli {{.*}} : tensor<64xi16>
// CHECK: arith.shli
// CHECK-NEXT: arith.shrsi
// CHECK-NEXT: arith.sitofp {{.*}} : tensor<64xi16> to tensor<64xf16>
// CHECK-NEXT: arith.fptosi {{.*}} : tensor<64xf16> to tensor<64xi8>
// CHECK-NEXT: return
func.func @bytes(%x: tensor<64xi8>, %y: tensor<64xi8>) -> tensor<64xi8> {
  %0 = arith.addi %x, %y : tensor<64xi8>
  %1 = arith.muli %0, %y : tensor<64xi8>
  return %1 : tensor<64xi8>
}

// -----

// Order of i32 by the extremes, which cannot overflow; equality is the unit's own.
// CHECK-LABEL: func.func @order
// CHECK: %[[MAX:.*]] = arith.maxsi %arg0, %arg1
// CHECK-NEXT: arith.cmpi ne, %[[MAX]], %arg0
// CHECK-NEXT: arith.cmpi eq, %arg0, %arg1
// CHECK-NEXT: return
func.func @order(%x: tensor<64xi32>, %y: tensor<64xi32>) -> (tensor<64xi1>, tensor<64xi1>) {
  %0 = arith.cmpi slt, %x, %y : tensor<64xi32>
  %1 = arith.cmpi eq, %x, %y : tensor<64xi32>
  return %0, %1 : tensor<64xi1>, tensor<64xi1>
}

// -----

// A mask changes its shape as numbers; the function has no 16-bit elements, so those are f32.
// CHECK-LABEL: func.func @mask
// CHECK: %[[N:.*]] = arith.select %arg0, %{{.*}}, %{{.*}} : tensor<16xi1>, tensor<16xf32>
// CHECK: %[[B:.*]] = linalg.broadcast ins(%[[N]] : tensor<16xf32>)
// CHECK: %[[M:.*]] = arith.cmpf une, %[[B]]
// CHECK: return %[[M]]
func.func @mask(%m: tensor<16xi1>) -> tensor<16x4xi1> {
  %e = tensor.empty() : tensor<16x4xi1>
  %b = linalg.broadcast ins(%m : tensor<16xi1>) outs(%e : tensor<16x4xi1>) dimensions = [1]
  return %b : tensor<16x4xi1>
}

// -----

// A scalar condition becomes a mask.
// CHECK-LABEL: func.func @scalar_condition
// CHECK: %[[N:.*]] = arith.select %arg0, %{{.*}}, %{{.*}} : f32
// CHECK: tensor.splat %[[N]] : tensor<64xf32>
// CHECK: %[[M:.*]] = arith.cmpf une
// CHECK: arith.select %[[M]], %arg1, %arg2 : tensor<64xi1>, tensor<64xf32>
func.func @scalar_condition(%c: i1, %x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = arith.select %c, %x, %y : tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// A sum of bf16 keeps its partial results in f32; an OR of masks travels as i16.
// CHECK-LABEL: func.func @reduce
// CHECK: tile.reduce(%{{.*}}) axis 1
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.addf {{.*}} : f32
// CHECK-NEXT: tile.yield
// CHECK-NEXT: (tensor<4x64xf32>) -> tensor<4xf32>
// CHECK-NEXT: arith.truncf
// CHECK: tile.reduce(%{{.*}}) axis 1
// CHECK-NEXT: ^bb0(%{{.*}}: i16, %{{.*}}: i16):
// CHECK-NEXT: arith.ori {{.*}} : i16
func.func @reduce(%x: tensor<4x64xbf16>, %m: tensor<4x64xi1>) -> (tensor<4xbf16>, tensor<4xi1>) {
  %0 = tile.reduce(%x) axis 1 {
  ^bb0(%a: bf16, %b: bf16):
    %s = arith.addf %a, %b : bf16
    tile.yield %s : bf16
  } : (tensor<4x64xbf16>) -> tensor<4xbf16>
  %1 = tile.reduce(%m) axis 1 {
  ^bb0(%a: i1, %b: i1):
    %s = arith.ori %a, %b : i1
    tile.yield %s : i1
  } : (tensor<4x64xi1>) -> tensor<4xi1>
  return %0, %1 : tensor<4xbf16>, tensor<4xi1>
}

// -----

// In a combine region scalars stand for tensors: the comparison of indices is composed there.
// CHECK-LABEL: func.func @argmax
// CHECK: arith.cmpf ogt
// CHECK: arith.maxsi {{.*}} : i32
// CHECK: arith.cmpi ne
// CHECK-NOT: arith.cmpi slt
func.func @argmax(%x: tensor<64xf32>, %i: tensor<64xi32>) -> i32 {
  %0:2 = tile.reduce(%x, %i) axis 0 {
  ^bb0(%a: f32, %n: i32, %b: f32, %m: i32):
    %gt = arith.cmpf ogt, %a, %b : f32
    %eq = arith.cmpf oeq, %a, %b : f32
    %lt = arith.cmpi slt, %n, %m : i32
    %tie = arith.andi %eq, %lt : i1
    %better = arith.ori %gt, %tie : i1
    %v = arith.select %better, %a, %b : f32
    %k = arith.select %better, %n, %m : i32
    tile.yield %v, %k : f32, i32
  } : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  return %0#1 : i32
}

// -----

// A scalar function that the scalar unit lacks runs as a tensor of one element.
// CHECK-LABEL: func.func @scalar
// CHECK: %[[S:.*]] = tensor.splat %arg0 : tensor<1xf32>
// CHECK: %[[E:.*]] = math.exp %[[S]]
// CHECK: %[[R:.*]] = tensor.extract %[[E]]
// CHECK: %[[Q:.*]] = math.sqrt %[[R]] : f32
// CHECK: return %[[Q]]
func.func @scalar(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  %1 = math.sqrt %0 : f32
  return %1 : f32
}

// -----

// i64 that fits i32 computes there.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: i64
// CHECK: arith.maxsi {{.*}} : tensor<64xi32>
// CHECK-NEXT: arith.cmpi ne, {{.*}} : tensor<64xi32>
// CHECK-NEXT: return
func.func @narrow(%n: i32) -> tensor<64xi1> {
  %i = tile.iota 0 : tensor<64xi32>
  %s = tensor.splat %n : tensor<64xi32>
  %a = arith.extsi %i : tensor<64xi32> to tensor<64xi64>
  %b = arith.extsi %s : tensor<64xi32> to tensor<64xi64>
  %m = arith.cmpi slt, %a, %b : tensor<64xi64>
  return %m : tensor<64xi1>
}

// -----

// A branch in a combine function becomes a selection.
// CHECK-LABEL: func.func @branch
// CHECK: tile.reduce
// CHECK: %[[C:.*]] = arith.cmpf ogt
// CHECK-NEXT: %[[S:.*]] = arith.addf
// CHECK-NEXT: %[[R:.*]] = arith.select %[[C]], %[[S]], %{{.*}} : f32
// CHECK-NEXT: tile.yield %[[R]]
func.func @branch(%x: tensor<64xf32>) -> f32 {
  %0 = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    %r = scf.if %c -> f32 {
      %s = arith.addf %a, %b : f32
      scf.yield %s : f32
    } else {
      scf.yield %b : f32
    }
    tile.yield %r : f32
  } : (tensor<64xf32>) -> f32
  return %0 : f32
}

// -----

// A quotient of unsigned numbers that may be negative ones is not that of their halves; nor is a
// shift by more than a half.
// CHECK-LABEL: func.func @not_narrow
// CHECK: %[[X:.*]] = arith.extsi
// CHECK: arith.remui %[[X]], %{{.*}} : tensor<64xi64>
// CHECK: arith.shrsi %[[X]], %{{.*}} : tensor<64xi64>
func.func @not_narrow(%x: tensor<64xi32>) -> (tensor<64xi64>, tensor<64xi64>) {
  %seven = arith.constant dense<7> : tensor<64xi64>
  %forty = arith.constant dense<40> : tensor<64xi64>
  %a = arith.extsi %x : tensor<64xi32> to tensor<64xi64>
  %r = arith.remui %a, %seven : tensor<64xi64>
  %s = arith.shrsi %a, %forty : tensor<64xi64>
  return %r, %s : tensor<64xi64>, tensor<64xi64>
}
