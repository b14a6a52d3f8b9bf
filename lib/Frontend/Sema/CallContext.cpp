//===- CallContext.cpp - what a lowering may ask of the front end ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/ConstEval.h"
#include "lib/Frontend/Sema/Sema.h"

using namespace kiln;
using namespace kiln::frontend;

mlir::OpBuilder &CallContext::builder() { return sema.builder; }
mlir::Location CallContext::loc() { return sema.loc(node); }
mlir::Block *CallContext::blockAround(mlir::Block *block) { return sema.blockAround(block); }
mlir::MLIRContext *CallContext::mlirContext() { return sema.builder.getContext(); }
const KernelOptions &CallContext::options() { return sema.options(); }
const Vocabulary &CallContext::vocabulary() { return sema.vocabulary; }

LanguageState &CallContext::state() { return sema.languageState(); }
mlir::Operation *CallContext::kernel() { return sema.kernelOp(); }
bool CallContext::mentions(llvm::StringRef name) { return sema.mentions(name); }
Value CallContext::passConfig(llvm::StringRef key) { return sema.passConfig(key); }
std::vector<std::string> CallContext::passConfigKeys() { return sema.passConfigKeys(); }
bool CallContext::readsTarget(size_t index) { return sema.readsTarget(index); }
Value CallContext::read(const Value &value) { return sema.read(node, value); }

Value CallContext::error(const llvm::Twine &message) { return sema.error(node, message); }

Value CallContext::errorAt(const Arguments::Argument &argument, const llvm::Twine &message) {
  return sema.error(argument.node ? *argument.node : node, message);
}

Value CallContext::errorAt(const Arguments &arguments, llvm::StringRef name,
                           const llvm::Twine &message) {
  const Arguments::Argument *argument = arguments.find(name);
  return argument ? errorAt(*argument, message) : error(message);
}

Value CallContext::error(const llvm::Twine &message, const llvm::Twine &note,
                         const SourcePlace &noteAt) {
  sema.reportError(node, message).note(note, noteAt);
  return Value::poison();
}

SourcePlace CallContext::place() const { return sema.place(node); }
std::optional<int64_t> CallContext::extentIndexedBy(size_t target) {
  return sema.extentIndexedBy(target);
}

void CallContext::warning(const llvm::Twine &message) { sema.warning(node, message); }
void CallContext::remark(const llvm::Twine &message) { sema.remark(node, message); }
void CallContext::staticPrint(llvm::StringRef text) { sema.print(text); }

/// `argument 'axis' of tl.sum: found …, expected …`.
static std::string wrongArgument(llvm::StringRef callee, llvm::StringRef name, const Value &found,
                                 llvm::StringRef expected) {
  std::string hint = found.isRuntime() ? " known at compile time" : "";
  return ("argument '" + name + "' of " + callee + ": found " + describe(found) + ", expected " +
          expected + hint)
      .str();
}

std::optional<Integer> CallContext::integer(const Arguments &arguments, llvm::StringRef name) {
  const Value &value = arguments[name];
  if (std::optional<Integer> integer = asInteger(value))
    return integer;
  if (!value.isPoison())
    errorAt(arguments, name, wrongArgument(calleeName, name, value, "an int"));
  return std::nullopt;
}

std::optional<int64_t> CallContext::intConst(const Arguments &arguments, llvm::StringRef name) {
  std::optional<Integer> value = integer(arguments, name);
  if (!value)
    return std::nullopt;
  if (std::optional<int64_t> result = value->asInt64())
    return result;
  errorAt(arguments, name,
          wrongArgument(calleeName, name, arguments[name], "an int that fits in 64 bits"));
  return std::nullopt;
}

std::optional<bool> CallContext::boolConst(const Arguments &arguments, llvm::StringRef name) {
  const Value &value = arguments[name];
  if (value.isNumber() || value.isNone())
    return truth(value);
  if (!value.isPoison())
    errorAt(arguments, name, wrongArgument(calleeName, name, value, "a bool"));
  return std::nullopt;
}

std::optional<std::string> CallContext::stringConst(const Arguments &arguments,
                                                    llvm::StringRef name) {
  const Value &value = arguments[name];
  if (const std::string *text = value.asString())
    return *text;
  if (!value.isPoison())
    errorAt(arguments, name, wrongArgument(calleeName, name, value, "a str"));
  return std::nullopt;
}

std::optional<Type> CallContext::typeConst(const Arguments &arguments, llvm::StringRef name) {
  const Value &value = arguments[name];
  std::optional<Type> type;
  if (const Type *found = value.asType())
    type = *found;
  else if (const LanguageName *language = value.asLanguage())
    // The default of a signature: a dotted name.
    if (const Value *constant = sema.vocabulary.findConstant(language->name))
      if (constant->asType())
        type = *constant->asType();
  if (type && info(type->dtype()).isSupported)
    return type;
  if (type)
    errorAt(arguments, name, "the type " + info(type->dtype()).languageName + " is not there yet");
  else if (const OpaqueValue *opaque = value.asOpaque();
           opaque && llvm::StringRef(opaque->typeName).starts_with("dtype "))
    errorAt(arguments, name, "the " + opaque->typeName + " is not there yet");
  else if (!value.isPoison())
    errorAt(arguments, name, wrongArgument(calleeName, name, value, "a dtype"));
  return std::nullopt;
}

std::optional<DType> CallContext::dtypeConst(const Arguments &arguments, llvm::StringRef name) {
  std::optional<Type> type = typeConst(arguments, name);
  if (!type)
    return std::nullopt;
  if (!type->isPointer() && type->isScalar())
    return type->dtype();
  errorAt(arguments, name, wrongArgument(calleeName, name, arguments[name], "a dtype"));
  return std::nullopt;
}

