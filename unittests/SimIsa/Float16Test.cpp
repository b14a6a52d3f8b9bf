//===- Float16Test.cpp - conversions of the 16-bit floats ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Reference.h"

#include "sim/isa/Float16.h"

#include <gtest/gtest.h>

namespace kiln::sim::test {

namespace {

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

TEST(Float16, wideningIsExactForAllPatterns) {
  for (uint32_t half = 0; half < 0x10000; ++half) {
    ASSERT_EQ(bits(fromF16(uint16_t(half))), encode(Element::F32, decode(Element::F16, half)))
        << half;
    ASSERT_EQ(bits(fromBF16(uint16_t(half))), encode(Element::F32, decode(Element::BF16, half)))
        << half;
  }
}

TEST(Float16, narrowingWhatWasWidenedGivesItBack) {
  for (uint32_t half = 0; half < 0x10000; ++half) {
    if ((half & 0x7FFF) <= 0x7C00) {
      ASSERT_EQ(toF16(fromF16(uint16_t(half))), half);
    }
    if ((half & 0x7FFF) <= 0x7F80) {
      ASSERT_EQ(toBF16(fromBF16(uint16_t(half))), half);
    }
  }
}

template <Rounding R> void checkMode(uint32_t pattern) {
  const float value = std::bit_cast<float>(pattern);
  const long double exact = decode(Element::F32, pattern);
  ASSERT_EQ(toF16<R>(value), encode(Element::F16, exact, R))
      << std::hex << pattern << ' ' << int(R);
  ASSERT_EQ(toBF16<R>(value), encode(Element::BF16, exact, R))
      << std::hex << pattern << ' ' << int(R);
}

void checkAllModes(uint32_t pattern) {
  checkMode<Rounding::Rint>(pattern);
  checkMode<Rounding::Floor>(pattern);
  checkMode<Rounding::Ceil>(pattern);
  checkMode<Rounding::Round>(pattern);
  checkMode<Rounding::Trunc>(pattern);
  checkMode<Rounding::Odd>(pattern);
}

TEST(Float16, narrowingRoundsInAllModes) {
  // Around every f16: the numbers themselves, ties between neighbours, and what lies beside them.
  for (uint32_t half = 0; half < 0x7C00; half += 3)
    for (uint32_t sign : {0u, 0x80000000u}) {
      const uint32_t base = bits(fromF16(uint16_t(half)));
      const uint32_t tie =
          bits(float((fromF16(uint16_t(half)) +
                      double(half + 1 < 0x7C00 ? fromF16(uint16_t(half + 1)) : 65536.0f)) /
                     2));
      for (uint32_t center : {base, tie})
        for (int32_t delta = -1; delta <= 1; ++delta)
          if (int64_t(center) + delta >= 0)
            checkAllModes((center + uint32_t(delta)) | sign);
    }
  for (uint64_t pattern = 0; pattern < (uint64_t(1) << 32); pattern += 39119)
    checkAllModes(uint32_t(pattern));
  for (uint32_t pattern : {0x7F800000u, 0xFF800000u, 0x7F800001u, 0xFFFFFFFFu, 0x7F7FFFFFu,
                           0xFF7FFFFFu, 1u, 0x80000001u, 0x33000000u, 0x33000001u, 0x32FFFFFFu})
    checkAllModes(pattern);
}

TEST(Float16, theFastPathIsTheModeForNearest) {
  for (uint64_t pattern = 0; pattern < (uint64_t(1) << 32); pattern += 1511) {
    const float value = std::bit_cast<float>(uint32_t(pattern));
    ASSERT_EQ(toF16(value), encode(Element::F16, value)) << pattern;
  }
}

template <Rounding R> void checkIntegral(uint32_t pattern) {
  const float value = std::bit_cast<float>(pattern);
  const long double exact = decode(Element::F32, pattern);
  uint64_t expected = encode(Element::F32, exact);
  if (std::isfinite(value)) {
    const long double magnitude = std::fabs(exact), whole = std::floor(magnitude);
    const bool out = stepsOut(R, magnitude - whole, std::fmod(whole, 2.0L) == 1, pattern >> 31);
    expected = encode(Element::F32, std::copysign(whole + out, exact));
  }
  ASSERT_EQ(bits(roundIntegral<R>(value)), expected) << value << ' ' << int(R);
}

template <Rounding R> void checkDouble(double value) {
  ASSERT_EQ(bits(toF32<R>(value)), encode(Element::F32, value, R)) << value << ' ' << int(R);
}

TEST(Float16, integralValuesAndDoublesRoundInAllModes) {
  std::mt19937_64 random(7);
  for (int n = 0; n < 200000; ++n) {
    const uint32_t pattern = n % 2
                                 ? uint32_t(random())
                                 : bits(float(int64_t(random() % 4000) - 2000) / float(n % 4 + 1));
    checkIntegral<Rounding::Rint>(pattern);
    checkIntegral<Rounding::Floor>(pattern);
    checkIntegral<Rounding::Ceil>(pattern);
    checkIntegral<Rounding::Round>(pattern);
    checkIntegral<Rounding::Trunc>(pattern);
    const double value =
        std::ldexp(double(int64_t(random()) >> (random() % 50)), -int(random() % 90));
    checkDouble<Rounding::Rint>(value);
    checkDouble<Rounding::Floor>(value);
    checkDouble<Rounding::Ceil>(value);
    checkDouble<Rounding::Round>(value);
    checkDouble<Rounding::Trunc>(value);
    checkDouble<Rounding::Odd>(value);
  }
}

} // namespace

} // namespace kiln::sim::test
