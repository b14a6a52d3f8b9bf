// RUN: kiln-opt %s -allow-unregistered-dialect -pass-pipeline='builtin.module(func.func(kiln-raise-access{explain=true}))' -split-input-file -verify-diagnostics

// What `explain` says, and what is said without it: the remarks of accesses that go lane by lane.
func.func @explain(%x: !tile.ptr<f32>, %n: i32, %idx: tensor<10xi32>, %narrow: tensor<10xi16>) {
  %c10 = arith.constant 10 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c10 : i32
  %i = tile.iota 0 : tensor<10xi32>
  %s = tensor.splat %start : tensor<10xi32>
  %o = arith.addi %s, %i : tensor<10xi32>
  %ns = tensor.splat %n : tensor<10xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<10xi32>
  %xs = tensor.splat %x : tensor<10x!tile.ptr<f32>>
  %p = tile.addptr %xs, %o : tensor<10x!tile.ptr<f32>>, tensor<10xi32>
  // expected-remark @below {{load of 10xf32: dim 0 contiguous, bounds [0, arg1 - 10*program_id(0)); offset 10*program_id(0), a multiple of 10}}
  %v = tile.ptr_load %p mask %m : tensor<10x!tile.ptr<f32>> mask tensor<10xi1> -> tensor<10xf32>
  %q = tile.addptr %xs, %idx : tensor<10x!tile.ptr<f32>>, tensor<10xi32>
  // expected-remark @below {{store of 10xf32 goes lane by lane}}
  tile.ptr_store %q, %v : tensor<10x!tile.ptr<f32>>, tensor<10xf32>
  %r = tile.addptr %xs, %narrow : tensor<10x!tile.ptr<f32>>, tensor<10xi16>
  // expected-remark @below {{store of 10xf32 goes lane by lane: an offset of fewer than 32 bits may wrap around}}
  tile.ptr_store %r, %v : tensor<10x!tile.ptr<f32>>, tensor<10xf32>
  return
}

// -----

func.func @pointers_from_memory(%x: !tile.ptr<!tile.ptr<f32>>, %v: tensor<4xf32>) {
  %i = tile.iota 0 : tensor<4xi32>
  %xs = tensor.splat %x : tensor<4x!tile.ptr<!tile.ptr<f32>>>
  %p = tile.addptr %xs, %i : tensor<4x!tile.ptr<!tile.ptr<f32>>>, tensor<4xi32>
  // expected-remark @below {{load of 4x!tile.ptr<f32>: dim 0 contiguous; offset 0}}
  // expected-error @below {{pointers that are read from memory are not there yet}}
  %q = tile.ptr_load %p : tensor<4x!tile.ptr<!tile.ptr<f32>>> -> tensor<4x!tile.ptr<f32>>
  tile.ptr_store %q, %v : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}

// -----

func.func @pointer_argument(%q: tensor<4x!tile.ptr<f32>>, %v: tensor<4xf32>) {
  // expected-error @below {{a tensor of pointers is left that no load or store explains}}
  %0 = "test.opaque"(%q) : (tensor<4x!tile.ptr<f32>>) -> tensor<4x!tile.ptr<f32>>
  return
}
