//===- FlagBalance.h - every flag that is raised is taken down -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_ASSEMBLE_FLAGBALANCE_H
#define KILN_LIB_TARGET_NPU_ASSEMBLE_FLAGBALANCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu {

/// Walks the function with the number of flags that are up: a wait has one to take down, a set of a
/// constant id has none that is still up, branches agree, a pass of a loop leaves as many as it
/// found, and at the end all are down. Where a pair of pipes has ids that are not constant its
/// flags are counted together, up to `ids` of them. The first fault is reported.
mlir::LogicalResult checkFlagBalance(mlir::func::FuncOp function, unsigned ids);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_ASSEMBLE_FLAGBALANCE_H
