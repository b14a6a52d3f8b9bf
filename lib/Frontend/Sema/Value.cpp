//===- Value.cpp - what a name of a kernel can stand for ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Frontend/Value.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace kiln::frontend;

Value Value::tuple(std::vector<Value> elements, std::vector<std::string> names, bool isList) {
  return Value(Storage(
      std::make_shared<const TupleData>(TupleData{std::move(elements), std::move(names), isList})));
}

Value Value::slice(Value lower, Value upper, Value step) {
  return Value(Storage(std::make_shared<const SliceData>(
      SliceData{std::move(lower), std::move(upper), std::move(step)})));
}

Value Value::range(RangeData range) {
  return Value(Storage(std::make_shared<const RangeData>(std::move(range))));
}

Value Value::method(Value receiver, llvm::StringRef entry) {
  return Value(
      Storage(std::make_shared<const MethodData>(MethodData{std::move(receiver), entry.str()})));
}

Value Value::module(ModuleData module) {
  return Value(Storage(std::make_shared<const ModuleData>(std::move(module))));
}

Value Value::region(RegionData region) {
  return Value(Storage(std::make_shared<const RegionData>(std::move(region))));
}

Value Value::scope(ScopeData scope) {
  return Value(Storage(std::make_shared<const ScopeData>(std::move(scope))));
}

Value Value::symbol(SymbolData symbol) {
  return Value(Storage(std::make_shared<const SymbolData>(std::move(symbol))));
}

bool RegionData::isElement() const {
  return llvm::all_of(isIndex, [](bool index) { return index; });
}

llvm::ArrayRef<Value> Value::elements() const {
  const TupleData *tuple = asTuple();
  return tuple ? llvm::ArrayRef<Value>(tuple->elements) : llvm::ArrayRef<Value>();
}

bool Value::isConstant() const {
  if (isPoison() || isRuntime() || asBuffer() || asRegion() || asScope())
    return false;
  if (const SliceData *slice = asSlice())
    return slice->lower.isConstant() && slice->upper.isConstant() && slice->step.isConstant();
  if (const RangeData *range = asRange())
    return range->start.isConstant() && range->stop.isConstant() && range->step.isConstant();
  return llvm::all_of(elements(), [](const Value &v) { return v.isConstant(); });
}

bool Value::hasPoison() const {
  if (const SliceData *slice = asSlice())
    return slice->lower.isPoison() || slice->upper.isPoison() || slice->step.isPoison();
  return isPoison() || llvm::any_of(elements(), [](const Value &v) { return v.hasPoison(); });
}

bool Value::isNumber() const { return asBool() || asInt() || asFloat(); }

bool kiln::frontend::identical(const Value &a, const Value &b) {
  if (a.isNone() || b.isNone())
    return a.isNone() && b.isNone();
  if (a.asBool() || b.asBool())
    return a.asBool() && b.asBool() && *a.asBool() == *b.asBool();
  if (a.asInt() || b.asInt())
    return a.asInt() && b.asInt() && *a.asInt() == *b.asInt();
  if (a.asFloat() || b.asFloat())
    // Bits, so that nan is itself and -0.0 is not 0.0.
    return a.asFloat() && b.asFloat() && !std::memcmp(a.asFloat(), b.asFloat(), sizeof(double));
  if (a.asString() || b.asString())
    return a.asString() && b.asString() && *a.asString() == *b.asString();
  if (a.asType() || b.asType())
    return a.asType() && b.asType() && *a.asType() == *b.asType();
  if (a.asLanguage() || b.asLanguage())
    return a.asLanguage() && b.asLanguage() && a.asLanguage()->name == b.asLanguage()->name;
  if (a.asBuiltin() || b.asBuiltin())
    return a.asBuiltin() && b.asBuiltin() && a.asBuiltin()->name == b.asBuiltin()->name;
  if (a.asFunction() || b.asFunction())
    return a.asFunction() && b.asFunction() && a.asFunction()->function == b.asFunction()->function;
  if (a.asHost() || b.asHost())
    return a.asHost() && b.asHost() && a.asHost()->id == b.asHost()->id;
  if (a.asLambda() || b.asLambda())
    return a.asLambda() == b.asLambda();
  if (a.asModule() || b.asModule())
    return a.asModule() == b.asModule();
  if (a.asBuffer() || b.asBuffer())
    return a.asBuffer() == b.asBuffer();
  if (a.asRegion() || b.asRegion())
    return a.asRegion() == b.asRegion();
  if (a.asTuple() && b.asTuple())
    return a.asTuple()->names == b.asTuple()->names &&
           llvm::equal(a.elements(), b.elements(), identical);
  if (a.asSlice() && b.asSlice())
    return identical(a.asSlice()->lower, b.asSlice()->lower) &&
           identical(a.asSlice()->upper, b.asSlice()->upper) &&
           identical(a.asSlice()->step, b.asSlice()->step);
  return false;
}

bool kiln::frontend::isSameValue(const Value &a, const Value &b) {
  if (a.isRuntime() && b.isRuntime())
    return a.ir() == b.ir() && a.type() == b.type();
  return identical(a, b);
}
