//===- Counters.h - numbers that count on through nested loops ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_SCHEDULE_COUNTERS_H
#define KILN_LIB_TARGET_NPU_SCHEDULE_COUNTERS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::npu {

/// Gives a loop an index that is 0 in its first iteration and one more in each further one, also
/// across iterations of the loops directly around it. The loops are replaced by new ones with one
/// more carried value: the new loop is returned, the counter is its last region argument.
mlir::scf::ForOp addCounter(mlir::scf::ForOp loop);

/// The outermost of the loops through which a counter of `loop` runs.
mlir::scf::ForOp outermostOf(mlir::scf::ForOp loop);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_SCHEDULE_COUNTERS_H
