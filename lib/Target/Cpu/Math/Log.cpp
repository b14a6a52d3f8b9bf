//===- Log.cpp - logarithms ------------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), so that e is 0 around 1 and nothing cancels;
// log(1 + f) = f + f^2 P(f).
//
//===-----------------------------------------------------------------------------------------===//

#include "Functions.h"

#include "Coefficients.inc"

#include <limits>

using namespace mlir;

namespace kiln::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A constant cut into a high part of the format and the rest.
struct Constant {
  double single, singleLow, wide, wideLow;
  Num high(Num like) const { return like.real(single, wide); }
  Num low(Num like) const { return like.real(singleLow, wideLow); }
};
constexpr Constant kLn2{0x1.62e430p-1, -0x1.05c610p-29, 0x1.62e42fefa39efp-1,
                        0x1.abc9e3b39803fp-56};
constexpr Constant kLog2E{0x1.715476p+0, 0x1.4ae0c0p-26, 0x1.71547652b82fep+0,
                          0x1.777d0ffda0d24p-56};
constexpr Constant kLog10E{0x1.bcb7b2p-2, -0x1.5b235ep-27, 0x1.bcb7b1526e50ep-2,
                           0x1.95355baaafad3p-57};
constexpr Constant kLog10Of2{0x1.344136p-2, -0x1.ec10c0p-27, 0x1.34413509f79ffp-2,
                             -0x1.9dc1da994fd21p-59};

struct Split {
  Num e; // as a float
  Num f;
  Num exponent; // as an integer
};

/// Of a normal x; `shift` (a float) is added to the exponent.
Split split(Num x) {
  FloatFormat format = x.format();
  Num bits = x.bits();
  int64_t root = x.isDouble() ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  Num offset = bits - root;
  Num exponent = sar(offset, format.mantissa);
  Num m = ((offset & ((int64_t(1) << format.mantissa) - 1)) + root).asFloat();
  return {exponent.toFloat(), m - 1.0, exponent};
}

/// As above for any positive x: denormals are scaled up first.
Split splitAny(Num x) {
  Num tiny = x < x.real(0x1p-126, 0x1p-1022);
  Split parts = split(select(tiny, x * x.real(0x1p24, 0x1p54), x));
  parts.e = select(tiny, parts.e - x.real(24, 54), parts.e);
  return parts;
}

/// f^2 P(f), what log(1 + f) has beyond f.
Num tail(Num f) { return f * f * polynomial(f, kLogF32, kLogF64); }

/// The results that no formula gives: of zero, negative numbers, infinity and NaN.
Num special(Num argument, Num result, Num zeroAt) {
  Num wrong = select(argument == zeroAt, argument.real(-kInfinity), argument.real(NAN));
  result = select(argument == kInfinity, argument, result);
  return select(zeroAt < argument, result, wrong);
}

/// e * exponentUnit + log(1 + f) * unit, both constants in two parts.
Num scaledLog(Split parts, const Constant &unit, Num e, Num eLow) {
  Num f = parts.f;
  Num high = f * unit.high(f);
  Num rest = fma(f, unit.high(f), -high) + fma(f, unit.low(f), tail(f) * unit.high(f));
  return e + (high + (rest + eLow));
}

} // namespace

Num expandLog(Num x) {
  Split parts = splitAny(x);
  Num y = parts.f + fma(parts.e, kLn2.low(x), tail(parts.f));
  return special(x, fma(parts.e, kLn2.high(x), y), x.real(0));
}

Num expandLog2(Num x) {
  Split parts = splitAny(x);
  return special(x, scaledLog(parts, kLog2E, parts.e, x.real(0)), x.real(0));
}

Num expandLog10(Num x) {
  Split parts = splitAny(x);
  Num high = parts.e * kLog10Of2.high(x);
  Num low = fma(parts.e, kLog10Of2.low(x), fma(parts.e, kLog10Of2.high(x), -high));
  return special(x, scaledLog(parts, kLog10E, high, low), x.real(0));
}

Num expandLog1p(Num x) {
  // u = 1 + x and what its rounding lost; the loss moves f by loss / 2^e.
  Num u = x + 1.0;
  Num back = u - 1.0;
  Num loss = (x.real(1) - (u - back)) + (x - back);
  Split parts = split(u);
  FloatFormat format = x.format();
  // Beyond 2^bias nothing was lost; the exponent of 1 / 2^e must not wrap there.
  Num inverse = parts.exponent.integer(format.bias) - parts.exponent;
  Num zero = inverse.integer(0);
  inverse = select(compare(arith::CmpIPredicate::slt, inverse, zero), zero, inverse);
  inverse = shl(inverse, format.mantissa).asFloat();
  Num f = fma(loss, inverse, parts.f);
  Num y = f + fma(parts.e, kLn2.low(x), tail(f));
  y = special(x, fma(parts.e, kLn2.high(x), y), x.real(-1));
  return select(abs(x) < x.real(0x1p-25, 0x1p-54), x, y);
}

} // namespace kiln::cpu
