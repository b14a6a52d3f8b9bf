//===- Elements.cpp - what the scalar unit does lane by lane ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The slow paths: loops over lanes with one access to UB or global memory each. They are right for
// every shape, type and mask, never touch a lane that is off, and are reported where they are used.
//
//===-----------------------------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Lowering.h"
#include "Transfers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::npu::lower {

void Lowering::slowPath(Operation *op, StringRef reason) {
  if (reported.insert(op->getLoc()).second)
    op->emitRemark() << "slow path: element by element on the scalar unit, as " << reason;
  // The author's flags cannot know that the scalar unit does it.
  if (function->hasAttr(kAuthorSyncAttr)) {
    stop("the scalar unit does what follows");
    stopsBehind = true;
  }
}

void Lowering::stop(StringRef reason) {
  BarrierOp::create(emitter.builder, emitter.loc, PipeAttr(),
                    emitter.builder.getStringAttr(reason));
}

//===-----------------------------------------------------------------------------------------===//
// Loops
//===-----------------------------------------------------------------------------------------===//

void forEachLane(Emitter &emitter, ArrayRef<int64_t> shape, ValueRange lower, ValueRange upper,
                 llvm::function_ref<void(ValueRange lane, Value place)> body) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  OpBuilder::InsertionGuard guard(builder);
  TileLayout layout = emitter.rule.of(shape);
  Value zero = emitter.index(0), one = emitter.index(1);
  SmallVector<Value> lane;
  Value place = zero;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    Value from = zero, to = emitter.index(size);
    if (!lower.empty()) {
      from = arith::MaxSIOp::create(builder, loc, lower[dim], zero);
      to = arith::MinSIOp::create(builder, loc, upper[dim], to);
    }
    if (size == 1 && lower.empty()) {
      lane.push_back(zero);
      continue;
    }
    auto loop = scf::ForOp::create(builder, loc, from, to, one);
    builder.setInsertionPointToStart(loop.getBody());
    lane.push_back(loop.getInductionVar());
    Value step = loop.getInductionVar();
    if (layout.strides[dim] != 1)
      step = arith::MulIOp::create(builder, loc, step, emitter.index(layout.strides[dim]));
    place = arith::AddIOp::create(builder, loc, place, step);
  }
  body(lane, place);
}

Value maskBit(Emitter &emitter, const View &mask, Value place) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  Type byteType = builder.getI8Type();
  Value byteIndex = arith::ShRUIOp::create(builder, loc, place, emitter.index(3));
  Value byte = SLoadOp::create(builder, loc, byteType, emitter.flatAs(mask, byteType), byteIndex);
  Value bit = arith::AndIOp::create(builder, loc, place, emitter.index(7));
  Value amount = arith::IndexCastOp::create(builder, loc, byteType, bit);
  Value shifted = arith::ShRUIOp::create(builder, loc, byte, amount);
  return arith::TruncIOp::create(builder, loc, builder.getI1Type(), shifted);
}

/// The place of a lane in a view's buffer.
static Value placeIn(Emitter &emitter, const View &view, ValueRange lane) {
  OpBuilder &builder = emitter.builder;
  Value place = emitter.index(view.offset);
  for (auto [dim, index] : llvm::enumerate(lane)) {
    int64_t stride = view.strides[dim];
    if (stride == 0 || view.sizes[dim] == 1)
      continue;
    Value step = index;
    if (stride != 1)
      step = arith::MulIOp::create(builder, emitter.loc, step, emitter.index(stride));
    place = arith::AddIOp::create(builder, emitter.loc, place, step);
  }
  return place;
}

Value readLane(Emitter &emitter, const Operand &operand, ValueRange lane) {
  if (operand.isScalar())
    return operand.scalar;
  Value place = placeIn(emitter, operand.view, lane);
  if (operand.view.isMask())
    return maskBit(emitter, operand.view, place);
  return SLoadOp::create(emitter.builder, emitter.loc, operand.view.element,
                         emitter.row(operand.view), place);
}

