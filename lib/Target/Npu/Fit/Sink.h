//===- Sink.h - tiles made in the loop that uses them ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_FIT_SINK_H
#define KILN_LIB_TARGET_NPU_FIT_SINK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu::fit {

/// Moves what makes a tile in front of a loop into the loop, where that alone uses it: weights that
/// all rows share are then loaded again for each row, and both can be cut along with it. Only where
/// nothing in between may write what is loaded. True if something moved.
bool sinkIntoLoops(mlir::func::FuncOp function);

} // namespace kiln::npu::fit

#endif // KILN_LIB_TARGET_NPU_FIT_SINK_H
