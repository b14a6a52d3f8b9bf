//===- IntegerFactsTest.cpp - facts at the end of chains of operations -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Analysis/IntegerFacts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

class IntegerFactsTest : public testing::Test {
protected:
  IntegerFactsTest() : builder(&context) {
    context.loadDialect<arith::ArithDialect>();
    builder.setInsertionPointToStart(module->getBody());
  }

  /// 1 plus `count` ones.
  Value sumOfOnes(int count) {
    Value one = arith::ConstantIndexOp::create(builder, loc, 1), sum = one;
    for (int i = 0; i < count; ++i)
      sum = arith::AddIOp::create(builder, loc, sum, one);
    return sum;
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
};

TEST_F(IntegerFactsTest, ShortChainsAreExact) {
  kiln::IntegerFact fact = kiln::IntegerFacts().get(sumOfOnes(100));
  EXPECT_EQ(fact.lower, 101);
  EXPECT_EQ(fact.upper, 101);
}

TEST_F(IntegerFactsTest, LongChainsAreFollowedInPartOnly) {
  // Followed to its start it would overflow the stack.
  kiln::IntegerFact fact = kiln::IntegerFacts().get(sumOfOnes(1'000'000));
  EXPECT_LE(fact.lower, 1'000'001);
  EXPECT_GE(fact.upper, 1'000'001);
  EXPECT_FALSE(fact.isConstant());
}

TEST_F(IntegerFactsTest, WhatWasAskedBeforeIsKnown) {
  kiln::IntegerFacts facts;
  Value one = arith::ConstantIndexOp::create(builder, loc, 1), sum = one;
  for (int i = 0; i < 1000; ++i) {
    sum = arith::AddIOp::create(builder, loc, sum, one);
    facts.get(sum);
  }
  EXPECT_EQ(facts.get(sum).lower, 1001);
}

} // namespace
