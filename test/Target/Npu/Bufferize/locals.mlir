// RUN: kiln-opt %s --kiln-npu-bufferize | FileCheck %s

// A row is read and made in the buffer itself.
// CHECK-LABEL: func @in_place
// CHECK: [[B:%.+]] = npu.alloc named "b" : memref<4x64xf32, #npu.mem<ub>>
// CHECK: [[O:%.+]] = arith.muli %arg0
// CHECK: [[R:%.+]] = npu.window [[B]][0 + [[O]]] : {{.*}} -> memref<1x64xf32, #npu.mem<ub>>
// CHECK: [[X:%.+]] = bufferization.to_tensor [[R]]
// CHECK: [[W:%.+]] = npu.window [[B]][0 + {{%.+}}]
// CHECK: [[Y:%.+]] = math.exp [[X]]
// CHECK-NEXT: materialize_in_destination [[Y]] in restrict writable [[W]]
// CHECK-NOT: materialize_in_destination
func.func @in_place(%i: index) {
  %b = tile.local_alloc "b" : !tile.local<4x64xf32>
  %x = tile.local_load %b[%i, 0] : !tile.local<4x64xf32> -> tensor<1x64xf32>
  %y = math.exp %x : tensor<1x64xf32>
  tile.local_store %y, %b[%i, 0] : tensor<1x64xf32>, !tile.local<4x64xf32>
  return
}

// What was read is needed behind the write: a copy.
// CHECK-LABEL: func @overwritten
// CHECK: [[T:%.+]] = npu.alloc : memref<64xf32, #npu.mem<ub>>
// CHECK: npu.alloc named "b"
// CHECK: [[X:%.+]] = bufferization.to_tensor
// CHECK-NEXT: materialize_in_destination [[X]] in restrict writable [[T]]
// CHECK-NEXT: [[C:%.+]] = bufferization.to_tensor [[T]]
// CHECK: arith.addf [[C]]
func.func @overwritten(%z: tensor<64xf32>) {
  %b = tile.local_alloc "b" : !tile.local<64xf32>
  %c = tile.local_alloc "c" : !tile.local<64xf32>
  %x = tile.local_load %b[0] : !tile.local<64xf32> -> tensor<64xf32>
  %q = math.exp %z : tensor<64xf32>
  tile.local_store %q, %b[0] : tensor<64xf32>, !tile.local<64xf32>
  %y = arith.addf %x, %x : tensor<64xf32>
  tile.local_store %y, %c[0] : tensor<64xf32>, !tile.local<64xf32>
  return
}

// The old content is read between the value and the store: the value has its own buffer.
// CHECK-LABEL: func @old_content_is_read
// CHECK: [[Y:%.+]] = math.exp
// CHECK-NEXT: materialize_in_destination [[Y]] in restrict writable [[T:%.+]] :
// CHECK: bufferization.to_tensor [[B:%.+]] restrict
// CHECK: materialize_in_destination [[Y]] in restrict writable [[B]]
func.func @old_content_is_read(%z: tensor<64xf32>, %v: !tile.view<64xf32>) {
  %b = tile.local_alloc "b" : !tile.local<64xf32>
  %y = math.exp %z : tensor<64xf32>
  %x = tile.local_load %b[0] : !tile.local<64xf32> -> tensor<64xf32>
  tile.store %x, %v : tensor<64xf32>, !tile.view<64xf32>
  tile.local_store %y, %b[0] : tensor<64xf32>, !tile.local<64xf32>
  return
}

// Columns are no tile: a window of just these lanes, which only says where they lie.
// CHECK-LABEL: func @columns
// CHECK: [[B:%.+]] = npu.alloc named "b" : memref<4x64xf32, #npu.mem<ub>>
// CHECK: [[S:%.+]] = npu.window [[B]][8] : {{.*}} -> memref<208xf32, #npu.mem<ub>>
// CHECK-NEXT: npu.window [[S]][0] : {{.*}} -> memref<4x16xf32, strided<[64, 1], offset: ?>, #npu.mem<ub>>
func.func @columns(%v: !tile.view<4x16xf32>) {
  %b = tile.local_alloc "b" : !tile.local<4x64xf32>
  %x = tile.local_load %b[0, 8] : !tile.local<4x64xf32> -> tensor<4x16xf32>
  tile.store %x, %v : tensor<4x16xf32>, !tile.view<4x16xf32>
  return
}

// Rows have gaps, unless the author has to do with the bytes.
// CHECK-LABEL: func @gaps
// CHECK: npu.alloc named "a" : memref<4x24xf32, #npu.mem<ub>>
// CHECK: npu.alloc at 64 pinned named "b" : memref<4x20xf32, #npu.mem<ub>>
// CHECK: [[C:%.+]] = npu.alloc named "c" : memref<4x20xf32, #npu.mem<ub>>
// CHECK: npu.vunary <vexp> [[C]], [[C]]
func.func @gaps() {
  %a = tile.local_alloc "a" : !tile.local<4x20xf32>
  %b = tile.local_alloc at 64 "b" : !tile.local<4x20xf32>
  %c = tile.local_alloc "c" : !tile.local<4x20xf32>
  %m = npu.local %c : !tile.local<4x20xf32> -> memref<4x20xf32, #npu.mem<ub>>
  npu.vunary <vexp> %m, %m : memref<4x20xf32, #npu.mem<ub>>, memref<4x20xf32, #npu.mem<ub>>
  return
}

// A flag of the author lies between: what is behind it may be written meanwhile.
// CHECK-LABEL: func @flag_between
// CHECK: materialize_in_destination
// CHECK: npu.set
// CHECK: math.exp
func.func @flag_between(%v: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %b = tile.local_alloc "b" : !tile.local<64xf32>
  %x = tile.local_load %b[0] : !tile.local<64xf32> -> tensor<64xf32>
  npu.set <v> to <mte2> [%c0]
  %y = math.exp %x : tensor<64xf32>
  tile.store %y, %v : tensor<64xf32>, !tile.view<64xf32>
  return
}
