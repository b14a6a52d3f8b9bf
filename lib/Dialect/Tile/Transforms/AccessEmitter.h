//===- AccessEmitter.h - write forms of addresses and masks as operations --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_TILE_TRANSFORMS_ACCESSEMITTER_H
#define KILN_LIB_DIALECT_TILE_TRANSFORMS_ACCESSEMITTER_H

#include "kiln/Analysis/LaneAffine.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

namespace kiln::tile {

/// What is left of a mask when it is an operand of tile.load or tile.store.
struct EmittedMask {
  llvm::SmallVector<mlir::Value> lower, upper; ///< both empty or one per dimension
  mlir::Value residual;                        ///< null if the bounds say it all
};

/// A mask after what always holds has been dropped.
LaneMask simplifyMask(LaneMask mask, llvm::ArrayRef<int64_t> shape, IntegerFacts &facts);

/// Emits at the builder's place. Equal expressions come out as equal ops (LinearExpr.h).
class AccessEmitter {
public:
  explicit AccessEmitter(LinearExprEmitter &scalars) : scalars(scalars) {}

  ViewOp emitView(mlir::OpBuilder &builder, mlir::Location loc, const LaneAffine &address,
                  ViewType type);
  EmittedMask emitMask(mlir::OpBuilder &builder, mlir::Location loc, const LaneMask &mask,
                       llvm::ArrayRef<int64_t> shape);
  /// The tensor of what `form` says without its base; of integers or indices.
  mlir::Value emitTensor(mlir::OpBuilder &builder, mlir::Location loc, const LaneAffine &form,
                         mlir::RankedTensorType type);
  /// A scalar in a given integer or index type.
  mlir::Value emitScalar(mlir::OpBuilder &builder, mlir::Location loc, const LinearExpr &expr,
                         mlir::Type type);

  /// The scalar pointer for the base of a form; `bindBase` tells it for values that a rewrite has
  /// replaced.
  mlir::Value resolveBase(mlir::Value base) const;
  void bindBase(mlir::Value leaf, mlir::Value base) { bases[leaf] = base; }

private:
  mlir::Value emitWrapSize(mlir::OpBuilder &builder, mlir::Location loc, const LaneWrap &wrap);

  LinearExprEmitter &scalars;
  llvm::DenseMap<mlir::Value, mlir::Value> bases;
};

} // namespace kiln::tile

#endif // KILN_LIB_DIALECT_TILE_TRANSFORMS_ACCESSEMITTER_H
