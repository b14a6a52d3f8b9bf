//===- PythonText.cpp - values as Python would print them, and as messages name them -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Frontend/Value.h"
#include "lib/Frontend/Ast/Ast.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>

using namespace kiln::frontend;

/// Python's repr: the shortest digits that read back, an exponent below 1e-4 and from 1e16.
static std::string floatRepr(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  llvm::StringRef text(buffer, end.ptr - buffer);
  auto [mantissa, exponentText] = text.split('e');
  int exponent = std::atoi(exponentText.str().c_str());
  if (exponent >= -4 && exponent < 16) {
    end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
    std::string fixed(buffer, end.ptr);
    return fixed.find('.') == std::string::npos ? fixed + ".0" : fixed;
  }
  return text.str();
}

static std::string quoted(llvm::StringRef text) {
  std::string result;
  char quote = text.contains('\'') && !text.contains('"') ? '"' : '\'';
  result += quote;
  for (char c : text) {
    if (c == quote || c == '\\')
      (result += '\\') += c;
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    else
      result += c;
  }
  return result + quote;
}

static std::string sequenceRepr(const TupleData &tuple) {
  std::string result = tuple.isList ? "[" : "(";
  for (auto [index, element] : llvm::enumerate(tuple.elements)) {
    if (index)
      result += ", ";
    if (!tuple.names.empty())
      result += tuple.names[index] + "=";
    result += pythonRepr(element);
  }
  if (!tuple.isList && tuple.elements.size() == 1)
    result += ",";
  return result + (tuple.isList ? "]" : ")");
}

std::string kiln::frontend::pythonStr(const Value &value) {
  if (const std::string *text = value.asString())
    return *text;
  return pythonRepr(value);
}

std::string kiln::frontend::pythonRepr(const Value &value) {
  if (value.isNone())
    return "None";
  if (const bool *boolean = value.asBool())
    return *boolean ? "True" : "False";
  if (const Integer *integer = value.asInt())
    return integer->str();
  if (const double *number = value.asFloat())
    return floatRepr(*number);
  if (const std::string *text = value.asString())
    return quoted(*text);
  if (const Type *type = value.asType())
    return type->str();
  if (const RuntimeValue *runtime = value.asRuntime())
    return runtime->type.str();
  if (const TupleData *tuple = value.asTuple())
    return sequenceRepr(*tuple);
  return "<" + describe(value) + ">";
}

/// `64, n`: extents that are known, and a name for the others.
static std::string extentsText(llvm::ArrayRef<Value> extents) {
  std::string text;
  for (const Value &extent : extents)
    text +=
        (text.empty() ? "" : ", ") + (extent.isRuntime() ? std::string("?") : pythonRepr(extent));
  return text;
}

static std::string bufferText(const BufferData &buffer, llvm::ArrayRef<Value> extents) {
  return (buffer.name.empty() ? "" : "'" + buffer.name + "' ") + Type(buffer.dtype).str() + "[" +
         extentsText(extents) + "]";
}

std::string kiln::frontend::describe(const Value &value) {
  if (value.isPoison())
    return "a value with an error";
  if (const RuntimeValue *runtime = value.asRuntime())
    return (runtime->type.isBlock() ? "a block " : "a scalar ") + runtime->type.str();
  if (value.isNone())
    return "None";
  if (value.asBool())
    return "the bool " + pythonRepr(value);
  if (value.asInt())
    return "the int " + pythonRepr(value);
  if (value.asFloat())
    return "the float " + pythonRepr(value);
  if (value.asString())
    return "the str " + pythonRepr(value);
  if (const Type *type = value.asType())
    return "the type " + type->str();
  if (const TupleData *tuple = value.asTuple()) {
    std::string what = tuple->isList ? "a list of " : "a tuple of ";
    return what + std::to_string(tuple->elements.size());
  }
  if (value.asSlice())
    return "a slice";
  if (value.asRange())
    return "a range";
  if (value.isEllipsis())
    return "'...'";
  if (const LanguageName *language = value.asLanguage())
    return "the language name " + language->name;
  if (const FunctionRef *function = value.asFunction())
    return "the function " + function->function->name;
  if (value.asHost())
    return "a host function";
  if (const BuiltinRef *builtin = value.asBuiltin())
    return "the builtin " + builtin->name;
  if (const MethodData *method = value.asMethod())
    return "the method " + llvm::StringRef(method->entry).rsplit('.').second.str();
  if (value.asLambda())
    return "a lambda";
  if (const ModuleData *module = value.asModule())
    return "the module " + module->name;
  if (std::shared_ptr<const BufferData> buffer = value.asBuffer())
    return "the buffer " + bufferText(*buffer, buffer->shape);
  if (const RegionData *region = value.asRegion())
    return (region->isElement() ? "an element of "
                                : "a region [" + extentsText(region->extents) + "] of ") +
           bufferText(*region->buffer, region->buffer->shape);
  if (value.asScope())
    return "a scope";
  if (value.asSymbol())
    return "an extent that the launch knows";
  if (const OpaqueValue *opaque = value.asOpaque())
    return "a Python object of type " + opaque->typeName;
  return "a value";
}

std::string kiln::frontend::typeName(const Value &value) {
  if (value.isRuntime())
    return value.type().str();
  if (value.asBool())
    return Type(DType::I1).str();
  if (value.asFloat())
    return Type(DType::F32).str();
  if (const Integer *integer = value.asInt())
    for (DType dtype : {DType::I32, DType::U32, DType::I64, DType::U64})
      if (integer->fits(bitWidth(dtype), isSigned(dtype)))
        return Type(dtype).str();
  return describe(value);
}
