//===- Ids.h - flag ids, of which there are few ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_SYNC_IDS_H
#define KILN_LIB_TARGET_NPU_SYNC_IDS_H

#include "PlanState.h"

#include <map>

namespace kiln::npu {

/// Ids that flags of the author have, by pair of pipes (source, destination): bit i for id i.
using TakenIds = std::map<std::pair<machine::Pipe, machine::Pipe>, uint64_t>;

/// Those of a function; all ids of a pair if one of them is not a constant.
TakenIds takenIds(mlir::func::FuncOp function);

/// Gives every flag of the plan its ids, below `ids` for each pair of pipes and none that is taken.
/// Flags that stand outside of loops may have the same id one after the other. Where that is not
/// enough, flags of one block are merged; then barriers on all pipes take the place of flags.
void assignIds(PlanState &state, unsigned ids, const TakenIds &taken);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_SYNC_IDS_H
