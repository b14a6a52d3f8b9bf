//===- Division.cpp - integer quotients and remainders ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// There is no integer division. f32 holds quotients of 16-bit integers: truncating the rounded one
// is right, for a quotient that is not whole is at least 2^-16 of the divisor away from the next
// whole number. For i32 the rounded quotient of floats is off by at most 2^9; the remainder that it
// leaves is exact in wrapping i32, and its own quotient corrects all but a unit, which the sign of
// the last remainder tells. Unsigned 32-bit integers are halved first.
//
// x // 0 is x, x % 0 is 0, the least integer divided by -1 is itself
// (docs/design/floating-point.md).
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalizer.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::npu::legal {
namespace {

/// Dividing by 1 instead of 0 gives the stated results.
Num withoutZero(Num y) {
  APInt known;
  if (matchPattern(y.v, m_ConstantInt(&known)) && !known.isZero())
    return y;
  return select(equalInt(y, y.integer(0)), y.integer(1), y);
}

/// Integers that f32 holds, quotients included.
Num divideSmall(Num x, Num y) { return toInteger(toFloat(x) / toFloat(y)); }

/// C's quotient of any two i32, the divisor not 0.
Num divideSigned(Num x, Num y) {
  Num fx = toFloat(x), fy = toFloat(y), ratio = fx / fy;
  // 2^31 itself would not fit: the greatest f32 below it leaves a remainder of at most 128 |y|.
  Num first = toInteger(roundEven(atMost(ratio, 0x1.fffffep30)));
  Num rest = x - first * y;
  Num second = toInteger(roundEven(toFloat(rest) / fy));
  Num quotient = first + second;
  rest = rest - second * y;
  // |rest| <= |y| / 2. It has to have the sign of x.
  Num isWrong = toFloat(rest) * fx < 0.0;
  Num step = select(ratio < 0.0, x.integer(1), x.integer(-1));
  return quotient + select(isWrong, step, x.integer(0));
}

/// Of any two u32, the divisor not 0.
Num divideUnsigned(Num x, Num y) {
  auto isAbove = [](Num a, Num b) { return compare(arith::CmpIPredicate::ugt, a, b); };
  Num small = y & INT32_MAX;
  Num quotient =
      divideSigned(shr(x, 1), select(equalInt(small, y.integer(0)), y.integer(1), small));
  quotient = quotient + quotient;
  Num rest = x - quotient * y;
  quotient = quotient + select(isAbove(y, rest), y.integer(0), y.integer(1));
  // A divisor with its top bit set goes into x once or never.
  Num isHuge = differInt(binary<arith::MinSIOp>(y, y.integer(0)), 0);
  Num once = select(isAbove(y, x), y.integer(0), y.integer(1));
  return select(isHuge, once, quotient);
}

template <bool isSigned, bool isRemainder> Value divide(Legalizer &legalizer, Operation *op) {
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0)), y = legalizer.num(op->getOperand(1));
  Type type = x.element();
  if (type.isIndex())
    return nullptr;
  if (isI1(type)) // the only divisor that is not 0 is 1
    return isRemainder ? x.integer(0).v : x.v;
  if (type.isInteger(64)) {
    Value narrow = legalizeLong(legalizer, op);
    APInt known;
    bool isSafe = matchPattern(y.v, m_ConstantInt(&known)) && !known.isZero();
    // As unsigned numbers, only 0 is less than 1.
    if (!narrow && !isSafe)
      op->setOperand(1, binary<arith::MaxUIOp>(y, y.integer(1)).v);
    return narrow;
  }
  bool isSmall = x.width() < 32;
  auto wide = [&](Num value) {
    return isSmall
               ? isSigned ? signExtend(value, b.getI32Type()) : zeroExtend(value, b.getI32Type())
               : value;
  };
  x = wide(x);
  y = withoutZero(wide(y));
  Num quotient = isSmall ? divideSmall(x, y) : isSigned ? divideSigned(x, y) : divideUnsigned(x, y);
  Num result = isRemainder ? x - quotient * y : quotient;
  return isSmall ? cut(result, type).v : result.v;
}

constexpr RuleEntry kRules[] = {
    {"arith.divsi", divide<true, false>},
    {"arith.divui", divide<false, false>},
    {"arith.remsi", divide<true, true>},
    {"arith.remui", divide<false, true>},
};

} // namespace

ArrayRef<RuleEntry> divisionRules() { return kRules; }

} // namespace kiln::npu::legal
