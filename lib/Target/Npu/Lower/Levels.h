//===- Levels.h - the order of independent instructions --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_LOWER_LEVELS_H
#define KILN_LIB_TARGET_NPU_LOWER_LEVELS_H

#include "machine/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu::lower {

/// Puts instructions that do not depend on one another next to each other, within blocks. A block
/// where more would live at the same time than a memory has keeps its order.
void orderByLevel(mlir::func::FuncOp function, const machine::Machine &machine);

} // namespace kiln::npu::lower

#endif // KILN_LIB_TARGET_NPU_LOWER_LEVELS_H
