//===- Debug.cpp - assertions and printing ---------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"
#include "Tables.h"

#include "kiln/Dialect/Tile/IR/Tile.h"
#include "kiln/Frontend/Frontend.h"

namespace kiln::frontend::triton {

//===----------------------------------------------------------------------------------------===//
// At compile time
//===----------------------------------------------------------------------------------------===//

static std::optional<bool> truthOf(const Value &value) {
  if (const bool *boolean = value.asBool())
    return *boolean;
  if (const Integer *integer = value.asInt())
    return !integer->isZero();
  if (const double *number = value.asFloat())
    return *number != 0;
  if (const std::string *string = value.asString())
    return !string->empty();
  if (value.isNone())
    return false;
  if (value.isTuple())
    return !value.elements().empty();
  return std::nullopt;
}

static Value lowerStaticAssert(CallContext &context, const Arguments &arguments) {
  const Value &value = arguments["cond"];
  std::optional<bool> holds = truthOf(value);
  if (!holds)
    return wrongArgument(context, arguments, "cond", value, "a compile-time constant");
  if (*holds)
    return Value::none();
  const Value &message = arguments["msg"];
  std::string text = message.isConstant() ? pythonStr(message) : std::string();
  return context.error("static assertion failed" + llvm::Twine(text.empty() ? "" : ": ") + text);
}

static Value lowerStaticPrint(CallContext &context, const Arguments &arguments) {
  std::string separator = " ";
  if (!arguments["sep"].isNone()) {
    std::optional<std::string> given = context.stringConst(arguments, "sep");
    if (!given)
      return Value::poison();
    separator = *given;
  }
  std::string line;
  for (auto [index, value] : llvm::enumerate(arguments.restValues()))
    line += (index ? separator : "") + pythonStr(value);
  context.staticPrint(line);
  return Value::none();
}

//===----------------------------------------------------------------------------------------===//
// At run time
//===----------------------------------------------------------------------------------------===//

/// Ends the launch with `msg` unless every lane holds; only in debug builds.
static Value lowerDeviceAssert(CallContext &context, const Arguments &arguments) {
  Value value = toBool(context, context.runtime(arguments, "cond"));
  if (arguments["mask"].isRuntime() || arguments["mask"].isNumber()) {
    Value off = unaryOperator(context, UnaryOperator::Not,
                              toBool(context, context.runtime(arguments, "mask")));
    value = binaryOperator(context, BinaryOperator::LogicalOr, value, off);
  } else if (!arguments["mask"].isNone()) {
    return wrongArgument(context, arguments, "mask", arguments["mask"], "a tensor");
  }
  std::optional<std::string> message = context.stringConst(arguments, "msg");
  if (value.isPoison() || !message)
    return Value::poison();
  if (context.options().debug)
    context.create<tile::AssertOp>(value.ir(), *message);
  return Value::none();
}

static Value print(CallContext &context, llvm::StringRef prefix,
                   llvm::ArrayRef<Arguments::Argument> given, bool hex) {
  llvm::SmallVector<Value> values;
  for (const Arguments::Argument &argument : given) {
    if (!isOperand(argument.value))
      return context.errorAt(argument, "printed value is " + describe(argument.value) +
                                           ", expected a tensor or a number");
    values.push_back(context.materialize(argument.value));
    if (values.back().isPoison())
      return values.back();
    if (values.back().type().isPointer())
      values.back() = castTo(context, values.back(), DType::U64);
  }
  // Lanes are printed together, so blocks get one shape; scalars stay as they are.
  llvm::SmallVector<Value> blocks;
  for (const Value &value : values)
    if (value.type().isBlock())
      blocks.push_back(value);
  if (!broadcastTogether(context, blocks))
    return Value::poison();
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<bool> isSignedFlags;
  size_t nextBlock = 0;
  for (const Value &value : values) {
    operands.push_back(value.type().isBlock() ? blocks[nextBlock++].ir() : value.ir());
    isSignedFlags.push_back(isSigned(value.type().dtype()));
  }
  context.create<tile::PrintOp>(prefix, hex, operands, mlir::ValueRange(), isSignedFlags);
  return Value::none();
}

/// `prefix` is a constant string; values follow.
static Value lowerDevicePrint(CallContext &context, const Arguments &arguments) {
  std::optional<std::string> prefix = context.stringConst(arguments, "prefix");
  std::optional<bool> hex = context.boolConst(arguments, "hex");
  if (!prefix || !hex)
    return Value::poison();
  return print(context, *prefix, arguments.rest(), *hex);
}

void addDebug(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"tl.static_assert", "cond, msg=''", lowerStaticAssert},
      {"tl.static_print", "*values, sep=' '", lowerStaticPrint},
      {"tl.device_assert", "cond, msg='', mask=None", lowerDeviceAssert},
      {"tl.device_print", "prefix, *args, hex=False", lowerDevicePrint},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::triton
