//===- ScalarTest.cpp - the scalar unit's arithmetic -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Reference.h"

#include "sim/isa/Scalar.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kiln::sim::test {

using image::Op;
using machine::Predicate;

namespace {

const Element integers[] = {Element::I8,  Element::U8,  Element::I16, Element::U16,
                            Element::I32, Element::U32, Element::I64, Element::U64};
const Element floats[] = {Element::F16, Element::BF16, Element::F32};

uint64_t mask(Element element) {
  const unsigned width = machine::bits(element);
  return width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
}

/// As a register keeps it.
uint64_t kept(Element element, uint64_t value) {
  return machine::isFloat(element) ? value & mask(element)
                                   : uint64_t(decodeInteger(element, value));
}

uint64_t eval(Op op, Element element, uint64_t a, uint64_t b = 0, uint64_t c = 0,
              uint8_t attribute = 0, Element from = Element::I64) {
  return evaluate(op, element, from, attribute, a, b, c);
}

TEST(Scalar, integersWrapAtTheirWidth) {
  std::mt19937_64 random(1);
  for (Element element : integers)
    for (int n = 0; n < 20000; ++n) {
      const uint64_t a = kept(element, randomBits(element, random)),
                     b = kept(element, randomBits(element, random));
      const uint64_t u = a & mask(element), v = b & mask(element);
      const unsigned width = machine::bits(element);
      // Signed meanings of the same bits.
      auto asSigned = [&](uint64_t bits) {
        return width == 64 ? int64_t(bits) : int64_t(bits << (64 - width)) >> (64 - width);
      };
      const __int128 x = asSigned(u), y = asSigned(v);
      auto expect = [&](Op op, __int128 value) {
        ASSERT_EQ(eval(op, element, a, b), kept(element, uint64_t(value)))
            << int(op) << ' ' << machine::name(element) << ' ' << a << ' ' << b;
      };
      expect(Op::Add, x + y);
      expect(Op::Sub, x - y);
      expect(Op::Mul, __int128(uint64_t(u * v)));
      expect(Op::DivS, y == 0 ? 0 : x / y);
      expect(Op::RemS, y == 0 ? x : x % y);
      expect(Op::DivU, v == 0 ? 0 : u / v);
      expect(Op::RemU, v == 0 ? u : u % v);
      expect(Op::And, u & v);
      expect(Op::Or, u | v);
      expect(Op::Xor, u ^ v);
      expect(Op::MinS, std::min(x, y));
      expect(Op::MaxS, std::max(x, y));
      expect(Op::MinU, std::min(u, v));
      expect(Op::MaxU, std::max(u, v));
      ASSERT_EQ(eval(Op::CmpU, element, a, b, 0, uint8_t(Predicate::LT)), u < v);
      if (machine::isSignedInteger(element)) {
        ASSERT_EQ(eval(Op::CmpS, element, a, b, 0, uint8_t(Predicate::GE)), x >= y);
        ASSERT_EQ(eval(Op::CmpS, element, a, b, 0, uint8_t(Predicate::NE)), x != y);
      }
      const uint64_t shift = random() % 70;
      ASSERT_EQ(eval(Op::Shl, element, a, shift), kept(element, shift >= width ? 0 : u << shift));
      ASSERT_EQ(eval(Op::ShrU, element, a, shift), kept(element, shift >= width ? 0 : u >> shift));
      ASSERT_EQ(eval(Op::ShrS, element, a, shift),
                kept(element, uint64_t(int64_t(x) >> std::min<uint64_t>(shift, width - 1))));
    }
}

TEST(Scalar, moves) {
  EXPECT_EQ(eval(Op::Const, Element::I64, 0x12345678, 0x9ABCDEF0), 0x123456789ABCDEF0u);
  EXPECT_EQ(eval(Op::Const, Element::I64, 0xFFFFFFFF, 0xFFFFFFFF), ~uint64_t(0));
  EXPECT_EQ(eval(Op::Move, Element::I64, 77), 77u);
  EXPECT_EQ(eval(Op::Select, Element::I64, 1, 5, 6), 5u);
  EXPECT_EQ(eval(Op::Select, Element::I64, 0, 5, 6), 6u);
  EXPECT_EQ(eval(Op::Xor, Element::I1, 1, 1), 0u);
  EXPECT_EQ(eval(Op::Add, Element::I1, 1, 1), 0u);
}

TEST(Scalar, floatsRoundOnce) {
  std::mt19937_64 random(2);
  for (Element element : floats)
    for (int n = 0; n < 20000; ++n) {
      const uint64_t a = randomBits(element, random), b = randomBits(element, random);
      const long double x = decode(element, a), y = decode(element, b);
      auto expect = [&](Op op, long double value) {
        ASSERT_EQ(eval(op, element, a, b), encode(element, value))
            << int(op) << ' ' << machine::name(element) << ' ' << a << ' ' << b;
      };
      expect(Op::FAdd, x + y);
      expect(Op::FSub, x - y);
      expect(Op::FMul, x * y);
      expect(Op::FDiv, x / y);
      expect(Op::FMin, smaller(x, y));
      expect(Op::FMax, larger(x, y));
      expect(Op::FSqrt, std::sqrt(x));
      ASSERT_EQ(eval(Op::FNeg, element, a), a ^ format(element).sign());
      ASSERT_EQ(eval(Op::FAbs, element, a), a & ~format(element).sign());
      const bool results[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
      for (uint8_t p = 0; p < 6; ++p)
        ASSERT_EQ(eval(Op::FCmp, element, a, b, 0, p), results[p]);
      for (Element to : floats)
        ASSERT_EQ(eval(Op::FToF, to, a, 0, 0, 0, element), encode(to, x));
    }
}

TEST(Scalar, conversions) {
  std::mt19937_64 random(3);
  for (Element from : integers)
    for (int n = 0; n < 5000; ++n) {
      const uint64_t a = kept(from, randomBits(from, random) >> random() % 8);
      const unsigned width = machine::bits(from);
      const uint64_t u = a & mask(from);
      const int64_t x = width == 64 ? int64_t(u) : int64_t(u << (64 - width)) >> (64 - width);
      for (Element to : integers) {
        ASSERT_EQ(eval(Op::SExt, to, a, 0, 0, 0, from), kept(to, uint64_t(x)));
        ASSERT_EQ(eval(Op::ZExt, to, a, 0, 0, 0, from), kept(to, u));
      }
      for (Element to : floats) {
        ASSERT_EQ(eval(Op::SToF, to, a, 0, 0, 0, from), encode(to, (long double)x)) << x;
        ASSERT_EQ(eval(Op::UToF, to, a, 0, 0, 0, from), encode(to, (long double)u)) << u;
      }
    }
  EXPECT_EQ(eval(Op::SExt, Element::I32, 1, 0, 0, 0, Element::I1), ~uint64_t(0));
  EXPECT_EQ(eval(Op::ZExt, Element::I32, 1, 0, 0, 0, Element::I1), 1u);
  for (Element from : floats)
    for (int n = 0; n < 20000; ++n) {
      const uint64_t a = n % 2
                             ? randomBits(from, random)
                             : encode(from, std::ldexp((long double)(int64_t(random() % 512) - 256),
                                                       int(random() % 70) - 10));
      const long double x = std::trunc(decode(from, a));
      for (Element to : integers) {
        const unsigned width = machine::bits(to);
        auto saturated = [&](long double least, long double most) {
          return x != x ? 0 : x < least ? least : x > most ? most : x;
        };
        const long double half = std::ldexp(1.0L, int(width) - 1);
        ASSERT_EQ(eval(Op::FToS, to, a, 0, 0, 0, from),
                  kept(to, uint64_t(int64_t(saturated(-half, half - 1)))))
            << (double)x << machine::name(to);
        ASSERT_EQ(eval(Op::FToU, to, a, 0, 0, 0, from),
                  kept(to, uint64_t(saturated(0, half * 2 - 1))))
            << (double)x << machine::name(to);
      }
    }
}

} // namespace

} // namespace kiln::sim::test
