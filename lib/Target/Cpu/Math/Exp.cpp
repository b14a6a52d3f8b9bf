//===- Exp.cpp - exp, exp2, expm1, hyperbolic functions --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// exp(x) = 2^(2n) exp(r) with n = round(x log2(e) / 2), |r| <= ln 2. Halving the exponent makes 2^n
// a normal number over the whole range, results that overflow or are denormal included, so that
// multiplying by it twice rounds once and needs no case distinction. Adding 1.5 * 2^mantissa rounds
// to an integer and leaves it, plus what was added to the constant, in the low bits: shifted left,
// n + bias is the float 2^n.
//
//===-----------------------------------------------------------------------------------------===//

#include "Functions.h"

#include "Coefficients.inc"

namespace kiln::cpu {
namespace {

/// ln 2 cut in two: the product of an integer and `high` is exact in an fma.
constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Low = 0x1.abc9e3b39803fp-56;
constexpr double kLn2F = 0x1.62e430p-1f, kLn2LowF = -0x1.05c610p-29f;
constexpr double kLog2E = 0x1.71547652b82fep+0;

struct Split {
  Num n;     // the integer, as a float
  Num scale; // 2^(n + shift)
};

/// n = round(x * factor).
Split roundScaled(Num x, double factor, int shift) {
  FloatFormat format = x.format();
  double magic = std::ldexp(1.5, format.mantissa) + format.bias + shift;
  Num t = fma(x, factor, magic);
  return {t - magic, shl(t.bits(), format.mantissa).asFloat()};
}

/// x - n * count * ln 2.
Num reduce(Num x, Num n, double count) {
  Num r = fma(n, x.real(-count * kLn2F, -count * kLn2), x);
  return fma(n, x.real(-count * kLn2LowF, -count * kLn2Low), r);
}

/// 2 * (expm1(x) at half scale), for x within [-50, overflow].
Num expm1InRange(Num x) {
  Split split = roundScaled(x, kLog2E, /*shift=*/-1);
  Num r = reduce(x, split.n, 1);
  Num p = fma(r * r, polynomial(r, kExpm1F32, kExpm1F64), r);
  // 2^n p + (2^n - 1), computed at half its size: 2^n itself may overflow where the result does
  // not.
  Num half = fma(split.scale, p, split.scale - 0.5);
  return half + half;
}

} // namespace

Num expInRange(Num x) {
  Split split = roundScaled(x, kLog2E / 2, 0);
  Num r = reduce(x, split.n, 2);
  Num p = fma(polynomial(r, kExpF32, kExpF64), r, 1.0);
  p = fma(p, r, 1.0);
  return p * split.scale * split.scale;
}

Num expandExp(Num x) { return expInRange(atLeast(atMost(x, x.real(89, 710)), x.real(-104, -746))); }

Num expandExp2(Num x) {
  x = atLeast(atMost(x, x.real(129, 1025)), x.real(-151, -1076));
  Split split = roundScaled(x, 0.5, 0);
  Num r = fma(split.n, -2.0, x);
  Num p = fma(polynomial(r, kExp2F32, kExp2F64), r, 1.0);
  return p * split.scale * split.scale;
}

Num expandExpm1(Num x) {
  Num y = expm1InRange(atLeast(atMost(x, x.real(89, 710)), x.real(-30, -50)));
  // Tiny arguments, zeros and denormals are their own result.
  return select(abs(x) < x.real(0x1p-25, 0x1p-54), x, y);
}

Num expandTanh(Num x) {
  Num a = atMost(abs(x), x.real(10, 20));
  Num y = expm1InRange(a + a);
  Num t = copySign(y / (y + 2.0), x);
  return select(abs(x) < x.real(0x1p-13, 0x1p-28), x, t);
}

Num expandSinh(Num x) {
  // With e = expm1(|x|): (e + e / (e + 1)) / 2. Near overflow, exp(|x| - ln 2) keeps the range.
  Num a = abs(x);
  Num e = expm1InRange(atMost(a, a.real(40, 300)));
  Num y = fma(e, 0.5, e / (e + 1.0) * 0.5);
  Num half = expandExp(a * 0.5);
  Num large = half * 0.5 * half;
  y = select(a < a.real(40, 300), y, large);
  return select(a < x.real(0x1p-13, 0x1p-28), x, copySign(y, x));
}

Num expandCosh(Num x) {
  Num a = abs(x);
  Num e = expInRange(atMost(a, a.real(40, 300)));
  Num y = fma(e, 0.5, x.real(0.5) / e);
  Num half = expandExp(a * 0.5);
  return select(a < a.real(40, 300), y, half * 0.5 * half);
}

} // namespace kiln::cpu
