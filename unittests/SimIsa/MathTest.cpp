//===- MathTest.cpp - bounds of the defined functions ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Reference.h"

#include "sim/isa/Math.h"

#include <gtest/gtest.h>

namespace kiln::sim::test {

namespace {

/// The distance of a result from the exact value, in units of the result type's last place there.
long double ulps(Element element, uint64_t result, long double exact) {
  const FloatFormat f = format(element);
  const int exponent = std::max(exact == 0 ? -99999 : std::ilogb(exact), 1 - f.bias());
  return std::fabs(decode(element, result) - exact) / std::ldexp(1.0L, exponent - f.mantissa);
}

struct Function {
  const char *name;
  float (*function)(float);
  long double (*exact)(long double);
};

const Function functions[] = {
    {"exp", exponential, [](long double x) { return std::exp(x); }},
    {"ln", logarithm, [](long double x) { return std::log(x); }},
    {"rsqrt", reciprocalRoot, [](long double x) { return 1 / std::sqrt(x); }},
    {"rec", reciprocal, [](long double x) { return 1 / x; }},
    {"sqrt", squareRoot, [](long double x) { return std::sqrt(x); }},
};

/// Infinities and NaN have to agree; numbers are within `bound`, and overflow where they should.
void check(const Function &function, Element element, uint64_t pattern, long double &worst) {
  const long double exact = function.exact(decode(element, pattern));
  const uint64_t result = element == Element::F32
                              ? std::bit_cast<uint32_t>(canonical(
                                    function.function(std::bit_cast<float>(uint32_t(pattern)))))
                              : toF16(function.function(fromF16(uint16_t(pattern))));
  const uint64_t rounded = encode(element, exact);
  const FloatFormat f = format(element);
  if ((rounded & ~f.sign()) >= f.infinity() || (rounded & ~f.sign()) == 0) {
    ASSERT_EQ(result, rounded) << function.name << ' ' << std::hex << pattern;
    return;
  }
  worst = std::max(worst, ulps(element, result, exact));
}

TEST(Math, f32ErrorsAreBelowTheBound) {
  for (const Function &function : functions) {
    long double worst = 0;
    for (uint64_t pattern = 0; pattern < (uint64_t(1) << 32); pattern += 7919)
      check(function, Element::F32, pattern, worst);
    // Where exp is neither 0 nor infinite, and ln is near 0.
    for (uint32_t pattern = 0x3F000000; pattern < 0x42C00000; pattern += 499) {
      check(function, Element::F32, pattern, worst);
      check(function, Element::F32, pattern | 0x80000000, worst);
    }
    for (uint32_t near = 0x3F7F0000; near < 0x3F810000; near += 7)
      check(function, Element::F32, near, worst);
    EXPECT_LT(worst, 0.51L) << function.name;
    EXPECT_GT(worst, 0.3L) << function.name << ": too good to have been measured";
  }
}

TEST(Math, f16ErrorsAreBelowTheBoundForAllPatterns) {
  for (const Function &function : functions) {
    long double worst = 0;
    for (uint64_t pattern = 0; pattern < 0x10000; ++pattern)
      check(function, Element::F16, pattern, worst);
    EXPECT_LT(worst, 0.51L) << function.name;
  }
}

TEST(Math, theBitsStayWhatTheyAre) {
  // Changing these changes what images compute: only with a new version of the definition.
  EXPECT_EQ(std::bit_cast<uint32_t>(exponential(1.0f)), 0x402DF854u);
  EXPECT_EQ(std::bit_cast<uint32_t>(exponential(-87.5f)), encode(Element::F32, std::exp(-87.5L)));
  EXPECT_EQ(std::bit_cast<uint32_t>(logarithm(10.0f)), 0x40135D8Eu);
  EXPECT_EQ(std::bit_cast<uint32_t>(reciprocalRoot(2.0f)), 0x3F3504F3u);
}

TEST(Math, multiplyAddRoundsOnce) {
  std::mt19937_64 random(3);
  for (int n = 0; n < 2000000; ++n) {
    uint32_t a = uint32_t(randomBits(Element::F32, random)),
             b = uint32_t(randomBits(Element::F32, random)),
             c = uint32_t(randomBits(Element::F32, random));
    if (n % 4 == 0) { // sums that nearly cancel
      c = std::bit_cast<uint32_t>(-std::bit_cast<float>(a) * std::bit_cast<float>(b)) +
          uint32_t(random() % 5) - 2;
    } else if (n % 4 == 1) { // ties of the product, moved by a tiny addend
      a = 0x3F800001 + uint32_t(random() % 64) * 2;
      b = 0x3F800000 | uint32_t(1u << (random() % 23));
      c = uint32_t(random() % 0x30000000) | uint32_t(random() % 2) << 31;
    }
    const float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b),
                z = std::bit_cast<float>(c);
    ASSERT_EQ(std::bit_cast<uint32_t>(multiplyAdd<Element::F32>(x, y, z)),
              std::bit_cast<uint32_t>(canonical(std::fma(x, y, z))))
        << x << ' ' << y << ' ' << z;
  }
  for (int n = 0; n < 1000000; ++n) {
    const auto a = uint16_t(randomBits(Element::F16, random)),
               b = uint16_t(randomBits(Element::F16, random)),
               c = uint16_t(randomBits(Element::F16, random));
    ASSERT_EQ(multiplyAdd<Element::F16>(a, b, c),
              encode(Element::F16,
                     decode(Element::F16, a) * decode(Element::F16, b) + decode(Element::F16, c)))
        << a << ' ' << b << ' ' << c;
  }
}

} // namespace

} // namespace kiln::sim::test
