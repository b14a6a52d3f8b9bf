//===- MathFunctions.cpp - math functions that the unit lacks --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The unit has exp, log, sqrt and rsqrt; what can be had from those is (README.md has the errors),
// for an instruction of theirs costs less than one step of a polynomial. Everything computes in
// f32. Infinities, NaN, signed zeros and denormals follow IEEE 754's recommended functions.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalizer.h"

#include <limits>

using namespace mlir;

namespace kiln::npu::legal {

using machine::Rounding;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The product of n and `high` is exact in an fma.
constexpr double kLn2High = 0x1.62e430p-1, kLn2Low = -0x1.05c610p-29;
constexpr double kLog2E = 0x1.715476p+0, kLog10E = 0x1.bcb7b2p-2;

/// 2^n for a whole n from -126 to 127, given as a float.
Num powerOfTwo(Num n) { return shl(toInteger(n) + int64_t(127), 23).bitcast(n.b->getF32Type()); }

/// exp2(x) = exp(r ln 2) 2^2n with |r| <= 1. Halving n keeps 2^n a normal number over the whole
/// range, denormal and infinite results included. The product r ln 2 keeps what it lost in rounding
/// as a factor 1 + rest.
Num exp2(Num x) {
  Num c = atLeast(atMost(x, 129), -151);
  Num n = roundEven(c * 0.5);
  Num r = fma(n, -2.0, c);
  Num high = r * kLn2High;
  Num rest = fma(r, kLn2Low, fma(r, kLn2High, -high));
  Num y = exponential(high);
  y = fma(y, rest, y);
  Num scale = powerOfTwo(n);
  return y * scale * scale;
}

/// (u - 1) x / log(u) with u = exp(x): the error of u stands above and below.
Num expm1(Num x) {
  Num u = exponential(x), less = u - 1.0;
  Num y = less * (x / logarithm(u));
  y = select(less == -1.0, less, y); // log(u) says nothing any more
  y = select(u == kInfinity, u, y);
  return select(u == 1.0, x, y);
}

/// x = 2^e m with m around 1, where nothing cancels; exact for powers of two. What is denormal, not
/// positive or not finite takes the plain logarithm, which knows all special values.
Num log2(Num x) {
  constexpr int64_t kSqrtHalf = 0x3f3504f3;
  Num bits = x.bits();
  Num e = sar(bits - kSqrtHalf, 23);
  Num m = (bits - shl(e, 23)).bitcast(x.element());
  Num y = fma(logarithm(m), kLog2E, toFloat(e));
  Num isNormal = (x.real(0x1p-126 * (1 - 0x1p-23)) < x) & (x < kInfinity);
  return select(isNormal, y, logarithm(x) * kLog2E);
}

Num log10(Num x) { return logarithm(x) * kLog10E; }

/// log(u) x / (u - 1) with u = 1 + x as it rounds: the loss in u stands above and below.
Num log1p(Num x) {
  constexpr double kMax = std::numeric_limits<float>::max();
  Num u = x + 1.0;
  // Beyond 2^24 both are x; infinity over infinity would be NaN.
  Num ratio = atMost(x, kMax) / (atMost(u, kMax) - 1.0);
  return select(u == 1.0, x, logarithm(u) * ratio);
}

/// Below 0.625 an odd polynomial, from there 1 - 2 / (exp(2|x|) + 1).
Num tanh(Num x) {
  static constexpr float kTanh[] = {-0x1.555532p-2f, 0x1.1106fcp-3f, -0x1.b8371ap-5f,
                                    0x1.5205a6p-6f, -0x1.755156p-8f};
  Num a = abs(x), square = x * x;
  Num small = fma(square * a, polynomial(square, kTanh), a);
  Num large = x.real(1) - x.real(2) / (exponential(a + a) + 1.0);
  return copySign(select(a < 0.625, small, large), x);
}

/// With e = expm1(|x|): (e + e / (e + 1)) / 2. From 40 on half of exp, as a square that keeps the
/// range.
Num sinh(Num x) {
  Num a = abs(x);
  Num e = expm1(atMost(a, 40));
  Num y = fma(e, 0.5, e / (e + 1.0) * 0.5);
  Num half = exponential(a * 0.5);
  y = select(a < 40.0, y, half * 0.5 * half);
  return select(a < 0x1p-13, x, copySign(y, x));
}

Num cosh(Num x) {
  Num a = abs(x);
  Num e = exponential(atMost(a, 40));
  Num y = fma(e, 0.5, x.real(0.5) / e);
  Num half = exponential(a * 0.5);
  return select(a < 40.0, y, half * 0.5 * half);
}

/// Below 1: x + x P(x^2). From 1 on: 1 - exp(-g(|x|)) with g = -log(erfc), whose error hardly
/// counts where erfc is small. Beyond 3.95 the result is 1.
Num erf(Num x) {
  static constexpr float kCore[] = {0x1.06eba80p-3f,  -0x1.81273e0p-2f, 0x1.ce2cea0p-4f,
                                    -0x1.b7f7b00p-6f, 0x1.53f9480p-8f,  -0x1.a398600p-11f,
                                    0x1.48692c0p-14f};
  static constexpr float kTail[] = {-0x1.8a000e0p-13f, 0x1.212c000p+0f,  0x1.44359a0p-1f,
                                    0x1.bc13620p-4f,   -0x1.9cfeca0p-6f, 0x1.1386a00p-8f,
                                    -0x1.ceb2e40p-12f, 0x1.6bbed60p-16f};
  Num a = abs(x);
  Num core = fma(x, polynomial(x * x, kCore), x);
  Num g = polynomial(atMost(a, 3.95), kTail);
  Num tail = copySign(x.real(1) - exponential(-g), x);
  return select(a < 1.0, core, tail);
}

template <Num (*function)(Num)> Value expand(Legalizer &legalizer, Operation *op) {
  if (!getElementTypeOrSelf(op->getResult(0).getType()).isF32())
    return throughF32(legalizer, op);
  legalizer.at(op);
  return function(legalizer.num(op->getOperand(0))).v;
}

//===----------------------------------------------------------------------------------------===//
// Whole numbers: a conversion of f32 to itself that rounds, or one to i32 and back
//===----------------------------------------------------------------------------------------===//

/// f32 has no fraction from 2^23 on; signs of zeros are those of x.
Num throughInteger(Num x, Rounding rounding) {
  Num whole = toFloat(toInteger(x));
  switch (rounding) {
  case Rounding::Floor:
    whole = select(x < whole, whole - 1.0, whole);
    break;
  case Rounding::Ceil:
    whole = select(whole < x, whole + 1.0, whole);
    break;
  case Rounding::Rint: {
    // Adding and taking away 1.5 * 2^23 leaves no fraction.
    Num magic = x.real(0x1.8p23);
    whole = (x + magic) - magic;
    break;
  }
  case Rounding::Round: {
    Num rest = abs(x - whole);
    whole = select(rest < 0.5, whole, whole + copySign(x.real(1), x));
    break;
  }
  default:
    break;
  }
  return select(abs(x) < 0x1p23, copySign(whole, x), x);
}

template <Rounding rounding> Value legalizeRounding(Legalizer &legalizer, Operation *op) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (!type.isF32())
    return throughF32(legalizer, op);
  if (legalizer.converts(type, false, type, false, rounding))
    return nullptr;
  legalizer.at(op);
  return throughInteger(legalizer.num(op->getOperand(0)), rounding).v;
}

constexpr RuleEntry kRules[] = {
    {"math.cos", expand<cosine>},
    {"math.cosh", expand<cosh>},
    {"math.erf", expand<erf>},
    {"math.exp2", expand<exp2>},
    {"math.expm1", expand<expm1>},
    {"math.log10", expand<log10>},
    {"math.log1p", expand<log1p>},
    {"math.log2", expand<log2>},
    {"math.sin", expand<sine>},
    {"math.sinh", expand<sinh>},
    {"math.tan", expand<tangent>},
    {"math.tanh", expand<tanh>},
    {"math.ceil", legalizeRounding<Rounding::Ceil>},
    {"math.floor", legalizeRounding<Rounding::Floor>},
    {"math.round", legalizeRounding<Rounding::Round>},
    {"math.roundeven", legalizeRounding<Rounding::Rint>},
    {"math.trunc", legalizeRounding<Rounding::Trunc>},
};

} // namespace

ArrayRef<RuleEntry> mathRules() { return kRules; }

} // namespace kiln::npu::legal
