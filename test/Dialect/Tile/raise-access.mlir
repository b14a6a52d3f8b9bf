// RUN: kiln-opt %s -pass-pipeline='builtin.module(func.func(canonicalize,cse,kiln-raise-access,canonicalize,cse))' | FileCheck %s

// Contiguous, strided, permuted, repeated, reversed and wrapped blocks, and what becomes of masks.

// CHECK-LABEL: func.func @add(
// CHECK-SAME: [[A0:%[a-z0-9_]+]]:{{[^%]*}}[[A1:%[a-z0-9_]+]]:{{[^%]*}}[[A2:%[a-z0-9_]+]]:
// CHECK: [[C0:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK: [[C1000:%[a-z0-9_]+]] = arith.constant 1000 : index
// CHECK: [[V0:%[a-z0-9_]+]] = tile.program_id 0
// CHECK: [[V1:%[a-z0-9_]+]] = arith.index_cast [[A2]] : i32 to index
// CHECK: [[V2:%[a-z0-9_]+]] = arith.index_cast [[V0]] : i32 to index
// CHECK: [[V3:%[a-z0-9_]+]] = arith.muli [[V2]], [[C1000]] : index
// CHECK: [[V4:%[a-z0-9_]+]] = arith.subi [[V1]], [[V3]] : index
// CHECK: [[V5:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[V3]]] strides [1] : <f32> -> <1000xf32>
// CHECK: [[V6:%[a-z0-9_]+]] = tile.load [[V5]] valid{{\[}}[[C0]]] to{{\[}}[[V4]]] : <1000xf32> -> tensor<1000xf32>
// CHECK: [[V7:%[a-z0-9_]+]] = arith.addf [[V6]], [[V6]] : tensor<1000xf32>
// CHECK: [[V8:%[a-z0-9_]+]] = tile.view [[A1]]{{\[}}[[V3]]] strides [1] : <f32> -> <1000xf32>
// CHECK: tile.store [[V7]], [[V8]] valid{{\[}}[[C0]]] to{{\[}}[[V4]]] : tensor<1000xf32>, <1000xf32>
func.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.alias_set = 0 : i64}, %y: !tile.ptr<f32>, %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %c1024 = arith.constant 1000 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c1024 : i32
  %i = tile.iota 0 : tensor<1000xi32>
  %s = tensor.splat %start : tensor<1000xi32>
  %o = arith.addi %s, %i : tensor<1000xi32>
  %ns = tensor.splat %n : tensor<1000xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<1000xi32>
  %xs = tensor.splat %x : tensor<1000x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %o : tensor<1000x!tile.ptr<f32>>, tensor<1000xi32>
  %v = tile.ptr_load %xp mask %m : tensor<1000x!tile.ptr<f32>> mask tensor<1000xi1> -> tensor<1000xf32>
  %w = arith.addf %v, %v : tensor<1000xf32>
  %ys = tensor.splat %y : tensor<1000x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %o : tensor<1000x!tile.ptr<f32>>, tensor<1000xi32>
  tile.ptr_store %yp, %w mask %m : tensor<1000x!tile.ptr<f32>>, tensor<1000xf32> mask tensor<1000xi1>
  return
}

