//===- Passes.h - passes of the NPU target ---------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TARGET_NPU_PASSES_H
#define KILN_TARGET_NPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace kiln::npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "kiln/Target/Npu/Passes.h.inc"

} // namespace kiln::npu

#endif // KILN_TARGET_NPU_PASSES_H
