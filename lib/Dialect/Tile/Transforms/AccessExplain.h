//===- AccessExplain.h - say what was proved about an access ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_TILE_TRANSFORMS_ACCESSEXPLAIN_H
#define KILN_LIB_DIALECT_TILE_TRANSFORMS_ACCESSEXPLAIN_H

#include "kiln/Analysis/LaneAffine.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace kiln::tile {

/// A remark at the access: its strides, wrap-around, bounds, and what of its mask is left.
void explainAffine(mlir::Operation *access, mlir::RankedTensorType block, const LaneAffine &address,
                   const LaneMask &mask, IntegerFacts &facts);

/// A remark that the access goes lane by lane, and why.
void explainIndexed(mlir::Operation *access, mlir::RankedTensorType block, llvm::StringRef reason);

} // namespace kiln::tile

#endif // KILN_LIB_DIALECT_TILE_TRANSFORMS_ACCESSEXPLAIN_H
