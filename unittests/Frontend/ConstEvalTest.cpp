//===- ConstEvalTest.cpp - compile-time operators and text -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/ConstEval.h"

#include <gtest/gtest.h>

using namespace kiln::frontend;

static std::string text(const Evaluated &result) {
  return result.value ? pythonRepr(*result.value) : "error: " + result.error;
}

static Value number(int64_t value) { return Value::integer(value); }

TEST(ConstEval, IntegersFloorAndFloatsDivide) {
  EXPECT_EQ(text(evaluateBinary(BinaryOperator::FloorDiv, number(-7), number(2))), "-4");
  EXPECT_EQ(text(evaluateBinary(BinaryOperator::Mod, number(-7), number(2))), "1");
  EXPECT_EQ(text(evaluateBinary(BinaryOperator::Div, number(7), number(2))), "3.5");
  EXPECT_EQ(text(evaluateBinary(BinaryOperator::FloorDiv, Value::number(-7.0), number(2))), "-4.0");
  EXPECT_EQ(text(evaluateBinary(BinaryOperator::Pow, number(2), number(-1))), "0.5");
}

TEST(ConstEval, ErrorsAreWords) {
  EXPECT_EQ(text(evaluateBinary(BinaryOperator::FloorDiv, number(1), number(0))),
            "error: division by zero");
  EXPECT_EQ(text(evaluateBinary(BinaryOperator::Shl, number(1), number(-2))),
            "error: negative shift count -2");
  EXPECT_EQ(text(evaluateBinary(BinaryOperator::Add, Value::string("a"), number(1))),
            "error: unsupported operands of '+': the str 'a' and the int 1");
}

TEST(ConstEval, SequencesJoinAndCompare) {
  Value pair = Value::tuple({number(1), Value::string("x")});
  EXPECT_EQ(text(evaluateBinary(BinaryOperator::Mul, pair, number(2))), "(1, 'x', 1, 'x')");
  EXPECT_EQ(text(evaluateBinary(BinaryOperator::Add, pair, pair)), "(1, 'x', 1, 'x')");
  EXPECT_EQ(text(evaluateIn(number(1), pair)), "True");
  EXPECT_EQ(text(evaluateCompare(CompareOperator::Lt, Value::tuple({number(1), number(2)}),
                                 Value::tuple({number(1), number(3)}))),
            "True");
  EXPECT_EQ(text(evaluateCompare(CompareOperator::Eq, number(1), Value::number(1.0))), "True");
  EXPECT_FALSE(evaluateBinary(BinaryOperator::Mul, pair, number(1 << 30)).value);
}

TEST(ConstEval, IdentityIsStrict) {
  EXPECT_FALSE(identical(number(1), Value::boolean(true)));
  EXPECT_TRUE(identical(Value::none(), Value::none()));
  EXPECT_FALSE(identical(Value::number(0.0), Value::number(-0.0)));
}

TEST(PythonText, FloatsReadBack) {
  EXPECT_EQ(pythonRepr(Value::number(0.1)), "0.1");
  EXPECT_EQ(pythonRepr(Value::number(1e16)), "1e+16");
  EXPECT_EQ(pythonRepr(Value::number(123456.0)), "123456.0");
  EXPECT_EQ(pythonRepr(Value::number(1e-5)), "1e-05");
  EXPECT_EQ(pythonRepr(Value::tuple({number(1)})), "(1,)");
}

TEST(PythonText, FormatSpecifications) {
  EXPECT_EQ(formatValue(number(42), "05d"), "00042");
  EXPECT_EQ(formatValue(number(-42), "+d"), "-42");
  EXPECT_EQ(formatValue(number(255), "#x"), "0xff");
  EXPECT_EQ(formatValue(Value::number(3.14159), ".2f"), "3.14");
  EXPECT_EQ(formatValue(Value::string("ab"), ">4"), "  ab");
  EXPECT_EQ(formatValue(Value::string("ab"), "*^6"), "**ab**");
  EXPECT_FALSE(formatValue(Value::string("ab"), "d"));
  EXPECT_FALSE(formatValue(number(1), "nonsense"));
  EXPECT_FALSE(formatValue(number(1), "99999999999d"));
}
