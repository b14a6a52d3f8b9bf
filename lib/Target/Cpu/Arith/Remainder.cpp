//===- Remainder.cpp - C's fmod --------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Long division in steps of 51 bits, in f64 for both formats: while some lane's |x| >= |y|,
// subtract trunc(x / (y 2^k)) * y 2^k with k so large that the quotient has at most 52 bits. The
// product fits an fma exactly, so the remainder is exact; a quotient that was rounded up makes it
// negative, and y 2^k is added back. One step suffices unless |x / y| >= 2^51. Denormals are scaled
// up for the exponents alone.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalize.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace kiln::cpu {
namespace {

/// The binary exponent of a positive finite f64.
Num exponentOf(Num x) {
  Num tiny = x < 0x1p-1022;
  Num field = shr(select(tiny, x * 0x1p54, x).bits(), 52);
  return select(tiny, field - 54, field);
}

/// One step on lanes whose x >= y.
Num step(Num x, Num y) {
  Num gap = exponentOf(x) - exponentOf(y) - 51;
  Num zero = gap.integer(0);
  gap = select(compare(arith::CmpIPredicate::slt, gap, zero), zero, gap);
  // 2^gap may itself overflow where y is denormal: two halves never do.
  Num half = shr(gap, 1);
  auto power = [](Num n) { return shl(n + 1023, 52).asFloat(); };
  Num scaled = y * power(half) * power(gap - half);
  Num quotient = x / scaled;
  quotient = x.make(math::TruncOp::create(*x.b, quotient.v));
  Num rest = fma(-quotient, scaled, x);
  rest = select(rest < 0.0, rest + scaled, rest);
  return select(x < y, x, rest);
}

Num anyLane(Num condition) {
  if (!isa<VectorType>(condition.v.getType()))
    return condition;
  return condition.make(
      vector::ReductionOp::create(*condition.b, vector::CombiningKind::OR, condition.v));
}

} // namespace

Num floatRemainder(Num x, Num y) {
  ImplicitLocOpBuilder &b = *x.b;
  Type type = x.v.getType();
  bool single = !x.isDouble();
  auto wide = [&](Num value) {
    return single ? value.make(arith::ExtFOp::create(b, x.shaped(b.getF64Type()), value.v)) : value;
  };
  Num dividend = wide(x), divisor = abs(wide(y)), a = abs(dividend);
  // Lanes without a division: a infinite or NaN or y zero or NaN give NaN, y infinite gives x.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Num valid = a < infinity;
  valid = select(valid, a.real(0) < divisor, valid);
  Num safeX = select(valid, a, a.real(0));
  Num safeY = select(divisor < infinity, divisor, a.real(std::numeric_limits<double>::max()));
  safeY = select(valid, safeY, a.real(1));
  // An infinite divisor is larger than any x: the greatest double is, except for x = that double
  // itself.
  Num keeps = divisor == infinity;

  auto loop = scf::WhileOp::create(b, TypeRange{a.v.getType()}, ValueRange{safeX.v});
  ImplicitLocOpBuilder inner(b.getLoc(), b.getContext());
  Block *before = inner.createBlock(&loop.getBefore(), {}, {a.v.getType()}, {b.getLoc()});
  Num carried{&inner, before->getArgument(0)};
  Num more = compare(arith::CmpFPredicate::OGE, carried, {&inner, safeY.v});
  scf::ConditionOp::create(inner, anyLane(more).v, ValueRange{carried.v});
  Block *after = inner.createBlock(&loop.getAfter(), {}, {a.v.getType()}, {b.getLoc()});
  Num next = step({&inner, after->getArgument(0)}, {&inner, safeY.v});
  scf::YieldOp::create(inner, ValueRange{next.v});

  Num result = select(keeps, a, a.make(loop.getResult(0)));
  result = select(valid, result, a.real(std::numeric_limits<double>::quiet_NaN()));
  result = copySign(result, dividend);
  return single ? result.make(arith::TruncFOp::create(b, type, result.v)) : result;
}

} // namespace kiln::cpu