// CHECK-LABEL: func.func @two_d(
// CHECK-SAME: [[A0:%[a-z0-9_]+]]:{{[^%]*}}[[A1:%[a-z0-9_]+]]:{{[^%]*}}[[A2:%[a-z0-9_]+]]:{{[^%]*}}[[A3:%[a-z0-9_]+]]:
// CHECK: [[CST:%[a-z0-9_]+]] = arith.constant 1.000000e+00 : f32
// CHECK: [[C0:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK: [[C48:%[a-z0-9_]+]] = arith.constant 48 : index
// CHECK: [[V0:%[a-z0-9_]+]] = tile.program_id 0
// CHECK: [[V1:%[a-z0-9_]+]] = arith.index_cast [[A1]] : i32 to index
// CHECK: [[V2:%[a-z0-9_]+]] = arith.index_cast [[V0]] : i32 to index
// CHECK: [[V3:%[a-z0-9_]+]] = arith.muli [[V2]], [[C48]] : index
// CHECK: [[V4:%[a-z0-9_]+]] = arith.subi [[V1]], [[V3]] : index
// CHECK: [[V5:%[a-z0-9_]+]] = arith.index_cast [[A2]] : i32 to index
// CHECK: [[V6:%[a-z0-9_]+]] = arith.index_cast [[A3]] : i32 to index
// CHECK: [[V7:%[a-z0-9_]+]] = arith.muli [[V2]], [[V6]] : index
// CHECK: [[V8:%[a-z0-9_]+]] = arith.muli [[V7]], [[C48]] : index
// CHECK: [[V9:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[V8]]] strides {{\[}}[[V6]], 1] : <f32> -> <48x5xf32>
// CHECK: [[V10:%[a-z0-9_]+]] = tile.load [[V9]] valid{{\[}}[[C0]], [[C0]]] to{{\[}}[[V4]], [[V5]]] pad [[CST]] : <48x5xf32> pad f32 -> tensor<48x5xf32>
// CHECK: [[V11:%[a-z0-9_]+]] = tensor.empty() : tensor<5x48xf32>
// CHECK: [[TRANSPOSED:%[a-z0-9_]+]] = linalg.transpose ins([[V10]] : tensor<48x5xf32>) outs([[V11]] : tensor<5x48xf32>) permutation = [1, 0]
// CHECK: [[V12:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[V8]]] strides [1, [[V6]]] : <f32> -> <5x48xf32>
// CHECK: tile.store [[TRANSPOSED]], [[V12]] : tensor<5x48xf32>, <5x48xf32>
func.func @two_d(%x: !tile.ptr<f32>, %m: i32, %n: i32, %s: i32) {
  %c48 = arith.constant 48 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c48 : i32
  %i = tile.iota 0 : tensor<48xi32>
  %ss = tensor.splat %start : tensor<48xi32>
  %rows = arith.addi %ss, %i : tensor<48xi32>
  %cols = tile.iota 0 : tensor<5xi32>
  %rows2 = tensor.expand_shape %rows [[0, 1]] output_shape [48, 1] : tensor<48xi32> into tensor<48x1xi32>
  %cols2 = tensor.expand_shape %cols [[0, 1]] output_shape [1, 5] : tensor<5xi32> into tensor<1x5xi32>
  %st = tensor.splat %s : tensor<48x1xi32>
  %ro = arith.muli %rows2, %st : tensor<48x1xi32>
  %roc = tensor.collapse_shape %ro [[0, 1]] : tensor<48x1xi32> into tensor<48xi32>
  %e = tensor.empty() : tensor<48x5xi32>
  %rb = linalg.broadcast ins(%roc : tensor<48xi32>) outs(%e : tensor<48x5xi32>) dimensions = [1]
  %colc = tensor.collapse_shape %cols2 [[0, 1]] : tensor<1x5xi32> into tensor<5xi32>
  %cb = linalg.broadcast ins(%colc : tensor<5xi32>) outs(%e : tensor<48x5xi32>) dimensions = [0]
  %xs = tensor.splat %x : tensor<48x5x!tile.ptr<f32>>
  %o = arith.addi %rb, %cb : tensor<48x5xi32>
  %p = tile.addptr %xs, %o : tensor<48x5x!tile.ptr<f32>>, tensor<48x5xi32>
  %ms = tensor.splat %m : tensor<48x1xi32>
  %ns = tensor.splat %n : tensor<1x5xi32>
  %m1 = arith.cmpi slt, %rows2, %ms : tensor<48x1xi32>
  %m2 = arith.cmpi slt, %cols2, %ns : tensor<1x5xi32>
  %e1 = tensor.empty() : tensor<48x5xi1>
  %m1c = tensor.collapse_shape %m1 [[0, 1]] : tensor<48x1xi1> into tensor<48xi1>
  %m2c = tensor.collapse_shape %m2 [[0, 1]] : tensor<1x5xi1> into tensor<5xi1>
  %m1b = linalg.broadcast ins(%m1c : tensor<48xi1>) outs(%e1 : tensor<48x5xi1>) dimensions = [1]
  %m2b = linalg.broadcast ins(%m2c : tensor<5xi1>) outs(%e1 : tensor<48x5xi1>) dimensions = [0]
  %mask = arith.andi %m1b, %m2b : tensor<48x5xi1>
  %other = arith.constant dense<1.0> : tensor<48x5xf32>
  %v = tile.ptr_load %p mask %mask other %other : tensor<48x5x!tile.ptr<f32>> mask tensor<48x5xi1> other tensor<48x5xf32> -> tensor<48x5xf32>
  // transposed store
  %et = tensor.empty() : tensor<5x48x!tile.ptr<f32>>
  %pt = linalg.transpose ins(%p : tensor<48x5x!tile.ptr<f32>>) outs(%et : tensor<5x48x!tile.ptr<f32>>) permutation = [1, 0]
  %et2 = tensor.empty() : tensor<5x48xf32>
  %vt = linalg.transpose ins(%v : tensor<48x5xf32>) outs(%et2 : tensor<5x48xf32>) permutation = [1, 0]
  tile.ptr_store %pt, %vt : tensor<5x48x!tile.ptr<f32>>, tensor<5x48xf32>
  return
}

