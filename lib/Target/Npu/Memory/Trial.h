//===- Trial.h - whether a program will find room on chip --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_MEMORY_TRIAL_H
#define KILN_LIB_TARGET_NPU_MEMORY_TRIAL_H

#include "kiln/Target/Npu/Pipeline.h"

#include "machine/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu::memory {

/// Runs the passes from `part` up to kiln-npu-plan-memory on `copy`, which is used up. If that
/// finds no room, the bytes of UB that the program needs at its fullest point; otherwise 0. What
/// else is wrong the passes say themselves, later.
int64_t overflowOf(mlir::func::FuncOp copy, Part part, llvm::StringRef chip,
                   const machine::Machine &machine);

} // namespace kiln::npu::memory

#endif // KILN_LIB_TARGET_NPU_MEMORY_TRIAL_H
