//===- ChipOption.h - the machine that a pass compiles for -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_CHIPOPTION_H
#define KILN_LIB_TARGET_NPU_CHIPOPTION_H

#include "machine/Machine.h"

#include "mlir/IR/Operation.h"

#include <memory>

namespace kiln::npu {

/// The stock machine of that name, or the one that the file at that path describes. An error is
/// reported at `op`; the result is null then.
std::shared_ptr<const machine::Machine> machineOf(llvm::StringRef chip, mlir::Operation *op);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_CHIPOPTION_H
