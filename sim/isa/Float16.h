//===- Float16.h - the 16-bit floats, and rounding -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Conversions between f32 and the 16-bit types by integer arithmetic and exact f32 operations, so
// that every host gives the same bits. They have no branches that depend on values, so loops over
// them vectorise. A NaN becomes the type's canonical one: positive, quiet, without payload.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ISA_FLOAT16_H
#define KILN_SIM_ISA_FLOAT16_H

#include "machine/Opcode.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace kiln::sim {

using machine::Element;
using machine::Rounding;

inline constexpr uint32_t nanF32 = 0x7FC00000;
inline constexpr uint16_t nanF16 = 0x7E00;
inline constexpr uint16_t nanBF16 = 0x7FC0;

inline float canonical(float value) {
  return value == value ? value : std::bit_cast<float>(nanF32);
}

inline float fromF16(uint16_t half) {
  const uint32_t sign = uint32_t(half & 0x8000) << 16;
  const uint32_t magnitude = uint32_t(half & 0x7FFF) << 13;
  // The exponent's bias grows by 112; the product also brings denormals into normal form, exactly.
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  const uint32_t finite = std::bit_cast<uint32_t>(scaled);
  const uint32_t special = magnitude == 0x0F800000 ? 0x7F800000 | sign : nanF32;
  return std::bit_cast<float>(magnitude >= 0x0F800000 ? special : finite | sign);
}

inline float fromBF16(uint16_t half) {
  return canonical(std::bit_cast<float>(uint32_t(half) << 16));
}

/// Rounds to the nearest f16, ties to even.
inline uint16_t toF16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  // Normal results: the bias changes by 112, and half of the last place is added; the sum carries
  // into the exponent as it should, up to infinity.
  const uint32_t normal = (magnitude - (112u << 23) + 0xFFF + (magnitude >> 13 & 1)) >> 13;
  // Below 2^-14: the sum with 1/2 has its last place at 2^-24, that of f16's denormals.
  const float shifted = std::bit_cast<float>(magnitude < 0x38800000 ? magnitude : 0) + 0.5f;
  const uint32_t denormal = std::bit_cast<uint32_t>(shifted) - 0x3F000000;
  uint32_t result = magnitude < 0x38800000 ? denormal : normal;
  result = magnitude >= 0x477FF000 ? 0x7C00 : result; // 65520 and more
  result |= bits >> 16 & 0x8000;
  return magnitude > 0x7F800000 ? nanF16 : uint16_t(result);
}

/// Rounds to the nearest bf16, ties to even.
inline uint16_t toBF16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  return (bits & 0x7FFFFFFF) > 0x7F800000 ? nanBF16 : uint16_t(rounded);
}

/// What to add to a magnitude cut at a bit whose lower bits are `rest`, `half` being the value of a
/// tie: 1 to step away from zero. Odd has its own way: see below.
template <Rounding R>
constexpr uint32_t step(uint32_t rest, uint32_t half, uint32_t last, bool negative) {
  if constexpr (R == Rounding::Floor)
    return negative && rest != 0;
  else if constexpr (R == Rounding::Ceil)
    return !negative && rest != 0;
  else if constexpr (R == Rounding::Round)
    return rest >= half;
  else if constexpr (R == Rounding::Trunc)
    return 0;
  else if constexpr (R == Rounding::Odd)
    return rest != 0 && !last;
  else
    return rest > half || (rest == half && last);
}

/// True if a value beyond the largest finite one becomes infinity, not that largest one.
template <Rounding R> constexpr bool overflows(bool negative) {
  if constexpr (R == Rounding::Floor)
    return negative;
  else if constexpr (R == Rounding::Ceil)
    return !negative;
  else
    return R != Rounding::Trunc && R != Rounding::Odd;
}

