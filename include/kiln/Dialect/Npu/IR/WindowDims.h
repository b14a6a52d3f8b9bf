//===- WindowDims.h - the dimensions of an instruction over several views --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_DIALECT_NPU_IR_WINDOWDIMS_H
#define KILN_DIALECT_NPU_IR_WINDOWDIMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln::npu {

/// A dimension that the windows of all operands of an instruction have.
struct WindowDim {
  int64_t size;
  llvm::SmallVector<int64_t, 4> strides; ///< in elements, one per operand
};
using WindowDims = llvm::SmallVector<WindowDim>;

/// The dimensions of more than one element of operands of one shape, each with its `strides`.
/// Instructions walk rows: single elements that lie apart are rows of one.
WindowDims windowDims(llvm::ArrayRef<int64_t> sizes,
                      llvm::ArrayRef<llvm::ArrayRef<int64_t>> strides);

/// Dimensions that all operands walk alike become one.
void joinDims(WindowDims &dims);

} // namespace kiln::npu

#endif // KILN_DIALECT_NPU_IR_WINDOWDIMS_H
