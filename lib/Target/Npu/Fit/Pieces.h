//===- Pieces.h - operations on a piece of their lanes ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_FIT_PIECES_H
#define KILN_LIB_TARGET_NPU_FIT_PIECES_H

#include "kiln/Analysis/Axes.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace kiln::npu::fit {

/// Clones operations for lanes [start, start + lanes) of an axis.
class PieceCloner {
public:
  /// `start` is null for the piece that begins at 0. `clipped`: the last piece may reach beyond the
  /// end of the axis, where nothing is loaded or stored.
  PieceCloner(mlir::OpBuilder &builder, const Axes &axes, unsigned axis, int64_t lanes,
              mlir::Value start, bool clipped)
      : builder(builder), axes(axes), axis(axis), lanes(lanes), start(start), clipped(clipped) {}

  void clone(mlir::Operation *op);
  mlir::Value lookup(mlir::Value value) const { return map.lookupOrDefault(value); }

private:
  mlir::Type typeOf(mlir::Value value) const;
  void cloneRegions(mlir::Operation *op);
  void cloneView(tile::ViewOp view);
  void cloneLoad(tile::LoadOp load);
  void cloneStore(tile::StoreOp store);
  void cloneIota(tile::IotaOp iota);
  /// Bounds of an access, counted from the piece's first lane.
  void shift(mlir::Location loc, llvm::ArrayRef<int64_t> shape, unsigned dim,
             llvm::SmallVectorImpl<mlir::Value> &lower, llvm::SmallVectorImpl<mlir::Value> &upper);
  mlir::Value index(mlir::Location loc, int64_t value);
  llvm::SmallVector<mlir::Value> mapped(mlir::ValueRange values) const;

  mlir::OpBuilder &builder;
  const Axes &axes;
  unsigned axis;
  int64_t lanes;
  mlir::Value start;
  bool clipped;
  mlir::IRMapping map;
};

/// What the combine region of a reduction makes of the results of two runs of lanes.
llvm::SmallVector<mlir::Value> combine(mlir::OpBuilder &builder, tile::ReduceOp reduce,
                                       mlir::ValueRange left, mlir::ValueRange right);

} // namespace kiln::npu::fit

#endif // KILN_LIB_TARGET_NPU_FIT_PIECES_H
