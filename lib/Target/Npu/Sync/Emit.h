//===- Emit.h - a plan becomes flags and barriers ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_SYNC_EMIT_H
#define KILN_LIB_TARGET_NPU_SYNC_EMIT_H

#include "Planner.h"

namespace kiln::npu {

/// Writes a plan into the program that it was made for.
void emitSync(mlir::func::FuncOp function, const SyncPlan &plan);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_SYNC_EMIT_H
