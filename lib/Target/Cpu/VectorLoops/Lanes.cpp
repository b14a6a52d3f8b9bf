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
///
/// A lane is in range from 2^-reach to below 2^reach, which is half of all exponents (64 for f32,
/// 512 for f64): its pattern less that of 2^-reach then has the second highest bit clear, whatever
/// the sign, and no other pattern has. The divisor's range is narrower, so that quotients are
/// normal numbers.
Value LeafEmitter::divideByScalar(Operation *op, Value dividend, Value divisor) {
  Location loc = op->getLoc();
  auto type = cast<FloatType>(divisor.getType());
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  unsigned bits = type.getWidth();
  int reach = (APFloat::semanticsMaxExponent(semantics) + 1) / 2;
  auto power = [&](int exponent) {
    return scalbn(APFloat::getOne(semantics), exponent, APFloat::rmNearestTiesToEven);
  };
  auto scalar = [&](OpBuilder &b, APFloat value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  };
  using arith::CmpFPredicate;
  Value inverse = arith::DivFOp::create(head, loc, scalar(head, power(0)), divisor);
  Value negative = arith::NegFOp::create(head, loc, divisor);
  Value magnitude = math::AbsFOp::create(head, loc, divisor);
  int narrower = reach - reach / 16;
  Value above = arith::CmpFOp::create(head, loc, CmpFPredicate::OGE, magnitude,
                                      scalar(head, power(-narrower)));
  Value below = arith::CmpFOp::create(head, loc, CmpFPredicate::OLE, magnitude,
                                      scalar(head, power(narrower)));
  Value divisorInRange = arith::AndIOp::create(head, loc, above, below);

  OpBuilder &b = *current;
  IntegerType integer = b.getIntegerType(bits);
  auto shape = cast<VectorType>(dividend.getType()).clone(integer);
  APInt lowest = power(-reach).bitcastToAPInt();
  Value pattern = arith::BitcastOp::create(b, loc, shape, dividend);
  pattern = arith::SubIOp::create(
      b, loc, pattern, arith::ConstantOp::create(b, loc, DenseElementsAttr::get(shape, lowest)));
  Value any = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, pattern);
  any = arith::AndIOp::create(
      b, loc, any,
      arith::ConstantOp::create(b, loc,
                                b.getIntegerAttr(integer, APInt::getOneBitSet(bits, bits - 2))));
  Value inRange = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, any, zero(integer));
  inRange = arith::AndIOp::create(b, loc, inRange, divisorInRange);
  Value divisors = toLanes(divisor, loc), inverses = toLanes(inverse, loc),
        negatives = toLanes(negative, loc);
  return scf::IfOp::create(
             b, loc, inRange,
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
