//===- Transfers.h - loads and stores --------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_LOWER_TRANSFERS_H
#define KILN_LIB_TARGET_NPU_LOWER_TRANSFERS_H

#include "Emitter.h"

namespace kiln::npu::lower {

/// A load or store of a view, without the difference.
struct Transfer {
  mlir::Operation *op;
  tile::ViewOp view;
  View tile; ///< what is written or read in UB
  llvm::SmallVector<mlir::OpFoldResult> strides;
  llvm::SmallVector<mlir::Value> lower, upper; ///< both empty or one per dimension
  Operand mask;                                ///< none: all lanes

  Transfer(mlir::Operation *op, tile::ViewOp view, View tile, mlir::ValueRange lower,
           mlir::ValueRange upper)
      : op(op), view(view), tile(std::move(tile)), strides(view.getMixedStrides()), lower(lower),
        upper(upper) {}
  bool hasMask() const { return mask.isScalar() || bool(mask.view); }
  tile::ViewOp global() const { return view; }
  bool isLoad() const { return mlir::isa<tile::LoadOp>(op); }
};

/// DMA can do it: unit stride along rows, no bound from below, no mask, no wrapping.
bool liesInRows(const Transfer &transfer);

/// Rows of global memory as they lie: DMA. False if the transfer needs anything else; nothing was
/// emitted then. `pad` is what other lanes become; none: they may hold anything.
bool emitRows(Emitter &emitter, const Transfer &transfer, const Operand *pad);

/// The same, where columns are what lies in rows: the tile is transposed on the way.
bool emitColumns(Emitter &emitter, const Transfer &transfer, const Operand *pad);

/// A load of one row with a stride: the span that its lanes lie in, of which a gather picks them.
bool emitSpan(Emitter &emitter, const Transfer &transfer, const Operand *pad);

/// min(upper, lanes), constant where it can be.
mlir::OpFoldResult clampedUpper(Emitter &emitter, mlir::Value upper, int64_t lanes);

/// Element by element, in row-major order.
void emitElements(Emitter &emitter, const Transfer &transfer, const Operand *pad);

/// Gathers and scatters, element by element. `offsets` and `tile` have one shape.
void emitIndexed(Emitter &emitter, bool isLoad, mlir::Value base, const View &offsets,
                 const Operand *mask, const View &tile, const Operand *pad);

/// Loops over all lanes of a shape between bounds; the body gets the lane's index in each dimension
/// and its place in a tile of the shape.
void forEachLane(Emitter &emitter, llvm::ArrayRef<int64_t> shape, mlir::ValueRange lower,
                 mlir::ValueRange upper,
                 llvm::function_ref<void(mlir::ValueRange lane, mlir::Value place)> body);

/// A lane of an operand, as a scalar.
mlir::Value readLane(Emitter &emitter, const Operand &operand, mlir::ValueRange lane);

/// dst = from, for elements that the vector unit does not move.
void copyByElement(Emitter &emitter, const Operand &from, const View &dst);

/// The bit of a mask tile at a place, as an i1.
mlir::Value maskBit(Emitter &emitter, const View &mask, mlir::Value place);

} // namespace kiln::npu::lower

#endif // KILN_LIB_TARGET_NPU_LOWER_TRANSFERS_H
