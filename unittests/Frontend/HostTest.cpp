//===- HostTest.cpp - what the front end asks of its host --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "FrontendFixture.h"

#include "lib/Frontend/Ast/HostValue.h"

#include <cmath>

using namespace kiln;
using namespace kiln::frontend;

TEST(Host, CancellationIsPolledPerStatement) {
  int polls = 0;
  KilnCompileHost host{};
  host.user = &polls;
  host.cancelled = [](void *user) { return ++*static_cast<int *>(user) > 3 ? 1 : 0; };
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Built built = build(context, llvm::cantFail(parseJson(readInput("vector-add"))), &host);
  EXPECT_FALSE(built.ok);
  EXPECT_TRUE(built.cancelled);
  EXPECT_EQ(built.messages, "");
}

static std::string roundTrip(const Value &value) {
  std::optional<llvm::json::Value> json = ast::writeValue(value);
  if (!json)
    return "no form";
  std::string error;
  std::optional<Value> read = ast::readValue(*json, nullptr, error);
  return read ? pythonRepr(*read) : error;
}

TEST(Host, ValuesTravel) {
  EXPECT_EQ(roundTrip(Value::none()), "None");
  EXPECT_EQ(roundTrip(Value::boolean(true)), "True");
  EXPECT_EQ(roundTrip(Value::integer(*Integer(3).pow(90))), Integer(3).pow(90)->str());
  EXPECT_EQ(roundTrip(Value::string("a\"\n")), "'a\"\\n'");
  EXPECT_EQ(roundTrip(Value::tuple({Value::integer(1), Value::type(DType::BF16)}, {"n", "t"})),
            "(n=1, t=bf16)");
  EXPECT_EQ(roundTrip(Value::type(Type::pointer(DType::F32))), "pointer<fp32>");
  EXPECT_EQ(roundTrip(Value::range({})), "no form");
  for (double number : {0.1, -0.0, 1e300, 5e-324, HUGE_VAL, -HUGE_VAL, 12345.678})
    EXPECT_EQ(roundTrip(Value::number(number)), pythonRepr(Value::number(number)));
}

TEST(Host, FloatsInEveryNotation) {
  EXPECT_EQ(ast::parseFloat("0x1.8p+0"), 1.5);
  EXPECT_EQ(ast::parseFloat("-0x1.0000000000000p-3"), -0.125);
  EXPECT_EQ(ast::parseFloat("2.5e3"), 2500.0);
  EXPECT_TRUE(std::isnan(*ast::parseFloat("nan")));
  for (const char *text : {"", "x", "0x", "1.5z", "--1", "infinite"})
    EXPECT_FALSE(ast::parseFloat(text)) << text;
}