// CHECK-LABEL: func.func @wrap(
// CHECK-SAME: [[A0:%[a-z0-9_]+]]:{{[^%]*}}[[A1:%[a-z0-9_]+]]:{{[^%]*}}[[A2:%[a-z0-9_]+]]:
// CHECK: [[C0:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK: [[C48:%[a-z0-9_]+]] = arith.constant 48 : index
// CHECK: [[V0:%[a-z0-9_]+]] = tile.program_id 0
// CHECK: [[V1:%[a-z0-9_]+]] = tile.iota 0 : tensor<48xi32>
// CHECK: [[SPLAT:%[a-z0-9_]+]] = tensor.splat [[A1]] : tensor<48xi32>
// CHECK: [[V2:%[a-z0-9_]+]] = arith.index_cast [[V0]] : i32 to index
// CHECK: [[V3:%[a-z0-9_]+]] = arith.muli [[V2]], [[C48]] : index
// CHECK: [[V4:%[a-z0-9_]+]] = arith.index_cast [[A1]] : i32 to index
// CHECK: [[V5:%[a-z0-9_]+]] = arith.subi [[C0]], [[V4]] : index
// CHECK: [[V6:%[a-z0-9_]+]] = arith.maxsi [[V4]], [[V5]] : index
// CHECK: [[V7:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[C0]]] strides [1] wrap [0] start([[V3]]) size([[V6]]) : <f32> -> <48xf32>
// CHECK: [[V8:%[a-z0-9_]+]] = tile.load [[V7]] : <48xf32> -> tensor<48xf32>
// CHECK: [[SPLAT_0:%[a-z0-9_]+]] = tensor.splat [[A2]] : tensor<48xi32>
// CHECK: [[V9:%[a-z0-9_]+]] = arith.addi [[SPLAT_0]], [[V1]] : tensor<48xi32>
// CHECK: [[V10:%[a-z0-9_]+]] = arith.remsi [[V9]], [[SPLAT]] : tensor<48xi32>
// CHECK: tile.scatter [[V8]], [[A0]]{{\[}}[[V10]]] : tensor<48xf32>, <f32>[tensor<48xi32>]
// CHECK: [[V11:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[C0]]] strides [1] : <f32> -> <48xf32>
// CHECK: tile.store [[V8]], [[V11]] : tensor<48xf32>, <48xf32>
func.func @wrap(%x: !tile.ptr<f32>, %m: i32, %neg: i32) {
  %c48 = arith.constant 48 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c48 : i32
  %i = tile.iota 0 : tensor<48xi32>
  %ss = tensor.splat %start : tensor<48xi32>
  %rows = arith.addi %ss, %i : tensor<48xi32>
  %ms = tensor.splat %m : tensor<48xi32>
  %w = arith.remsi %rows, %ms : tensor<48xi32>
  %xs = tensor.splat %x : tensor<48x!tile.ptr<f32>>
  %p = tile.addptr %xs, %w : tensor<48x!tile.ptr<f32>>, tensor<48xi32>
  %v = tile.ptr_load %p : tensor<48x!tile.ptr<f32>> -> tensor<48xf32>
  // negative start: gather
  %ns = tensor.splat %neg : tensor<48xi32>
  %rows2 = arith.addi %ns, %i : tensor<48xi32>
  %w2 = arith.remsi %rows2, %ms : tensor<48xi32>
  %p2 = tile.addptr %xs, %w2 : tensor<48x!tile.ptr<f32>>, tensor<48xi32>
  tile.ptr_store %p2, %v : tensor<48x!tile.ptr<f32>>, tensor<48xf32>
  // in range: no wrap
  %c50 = arith.constant dense<50> : tensor<48xi32>
  %w3 = arith.remsi %i, %c50 : tensor<48xi32>
  %p3 = tile.addptr %xs, %w3 : tensor<48x!tile.ptr<f32>>, tensor<48xi32>
  tile.ptr_store %p3, %v : tensor<48x!tile.ptr<f32>>, tensor<48xf32>
  return
}

