// RUN: kiln-translate --npu-to-asm %s | FileCheck %s

// Rings, dynamic sizes, the persistent loop and what the launch gives.

// CHECK: kernel "vector_add"
// CHECK: chip "ascend910b" hash "{{[0-9a-f]+}}"
// CHECK: programs_per_iteration 2
// CHECK: param %arg0 : *f32
// CHECK-NEXT: param %arg1 : *f32
// CHECK-NEXT: param %arg2 : *f32 written
// CHECK-NEXT: param %arg3 : i32
// CHECK: program aiv
// CHECK: [[I:%[0-9]+]] = mov.i64 0
// CHECK: loop [[P:%[0-9]+]] = %coreIndex to %gridX step %coreCount persistent
// CHECK: [[O:%[0-9]+]] = mul.i64 [[P]], 64
// CHECK: [[R:%[0-9]+]] = sub.i64 %arg3, [[O]]
// CHECK: [[N:%[0-9]+]] = mins.i64 [[R]], 64
// CHECK: [[A2:%[0-9]+]] = and.i64 [[I]], 1
// CHECK: [[A:%[0-9]+]] = mul.i64 [[A2]], 256
// CHECK: [[B3:%[0-9]+]] = remu.i64 [[I]], 3
// CHECK: [[B0:%[0-9]+]] = mul.i64 [[B3]], 256
// CHECK: [[B:%[0-9]+]] = add.i64 512, [[B0]]
// CHECK: [[BYTES:%[0-9]+]] = mul.i64 [[O]], 4
// CHECK: [[X:%[0-9]+]] = add.i64 %arg0, [[BYTES]]
// CHECK: load UB{{\[}}[[A]]] f32 {{\[}}[[N]]] <- GM{{\[}}[[X]]] f32 {{\[}}[[N]]]
// CHECK: [[Y:%[0-9]+]] = add.i64 %arg1, [[BYTES]]
// CHECK: load UB{{\[}}[[B]]] f32 {{\[}}[[N]]] <- GM{{\[}}[[Y]]] f32 {{\[}}[[N]]]
// CHECK: set_flag MTE2 -> V, 0
// CHECK: wait_flag MTE2 -> V, 0
// CHECK: vadd UB{{\[}}[[A]]] f32 [64], UB{{\[}}[[A]]] f32 [64], UB{{\[}}[[B]]] f32 [64]
// CHECK: pipe_barrier all
// CHECK: store GM[{{.*}}] f32 {{\[}}[[N]]] <- UB{{\[}}[[A]]] f32 {{\[}}[[N]]]
// CHECK: [[NEXT:%[0-9]+]] = add.i64 [[I]], 1
// CHECK: [[I]] = mov.i64 [[NEXT]]
func.func @vector_add(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel, npu.programs_per_iteration = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = npu.alloc at 0 : memref<2x64xf32, #npu.mem<ub>>
  %b = npu.alloc at 512 : memref<3x64xf32, #npu.mem<ub>>
  %first = npu.core_index
  %step = npu.core_count
  %programs = tile.num_programs 0
  %end = arith.index_cast %programs : i32 to index
  %size = arith.index_cast %n : i32 to index
  scf.for %p = %first to %end step %step iter_args(%i = %c0) -> (index) {
    %offset = arith.muli %p, %c64 : index
    %rest = arith.subi %size, %offset : index
    %count = arith.minsi %rest, %c64 : index
    %as = npu.slot %a[%i] : memref<2x64xf32, #npu.mem<ub>> -> memref<64xf32, #npu.mem<ub>>
    %bs = npu.slot %b[%i] : memref<3x64xf32, #npu.mem<ub>> -> memref<64xf32, #npu.mem<ub>>
    npu.load %x[%offset] sizes [%count] strides [1], %as : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
    npu.load %y[%offset] sizes [%count] strides [1], %bs : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
    npu.set <mte2> to <v>[%c0]
    npu.wait <mte2> to <v>[%c0]
    npu.vbinary <vadd> %as, %bs, %as
      : memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>, memref<64xf32, #npu.mem<ub>>
    npu.barrier
    npu.store %as, %out[%offset] sizes [%count] strides [1] : memref<64xf32, #npu.mem<ub>>, !tile.ptr<f32>
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  } {npu.persistent}
  return
}
