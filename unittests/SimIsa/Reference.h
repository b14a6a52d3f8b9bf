//===- Reference.h - element types in plain arithmetic ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// What the tests compare with: values as long double (64 bits of precision, more than twice those
// of f32 plus two, so that one rounding at the end is right), and rounding by its definition.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_UNITTESTS_SIMISA_REFERENCE_H
#define KILN_UNITTESTS_SIMISA_REFERENCE_H

#include "machine/Opcode.h"

#include <cmath>
#include <cstdint>
#include <random>

namespace kiln::sim::test {

using machine::Element;
using machine::Rounding;

struct FloatFormat {
  int mantissa, exponent; ///< bits
  int bias() const { return (1 << (exponent - 1)) - 1; }
  uint64_t infinity() const { return ((uint64_t(1) << exponent) - 1) << mantissa; }
  uint64_t nan() const { return infinity() | uint64_t(1) << (mantissa - 1); }
  uint64_t sign() const { return uint64_t(1) << (mantissa + exponent); }
};

inline FloatFormat format(Element element) {
  return element == Element::F16    ? FloatFormat{10, 5}
         : element == Element::BF16 ? FloatFormat{7, 8}
                                    : FloatFormat{23, 8};
}

inline long double decode(Element element, uint64_t bits) {
  const FloatFormat f = format(element);
  const uint64_t mantissa = bits & ((uint64_t(1) << f.mantissa) - 1);
  const int exponent = int(bits >> f.mantissa & ((1u << f.exponent) - 1));
  const long double sign = bits & f.sign() ? -1.0L : 1.0L;
  if (exponent == (1 << f.exponent) - 1)
    return mantissa ? std::nanl("") : sign * HUGE_VALL;
  if (exponent == 0)
    return sign * std::ldexp((long double)mantissa, 1 - f.bias() - f.mantissa);
  return sign * std::ldexp((long double)(mantissa | uint64_t(1) << f.mantissa),
                           exponent - f.bias() - f.mantissa);
}

/// 1 where a magnitude between two neighbours steps to the outer one.
inline bool stepsOut(Rounding rounding, long double rest, bool odd, bool negative) {
  switch (rounding) {
  case Rounding::Floor:
    return negative && rest > 0;
  case Rounding::Ceil:
    return !negative && rest > 0;
  case Rounding::Round:
    return rest >= 0.5L;
  case Rounding::Trunc:
    return false;
  case Rounding::Odd:
    return rest > 0 && !odd;
  default:
    return rest > 0.5L || (rest == 0.5L && odd);
  }
}

inline uint64_t encode(Element element, long double value, Rounding rounding = Rounding::Rint) {
  const FloatFormat f = format(element);
  if (value != value)
    return f.nan();
  const bool negative = std::signbit(value);
  const uint64_t sign = negative ? f.sign() : 0;
  const long double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  if (std::isinf(magnitude))
    return sign | f.infinity();
  const int least = 1 - f.bias();
  const int exponent = std::max(std::ilogb(magnitude), least);
  const long double units = std::ldexp(magnitude, f.mantissa - exponent);
  uint64_t whole = uint64_t(std::floor(units));
  whole += stepsOut(rounding, units - std::floor(units), whole & 1, negative);
  if (exponent > f.bias())
    whole = uint64_t(4) << f.mantissa; // too large in any case
  const uint64_t bits =
      exponent > f.bias() ? f.infinity() : whole + (uint64_t(exponent - least) << f.mantissa);
  if (bits < f.infinity())
    return sign | bits;
  const bool outward = rounding == Rounding::Floor ? negative
                       : rounding == Rounding::Ceil
                           ? !negative
                           : rounding != Rounding::Trunc && rounding != Rounding::Odd;
  return sign | (outward ? f.infinity() : f.infinity() - 1);
}

/// An integer of the element's width.
inline int64_t decodeInteger(Element element, uint64_t bits) {
  const unsigned width = machine::bits(element);
  if (width == 64)
    return int64_t(bits);
  bits &= (uint64_t(1) << width) - 1;
  if (machine::isSignedInteger(element) && bits >> (width - 1))
    return int64_t(bits) - (int64_t(1) << width);
  return int64_t(bits);
}

/// A number wins over a NaN, -0 is less than +0.
inline long double larger(long double a, long double b) {
  if (a != a || b != b)
    return a != a ? b : a;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
inline long double smaller(long double a, long double b) { return -larger(-a, -b); }

/// Random bits of an element: any pattern, moderate numbers, and special ones.
inline uint64_t randomBits(Element element, std::mt19937_64 &random) {
  const unsigned width = machine::bits(element);
  const uint64_t any = width == 64 ? random() : random() & ((uint64_t(1) << width) - 1);
  const unsigned kind = random() % 8;
  if (!machine::isFloat(element))
    return kind < 3 ? uint64_t(int64_t(random() % 200) - 100) &
                          (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1)
                    : any;
  const FloatFormat f = format(element);
  const uint64_t special[] = {0,
                              f.sign(),
                              f.infinity(),
                              f.infinity() | f.sign(),
                              f.nan(),
                              f.infinity() - 1,
                              uint64_t(1),
                              f.nan() | f.sign(),
                              f.sign() | 1,
                              uint64_t(1) << f.mantissa};
  if (kind == 0)
    return special[random() % std::size(special)];
  if (kind < 3)
    return any;
  return encode(element, (long double)(int64_t(random() % 4001) - 2000) / 64);
}

} // namespace kiln::sim::test

#endif // KILN_UNITTESTS_SIMISA_REFERENCE_H
