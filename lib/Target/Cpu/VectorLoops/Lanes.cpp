//===- Lanes.cpp - scalar operations applied to lanes ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Emission.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::cpu {

Type LeafEmitter::lanesOf(Type element) const {
  return width() == 1 ? element : VectorType::get({width()}, element);
}

/// A scalar in every lane; anything else as it is.
Value LeafEmitter::toLanes(Value value, Location loc) {
  if (width() == 1 || isa<VectorType>(value.getType()))
    return value;
  Value &known = splats[{value.getAsOpaquePointer(), width()}];
  if (!known)
    known = vector::BroadcastOp::create(*current, loc, lanesOf(value.getType()), value);
  return known;
}

Value LeafEmitter::constantIndex(int64_t value) {
  return arith::ConstantIndexOp::create(*current, builder.getUnknownLoc(), value);
}

Value LeafEmitter::constantInt(Type element, int64_t value) {
  return arith::ConstantOp::create(*current, builder.getUnknownLoc(),
                                   builder.getIntegerAttr(element, value));
}

Value LeafEmitter::zero(Type element) {
  return arith::ConstantOp::create(*current, builder.getUnknownLoc(),
                                   cast<TypedAttr>(builder.getZeroAttr(element)));
}

/// 0, 1, 2, … in the lanes.
Value LeafEmitter::laneNumbers(Type element) {
  auto type = cast<VectorType>(lanesOf(element));
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  SmallVector<APInt> numbers;
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
    numbers.push_back(APInt(bits, lane, /*isSigned=*/false, /*implicitTrunc=*/true));
  return arith::ConstantOp::create(*current, builder.getUnknownLoc(),
                                   DenseElementsAttr::get(type, numbers));
}

Value LeafEmitter::indexOf(Axis at) {
  if (at == kUnit)
    return constantIndex(0);
  return at == axis ? chunk.first : indices.lookup(at);
}

/// The operation on lanes: a vector if one operand is one.
SmallVector<Value> LeafEmitter::cloneLanes(Operation *op, ValueRange operands) {
  bool isVector = llvm::any_of(operands, [](Value v) { return isa<VectorType>(v.getType()); });
  SmallVector<Value> lanes;
  for (Value operand : operands)
    lanes.push_back(isVector ? toLanes(operand, op->getLoc()) : operand);
  OperationState state(op->getLoc(), op->getName(), lanes, {}, op->getAttrs());
  for (Type type : op->getResultTypes()) {
    Type element = getElementTypeOrSelf(type);
    state.types.push_back(isVector ? lanesOf(element) : element);
  }
  return SmallVector<Value>(current->create(state)->getResults());
}

/// A region of scalar operations on lanes; what its terminator yields.
SmallVector<Value> LeafEmitter::cloneBody(Block &body, ValueRange arguments) {
  IRMapping mapping;
  mapping.map(body.getArguments().take_front(arguments.size()), arguments);
  SmallVector<Value> operands;
  for (Operation &op : body) {
    operands.clear();
    for (Value operand : op.getOperands())
      operands.push_back(mapping.lookupOrDefault(operand));
    if (op.hasTrait<OpTrait::IsTerminator>())
      break;
    if (op.hasTrait<OpTrait::ConstantLike>() || op.getNumRegions()) {
      current->clone(op, mapping);
      continue;
    }
    mapping.map(op.getResults(), cloneLanes(&op, operands));
  }
  return operands;
}

} // namespace kiln::cpu
