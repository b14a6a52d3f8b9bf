//===- FloatRemainder.cpp - C's fmod ---------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Long division in steps of 22 bits: while |x| >= |y| in some lane, subtract
// trunc(x / (y 2^k)) · y 2^k with k so large that the quotient has at most 23 bits. The product
// fits an fma exactly, so the remainder is exact; a quotient that was rounded up makes it negative,
// and y 2^k is added back. Exponents of f32 are at most 276 apart, denormals included: 13 steps
// reach every case, and a loop has no branch that would wait for lanes.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalizer.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;

namespace kiln::npu::legal {
namespace {

constexpr int kSteps = 13;

/// The binary exponent of a positive finite number, with the bias.
Num exponentOf(Num x) {
  Num isTiny = x < 0x1p-126;
  Num field = shr(select(isTiny, x * 0x1p24, x).bits(), 23);
  return select(isTiny, field - int64_t(24), field);
}

/// One step on lanes whose x >= y.
Num step(Num x, Num y) {
  Num gap = exponentOf(x) - exponentOf(y) - int64_t(22);
  gap = binary<arith::MaxSIOp>(gap, gap.integer(0));
  // 2^gap may itself overflow where y is denormal: two halves never do.
  Num half = shr(gap, 1);
  auto power = [](Num n) { return shl(n + int64_t(127), 23).bitcast(n.b->getF32Type()); };
  Num scaled = y * power(half) * power(gap - half);
  Num rest = fma(-truncate(x / scaled), scaled, x);
  rest = select(rest < 0.0, rest + scaled, rest);
  return select(x < y, x, rest);
}

} // namespace

Num floatRemainder(Num x, Num y) {
  ImplicitLocOpBuilder &b = *x.b;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Num a = abs(x), divisor = abs(y);
  // Lanes without a division: x infinite, x or y NaN, y zero give NaN; y infinite gives x.
  Num isValid = (a < infinity) & (a.real(0) < divisor);
  Num safeX = select(isValid, a, a.real(0));
  Num safeY = select(isValid & (divisor < infinity), divisor,
                     a.real(double(std::numeric_limits<float>::max())));

  Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
  Value count = arith::ConstantIndexOp::create(b, kSteps);
  auto loop = scf::ForOp::create(b, zero, count, one, ValueRange{safeX.v});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Num next = step(x.make(loop.getRegionIterArg(0)), safeY);
    scf::YieldOp::create(b, ValueRange{next.v});
  }
  Num result = select(divisor == infinity, a, x.make(loop.getResult(0)));
  result = select(isValid, result, a.real(std::numeric_limits<double>::quiet_NaN()));
  return copySign(result, x);
}

} // namespace kiln::npu::legal
