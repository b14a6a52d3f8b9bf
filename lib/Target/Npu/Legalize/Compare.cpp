//===- Compare.cpp - comparisons, selections, masks ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The unit compares f16 and f32, and i32 for equality. Order of i32 comes from the maximum and
// minimum, which cannot overflow:
//   a < b   is   max(a, b) != a        a <= b   is   min(a, b) == a
// Unsigned integers compare as signed ones with their sign bits flipped; i8 and i16 as floats that
// hold them exactly. Comparisons that are true of NaN are the opposite of the opposite one.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalizer.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::npu::legal {

using machine::Element;
using machine::Opcode;
using machine::Predicate;

Num composedComparison(arith::CmpFPredicate predicate, Num x, Num y) {
  using F = arith::CmpFPredicate;
  switch (predicate) {
  case F::ONE:
    return (x < y) | (y < x);
  case F::UEQ:
    return !((x < y) | (y < x));
  case F::ULT:
    return !compare(F::OGE, x, y);
  case F::ULE:
    return !compare(F::OGT, x, y);
  case F::UGT:
    return !compare(F::OLE, x, y);
  case F::UGE:
    return !compare(F::OLT, x, y);
  case F::ORD:
    return (x == x) & (y == y);
  case F::UNO:
    return isNan(x) | isNan(y);
  default:
    return {};
  }
}

