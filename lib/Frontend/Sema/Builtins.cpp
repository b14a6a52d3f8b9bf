//===- Builtins.cpp - Python's builtins --------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/ConstEval.h"
#include "lib/Frontend/Sema/Sema.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace kiln;
using namespace kiln::frontend;

namespace {

using Given = Sema::GivenArguments;

/// One builtin: the number of its arguments, and what it does with them.
struct Builtin {
  llvm::StringLiteral name;
  unsigned minimum, maximum;
  Value (*call)(Sema &, const ast::Node &, const Given &);
};

constexpr unsigned kAny = 64;

Value callAbs(Sema &sema, const ast::Node &node, const Given &given) {
  const Value &value = given[0].value;
  if (std::optional<Integer> integer = asInteger(value))
    return Value::integer(integer->isNegative() ? -*integer : *integer);
  if (const double *number = value.asFloat())
    return Value::number(std::fabs(*number));
  return sema.callLanguage(node, "tl.abs", given);
}

/// `min` and `max`: folds by comparison at compile time, by the language's own function otherwise.
template <bool IsMax> Value callExtreme(Sema &sema, const ast::Node &node, const Given &given) {
  std::vector<Value> values;
  for (const Signature::GivenArgument &argument : given)
    values.push_back(argument.value);
  if (values.size() == 1) {
    if (!values[0].isTuple() || values[0].elements().empty())
      return sema.error(node, "found " + describe(values[0]) +
                                  ", expected several arguments or a tuple that is not empty");
    values = values[0].asTuple()->elements;
  }
  Value result = values[0];
  for (const Value &value : llvm::ArrayRef(values).drop_front()) {
    if (result.isRuntime() || value.isRuntime()) {
      result = sema.callLanguage(node, IsMax ? "tl.maximum" : "tl.minimum",
                                 {{"", result, &node}, {"", value, &node}});
      if (result.isPoison())
        return result;
      continue;
    }
    Evaluated isBetter =
        evaluateCompare(IsMax ? CompareOperator::Gt : CompareOperator::Lt, value, result);
    if (!isBetter.value)
      return sema.error(node, isBetter.error);
    if (*isBetter.value->asBool())
      result = value;
  }
  return result;
}

Value callLen(Sema &sema, const ast::Node &node, const Given &given) {
  const Value &value = given[0].value;
  if (value.isTuple())
    return Value::integer(value.elements().size());
  if (const std::string *text = value.asString())
    return Value::integer(text->size());
  return sema.error(node, describe(value) + " has no length");
}

Value castRuntime(Sema &sema, const ast::Node &node, const Value &value, DType dtype) {
  CallContext context(sema, node, "cast");
  return sema.vocabulary.hooks().cast(context, value, dtype);
}

Value callInt(Sema &sema, const ast::Node &node, const Given &given) {
  const Value &value = given[0].value;
  if (value.isRuntime())
    return value.type().isIntegerLike() && !isBool(value.type().dtype())
               ? value
               : castRuntime(sema, node, value, DType::I32);
  if (std::optional<Integer> integer = asInteger(value))
    return Value::integer(*integer);
  if (const double *number = value.asFloat())
    if (std::optional<Integer> integer = Integer::fromDouble(*number))
      return Value::integer(*integer);
  if (const std::string *text = value.asString())
    if (std::optional<Integer> integer = Integer::parse(*text))
      return Value::integer(*integer);
  return sema.error(node, "cannot convert " + describe(value) + " to an int");
}

Value callFloat(Sema &sema, const ast::Node &node, const Given &given) {
  const Value &value = given[0].value;
  if (value.isRuntime())
    return value.type().isFloatLike() ? value : castRuntime(sema, node, value, DType::F32);
  if (std::optional<double> number = asDouble(value))
    return Value::number(*number);
  if (const std::string *text = value.asString()) {
    std::string lower = llvm::StringRef(*text).trim().lower();
    bool isNegative = lower.starts_with("-");
    std::string magnitude =
        llvm::StringRef(lower).drop_while([](char c) { return c == '-' || c == '+'; }).str();
    double number = 0;
    if (magnitude == "inf" || magnitude == "infinity")
      return Value::number(isNegative ? -INFINITY : INFINITY);
    if (magnitude == "nan")
      return Value::number(std::nan(""));
    if (!llvm::StringRef(lower).getAsDouble(number))
      return Value::number(number);
  }
  return sema.error(node, "cannot convert " + describe(value) + " to a float");
}

Value callBool(Sema &sema, const ast::Node &node, const Given &given) {
  const Value &value = given[0].value;
  if (value.isRuntime())
    return castRuntime(sema, node, value, DType::I1);
  if (std::optional<bool> known = truth(value))
    return Value::boolean(*known);
  return sema.error(node, "cannot convert " + describe(value) + " to a bool");
}

Value callPrint(Sema &sema, const ast::Node &node, const Given &given) {
  if (given[0].value.asString())
    return sema.callLanguage(node, "tl.device_print", given);
  // Values without a text before them.
  Given withPrefix{{"", Value::string(""), &node}};
  withPrefix.append(given.begin(), given.end());
  return sema.callLanguage(node, "tl.device_print", withPrefix);
}

template <bool IsList> Value callSequence(Sema &sema, const ast::Node &node, const Given &given) {
  if (given.empty())
    return Value::tuple({}, {}, IsList);
  const Value &value = given[0].value;
  if (!value.isTuple())
    return sema.error(node, "found " + describe(value) + ", expected a tuple");
  return Value::tuple(value.asTuple()->elements, {}, IsList);
}

Value callEnumerate(Sema &sema, const ast::Node &node, const Given &given) {
  std::optional<Integer> number = given.size() == 2 ? asInteger(given[1].value) : Integer(0);
  if (!number)
    return sema.error(node, "found " + describe(given[1].value) +
                                ", expected an int that is known at compile time");
  std::optional<std::vector<Value>> values = sema.iterate(node, given[0].value);
  if (!values)
    return Value::poison();
  for (Value &value : *values) {
    value = Value::tuple({Value::integer(*number), value});
    number = number->add(Integer(1));
  }
  return Value::tuple(std::move(*values));
}

/// As many tuples as the shortest has elements.
Value callZip(Sema &sema, const ast::Node &node, const Given &given) {
  std::vector<std::vector<Value>> columns;
  size_t count = std::numeric_limits<size_t>::max();
  for (const Signature::GivenArgument &argument : given) {
    std::optional<std::vector<Value>> values = sema.iterate(node, argument.value);
    if (!values)
      return Value::poison();
    count = std::min(count, values->size());
    columns.push_back(std::move(*values));
  }
  std::vector<Value> rows;
  for (size_t row = 0; row < count; ++row) {
    std::vector<Value> elements;
    for (const std::vector<Value> &column : columns)
      elements.push_back(column[row]);
    rows.push_back(Value::tuple(std::move(elements)));
  }
  return Value::tuple(std::move(rows));
}

Value callReversed(Sema &sema, const ast::Node &node, const Given &given) {
  std::optional<std::vector<Value>> values = sema.iterate(node, given[0].value);
  if (!values)
    return Value::poison();
  std::reverse(values->begin(), values->end());
  return Value::tuple(std::move(*values));
}

Value callSum(Sema &sema, const ast::Node &node, const Given &given) {
  std::optional<std::vector<Value>> values = sema.iterate(node, given[0].value);
  if (!values)
    return Value::poison();
  CallContext context(sema, node, "sum");
  Value result = given.size() == 2 ? given[1].value : Value::integer(0);
  for (const Value &value : *values)
    result = context.binary(BinaryOperator::Add, result, context.read(value));
  return result;
}

bool isInstance(const Value &value, const Value &type) {
  if (type.isTuple())
    return llvm::any_of(type.elements(), [&](const Value &one) { return isInstance(value, one); });
  if (const BuiltinRef *builtin = type.asBuiltin()) {
    llvm::StringRef name = builtin->name;
    return name == "int"     ? value.asInt() || value.asBool()
           : name == "bool"  ? value.asBool() != nullptr
           : name == "float" ? value.asFloat() != nullptr
           : name == "tuple" ? value.isTuple() && !value.asTuple()->isList
           : name == "list"  ? value.isTuple() && value.asTuple()->isList
                             : false;
  }
  const LanguageName *language = type.asLanguage();
  llvm::StringRef name = language ? llvm::StringRef(language->name) : "";
  return name == "tl.tensor"                           ? value.isRuntime()
         : name == "tl.constexpr"                      ? value.isConstant() && !value.isTuple()
         : name == "tl.dtype"                          ? value.asType() != nullptr
         : name == "tl.tuple"                          ? value.isTuple()
         : name == "tl.pointer_type" && value.asType() ? value.asType()->isPointer()
                                                       : false;
}

Value callIsInstance(Sema &sema, const ast::Node &node, const Given &given) {
  return Value::boolean(isInstance(given[0].value, given[1].value));
}

/// True if `object.name` can be evaluated.
bool hasAttribute(Sema &sema, const Value &object, llvm::StringRef name) {
  if (const TupleData *tuple = object.asTuple())
    return llvm::is_contained(tuple->names, name);
  if (const ModuleData *module = object.asModule())
    return llvm::any_of(module->attributes,
                        [&](const ModuleData::Attribute &a) { return a.name == name; });
  const Vocabulary &vocabulary = sema.vocabulary;
  std::string prefix = object.asType()       ? "dtype"
                       : object.asLanguage() ? object.asLanguage()->name
                                             : "tensor";
  std::string entry = vocabulary.canonical((prefix + "." + name).str());
  return vocabulary.find(entry) || vocabulary.findAttribute(entry) ||
         vocabulary.findConstant(entry) || vocabulary.isNamespace(entry);
}

Value callGetAttr(Sema &sema, const ast::Node &node, const Given &given) {
  const std::string *name = given[1].value.asString();
  if (!name)
    return sema.error(node, "found " + describe(given[1].value) + ", expected an attribute's name");
  if (given.size() == 3 && !hasAttribute(sema, given[0].value, *name))
    return given[2].value;
  return sema.attribute(node, given[0].value, *name);
}

Value callHasAttr(Sema &sema, const ast::Node &node, const Given &given) {
  const std::string *name = given[1].value.asString();
  if (!name)
    return sema.error(node, "found " + describe(given[1].value) + ", expected an attribute's name");
  return Value::boolean(hasAttribute(sema, given[0].value, *name));
}

constexpr Builtin kBuiltins[] = {
    {"abs", 1, 1, callAbs},
    {"min", 1, kAny, callExtreme<false>},
    {"max", 1, kAny, callExtreme<true>},
    {"len", 1, 1, callLen},
    {"int", 1, 1, callInt},
    {"float", 1, 1, callFloat},
    {"bool", 1, 1, callBool},
    {"print", 1, kAny, callPrint},
    {"tuple", 0, 1, callSequence<false>},
    {"list", 0, 1, callSequence<true>},
    {"enumerate", 1, 2, callEnumerate},
    {"zip", 1, kAny, callZip},
    {"reversed", 1, 1, callReversed},
    {"sum", 1, 2, callSum},
    {"isinstance", 2, 2, callIsInstance},
    {"getattr", 2, 3, callGetAttr},
    {"hasattr", 2, 2, callHasAttr},
};

} // namespace

Value Sema::callBuiltin(const ast::Node &node, llvm::StringRef name, const GivenArguments &given) {
  GivenArguments arguments(given);
  for (Signature::GivenArgument &argument : arguments)
    argument.value = read(node, argument.value);
  if (name == "range")
    return callRange(node, name, arguments);
  for (const Builtin &builtin : kBuiltins) {
    if (builtin.name != name)
      continue;
    bool hasKeywords =
        llvm::any_of(arguments, [](const auto &argument) { return !argument.keyword.empty(); });
    if (hasKeywords && name != "print")
      return error(node, "call of " + name + ": it takes no keywords");
    if (arguments.size() < builtin.minimum || arguments.size() > builtin.maximum)
      return error(node,
                   "call of " + name + ": found " + llvm::Twine(arguments.size()) +
                       " arguments, expected " + llvm::Twine(builtin.minimum) +
                       (builtin.maximum == builtin.minimum ? ""
                        : builtin.maximum == kAny ? " or more"
                                                  : " to " + std::to_string(builtin.maximum)));
    return builtin.call(*this, node, arguments);
  }
  return error(node, "the builtin " + name + " is not supported in kernels");
}
