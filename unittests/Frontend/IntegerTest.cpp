//===- IntegerTest.cpp - Python's integers -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Frontend/Integer.h"

#include <gtest/gtest.h>

using kiln::frontend::Integer;

TEST(Integer, FloorsAsPythonDoes) {
  for (int64_t a = -9; a <= 9; ++a)
    for (int64_t b : {-4, -3, -1, 1, 3, 4}) {
      Integer q = Integer(a).floorDiv(b), r = Integer(a).floorMod(b);
      EXPECT_EQ(*q.mul(b)->add(r), Integer(a)) << a << " // " << b;
      EXPECT_TRUE(r.isZero() || r.isNegative() == (b < 0)) << a << " % " << b;
    }
}

TEST(Integer, GrowsPast64Bits) {
  Integer big = *Integer(2).pow(100);
  EXPECT_EQ(big.str(), "1267650600228229401496703205376");
  EXPECT_EQ(*Integer::parse("1267650600228229401496703205376"), big);
  EXPECT_EQ(big.shr(90), Integer(1024));
  EXPECT_FALSE(big.asInt64());
  EXPECT_EQ(*Integer(INT64_MAX).add(1), *Integer(2).pow(63));
  EXPECT_EQ((-Integer(INT64_MIN)).str(), "9223372036854775808");
}

TEST(Integer, IsCapped) {
  EXPECT_FALSE(Integer(2).pow(1000000));
  EXPECT_FALSE(Integer(1).shl(100000));
  EXPECT_FALSE(Integer(10).pow(*Integer(10).pow(50)));
  EXPECT_EQ(*Integer(-1).pow(1000001), Integer(-1));
  EXPECT_EQ(*Integer(0).shl(100000), Integer(0));
}

TEST(Integer, FitsTypes) {
  EXPECT_TRUE(Integer(255).fits(8, false));
  EXPECT_FALSE(Integer(256).fits(8, false));
  EXPECT_FALSE(Integer(-1).fits(8, false));
  EXPECT_TRUE(Integer(-128).fits(8, true));
  EXPECT_FALSE(Integer(128).fits(8, true));
}

TEST(Integer, BitsOfNegativeNumbers) {
  EXPECT_EQ(Integer(-1).bitAnd(255), Integer(255));
  EXPECT_EQ(~Integer(5), Integer(-6));
  EXPECT_EQ(Integer(-8).shr(1), Integer(-4));
  EXPECT_EQ(Integer(-8).shr(1000), Integer(-1));
}

TEST(Integer, ParsesAndConverts) {
  EXPECT_FALSE(Integer::parse(""));
  EXPECT_FALSE(Integer::parse("12x"));
  EXPECT_FALSE(Integer::parse(std::string(100000, '9')));
  EXPECT_EQ(*Integer::parse("-17"), Integer(-17));
  EXPECT_EQ(*Integer::fromDouble(-2.9), Integer(-2));
  EXPECT_FALSE(Integer::fromDouble(1.0 / 0.0));
}