/// What follows stands under the mask's lane.
static void enterIf(Emitter &emitter, const Operand &mask, ValueRange lane) {
  Value bit = readLane(emitter, mask, lane);
  auto branch = scf::IfOp::create(emitter.builder, emitter.loc, bit, /*withElseRegion=*/false);
  emitter.builder.setInsertionPointToStart(branch.thenBlock());
}

//===-----------------------------------------------------------------------------------------===//
// Global memory
//===-----------------------------------------------------------------------------------------===//

/// The offset of a lane from the view's base, in elements.
static Value addressOf(Emitter &emitter, tile::ViewOp view, ValueRange lane) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  Value address = view.getOffset();
  ArrayRef<int64_t> wraps = view.getWrapDims();
  for (auto [dim, stride] : llvm::enumerate(view.getMixedStrides())) {
    if (getConstantIntValue(stride) == 0)
      continue;
    Value index = lane[dim];
    if (const int64_t *wrap = llvm::find(wraps, int64_t(dim)); wrap != wraps.end()) {
      size_t number = wrap - wraps.begin();
      Value size = view.getWrapSizes()[number];
      Value sum = arith::AddIOp::create(builder, loc, view.getWrapStarts()[number], index);
      Value rest = arith::RemSIOp::create(builder, loc, sum, size);
      Value raised = arith::AddIOp::create(builder, loc, rest, size);
      index = arith::RemSIOp::create(builder, loc, raised, size);
    }
    Value factor = getConstantIntValue(stride) ? emitter.index(*getConstantIntValue(stride))
                                               : cast<Value>(stride);
    Value step = arith::MulIOp::create(builder, loc, index, factor);
    address = arith::AddIOp::create(builder, loc, address, step);
  }
  return address;
}

/// One element to or from UB.
static void moveElement(Emitter &emitter, bool isLoad, Value base, Value address, const View &tile,
                        Value place) {
  OpBuilder &builder = emitter.builder;
  if (isLoad) {
    Value value = SLoadOp::create(builder, emitter.loc, tile.element, base, address);
    SStoreOp::create(builder, emitter.loc, value, emitter.row(tile), place);
  } else {
    Value value = SLoadOp::create(builder, emitter.loc, tile.element, emitter.row(tile), place);
    SStoreOp::create(builder, emitter.loc, value, base, address);
  }
}

void emitElements(Emitter &emitter, const Transfer &transfer, const Operand *pad) {
  if (pad && (transfer.hasMask() || !transfer.upper.empty()))
    emitter.put(*pad, transfer.tile);
  OpBuilder::InsertionGuard guard(emitter.builder);
  forEachLane(emitter, transfer.tile.sizes, transfer.lower, transfer.upper,
              [&](ValueRange lane, Value place) {
                if (transfer.hasMask())
                  enterIf(emitter, transfer.mask, lane);
                moveElement(emitter, transfer.isLoad(), transfer.global().getBase(),
                            addressOf(emitter, transfer.view, lane), transfer.tile, place);
              });
}

void emitIndexed(Emitter &emitter, bool isLoad, Value base, const View &offsets,
                 const Operand *mask, const View &tile, const Operand *pad) {
  if (pad && mask)
    emitter.put(*pad, tile);
  forEachLane(emitter, tile.sizes, {}, {}, [&](ValueRange lane, Value place) {
    if (mask)
      enterIf(emitter, *mask, lane);
    Value offset = readLane(emitter, offsets, lane);
    Value address = arith::IndexCastOp::create(emitter.builder, emitter.loc,
                                               emitter.builder.getIndexType(), offset);
    moveElement(emitter, isLoad, base, address, tile, place);
  });
}

//===-----------------------------------------------------------------------------------------===//
// Values
//===-----------------------------------------------------------------------------------------===//

