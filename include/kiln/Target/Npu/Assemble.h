//===- Assemble.h - from the npu dialect to a program image ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TARGET_NPU_ASSEMBLE_H
#define KILN_TARGET_NPU_ASSEMBLE_H

#include "image/Image.h"
#include "machine/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu {

/// How many programs of the grid one pass of the persistent loop does: an i64 on the function,
/// 1 where there is none.
inline constexpr llvm::StringLiteral kProgramsPerIterationAttr = "npu.programs_per_iteration";

/// The image of a kernel that consists of npu instructions, scalar `arith`, `tile` and `scf`, and
/// whose buffers have addresses. What an image cannot say is an error at its op.
mlir::FailureOr<image::Image> assemble(mlir::func::FuncOp function,
                                       const machine::Machine &machine);

} // namespace kiln::npu

#endif // KILN_TARGET_NPU_ASSEMBLE_H
