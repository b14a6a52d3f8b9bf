//===- VocabularyTest.cpp - signatures, names, types -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Frontend/Vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace kiln::frontend;
using testing::ElementsAre;

static std::string bound(llvm::StringRef signature,
                         std::vector<std::pair<std::string, int64_t>> given) {
  std::vector<Signature::GivenArgument> arguments;
  for (auto &[keyword, value] : given)
    arguments.push_back({keyword, Value::integer(value), nullptr});
  Arguments result;
  std::string reason;
  if (!Signature::parse(signature).bind(arguments, result, reason))
    return reason;
  std::string text;
  for (const Arguments::Argument &argument : result.bound)
    text += argument.name + "=" + pythonRepr(argument.value) + " ";
  for (const Arguments::Argument &argument : result.variadic)
    text += "*" + pythonRepr(argument.value) + " ";
  return text;
}

TEST(Signature, BindsPositionsKeywordsAndDefaults) {
  llvm::StringRef load = "pointer, mask=None, other=None, *, cache='', volatile=False";
  EXPECT_EQ(bound(load, {{"", 1}}), "pointer=1 mask=None other=None cache='' volatile=False ");
  EXPECT_EQ(bound(load, {{"", 1}, {"other", 2}}),
            "pointer=1 mask=None other=2 cache='' volatile=False ");
  EXPECT_EQ(bound(load, {}), "argument 'pointer' is missing");
  EXPECT_EQ(bound(load, {{"", 1}, {"mas", 2}}), "no parameter 'mas'");
  EXPECT_EQ(bound(load, {{"", 1}, {"pointer", 2}}), "parameter 'pointer' is given twice");
  EXPECT_EQ(bound(load, {{"", 1}, {"", 2}, {"", 3}, {"", 4}}),
            "found 4 positional arguments, expected at most 3");
}

TEST(Signature, TakesTheFirstFormThatFits) {
  llvm::StringRef range = "stop | start, stop, step=1";
  EXPECT_EQ(bound(range, {{"", 5}}), "stop=5 ");
  EXPECT_EQ(bound(range, {{"", 2}, {"", 5}}), "start=2 stop=5 step=1 ");
}

TEST(Signature, VariadicTakesTheRest) {
  EXPECT_EQ(bound("prefix, *args, hex=False", {{"", 1}, {"", 2}, {"", 3}, {"hex", 1}}),
            "prefix=1 hex=1 *2 *3 ");
}

TEST(Vocabulary, ResolvesAliasesAndNamespaces) {
  Vocabulary vocabulary;
  vocabulary.addConstant("tl.float32", Value::type(DType::F32));
  vocabulary.addConstant("tl.math.pi", Value::number(3.0));
  vocabulary.addAlias("triton.language", "tl");
  vocabulary.addNotThereYet({"tl.dot"});
  EXPECT_EQ(vocabulary.canonical("triton.language.float32"), "tl.float32");
  EXPECT_TRUE(vocabulary.isNamespace("tl.math"));
  EXPECT_TRUE(vocabulary.isNamespace("triton"));
  EXPECT_TRUE(vocabulary.isNotThereYet("tl.dot"));
  EXPECT_THAT(vocabulary.nearest("tl.flaot32"), ElementsAre("tl.float32"));
  EXPECT_THAT(vocabulary.nearest("tl.something"), ElementsAre());
}

TEST(Vocabulary, AliasCyclesEnd) {
  Vocabulary vocabulary;
  vocabulary.addAlias("a", "b");
  vocabulary.addAlias("b", "a");
  EXPECT_FALSE(vocabulary.canonical("a.x").empty());
}

TEST(Type, NamesAndText) {
  EXPECT_EQ(Type::parse("*bf16")->str(), "pointer<bf16>");
  EXPECT_EQ(Type::parse("fp32")->str(), "fp32");
  EXPECT_EQ(Type::parse("float16")->withShape({4, 8}).str(), "fp16[4, 8]");
  EXPECT_FALSE(Type::parse("**f32"));
  EXPECT_FALSE(Type::parse("f33"));
  EXPECT_FALSE(info(*dtypeByName("fp8e5")).isSupported);
}
