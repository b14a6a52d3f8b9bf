//===- Layout.cpp - how tiles lie in UB ------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Layout.h"

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {

Attribute ubSpace(MLIRContext *context) { return MemoryAttr::get(context, machine::Memory::UB); }

LayoutRule::LayoutRule(func::FuncOp function, const machine::Machine &machine)
    : blockBytes(machine.limits.blockBytes) {
  // Lowering itself uses 32-bit temporaries (offsets of gathers, masks as numbers).
  unsigned smallest = 4;
  bool hasMasks = false;
  auto see = [&](Type type) {
    if (auto local = dyn_cast<tile::LocalType>(type))
      type = local.getTensorType();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.getElementType().isIntOrFloat())
      return;
    unsigned bits = tensor.getElementTypeBitWidth();
    hasMasks |= bits == 1;
    if (bits >= 8)
      smallest = std::min(smallest, bits / 8);
  };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), see);
    // A reduction that compares does so on tiles.
    hasMasks |= isa_and_nonnull<tile::ReduceOp>(op->getParentOp()) && op->getNumResults() == 1 &&
                op->getResult(0).getType().isInteger(1);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArgumentTypes(), see);
  });
  rowUnit = machine.limits.blockBytes / smallest;
  lanesUnit = hasMasks ? machine.limits.compareBytes / smallest : rowUnit;
}

TileLayout LayoutRule::of(ArrayRef<int64_t> shape) const {
  TileLayout layout;
  layout.shape.assign(shape.begin(), shape.end());
  layout.padded = layout.shape;
  layout.strides.assign(shape.size(), 1);
  int64_t running = 1;
  bool row = true;
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    layout.strides[dim] = running;
    if (shape[dim] == 1)
      continue;
    if (row)
      layout.padded[dim] = llvm::alignTo(shape[dim], rowUnit);
    row = false;
    running *= layout.padded[dim];
  }
  auto inner = llvm::find_if(llvm::reverse(layout.padded), [](int64_t size) { return size != 1; });
  layout.rowLanes = inner == layout.padded.rend() ? rowUnit : *inner;
  layout.lanes = std::max(running, rowUnit);
  return layout;
}

MemRefType LayoutRule::bufferType(RankedTensorType tensor) const {
  TileLayout layout = of(tensor.getShape());
  int64_t lanes = llvm::alignTo(layout.lanes, lanesUnit);
  SmallVector<int64_t> shape = layout.padded;
  if (lanes != ShapedType::getNumElements(shape))
    shape = {lanes};
  return MemRefType::get(shape, tensor.getElementType(), MemRefLayoutAttrInterface(),
                         ubSpace(tensor.getContext()));
}

MemRefType LayoutRule::ringType(RankedTensorType tensor, int64_t depth) const {
  MemRefType slot = bufferType(tensor);
  SmallVector<int64_t> shape{depth};
  llvm::append_range(shape, slot.getShape());
  return MemRefType::Builder(slot).setShape(shape);
}

MemRefType LayoutRule::tileType(RankedTensorType tensor) const {
  TileLayout layout = of(tensor.getShape());
  MLIRContext *context = tensor.getContext();
  MemRefType plain = MemRefType::get(layout.shape, tensor.getElementType(),
                                     MemRefLayoutAttrInterface(), ubSpace(context));
  if (plain.getStridesAndOffset().first == layout.strides)
    return plain;
  return MemRefType::get(layout.shape, tensor.getElementType(),
                         StridedLayoutAttr::get(context, 0, layout.strides), ubSpace(context));
}

Value LayoutRule::tile(OpBuilder &builder, Location loc, Value buffer,
                       RankedTensorType tensor) const {
  MemRefType type = tileType(tensor);
  if (buffer.getType() == type)
    return buffer;
  return WindowOp::create(builder, loc, type, buffer, 0);
}

} // namespace kiln::npu
