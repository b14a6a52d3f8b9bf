//===- Lanes.cpp - scalar operations applied to lanes ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Emission.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// Divides lanes by a scalar, exactly: with r = 1/d, rounded, and q = x r, the division is
/// q + r (x - d q) (Markstein), as long as nothing over- or underflows. That costs a third of a
/// vector division; chunks with a lane out of range, a zero or a NaN take the division.
Value LeafEmitter::divideByScalar(Operation *op, Value dividend, Value divisor) {
  Location loc = op->getLoc();
  auto type = cast<FloatType>(divisor.getType());
  unsigned bits = type.getWidth(), mantissa = bits == 32 ? 23 : 52;
  int64_t bias = bits == 32 ? 127 : 1023, reach = bits == 32 ? 60 : 400;
  IntegerType integer = builder.getIntegerType(bits);
  uint64_t low = uint64_t(bias - reach) << mantissa, span = uint64_t(2 * reach) << mantissa;
  uint64_t magnitude = (uint64_t(1) << (bits - 1)) - 1;
  // Is the magnitude within 2^-reach to 2^reach? Compared as integers, which orders floats too.
  auto inRange = [&](OpBuilder &b, Value value) -> Value {
    Type shape = isa<VectorType>(value.getType())
                     ? Type(cast<VectorType>(value.getType()).clone(integer))
                     : Type(integer);
    auto constant = [&](uint64_t number) -> Value {
      IntegerAttr attr = b.getIntegerAttr(integer, APInt(bits, number));
      if (auto vector = dyn_cast<VectorType>(shape))
        return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, Attribute(attr)));
      return arith::ConstantOp::create(b, loc, attr);
    };
    Value pattern = arith::BitcastOp::create(b, loc, shape, value);
    pattern = arith::AndIOp::create(b, loc, pattern, constant(magnitude));
    pattern = arith::SubIOp::create(b, loc, pattern, constant(low));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, pattern, constant(span));
  };
  Value one = arith::ConstantOp::create(head, loc, head.getFloatAttr(type, 1.0));
  Value inverse = arith::DivFOp::create(head, loc, one, divisor);
  Value negative = arith::NegFOp::create(head, loc, divisor);
  Value tame = inRange(head, divisor);

  OpBuilder &b = *current;
  Value allTame =
      vector::ReductionOp::create(b, loc, vector::CombiningKind::AND, inRange(b, dividend));
  allTame = arith::AndIOp::create(b, loc, allTame, tame);
  Value divisors = toLanes(divisor, loc), inverses = toLanes(inverse, loc),
        negatives = toLanes(negative, loc);
  return scf::IfOp::create(
             b, loc, allTame,
             [&](OpBuilder &inner, Location) {
               Value guess = arith::MulFOp::create(inner, loc, dividend, inverses);
               Value rest = math::FmaOp::create(inner, loc, negatives, guess, dividend);
               Value exact = math::FmaOp::create(inner, loc, rest, inverses, guess);
               scf::YieldOp::create(inner, loc, exact);
             },
             [&](OpBuilder &inner, Location) {
               Value plain = arith::DivFOp::create(inner, loc, dividend, divisors);
               scf::YieldOp::create(inner, loc, plain);
             })
      .getResult(0);
}

/// The operation on lanes: a vector if one operand is one.
SmallVector<Value> LeafEmitter::cloneLanes(Operation *op, ValueRange operands) {
  bool isVector = llvm::any_of(operands, [](Value v) { return isa<VectorType>(v.getType()); });
  if (isVector && isa<arith::DivFOp>(op) && !chunk.edge && isa<VectorType>(operands[0].getType()) &&
      (operands[1].getType().isF32() || operands[1].getType().isF64()))
    return {divideByScalar(op, operands[0], operands[1])};
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
