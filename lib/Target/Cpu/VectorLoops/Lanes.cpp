//===- Lanes.cpp - scalar operations applied to lanes ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Emission.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

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

static bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

/// Integer division traps on the host for a zero divisor, and for the smallest number by -1. Lanes
/// that are switched off hold pads, so those cases come up in good programs: they get a divisor
/// that does not trap. (x / 1 is what wraps around x / -1 gives for the smallest number.)
Value LeafEmitter::cloneDivision(Operation *op, Value lhs, Value rhs) {
  Location loc = op->getLoc();
  Type element = getElementTypeOrSelf(rhs.getType());
  APInt divisor;
  if (!(matchPattern(rhs, m_ConstantInt(&divisor)) && !divisor.isZero() && !divisor.isAllOnes())) {
    unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    auto fill = [&](APInt value) -> Value {
      auto type = rhs.getType();
      Attribute scalar = builder.getIntegerAttr(element, value);
      TypedAttr attr = isa<VectorType>(type) ? TypedAttr(DenseElementsAttr::get(
                                                   cast<VectorType>(type), scalar))
                                             : cast<TypedAttr>(scalar);
      return arith::ConstantOp::create(*current, loc, attr);
    };
    auto equal = [&](Value a, APInt b) -> Value {
      return arith::CmpIOp::create(*current, loc, arith::CmpIPredicate::eq, a, fill(b));
    };
    Value traps = equal(rhs, APInt::getZero(bits));
    if (isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op) &&
        bits > 1) {
      Value wraps = arith::AndIOp::create(*current, loc, equal(rhs, APInt::getAllOnes(bits)),
                                          equal(lhs, APInt::getSignedMinValue(bits)));
      traps = arith::OrIOp::create(*current, loc, traps, wraps);
    }
    rhs = arith::SelectOp::create(*current, loc, traps, fill(APInt(bits, 1)), rhs);
  }
  OperationState state(loc, op->getName(), ValueRange{lhs, rhs}, {rhs.getType()}, op->getAttrs());
  return current->create(state)->getResult(0);
}

/// The operation on lanes: a vector if one operand is one.
SmallVector<Value> LeafEmitter::cloneLanes(Operation *op, ValueRange operands) {
  bool isVector = llvm::any_of(operands, [](Value v) { return isa<VectorType>(v.getType()); });
  SmallVector<Value> lanes;
  for (Value operand : operands)
    lanes.push_back(isVector ? toLanes(operand, op->getLoc()) : operand);
  if (isDivision(op))
    return {cloneDivision(op, lanes[0], lanes[1])};
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
