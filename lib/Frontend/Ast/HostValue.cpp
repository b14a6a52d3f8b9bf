//===- HostValue.cpp - compile-time values as JSON ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Ast/HostValue.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

#include <cmath>

using namespace kiln::frontend;
using namespace kiln::frontend::ast;

namespace {

constexpr unsigned kMaxValueDepth = 64;

class ValueReader {
public:
  ValueReader(const Capture *functions, std::string &error) : functions(functions), error(error) {}

  std::optional<Value> read(const llvm::json::Value &json, unsigned depth, bool *isConstexpr) {
    const llvm::json::Object *object = json.getAsObject();
    std::optional<llvm::StringRef> tag = object ? object->getString("t") : std::nullopt;
    if (!tag)
      return fail("a value is not an object with a tag 't'");
    if (depth > kMaxValueDepth)
      return fail("a value is nested too deep");
    const llvm::json::Value *content = object->get("v");
    if (*tag == "none")
      return Value::none();
    if (*tag == "symbolic")
      return readSymbolic(*object, depth);
    if (!content)
      return fail("a value of kind '" + *tag + "' has no 'v'");
    if (*tag == "constexpr") {
      if (isConstexpr)
        *isConstexpr = true;
      return read(*content, depth + 1, nullptr);
    }
    if (*tag == "bool") {
      std::optional<bool> value = content->getAsBoolean();
      return value ? std::optional(Value::boolean(*value))
                   : fail("a bool is neither true nor false");
    }
    if (*tag == "tuple" || *tag == "list")
      return readSequence(*object, *content, *tag == "list", depth);
    if (*tag == "host") {
      std::optional<int64_t> id = content->getAsInteger();
      return id ? std::optional(Value::host(*id)) : fail("a host function has no number");
    }
    std::optional<llvm::StringRef> text = content->getAsString();
    if (!text)
      return fail("a value of kind '" + *tag + "' has no text");
    if (*tag == "module")
      return readModule(*object, *text, depth);
    return readText(*tag, *text);
  }

private:
  std::nullopt_t fail(const llvm::Twine &message) {
    if (error.empty())
      error = message.str();
    return std::nullopt;
  }

  std::optional<Value> readText(llvm::StringRef tag, llvm::StringRef text) {
    if (tag == "str")
      return Value::string(text);
    if (tag == "int") {
      std::optional<Integer> value = Integer::parse(text);
      return value ? std::optional(Value::integer(*value))
                   : fail("'" + text.take_front(40) + "' is not an integer of at most " +
                          llvm::Twine(Integer::kMaxBits) + " bits");
    }
    if (tag == "float") {
      std::optional<double> value = parseFloat(text);
      return value ? std::optional(Value::number(*value)) : fail("'" + text + "' is not a float");
    }
    if (tag == "dtype" || tag == "type") {
      if (std::optional<Type> type = Type::parse(text))
        return Value::type(*type);
      return Value::opaque(("dtype " + text).str());
    }
    if (tag == "lang")
      return Value::language(text);
    if (tag == "symbol")
      return Value::symbol({text.str(), {}, {}});
    if (tag == "builtin")
      return Value::builtin(text);
    if (tag == "opaque")
      return text == "ellipsis" ? Value::ellipsis() : Value::opaque(text);
    if (tag == "function") {
      if (functions)
        if (auto found = functions->functions.find(text); found != functions->functions.end())
          return Value::function(found->second.get());
      return fail("there is no function '" + text + "'");
    }
    return fail("unknown kind of value '" + tag + "'");
  }

  std::optional<Value> readSequence(const llvm::json::Object &object,
                                    const llvm::json::Value &content, bool isList, unsigned depth) {
    const llvm::json::Array *array = content.getAsArray();
    if (!array)
      return fail("a sequence is not an array");
    std::vector<Value> elements;
    for (const llvm::json::Value &element : *array) {
      std::optional<Value> value = read(element, depth + 1, nullptr);
      if (!value)
        return std::nullopt;
      elements.push_back(*value);
    }
    std::vector<std::string> names;
    if (const llvm::json::Array *list = object.getArray("names"))
      for (const llvm::json::Value &name : *list)
        names.push_back(name.getAsString().value_or("").str());
    if (!names.empty() && names.size() != elements.size())
      return fail("a named tuple has as many names as elements");
    return Value::tuple(std::move(elements), std::move(names), isList);
  }

