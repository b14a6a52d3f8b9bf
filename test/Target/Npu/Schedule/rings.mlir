// RUN: kiln-opt %s --kiln-npu-schedule=depth=1 | FileCheck %s --check-prefix=ONE
// RUN: kiln-opt %s --kiln-npu-schedule=depth=2 | FileCheck %s --check-prefixes=RING,TWO
// RUN: kiln-opt %s --kiln-npu-schedule=depth=3 | FileCheck %s --check-prefixes=RING,THREE
// RUN: not kiln-opt %s --kiln-npu-schedule=depth=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// NEGATIVE: error: option 'depth' is -1, expected 0 or more
// ONE-NOT: tile.ring_create
// TWO: tile.ring_create : <64xf32, 2>
// THREE: tile.ring_create : <64xf32, 3>
// RING: scf.for {{.*}} iter_args([[OUTER:%.+]] = %
// RING: scf.for {{.*}} iter_args([[N:%.+]] = [[OUTER]])
// RING: tile.load
// RING: tile.ring_put {{.*}}[[N]]]
// RING: tile.store
// RING: arith.addi [[N]], %
func.func @nested(%n: index, %v: !tile.view<64xf32>, %w: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %x = tile.load %v : !tile.view<64xf32> -> tensor<64xf32>
      tile.store %x, %w : tensor<64xf32>, !tile.view<64xf32>
    }
  }
  return
}