std::optional<llvm::SmallVector<int64_t, 4>> CallContext::intsConst(const Arguments &arguments,
                                                                    llvm::StringRef name) {
  const Value &value = arguments[name];
  if (value.isPoison())
    return std::nullopt;
  llvm::SmallVector<int64_t, 4> result;
  llvm::ArrayRef<Value> elements = value.isTuple() ? value.elements() : llvm::ArrayRef(value);
  for (const Value &element : elements) {
    std::optional<Integer> integer = asInteger(element);
    std::optional<int64_t> number = integer ? integer->asInt64() : std::nullopt;
    if (!number) {
      errorAt(arguments, name,
              wrongArgument(calleeName, name, element, "an int or a tuple of ints"));
      return std::nullopt;
    }
    result.push_back(*number);
  }
  return result;
}

std::optional<int64_t> CallContext::axisConst(const Arguments &arguments, llvm::StringRef name,
                                              int64_t rank) {
  std::optional<int64_t> axis = intConst(arguments, name);
  if (!axis)
    return std::nullopt;
  if (*axis >= -rank && *axis < rank)
    return *axis < 0 ? *axis + rank : *axis;
  errorAt(arguments, name,
          "argument '" + name + "' of " + calleeName + ": found " + llvm::Twine(*axis) +
              ", expected an axis of a value of rank " + llvm::Twine(rank));
  return std::nullopt;
}

std::optional<Type::Shape> CallContext::shapeOf(const Value &value,
                                                const Arguments::Argument *argument) {
  std::string name = argument ? argument->name : "shape";
  auto fail = [&](const llvm::Twine &message) -> std::optional<Type::Shape> {
    if (argument)
      errorAt(*argument, message);
    else
      error(message);
    return std::nullopt;
  };
  if (value.hasPoison())
    return std::nullopt;
  Type::Shape shape;
  int64_t count = 1;
  llvm::ArrayRef<Value> elements = value.isTuple() ? value.elements() : llvm::ArrayRef(value);
  for (const Value &element : elements) {
    std::optional<Integer> integer = asInteger(element);
    if (!integer)
      return fail(wrongArgument(calleeName, name, element, "an extent, an int"));
    if (Integer(kMaxTensorElements) < *integer || *integer < Integer(1))
      return fail("argument '" + name + "' of " + calleeName + ": found the extent " +
                  integer->str() + ", expected 1 to " + llvm::Twine(kMaxTensorElements));
    shape.push_back(*integer->asInt64());
    count *= shape.back();
    if (count > kMaxTensorElements)
      return fail("a block of more than " + llvm::Twine(kMaxTensorElements) +
                  " elements: found the shape [" + pythonRepr(value) + "]");
  }
  return shape;
}

std::optional<Type::Shape> CallContext::shapeConst(const Arguments &arguments,
                                                   llvm::StringRef name) {
  return shapeOf(arguments[name], arguments.find(name));
}

std::optional<Type::Shape> CallContext::shapeConst(llvm::ArrayRef<Arguments::Argument> rest) {
  if (rest.size() == 1)
    return shapeOf(rest.front().value, &rest.front());
  std::vector<Value> values;
  for (const Arguments::Argument &argument : rest)
    values.push_back(argument.value);
  return shapeOf(Value::tuple(std::move(values)), rest.empty() ? nullptr : &rest.front());
}

Value CallContext::runtime(const Arguments &arguments, llvm::StringRef name) {
  const Arguments::Argument *argument = arguments.find(name);
  Value value = sema.read(argument && argument->node ? *argument->node : node, arguments[name]);
  if (value.isRuntime() || value.isPoison())
    return value;
  if (value.isNumber())
    return materialize(value);
  return errorAt(arguments, name, wrongArgument(calleeName, name, value, "a block or a scalar"));
}

Value CallContext::materialize(const Value &value) { return sema.materialize(node, value); }

Value CallContext::materializeAs(const Value &value, DType dtype) {
  return sema.materializeAs(node, value, dtype);
}

mlir::Value CallContext::constant(const Type &type, const Integer &value) {
  return sema.constant(loc(), type, value);
}

mlir::Value CallContext::constant(const Type &type, double value) {
  return sema.constant(loc(), type, value);
}

Value CallContext::binary(BinaryOperator op, const Value &lhs, const Value &rhs) {
  return sema.binary(node, op, lhs, rhs);
}

Value CallContext::compare(CompareOperator op, const Value &lhs, const Value &rhs) {
  return sema.compare(node, op, lhs, rhs);
}

Value CallContext::unary(UnaryOperator op, const Value &operand) {
  return sema.unary(node, op, operand);
}

Value CallContext::callLanguage(llvm::StringRef name, llvm::ArrayRef<Value> arguments,
                                llvm::ArrayRef<std::pair<std::string, Value>> keywords) {
  Sema::GivenArguments given;
  for (const Value &argument : arguments)
    given.push_back({"", argument, &node});
  for (const auto &[keyword, value] : keywords)
    given.push_back({keyword, value, &node});
  return sema.callLanguage(node, name, given);
}

Value CallContext::call(const Value &callee, llvm::ArrayRef<Value> arguments) {
  Sema::GivenArguments given;
  for (const Value &argument : arguments)
    given.push_back({"", argument, &node});
  return sema.call(node, callee, given);
}

bool CallContext::isCallable(const Value &value) const { return Sema::isCallable(value); }

Value CallContext::attribute(const Value &object, llvm::StringRef name) {
  return sema.attribute(node, object, name);
}
