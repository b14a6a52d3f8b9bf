//===- Tiles.h - what several passes do with tiles ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_TILES_H
#define KILN_LIB_TARGET_NPU_TILES_H

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kiln::npu {

/// Bytes of the elements of a tile, packed bits rounded up; 0 of anything else.
inline int64_t tileBytes(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isIntOrFloat())
    return 0;
  return int64_t(llvm::divideCeil(tensor.getNumElements() * tensor.getElementTypeBitWidth(), 8));
}

/// Extents and element type as messages write them: `16x32xf32`.
inline std::string tileText(mlir::ShapedType type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (int64_t extent : type.getShape())
    stream << extent << 'x';
  stream << type.getElementType();
  return text;
}

/// Gives a tile.load or tile.store bounds that are empty unless the condition holds. A mutable
/// range knows the operands of the time when it was asked for: each is asked for when it is needed.
template <typename AccessOp>
void touchOnlyIf(mlir::OpBuilder &builder, AccessOp access, mlir::Value condition) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(access);
  mlir::Location loc = access.getLoc();
  llvm::ArrayRef<int64_t> shape = access.getView().getType().getShape();
  mlir::Value zero = mlir::arith::ConstantIndexOp::create(builder, loc, 0);
  auto ends = llvm::to_vector(mlir::ValueRange(access.getUpper()));
  if (ends.empty()) {
    for (int64_t size : shape)
      ends.push_back(mlir::arith::ConstantIndexOp::create(builder, loc, size));
    access.getLowerMutable().assign(llvm::SmallVector<mlir::Value>(shape.size(), zero));
  }
  ends[0] = mlir::arith::SelectOp::create(builder, loc, condition, ends[0], zero);
  access.getUpperMutable().assign(ends);
}

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_TILES_H
