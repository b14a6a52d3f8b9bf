//===- Trig.cpp - sin, cos, tan --------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// x = q pi/2 + r with |r| <= pi/4: the product of q and a pi/2 of three parts is subtracted with
// fma. Up to 2^22 the first step is exact (both numbers are multiples of 2^-23) and the parts hold
// 74 digits, more than such arguments can cancel. Beyond, the digits of pi that matter depend on
// the lane: that would take hundreds of instructions for all lanes, or a wait of the scalar unit
// for every tile, so the result is NaN there, as of infinity.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalizer.h"

#include <limits>

using namespace mlir;

namespace kiln::npu::legal {
namespace {

constexpr float kSin[] = {-0x1.555556p-3f, 0x1.111174p-7f, -0x1.a0597ep-13f, 0x1.7c42d0p-19f};
constexpr float kCos[] = {0x1.55554ap-5f, -0x1.6c0c2cp-10f, 0x1.99ea3cp-16f};

constexpr double kLimit = 0x1p22;

struct Reduced {
  Num r;
  Num quadrant; // an i32 of which the low two bits count
};

Reduced reduce(Num x) {
  constexpr double kTwoOverPi = 0x1.45f306p-1, kHalfPi = 0x1.921fb6p+0;
  Num n = roundEven(x * kTwoOverPi);
  Num r = fma(n, -kHalfPi, x);
  // Of a large x the quotient rounds by up to a quarter: once more, from what is left.
  Num more = roundEven(r * kTwoOverPi);
  r = fma(more, -kHalfPi, r);
  n = n + more;
  r = fma(n, 0x1.777a5cp-25, r);
  r = fma(n, 0x1.ee59dap-50, r);
  r = select(abs(x) < kLimit, r, x.real(std::numeric_limits<double>::quiet_NaN()));
  return {r, toInteger(n)};
}

struct SinCos {
  Num sin, cos;
};

/// Of the reduced argument.
SinCos kernels(Num r) {
  Num square = r * r;
  Num sin = fma(square * r, polynomial(square, kSin), r);
  Num cos = fma(square, fma(square, polynomial(square, kCos), -0.5), 1.0);
  return {sin, cos};
}

Num isSet(Num quadrant, int64_t bit) { return differInt(quadrant & bit, 0); }

/// sin of x + turns * pi/2.
Num shiftedSine(Num x, int64_t turns) {
  Reduced reduced = reduce(x);
  SinCos values = kernels(reduced.r);
  Num quadrant = turns ? reduced.quadrant + turns : reduced.quadrant;
  Num value = select(isSet(quadrant, 1), values.cos, values.sin);
  return select(isSet(quadrant, 2), -value, value);
}

} // namespace

/// Zeros keep their sign, and the smallest numbers are their own sine.
Num sine(Num x) { return select(abs(x) < 0x1p-13, x, shiftedSine(x, 0)); }

Num cosine(Num x) { return shiftedSine(x, 1); }

Num tangent(Num x) {
  Reduced reduced = reduce(x);
  SinCos values = kernels(reduced.r);
  Num isOdd = isSet(reduced.quadrant, 1);
  Num value = select(isOdd, -values.cos, values.sin) / select(isOdd, values.sin, values.cos);
  return select(abs(x) < 0x1p-13, x, value);
}

} // namespace kiln::npu::legal
