//===- Steady.h - the modelled time of one iteration of a loop ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_SCHEDULE_STEADY_H
#define KILN_LIB_TARGET_NPU_SCHEDULE_STEADY_H

#include "machine/Machine.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cstdint>

namespace kiln::npu {

/// What an iteration asks of the pipes of a vector core, in cycles.
struct IterationCost {
  double load = 0, loadLatency = 0; ///< MTE2
  double vector = 0;                ///< V
  unsigned vectorInstructions =
      0;                  ///< that the scalar unit hands over, flags and barriers among them
  double store = 0;       ///< MTE3
  int64_t ringBytes = 0;  ///< of one slot of every load and store together
  int64_t otherBytes = 0; ///< what lives besides, at the fullest point
};

/// Estimates one iteration of a loop over tiles: costs of machine/Cost.h, memory shared by all
/// cores at an equal part.
IterationCost costOf(mlir::scf::ForOp loop, const machine::Machine &machine);

/// Cycles from one iteration to the next once the pipes are full, with `depth` slots per load and
/// store: the pipes run in order, a load needs a slot whose values were used, vector work its loads
/// and a free slot for what it stores.
double steadyCycles(const IterationCost &cost, int64_t depth);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_SCHEDULE_STEADY_H
