//===- ShapeMap.h - how shape operations move dimensions -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_ANALYSIS_SHAPEMAP_H
#define KILN_LIB_ANALYSIS_SHAPEMAP_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace kiln {

/// tensor.expand_shape and collapse_shape, linalg.broadcast and transpose in one form: groups of
/// the operand's dimensions that become, in row-major order, groups of the result's; result
/// dimensions in no group repeat.
struct ShapeMap {
  struct Group {
    llvm::SmallVector<unsigned, 2> inputDims, resultDims;
  };
  llvm::SmallVector<Group, 4> groups;
  llvm::SmallVector<int64_t, 4> resultDims; ///< the result's shape

  static bool isShapeOp(mlir::Operation *op);
  static std::optional<ShapeMap> get(mlir::Operation *op);
};

} // namespace kiln

#endif // KILN_LIB_ANALYSIS_SHAPEMAP_H
