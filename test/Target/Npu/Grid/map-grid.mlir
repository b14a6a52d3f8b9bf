// RUN: kiln-opt %s --kiln-npu-map-grid --cse --split-input-file | FileCheck %s
// RUN: kiln-opt %s --kiln-npu-map-grid=per-iteration=2 --cse --split-input-file | FileCheck %s --check-prefix=TWO

// 32 KiB a program is enough for one iteration. Axis 0 counts fastest; what comes from the launch
// alone stands before the loop.
// CHECK-LABEL: func.func @large
// CHECK-SAME: npu.programs_per_iteration = 1
// CHECK: %[[N:.*]] = arith.index_cast %arg1 : i32 to index
// CHECK: %[[CORES:.*]] = npu.core_count
// CHECK: %[[X:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[TOTAL:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK: %[[CORE:.*]] = npu.core_index
// CHECK: scf.for %[[P:.*]] = %[[CORE]] to %{{.*}} step %[[CORES]] {
// CHECK: %[[ID:.*]] = arith.remui %[[P]], %[[X]] : index
// CHECK-NOT: arith.cmpi
// CHECK: tile.load
// CHECK: tile.store
// CHECK: } {npu.persistent}
// CHECK-NEXT: return

// Two programs: both loads first, the second with bounds that are empty beyond the last program.
// TWO-LABEL: func.func @large
// TWO-SAME: npu.programs_per_iteration = 2
// TWO: %[[CORES:.*]] = npu.core_count
// TWO: scf.for %[[P:.*]] =
// TWO: %[[SECOND:.*]] = arith.addi %[[P]], %[[CORES]] : index
// TWO: %[[ACTIVE:.*]] = arith.cmpi slt, %[[SECOND]], %{{.*}} : index
// TWO: %[[A:.*]] = tile.load
// TWO: %[[END:.*]] = arith.select %[[ACTIVE]], %{{.*}}, %c0
// TWO: %[[B:.*]] = tile.load %{{.*}} valid[%c0] to[%[[END]]]
// TWO: tile.store %[[A]]
// TWO: tile.store %[[B]], %{{.*}} valid[%c0] to[%[[END]]]
func.func @large(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %size = arith.constant 8192 : index
  %pid = tile.program_id 0
  %p = arith.index_cast %pid : i32 to index
  %total = arith.index_cast %n : i32 to index
  %start = arith.muli %p, %size : index
  %left = arith.subi %total, %start : index
  %v = tile.view %x[%start] strides [1] : <f32> -> <8192xf32>
  %t = tile.load %v valid [%c0] to [%left] : <8192xf32> -> tensor<8192xf32>
  tile.store %t, %v valid [%c0] to [%left] : tensor<8192xf32>, <8192xf32>
  return
}

// -----

// Small programs go together; a row that all of them read is loaded once. Whole tiles get bounds in
// the copies that may lie beyond the last program.
// CHECK-LABEL: func.func @small
// CHECK-SAME: npu.programs_per_iteration = 2
// TWO-LABEL: func.func @small
// TWO: %[[W:.*]] = tile.load
// TWO: %[[A:.*]] = tile.load
// TWO: arith.select %{{.*}}, %c512, %c0
// TWO: %[[B:.*]] = tile.load %{{.*}} valid
// TWO: arith.mulf %[[A]], %[[W]]
// TWO: tile.store
// TWO: arith.mulf %[[B]], %[[W]]
// TWO: tile.store
func.func @small(%x: !tile.ptr<f32>, %w: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : index
  %size = arith.constant 512 : index
  %pid = tile.program_id 1
  %p = arith.index_cast %pid : i32 to index
  %start = arith.muli %p, %size : index
  %vw = tile.view %w[%c0] strides [1] : <f32> -> <512xf32>
  %tw = tile.load %vw : <512xf32> -> tensor<512xf32>
  %v = tile.view %x[%start] strides [1] : <f32> -> <512xf32>
  %t = tile.load %v : <512xf32> -> tensor<512xf32>
  %y = arith.mulf %t, %tw : tensor<512xf32>
  tile.store %y, %v : tensor<512xf32>, <512xf32>
  return
}

// -----

// A load of what the program has stored before stays behind the store.
// TWO-LABEL: func.func @ordered
// TWO: tile.store
// TWO: tile.load
// TWO: tile.store
// TWO: tile.store
// TWO: tile.load
// TWO: tile.store
func.func @ordered(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %size = arith.constant 512 : index
  %pid = tile.program_id 0
  %p = arith.index_cast %pid : i32 to index
  %start = arith.muli %p, %size : index
  %ones = arith.constant dense<1.0> : tensor<512xf32>
  %v = tile.view %x[%start] strides [1] : <f32> -> <512xf32>
  tile.store %ones, %v : tensor<512xf32>, <512xf32>
  %u = tile.view %y[%start] strides [1] : <f32> -> <512xf32>
  %t = tile.load %u : <512xf32> -> tensor<512xf32>
  tile.store %t, %v : tensor<512xf32>, <512xf32>
  return
}

// -----

// Control flow: one program an iteration, or, asked for two, the second in a branch.
// CHECK-LABEL: func.func @branchy
// CHECK-SAME: npu.programs_per_iteration = 1
// TWO-LABEL: func.func @branchy
// TWO: scf.for
// TWO: %[[ACTIVE:.*]] = arith.cmpi slt
// TWO: arith.remui
// TWO: scf.if
// TWO: tile.ptr_store
// TWO: scf.if %[[ACTIVE]] {
// TWO: arith.remui
// TWO: scf.if
// TWO: tile.ptr_store
func.func @branchy(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %pid = tile.program_id 0
  %c = arith.cmpi ne, %pid, %zero : i32
  scf.if %c {
    %q = tile.addptr %x, %pid : !tile.ptr<i32>, i32
    tile.ptr_store %q, %pid : !tile.ptr<i32>, i32
  }
  return
}