namespace {

using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

//===----------------------------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------------------------===//

Value legalizeCmpF(Legalizer &legalizer, Operation *op) {
  auto compareOp = cast<arith::CmpFOp>(op);
  legalizer.at(op);
  Num x = legalizer.num(compareOp.getLhs()), y = legalizer.num(compareOp.getRhs());
  if (!legalizer.machine.compares(Opcode::VCmp, *elementOf(x.element()), Predicate::LT) &&
      x.width() < 32)
    return throughF32(legalizer, op);
  F predicate = compareOp.getPredicate();
  if (predicate == F::AlwaysTrue || predicate == F::AlwaysFalse) {
    Num mask = legalizer.num(op->getResult(0));
    return mask.integer(predicate == F::AlwaysTrue).v;
  }
  return composedComparison(predicate, x, y).v;
}

//===----------------------------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------------------------===//

bool isUnsignedOrder(I predicate) {
  return predicate == I::ult || predicate == I::ule || predicate == I::ugt || predicate == I::uge;
}

I asSigned(I predicate) {
  switch (predicate) {
  case I::ult:
    return I::slt;
  case I::ule:
    return I::sle;
  case I::ugt:
    return I::sgt;
  case I::uge:
    return I::sge;
  default:
    return predicate;
  }
}

F asFloat(I predicate) {
  switch (asSigned(predicate)) {
  case I::eq:
    return F::OEQ;
  case I::ne:
    return F::UNE;
  case I::slt:
    return F::OLT;
  case I::sle:
    return F::OLE;
  case I::sgt:
    return F::OGT;
  default:
    return F::OGE;
  }
}

Num compareMasks(I predicate, Num x, Num y) {
  bool isUnsigned = isUnsignedOrder(predicate);
  // Signed, true is -1 and less than false.
  Num less = isUnsigned ? x : y, more = isUnsigned ? y : x;
  switch (asSigned(predicate)) {
  case I::eq:
    return !(x ^ y);
  case I::ne:
    return x ^ y;
  case I::slt:
    return !less & more;
  case I::sle:
    return !less | more;
  case I::sgt:
    return less & !more;
  default:
    return less | !more;
  }
}

/// Signed order by the extremes; equality as it is.
Num compareByExtremes(I predicate, Num x, Num y) {
  switch (predicate) {
  case I::slt:
    return differInt(binary<arith::MaxSIOp>(x, y), x);
  case I::sgt:
    return differInt(binary<arith::MinSIOp>(x, y), x);
  case I::sle:
    return equalInt(binary<arith::MinSIOp>(x, y), x);
  case I::sge:
    return equalInt(binary<arith::MaxSIOp>(x, y), x);
  default:
    return compare(predicate, x, y);
  }
}

/// A mask from i64 arithmetic, which runs element by element: the difference in the last step, so
/// that no mask has to be written bit by bit.
Num compareLong(I predicate, Num x, Num y) {
  Type narrow = x.b->getI32Type();
  if (isUnsignedOrder(predicate)) {
    x = x ^ x.integer(INT64_MIN);
    y = y ^ y.integer(INT64_MIN);
    predicate = asSigned(predicate);
  }
  bool usesMax = predicate == I::slt || predicate == I::sge;
  bool usesMin = predicate == I::sgt || predicate == I::sle;
  if (usesMax || usesMin)
    y = usesMax ? binary<arith::MaxSIOp>(x, y) : binary<arith::MinSIOp>(x, y);
  bool wantsEqual = predicate == I::eq || predicate == I::sle || predicate == I::sge;
  Num difference = x ^ y;
  Num folded = (difference | shr(difference, 32)).to<arith::TruncIOp>(narrow);
  return compare(wantsEqual ? I::eq : I::ne, folded, folded.integer(0));
}

Value legalizeCmpI(Legalizer &legalizer, Operation *op) {
  auto compareOp = cast<arith::CmpIOp>(op);
  ImplicitLocOpBuilder &b = legalizer.at(op);
  I predicate = compareOp.getPredicate();
  bool isUnsigned = isUnsignedOrder(predicate);
  Num x = legalizer.num(compareOp.getLhs()), y = legalizer.num(compareOp.getRhs());
  if (x.element().isIndex())
    return nullptr;
  switch (x.width()) {
  case 1:
    return compareMasks(predicate, x, y).v;
  case 8:
  case 16: {
    Type wide = x.width() == 8 ? Type(b.getF16Type()) : b.getF32Type();
    auto asNumber = [&](Num value) {
      return isUnsigned ? value.to<arith::UIToFPOp>(wide) : value.to<arith::SIToFPOp>(wide);
    };
    return compare(asFloat(predicate), asNumber(x), asNumber(y)).v;
  }
  case 64:
    if (Value value = legalizeLong(legalizer, op))
      return value;
    return compareLong(predicate, x, y).v;
  }
  if (predicate == I::eq || predicate == I::ne)
    return nullptr;
  if (isUnsigned) {
    x = x + int64_t(INT32_MIN);
    y = y + int64_t(INT32_MIN);
  }
  return compareByExtremes(asSigned(predicate), x, y).v;
}

//===----------------------------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------------------------===//

/// A scalar condition as a mask.
Num spread(Legalizer &legalizer, Value condition, Num like) {
  Num scalar = legalizer.num(condition);
  Value number = tensor::SplatOp::create(legalizer.b, condition,
                                         cast<RankedTensorType>(like.v.getType()).getShape());
  return scalar.make(number);
}

Value legalizeSelect(Legalizer &legalizer, Operation *op) {
  auto selectOp = cast<arith::SelectOp>(op);
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num mask = legalizer.num(selectOp.getCondition());
  Num x = legalizer.num(selectOp.getTrueValue()), y = legalizer.num(selectOp.getFalseValue());
  if (!x.element().isIntOrFloat())
    return nullptr;
  bool isScalarCondition =
      isa<RankedTensorType>(x.v.getType()) && !isa<RankedTensorType>(mask.v.getType());
  if (isScalarCondition)
    return select(spread(legalizer, mask.v, x), x, y).v;
  Type type = x.element();
  if (isI1(type))
    return ((mask & x) | (!mask & y)).v;
  if (type.isInteger(8)) {
    auto wide = [&](Num value) { return signExtend(value, b.getI16Type()); };
    return inRange(legalizer, select(mask, wide(x), wide(y)), type).v;
  }
  if (type.isInteger(64))
    return legalizeLong(legalizer, op);
  // A selection moves bits.
  if (type.isBF16())
    return select(mask, x.bits(), y.bits()).bitcast(type).v;
  if (!legalizer.has(Opcode::VSel, type))
    legalizer.refuse(op, "found a selection of " + Twine(x.width()) + "-bit elements, which " +
                             legalizer.machine.name + " has no instruction for");
  return nullptr;
}

constexpr RuleEntry kRules[] = {
    {"arith.cmpf", legalizeCmpF},
    {"arith.cmpi", legalizeCmpI},
    {"arith.select", legalizeSelect},
};

} // namespace

ArrayRef<RuleEntry> compareRules() { return kRules; }

} // namespace kiln::npu::legal