void copyByElement(Emitter &emitter, const Operand &from, const View &dst) {
  forEachLane(emitter, dst.sizes, {}, {}, [&](ValueRange lane, Value) {
    Value value = readLane(emitter, from, lane);
    SStoreOp::create(emitter.builder, emitter.loc, value, emitter.row(dst),
                     placeIn(emitter, dst, lane));
  });
}

void Lowering::lowerByElement(Operation *op, ArrayRef<Operand> operands, const View &dst) {
  OpBuilder &builder = emitter.builder;
  // Bits cannot be written one by one: numbers first.
  View target = dst.isMask() ? emitter.temporary(dst.sizes, builder.getF32Type()) : dst;
  forEachLane(emitter, dst.sizes, {}, {}, [&](ValueRange lane, Value place) {
    OperationState state(emitter.loc, op->getName(), {}, {}, op->getAttrs());
    for (const Operand &operand : operands)
      state.operands.push_back(readLane(emitter, operand, lane));
    state.types.push_back(dst.element);
    Value value = builder.create(state)->getResult(0);
    if (dst.isMask())
      value = arith::UIToFPOp::create(builder, emitter.loc, target.element, value);
    SStoreOp::create(builder, emitter.loc, value, emitter.row(target), place);
  });
  if (dst.isMask())
    emitNumbersAsMask(emitter, target, dst);
}

Operand Lowering::reshapedByElement(const View &from, RankedTensorType to) {
  OpBuilder &builder = emitter.builder;
  bool isMask = from.isMask();
  Type element = isMask ? Type(builder.getF32Type()) : from.element;
  View target = emitter.temporary(to.getShape(), element);
  // The lane's number in row-major order is the same in both shapes.
  forEachLane(emitter, to.getShape(), {}, {}, [&](ValueRange lane, Value place) {
    Value number = emitter.index(0);
    for (auto [dim, index] : llvm::enumerate(lane)) {
      number =
          arith::MulIOp::create(builder, emitter.loc, number, emitter.index(to.getDimSize(dim)));
      number = arith::AddIOp::create(builder, emitter.loc, number, index);
    }
    SmallVector<Value> source(from.sizes.size());
    for (int64_t dim = int64_t(from.sizes.size()) - 1; dim >= 0; --dim) {
      Value size = emitter.index(from.sizes[dim]);
      source[dim] = arith::RemSIOp::create(builder, emitter.loc, number, size);
      number = arith::DivSIOp::create(builder, emitter.loc, number, size);
    }
    Value value = readLane(emitter, from, source);
    if (isMask)
      value = arith::UIToFPOp::create(builder, emitter.loc, element, value);
    SStoreOp::create(builder, emitter.loc, value, emitter.row(target), place);
  });
  if (!isMask)
    return target;
  View mask = emitter.temporary(to.getShape(), from.element);
  emitNumbersAsMask(emitter, target, mask);
  return mask;
}

void Lowering::lowerExtract(tensor::ExtractOp extract) {
  SmallVector<Value> lane(extract.getIndices());
  Value value = readLane(emitter, operandOf(extract.getTensor()), lane);
  extract.getResult().replaceAllUsesWith(value);
}

void Lowering::lowerDebug(Operation *op) {
  SmallVector<Operand> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value value) { return operandOf(value); });
  ArrayRef<int64_t> shape;
  for (Value value : op->getOperands())
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      shape = type.getShape();
  forEachLane(emitter, shape, {}, {}, [&](ValueRange lane, Value) {
    OpBuilder &builder = emitter.builder;
    SmallVector<Value> values = llvm::map_to_vector(
        operands, [&](const Operand &operand) { return readLane(emitter, operand, lane); });
    if (auto check = dyn_cast<tile::AssertOp>(op)) {
      tile::AssertOp::create(builder, emitter.loc, values[0], check.getMessage());
      return;
    }
    auto print = cast<tile::PrintOp>(op);
    tile::PrintOp::create(builder, emitter.loc, print.getPrefix(), print.getHex(), values, lane,
                          print.getIsSigned());
  });
}

} // namespace kiln::npu::lower