// CHECK-LABEL: func.func @masks(
// CHECK-SAME: [[A0:%[a-z0-9_]+]]:{{[^%]*}}[[A1:%[a-z0-9_]+]]:{{[^%]*}}[[A2:%[a-z0-9_]+]]:{{[^%]*}}[[A3:%[a-z0-9_]+]]:{{[^%]*}}[[A4:%[a-z0-9_]+]]:{{[^%]*}}[[A5:%[a-z0-9_]+]]:
// CHECK: [[C100:%[a-z0-9_]+]] = arith.constant 100 : index
// CHECK: [[C0:%[a-z0-9_]+]] = arith.constant 0 : index
// CHECK: [[C1:%[a-z0-9_]+]] = arith.constant 1 : index
// CHECK: [[CST:%[a-z0-9_]+]] = arith.constant dense<2> : tensor<100xi32>
// CHECK: [[V0:%[a-z0-9_]+]] = tile.iota 0 : tensor<100xi32>
// CHECK: [[SPLAT:%[a-z0-9_]+]] = tensor.splat [[A1]] : tensor<100xi32>
// CHECK: [[V1:%[a-z0-9_]+]] = arith.index_cast [[A1]] : i32 to index
// CHECK: [[V2:%[a-z0-9_]+]] = arith.addi [[V1]], [[C1]] : index
// CHECK: [[V3:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[V1]]] strides [-1] : <f32> -> <100xf32>
// CHECK: [[V4:%[a-z0-9_]+]] = tile.load [[V3]] valid{{\[}}[[C0]]] to{{\[}}[[V2]]] pad [[A5]] : <100xf32> pad f32 -> tensor<100xf32>
// CHECK: [[V5:%[a-z0-9_]+]] = arith.select [[A2]], [[C100]], [[C0]] : index
// CHECK: [[V6:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[C0]]] strides [0] : <f32> -> <100xf32>
// CHECK: tile.store [[V4]], [[V6]] valid{{\[}}[[C0]]] to{{\[}}[[V5]]] : tensor<100xf32>, <100xf32>
// CHECK: [[V7:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[C0]]] strides [1] : <f32> -> <100xf32>
// CHECK: tile.store [[V4]], [[V7]] valid{{\[}}[[C0]]] to{{\[}}[[V1]]] mask [[A4]] : tensor<100xf32>, <100xf32> mask tensor<100xi1>
// CHECK: [[V8:%[a-z0-9_]+]] = arith.cmpi slt, [[A3]], [[A1]] : i32
// CHECK: [[V9:%[a-z0-9_]+]] = arith.select [[V8]], [[V2]], [[C0]] : index
// CHECK: tile.store [[V4]], [[V7]] valid{{\[}}[[V1]]] to{{\[}}[[V9]]] : tensor<100xf32>, <100xf32>
// CHECK: [[V10:%[a-z0-9_]+]] = arith.muli [[V0]], [[CST]] : tensor<100xi32>
// CHECK: [[V11:%[a-z0-9_]+]] = arith.cmpi slt, [[V10]], [[SPLAT]] : tensor<100xi32>
// CHECK: [[V12:%[a-z0-9_]+]] = tile.view [[A0]]{{\[}}[[C0]]] strides [2] : <f32> -> <100xf32>
// CHECK: tile.store [[V4]], [[V12]] mask [[V11]] : tensor<100xf32>, <100xf32> mask tensor<100xi1>
// CHECK: tile.store [[V4]], [[V7]] : tensor<100xf32>, <100xf32>
func.func @masks(%x: !tile.ptr<f32>, %n: i32, %c: i1, %row: i32, %user: tensor<100xi1>, %f: f32) {
  %i = tile.iota 0 : tensor<100xi32>
  %xs = tensor.splat %x : tensor<100x!tile.ptr<f32>>
  %cm1 = arith.constant dense<-1> : tensor<100xi32>
  %ns = tensor.splat %n : tensor<100xi32>
  // reversed
  %ri = arith.muli %i, %cm1 : tensor<100xi32>
  %r = arith.addi %ri, %ns : tensor<100xi32>
  %p = tile.addptr %xs, %r : tensor<100x!tile.ptr<f32>>, tensor<100xi32>
  %zero = arith.constant dense<0> : tensor<100xi32>
  %m = arith.cmpi sge, %r, %zero : tensor<100xi32>
  %other = tensor.splat %f : tensor<100xf32>
  %v = tile.ptr_load %p mask %m other %other : tensor<100x!tile.ptr<f32>> mask tensor<100xi1> other tensor<100xf32> -> tensor<100xf32>
  // uniform
  %cs = tensor.splat %c : tensor<100xi1>
  %b = tile.addptr %xs, %zero : tensor<100x!tile.ptr<f32>>, tensor<100xi32>
  tile.ptr_store %xs, %v mask %cs : tensor<100x!tile.ptr<f32>>, tensor<100xf32> mask tensor<100xi1>
  // residual plus bound
  %lt = arith.cmpi slt, %i, %ns : tensor<100xi32>
  %both = arith.andi %lt, %user : tensor<100xi1>
  %pi = tile.addptr %xs, %i : tensor<100x!tile.ptr<f32>>, tensor<100xi32>
  tile.ptr_store %pi, %v mask %both : tensor<100x!tile.ptr<f32>>, tensor<100xf32> mask tensor<100xi1>
  // equality, row condition
  %rs = tensor.splat %row : tensor<100xi32>
  %eq = arith.cmpi eq, %i, %ns : tensor<100xi32>
  %rc = arith.cmpi slt, %rs, %ns : tensor<100xi32>
  %and = arith.andi %eq, %rc : tensor<100xi1>
  tile.ptr_store %pi, %v mask %and : tensor<100x!tile.ptr<f32>>, tensor<100xf32> mask tensor<100xi1>
  // not unit: residual
  %two = arith.constant dense<2> : tensor<100xi32>
  %i2 = arith.muli %i, %two : tensor<100xi32>
  %lt2 = arith.cmpi slt, %i2, %ns : tensor<100xi32>
  %p2 = tile.addptr %xs, %i2 : tensor<100x!tile.ptr<f32>>, tensor<100xi32>
  tile.ptr_store %p2, %v mask %lt2 : tensor<100x!tile.ptr<f32>>, tensor<100xf32> mask tensor<100xi1>
  // always true and never
  %k100 = arith.constant dense<100> : tensor<100xi32>
  %always = arith.cmpi slt, %i, %k100 : tensor<100xi32>
  tile.ptr_store %pi, %v mask %always : tensor<100x!tile.ptr<f32>>, tensor<100xf32> mask tensor<100xi1>
  %never = arith.cmpi sge, %i, %k100 : tensor<100xi32>
  tile.ptr_store %pi, %v mask %never : tensor<100x!tile.ptr<f32>>, tensor<100xf32> mask tensor<100xi1>
  return
}
