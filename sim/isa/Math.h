//===- Math.h - fused product, exponential, logarithm, roots, reciprocals --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// No source gives the bits of the hardware's functions, so they are defined here, by f64 operations
// in a fixed order and one rounding to f32: the same on every host. The folder is compiled without
// contraction. Errors are below 0.51 ulp of f32; for f16 the f32 result is rounded again (below
// 0.51 ulp of f16). Loops over these functions vectorise: no branches, no library calls.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ISA_MATH_H
#define KILN_SIM_ISA_MATH_H

#include "sim/isa/Types.h"

#include <limits>

namespace kiln::sim {

/// a · b + c in a type in which a · b is exact, rounded to odd: what is inexact ends in an odd bit.
/// Rounding that to a type of at least two bits less equals rounding the exact result once.
/// (The sum's own error is exact, and says on which side of the rounded sum the exact one lies.)
template <typename Wide, typename Bits>
[[gnu::always_inline]] inline Wide multiplyAddOdd(Wide a, Wide b, Wide c) {
  const Wide product = a * b;
  const Wide sum = product + c;
  const Wide added = sum - product;
  const Wide error = (product - (sum - added)) + (c - added);
  const Bits bits = std::bit_cast<Bits>(sum);
  const bool inexact = error > 0 || error < 0; // neither where the sum is infinite or NaN
  const bool outward = (error > 0) == (sum > 0);
  const Bits other = outward ? bits + 1 : bits - 1;
  return std::bit_cast<Wide>(inexact && (bits & 1) == 0 ? other : bits);
}

/// One rounding for the product and the sum: f32 through f64, f16 through f32.
template <Element E>
[[gnu::always_inline]] inline Stored<E> multiplyAdd(Stored<E> a, Stored<E> b, Stored<E> c) {
  using Wide = std::conditional_t<E == Element::F32, double, float>;
  using Bits = std::conditional_t<E == Element::F32, uint64_t, uint32_t>;
  return Type<E>::put(
      float(multiplyAddOdd<Wide, Bits>(Type<E>::get(a), Type<E>::get(b), Type<E>::get(c))));
}

inline float absolute(float value) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0x7FFFFFFF);
}

inline float squareRoot(float value) { return __builtin_elementwise_sqrt(value); }

inline float reciprocal(float value) { return 1.0f / value; }

inline float reciprocalRoot(float value) {
  return float(1.0 / __builtin_elementwise_sqrt(double(value)));
}

/// exp(x) = 2^k · exp(r), k = round(x / ln 2), |r| <= ln 2 / 2: the series of exp to r^10 (its rest
/// is below 2^-37).
inline float exponential(float value) {
  const double x = value < -150.0f ? -150.0 : value > 130.0f ? 130.0 : double(value);
  constexpr double shift = 0x1.8p52; // puts k into the low bits
  const double shifted = x * 0x1.71547652b82fep0 + shift;
  const double k = shifted - shift;
  // ln 2 in two parts; the product with the first is exact.
  const double r = (x - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
  double p = 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const double power = std::bit_cast<double>((std::bit_cast<uint64_t>(shifted) + 1023) << 52);
  return canonical(float(p * power));
}

/// ln(x) = e · ln 2 + ln(m), m in [√½, √2): ln(m) = 2 artanh(s), s = (m - 1) / (m + 1), |s| <
/// 0.172: the series to s^17 (its rest is below 2^-46 of the sum).
inline float logarithm(float value) {
  const uint64_t bits = std::bit_cast<uint64_t>(double(value));
  constexpr uint64_t rootHalf = 0x3FE6A09E667F3BCD;
  const uint64_t biased = bits - rootHalf + (uint64_t(1024) << 52);
  // An integer in the low bits of 2^52: how it becomes a double everywhere.
  const double e = std::bit_cast<double>(biased >> 52 | 0x4330000000000000) - (0x1p52 + 1024);
  const uint64_t exponentBits = (biased & 0xFFF0000000000000) - (uint64_t(1024) << 52);
  const double m = std::bit_cast<double>(bits - exponentBits);
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = 2.0 / 17;
  p = p * z + 2.0 / 15;
  p = p * z + 2.0 / 13;
  p = p * z + 2.0 / 11;
  p = p * z + 2.0 / 9;
  p = p * z + 2.0 / 7;
  p = p * z + 2.0 / 5;
  p = p * z + 2.0 / 3;
  const double series = s * 2.0 + s * (z * p);
  const float normal = float(e * 0x1.62e42fefa39efp-1 + series);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float special = value == 0.0f  ? -infinity
                        : value > 0.0f ? infinity
                                       : std::bit_cast<float>(nanF32);
  return value > 0.0f && value < infinity ? normal : special;
}

} // namespace kiln::sim

#endif // KILN_SIM_ISA_MATH_H
