//===- CaptureTest.cpp - captures, whole and damaged -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "FrontendFixture.h"

using namespace kiln;
using namespace kiln::frontend;

namespace {

class CaptureTest : public testing::TestWithParam<const char *> {
protected:
  CaptureTest() : context(mlir::MLIRContext::Threading::DISABLED) {}
  llvm::json::Value request() { return llvm::cantFail(parseJson(readInput(GetParam()))); }
  mlir::MLIRContext context;
};

/// Visits every value below `value`; `change` damages one of them.
size_t countValues(const llvm::json::Value &value) {
  size_t count = 1;
  if (const llvm::json::Array *array = value.getAsArray())
    for (const llvm::json::Value &element : *array)
      count += countValues(element);
  if (const llvm::json::Object *object = value.getAsObject())
    for (const auto &[key, element] : *object)
      count += countValues(element);
  return count;
}

llvm::json::Value *valueAt(llvm::json::Value &value, size_t &index) {
  if (index-- == 0)
    return &value;
  if (llvm::json::Array *array = value.getAsArray())
    for (llvm::json::Value &element : *array)
      if (llvm::json::Value *found = valueAt(element, index))
        return found;
  if (llvm::json::Object *object = value.getAsObject())
    for (auto &[key, element] : *object)
      if (llvm::json::Value *found = valueAt(element, index))
        return found;
  return nullptr;
}

} // namespace

TEST_P(CaptureTest, Compiles) {
  Built built = build(context, request());
  EXPECT_TRUE(built.ok) << built.messages;
  EXPECT_GT(built.operations, 10u);
}

// Whatever is wrong with a capture, the answer is a message.
TEST_P(CaptureTest, DamagedCapturesAreErrorsOrKernels) {
  const llvm::json::Value replacements[] = {
      nullptr, -1, "f0", llvm::json::Array{}, llvm::json::Object{}, llvm::json::Array{nullptr}};
  llvm::json::Value original = request();
  size_t count = countValues(original);
  // A stride that is coprime to most counts keeps the run short and still reaches every kind of
  // node.
  for (size_t index = 0; index < count; index += 3) {
    llvm::json::Value damaged = original;
    size_t position = index;
    *valueAt(damaged, position) = replacements[index % std::size(replacements)];
    Built built = build(context, damaged);
    EXPECT_TRUE(built.ok || !built.messages.empty()) << index;
  }
}

TEST_P(CaptureTest, TruncatedTextDoesNotParse) {
  std::string text = readInput(GetParam());
  ASSERT_FALSE(text.empty());
  for (size_t size = 0; size < text.size(); size += 97) {
    llvm::Expected<llvm::json::Value> value = parseJson(llvm::StringRef(text).take_front(size));
    EXPECT_FALSE(static_cast<bool>(value));
    llvm::consumeError(value.takeError());
  }
}

INSTANTIATE_TEST_SUITE_P(Inputs, CaptureTest,
                         testing::Values("vector-add", "branches", "loops", "calls"));

TEST(Capture, DeepExpressionsAreAnError) {
  std::string node = R"({"k":"Name","l":2,"c":0,"el":2,"ec":1,"id":"x"})";
  std::string text = node;
  for (int i = 0; i < 600; ++i)
    text = R"({"k":"UnaryOp","op":"USub","l":2,"c":0,"el":2,"ec":1,"operand":)" + text + "}";
  std::string request =
      R"({"signature":[],"capture":{"schema":1,"kernel":"f0","functions":{"f0":{"name":"k",)"
      R"("file":"k.py","line":1,"source":[],"params":[],"env":{},"body":[{"k":"Expr","l":2,"value":)" +
      text + "}]}}}}";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Built built = build(context, llvm::cantFail(parseJson(request)));
  EXPECT_FALSE(built.ok);
  EXPECT_NE(built.messages.find("nested deeper than 400 levels"), std::string::npos)
      << built.messages;
}

TEST(Capture, SignatureOfAnotherLengthIsAnError) {
  llvm::json::Value request = llvm::cantFail(parseJson(readInput("vector-add")));
  request.getAsObject()->getArray("signature")->pop_back();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Built built = build(context, request);
  EXPECT_NE(built.messages.find("the signature has 4 arguments, expected 5"), std::string::npos)
      << built.messages;
}
