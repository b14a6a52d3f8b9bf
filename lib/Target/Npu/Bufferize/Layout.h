//===- Layout.h - how tiles lie in UB --------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The layout rule, once, for bufferize and lower. Unit dimensions do not count. The innermost other
// dimension is a row; where there is more than one row, rows begin `pitch` lanes apart, the row's
// length rounded up so that a row of the smallest element type of the function begins at a 32-byte
// block. One pitch serves all types, so elementwise work and casts run flat over whole tiles, gaps
// included. Masks have the lanes of the tiles that they belong to, one bit each.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_BUFFERIZE_LAYOUT_H
#define KILN_LIB_TARGET_NPU_BUFFERIZE_LAYOUT_H

#include "machine/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace kiln::npu {

/// Where the lanes of one tile lie, counted from the start of its buffer.
struct TileLayout {
  llvm::SmallVector<int64_t> shape, strides; ///< in lanes; the tensor's rank
  llvm::SmallVector<int64_t> padded;         ///< the shape with the pitch for the row
  int64_t rowLanes = 1; ///< lanes of a row, gap included: all of them belong to the tile
  int64_t lanes = 1;    ///< of the whole tile, gaps included
};

class LayoutRule {
public:
  LayoutRule(mlir::func::FuncOp function, const machine::Machine &machine);

  TileLayout of(llvm::ArrayRef<int64_t> shape) const;

  /// The buffer of a tile: as many lanes as instructions may touch that run over all of it.
  mlir::MemRefType bufferType(mlir::RankedTensorType tensor) const;
  /// A buffer of `depth` such buffers.
  mlir::MemRefType ringType(mlir::RankedTensorType tensor, int64_t depth) const;
  /// The part of the buffer that is the tile: the tensor's shape with the layout's strides.
  mlir::MemRefType tileType(mlir::RankedTensorType tensor) const;

  /// The tile in a buffer (an alloc or a slot) of bufferType.
  mlir::Value tile(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer,
                   mlir::RankedTensorType tensor) const;

  int64_t pitchUnit() const { return rowUnit; }
  /// Lanes that whole-tile instructions may be rounded up to (comparisons work on whole repeats).
  int64_t tailUnit() const { return lanesUnit; }
  /// Elements of a 32-byte block.
  int64_t blockLanes(mlir::Type element) const {
    return std::max<int64_t>(1, blockBytes * 8 / int64_t(element.getIntOrFloatBitWidth()));
  }

private:
  int64_t rowUnit = 1;   ///< rows begin at multiples of it
  int64_t lanesUnit = 1; ///< buffers have a multiple of it
  int64_t blockBytes;
};

/// `#npu.mem<ub>`.
mlir::Attribute ubSpace(mlir::MLIRContext *context);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_BUFFERIZE_LAYOUT_H
