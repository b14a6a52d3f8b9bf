//===- Verdict.h - whether a program finds room on chip --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_FIT_VERDICT_H
#define KILN_LIB_TARGET_NPU_FIT_VERDICT_H

#include "machine/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu::fit {

/// Runs the passes up to kiln-npu-plan-memory on a copy. If that finds no room, the bytes of UB
/// that the program needs at its fullest point; otherwise 0. What else is wrong the passes say
/// themselves, later.
int64_t overflowOf(mlir::func::FuncOp function, llvm::StringRef chip,
                   const machine::Machine &machine);

} // namespace kiln::npu::fit

#endif // KILN_LIB_TARGET_NPU_FIT_VERDICT_H
