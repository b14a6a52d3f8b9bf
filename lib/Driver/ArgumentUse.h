//===- ArgumentUse.h - which pointer arguments a kernel may write through --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_DRIVER_ARGUMENTUSE_H
#define KILN_LIB_DRIVER_ARGUMENTUSE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::driver {

/// One flag per argument of a kernel in tile IR, either form: whether some store may reach memory
/// through it. Errs on the side of true; scalars are false.
llvm::SmallVector<bool> writtenArguments(mlir::func::FuncOp kernel);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_ARGUMENTUSE_H
