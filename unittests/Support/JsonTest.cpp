//===- JsonTest.cpp - JSON from outside --------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Support/Json.h"

#include <gtest/gtest.h>

using namespace kiln;

static bool parses(const std::string &text, unsigned depth = 2000) {
  llvm::Expected<llvm::json::Value> value = parseJson(text, depth);
  if (value)
    return true;
  llvm::consumeError(value.takeError());
  return false;
}

TEST(Json, NestingIsBounded) {
  EXPECT_TRUE(parses("[[[]]]", 3));
  EXPECT_FALSE(parses("[[[]]]", 2));
  EXPECT_FALSE(parses(std::string(1000000, '[')));
  EXPECT_TRUE(parses("{\"a\": \"[[[[ \\\" {{{\"}", 1));
}

TEST(Json, MalformedTextIsAnError) {
  for (const char *text : {"", "{", "[1,", "\"", "nul", "]"})
    EXPECT_FALSE(parses(text)) << text;
}
