//===- Ids.h - flag ids, of which there are few ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_SYNC_IDS_H
#define KILN_LIB_TARGET_NPU_SYNC_IDS_H

#include "PlanState.h"

namespace kiln::npu {

/// Gives every flag of the plan its ids, below `ids` for each pair of pipes. Flags that stand
/// outside of loops may have the same id one after the other. Where that is not enough, flags of
/// one block are merged; then barriers on all pipes take the place of flags.
void assignIds(PlanState &state, unsigned ids);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_SYNC_IDS_H