/// f32 to f16 in any rounding mode.
template <Rounding R> inline uint16_t toF16(float value) {
  if constexpr (R == Rounding::Rint || R == Rounding::None)
    return toF16(value);
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7FFFFFFF, sign = bits >> 16 & 0x8000;
  const bool negative = sign != 0;
  uint32_t cut, rest, half;
  if (magnitude >= 0x38800000) { // a normal result
    cut = (magnitude - (112u << 23)) >> 13;
    rest = magnitude & 0x1FFF;
    half = 0x1000;
  } else { // a denormal one: units of 2^-24; what lies below 2^-25 is only "not zero"
    const uint32_t exponent = magnitude >> 23;
    const uint32_t mantissa = exponent ? (magnitude & 0x7FFFFF) | 0x800000 : magnitude & 0x7FFFFF;
    const uint32_t shift = 126 - (exponent ? exponent : 1);
    if (shift > 25) {
      cut = 0;
      rest = mantissa != 0;
      half = 2;
    } else {
      cut = mantissa >> shift;
      rest = mantissa & ((1u << shift) - 1);
      half = 1u << (shift - 1);
    }
  }
  uint32_t result = cut + step<R>(rest, half, cut & 1, negative);
  if (result >= 0x7C00)
    result = magnitude == 0x7F800000 || overflows<R>(negative) ? 0x7C00 : 0x7BFF;
  return magnitude > 0x7F800000 ? nanF16 : uint16_t(result | sign);
}

/// f32 to bf16 in any rounding mode.
template <Rounding R> inline uint16_t toBF16(float value) {
  if constexpr (R == Rounding::Rint || R == Rounding::None)
    return toBF16(value);
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7FFFFFFF, cut = magnitude >> 16;
  const bool negative = bits >> 31;
  uint32_t result = cut + step<R>(magnitude & 0xFFFF, 0x8000, cut & 1, negative);
  if (result >= 0x7F80)
    result = magnitude == 0x7F800000 || overflows<R>(negative) ? 0x7F80 : 0x7F7F;
  return magnitude > 0x7F800000 ? nanBF16 : uint16_t(result | (bits >> 16 & 0x8000));
}

/// f64 to f32 in any rounding mode. `value` is finite.
template <Rounding R> inline float toF32(double value) {
  const float nearest = static_cast<float>(value);
  if constexpr (R == Rounding::Rint || R == Rounding::None)
    return nearest;
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const double magnitude = std::bit_cast<double>(bits & ~(uint64_t(1) << 63));
  const bool negative = bits >> 63;
  // The greatest f32 that is not above the magnitude, and the next one.
  uint32_t cut = std::bit_cast<uint32_t>(static_cast<float>(magnitude));
  if (cut >= 0x7F800000 || double(std::bit_cast<float>(cut)) > magnitude)
    --cut;
  const double below = std::bit_cast<float>(cut), above = std::bit_cast<float>(cut + 1);
  const double rest = magnitude - below, toNext = above - magnitude; // exact
  const uint32_t code = rest == 0 ? 0 : rest < toNext ? 1 : rest == toNext ? 2 : 3;
  const uint32_t result = cut + step<R>(code, 2, cut & 1, negative);
  return std::bit_cast<float>(result | uint32_t(negative) << 31);
}

/// Rounds to an integral value; the sign of zero is the operand's.
template <Rounding R> inline float roundIntegral(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits & 0x80000000;
  const float magnitude = std::bit_cast<float>(bits & 0x7FFFFFFF);
  const bool small = magnitude < 0x1p23f; // else it is integral (or NaN) already
  const float bounded = small ? magnitude : 0.0f;
  const float down = static_cast<float>(static_cast<int32_t>(bounded));
  const float rest = bounded - down; // exact
  const uint32_t code = rest == 0.0f ? 0 : rest < 0.5f ? 1 : rest == 0.5f ? 2 : 3;
  const uint32_t last = static_cast<uint32_t>(static_cast<int32_t>(bounded)) & 1;
  const float result = down + static_cast<float>(int32_t(step<R>(code, 2, last, sign != 0)));
  return canonical(
      std::bit_cast<float>(std::bit_cast<uint32_t>(small ? result : magnitude) | sign));
}

} // namespace kiln::sim

#endif // KILN_SIM_ISA_FLOAT16_H
