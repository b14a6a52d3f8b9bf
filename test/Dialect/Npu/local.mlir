// RUN: kiln-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @local
func.func @local() attributes {npu.author_sync, npu.author_memory} {
  // CHECK: [[B:%.+]] = tile.local_alloc
  // CHECK: npu.local [[B]] : <16x64xf32> -> memref<16x64xf32, #npu.mem<ub>>
  %b = tile.local_alloc : !tile.local<16x64xf32>
  %m = npu.local %b : !tile.local<16x64xf32> -> memref<16x64xf32, #npu.mem<ub>>
  // CHECK: [[C:%.+]] = tile.local_alloc
  // CHECK: npu.local [[C]] : <2x8xi8> -> memref<128xi1, #npu.mem<ub>>
  %c = tile.local_alloc : !tile.local<2x8xi8>
  %n = npu.local %c : !tile.local<2x8xi8> -> memref<128xi1, #npu.mem<ub>>
  return
}

// -----

func.func @local_c1(%b: !tile.local<16x64xf32>) {
  // expected-error @below {{for a buffer of type '!tile.local<16x64xf32>', expected its shape and elements without a layout, or its bits}}
  %m = npu.local %b : !tile.local<16x64xf32> -> memref<64x16xf32, #npu.mem<ub>>
  return
}

// -----

func.func @local_c1_layout(%b: !tile.local<8x8xf32>) {
  // expected-error @below {{expected its shape and elements without a layout, or its bits}}
  %m = npu.local %b : !tile.local<8x8xf32> -> memref<8x8xf32, strided<[16, 1]>, #npu.mem<ub>>
  return
}

// -----

func.func @local_c2(%b: !tile.local<64xf32>) {
  // expected-error @below {{expected its shape and elements without a layout, or its bits}}
  %m = npu.local %b : !tile.local<64xf32> -> memref<64xi32, #npu.mem<ub>>
  return
}

// -----

func.func @local_c2_bits(%b: !tile.local<16xf32>) {
  // expected-error @below {{expected its shape and elements without a layout, or its bits}}
  %m = npu.local %b : !tile.local<16xf32> -> memref<128xi1, #npu.mem<ub>>
  return
}
