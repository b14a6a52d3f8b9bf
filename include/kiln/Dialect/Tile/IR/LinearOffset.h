//===- LinearOffset.h - the place of an element in an array ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_DIALECT_TILE_IR_LINEAROFFSET_H
#define KILN_DIALECT_TILE_IR_LINEAROFFSET_H

#include "mlir/IR/Builders.h"

#include <utility>

namespace kiln::tile {

/// Σ index · stride: the part that is constant, and what is added to it at run time (null:
/// nothing), as an index.
std::pair<int64_t, mlir::Value> linearOffset(mlir::OpBuilder &builder, mlir::Location loc,
                                             llvm::ArrayRef<mlir::OpFoldResult> indices,
                                             llvm::ArrayRef<int64_t> strides);

} // namespace kiln::tile

#endif // KILN_DIALECT_TILE_IR_LINEAROFFSET_H