  std::optional<Value> readSymbolic(const llvm::json::Object &object, unsigned depth) {
    static constexpr llvm::StringLiteral operators[] = {"+", "-",       "*",   "//",
                                                        "%", "ceildiv", "min", "max"};
    SymbolData symbol{{}, object.getString("op").value_or("").str(), {}};
    const llvm::json::Array *arguments = object.getArray("args");
    if (!llvm::is_contained(operators, symbol.op) || !arguments || arguments->size() != 2)
      return fail("an expression of extents is no known operator with two arguments");
    for (const llvm::json::Value &argument : *arguments) {
      std::optional<Value> value = read(argument, depth + 1, nullptr);
      if (!value)
        return std::nullopt;
      symbol.arguments.push_back(*value);
    }
    return Value::symbol(std::move(symbol));
  }

  std::optional<Value> readModule(const llvm::json::Object &object, llvm::StringRef name,
                                  unsigned depth) {
    ModuleData module{name.str(), {}};
    if (const llvm::json::Object *attributes = object.getObject("attrs"))
      for (const auto &[key, json] : *attributes) {
        bool isConstexpr = false;
        std::optional<Value> value = read(json, depth + 1, &isConstexpr);
        if (!value)
          return std::nullopt;
        module.attributes.push_back({key.str(), *value, isConstexpr});
      }
    return Value::module(std::move(module));
  }

  const Capture *functions;
  std::string &error;
};

} // namespace

std::optional<Value> ast::readValue(const llvm::json::Value &json, const Capture *functions,
                                    std::string &error, bool *isConstexpr) {
  if (isConstexpr)
    *isConstexpr = false;
  return ValueReader(functions, error).read(json, 0, isConstexpr);
}

std::optional<double> ast::parseFloat(llvm::StringRef text) {
  bool isNegative = text.consume_front("-");
  llvm::StringRef magnitude = text;
  if (magnitude == "inf")
    return isNegative ? -INFINITY : INFINITY;
  if (magnitude == "nan")
    return std::nan("");
  if (magnitude.empty() || !llvm::isDigit(magnitude.front()))
    return std::nullopt;
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  llvm::Expected<llvm::APFloat::opStatus> status =
      value.convertFromString(magnitude, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return std::nullopt;
  }
  double result = value.convertToDouble();
  return isNegative ? -result : result;
}

static llvm::json::Value tagged(llvm::StringRef tag, llvm::json::Value content) {
  return llvm::json::Object{{"t", tag}, {"v", std::move(content)}};
}

static std::string floatText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  llvm::APFloat(value).convertToHexString(buffer, 0, /*upperCase=*/false,
                                          llvm::APFloat::rmNearestTiesToEven);
  return buffer;
}

std::optional<llvm::json::Value> ast::writeValue(const Value &value) {
  if (value.isNone())
    return llvm::json::Object{{"t", "none"}};
  if (const bool *boolean = value.asBool())
    return tagged("bool", *boolean);
  if (const Integer *integer = value.asInt())
    return tagged("int", integer->str());
  if (const double *number = value.asFloat())
    return tagged("float", floatText(*number));
  if (const std::string *text = value.asString())
    return tagged("str", llvm::json::fixUTF8(*text));
  if (const Type *type = value.asType()) {
    if (type->isBlock())
      return std::nullopt;
    std::string name = (type->isPointer() ? "*" : "") + info(type->dtype()).name.str();
    return tagged(type->isPointer() ? "type" : "dtype", name);
  }
  if (const LanguageName *language = value.asLanguage())
    return tagged("lang", language->name);
  const TupleData *tuple = value.asTuple();
  if (!tuple)
    return std::nullopt;
  llvm::json::Array elements;
  for (const Value &element : tuple->elements) {
    std::optional<llvm::json::Value> json = writeValue(element);
    if (!json)
      return std::nullopt;
    elements.push_back(std::move(*json));
  }
  llvm::json::Value result = tagged(tuple->isList ? "list" : "tuple", std::move(elements));
  if (!tuple->names.empty())
    (*result.getAsObject())["names"] = llvm::json::Array(tuple->names);
  return result;
}
