//===- Prefetch.h - loads an iteration ahead ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_SCHEDULE_PREFETCH_H
#define KILN_LIB_TARGET_NPU_SCHEDULE_PREFETCH_H

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::npu {

/// Whether a load that stands in the body of a loop may be done an iteration earlier: where it
/// reads follows from the induction variable alone, and nothing in the loop stores to what it
/// reads. (In a loop over programs, whose iterations carry no memory order, what stores behind it
/// may.)
bool canPrefetch(tile::LoadOp load, mlir::scf::ForOp loop);

/// Does the load an iteration ahead, through a ring of two slots or more: the first before the
/// loop, each further one at the start of the iteration before its own; past the end nothing is
/// read. `number` is the loop's counter, the last value that it carries.
///
///   scf.for %i = %a to %b step %s iter_args(%n) {      tile.ring_put (load of %a if %a < %b),
///   %r[%n0]
///     %x = tile.load (of %i)                      ==>  scf.for %i = … iter_args(%n = %n0) {
///     … %x …                                             tile.ring_put (load of %i + %s if < %b),
///     %r[%n + 1]
///                                                        %x = tile.ring_get %r[%n]
///                                                        … %x …
void prefetch(tile::LoadOp load, mlir::scf::ForOp loop, mlir::Value ring, mlir::Value number);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_SCHEDULE_PREFETCH_H
