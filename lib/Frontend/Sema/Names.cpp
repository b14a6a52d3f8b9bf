//===- Names.cpp - what a name stands for ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/Sema.h"

#include "llvm/ADT/StringExtras.h"

using namespace kiln;
using namespace kiln::frontend;

void Sema::nameBuffer(const Value &value, llvm::StringRef name) {
  std::shared_ptr<const BufferData> buffer = value.asBuffer();
  if (buffer && buffer->name.empty())
    buffer->name = name.str();
}

void Sema::bind(ast::NameId id, Value value, const ast::Node &place) {
  value = read(place, value);
  nameBuffer(value, frame->function->names[id]);
  if (frame->awaitsConstexpr.test(id)) {
    frame->awaitsConstexpr.reset(id);
    if (!value.hasPoison() && !value.isConstant())
      value =
          error(place, "'" + frame->function->names[id] +
                           "' is constexpr, but its value is not known at compile time: found " +
                           describe(value));
  }
  frame->names[id] = {Binding::Bound, std::move(value), &place};
}

Value Sema::readName(const ast::Node &node, ast::NameId id) {
  const Binding &binding = frame->names[id];
  if (binding.state == Binding::Bound)
    return binding.value;
  llvm::StringRef name = frame->function->names[id];
  if (binding.state == Binding::Unbound)
    return readGlobal(node, *frame->function, name);
  Diagnostic &diagnostic =
      reportError(node, "'" + name + "' has no value on some ways to this point");
  if (binding.place)
    diagnostic.note("it gets one only here", place(*binding.place));
  // One report for each such name.
  frame->names[id] = {Binding::Bound, Value::poison(), binding.place};
  return Value::poison();
}

/// Globals that may change between launches would not be part of the compiled kernel's identity in
/// the user's mind, so only those that the language marks are visible, as in Triton.
static bool isPlainData(const Value &value) {
  return value.isNone() || value.isNumber() || value.asString() ||
         (value.isTuple() && value.asTuple()->names.empty());
}

static std::string plainDataMessage(const llvm::Twine &name, const Value &value) {
  return ("cannot access global variable " + name + ": found " + describe(value) +
          ", expected a tl.constexpr (write " + name + " = tl.constexpr(...))")
      .str();
}

Value Sema::readGlobal(const ast::Node &node, const ast::Function &function, llvm::StringRef name) {
  auto found = function.globals.find(name);
  if (found == function.globals.end())
    return undefinedName(node, name);
  const ast::Global &global = found->second;
  bool isVisible = global.isConstexpr || vocabulary.hooks().plainGlobals;
  if (!isVisible && isPlainData(global.value))
    return error(node, plainDataMessage(name, global.value));
  return resolveCaptured(node, global.value);
}

Value Sema::resolveCaptured(const ast::Node &node, const Value &value) {
  if (const LanguageName *language = value.asLanguage())
    return resolveLanguage(node, language->name);
  if (const SymbolData *symbol = value.asSymbol())
    return resolveSymbol(node, *symbol);
  const TupleData *tuple = value.asTuple();
  if (!tuple)
    return value;
  std::vector<Value> elements;
  for (const Value &element : tuple->elements)
    elements.push_back(element.asSymbol() || element.isTuple() ? resolveCaptured(node, element)
                                                               : element);
  return Value::tuple(std::move(elements), tuple->names, tuple->isList);
}

Value Sema::resolveSymbol(const ast::Node &node, const SymbolData &symbol) {
  if (!symbol.name.empty()) {
    auto found = symbols.find(symbol.name);
    if (found != symbols.end())
      return found->second;
    return error(node, "the extent '" + symbol.name + "' is that of no tensor argument");
  }
  std::vector<Value> arguments;
  for (const Value &argument : symbol.arguments)
    arguments.push_back(resolveCaptured(node, argument));
  static constexpr std::pair<llvm::StringLiteral, BinaryOperator> operators[] = {
      {"+", BinaryOperator::Add},       {"-", BinaryOperator::Sub}, {"*", BinaryOperator::Mul},
      {"//", BinaryOperator::FloorDiv}, {"%", BinaryOperator::Mod},
  };
  for (auto [text, op] : operators)
    if (symbol.op == text)
      return binary(node, op, arguments[0], arguments[1]);
  return callLanguage(node, "T." + symbol.op,
                      {{"", arguments[0], &node}, {"", arguments[1], &node}});
}

Value Sema::undefinedName(const ast::Node &node, llvm::StringRef name) {
  std::vector<std::string> candidates = frame->function->names;
  for (llvm::StringRef global : frame->function->globals.keys())
    candidates.push_back(global.str());
  // Names that are only ever read are no help.
  llvm::erase_if(candidates, [&](const std::string &candidate) {
    auto id = frame->function->nameIds.find(candidate);
    bool isLocal =
        id != frame->function->nameIds.end() && frame->names[id->second].state == Binding::Bound;
    return !isLocal && !frame->function->globals.contains(candidate);
  });
  std::string message = "undefined name '" + name.str() + "'";
  std::vector<std::string> near = nearestWords(name, candidates);
  if (!near.empty())
    message += "; did you mean '" + llvm::join(near, "' or '") + "'?";
  Value poison = error(node, message);
  if (auto id = frame->function->nameIds.find(name); id != frame->function->nameIds.end())
    frame->names[id->second] = {Binding::Bound, poison, &node};
  return poison;
}

Value Sema::resolveLanguage(const ast::Node &node, llvm::StringRef name) {
  std::string canonical = vocabulary.canonical(name);
  if (const Value *constant = vocabulary.findConstant(canonical)) {
    // A name that kernels cannot use, and why.
    if (const OpaqueValue *opaque = constant->asOpaque())
      return error(node, canonical + " " + opaque->typeName);
    return *constant;
  }
  if (vocabulary.find(canonical) || vocabulary.isNamespace(canonical) || isCoreName(canonical))
    return Value::language(canonical);
  if (vocabulary.isNotThereYet(canonical))
    return error(node, canonical + " is not there yet");
  std::string message = "unknown language name '" + canonical + "'";
  std::vector<std::string> near = vocabulary.nearest(canonical);
  if (!near.empty())
    message += "; did you mean " + llvm::join(near, " or ") + "?";
  return error(node, message);
}

Value Sema::attribute(const ast::Node &node, const Value &object, llvm::StringRef name) {
  if (object.isPoison())
    return object;
  if (const LanguageName *language = object.asLanguage())
    return resolveLanguage(node, language->name + "." + name.str());
  if (const ModuleData *module = object.asModule()) {
    for (const ModuleData::Attribute &attribute : module->attributes) {
      if (attribute.name != name)
        continue;
      bool isVisible = attribute.isConstexpr || vocabulary.hooks().plainGlobals;
      if (!isVisible && isPlainData(attribute.value))
        return error(node, plainDataMessage(module->name + "." + name, attribute.value));
      return resolveCaptured(node, attribute.value);
    }
    return error(node, "module '" + module->name + "' has no attribute '" + name + "'");
  }
  if (const TupleData *tuple = object.asTuple())
    for (auto [field, element] : llvm::zip(tuple->names, tuple->elements))
      if (field == name)
        return element;
  // What `tl.constexpr` objects carry.
  if (name == "value" && object.isConstant())
    return object;
  if (name == "__name__" && object.asFunction())
    return Value::string(object.asFunction()->function->name);

  bool isBuffer = object.asBuffer() || object.asRegion();
  llvm::StringRef receiverClass = object.asType() ? "dtype" : isBuffer ? "buffer" : "tensor";
  if (object.asType() || object.isRuntime() || object.isNumber() || isBuffer) {
    std::string entry = vocabulary.canonical((receiverClass + "." + name).str());
    Value receiver = object.isNumber() ? materialize(node, object) : object;
    CallContext context(*this, node, entry);
    if (AttributeLowering get = vocabulary.findAttribute(entry))
      return get(context, receiver);
    if (vocabulary.find(entry))
      return Value::method(receiver, entry);
    if (vocabulary.isNotThereYet(entry))
      return error(node, "the attribute '" + name + "' is not there yet");
    std::string message = describe(object) + " has no attribute '" + name.str() + "'";
    std::vector<std::string> near = vocabulary.nearest(entry);
    for (std::string &text : near)
      text = llvm::StringRef(text).rsplit('.').second.str();
    if (!near.empty())
      message += "; did you mean '" + llvm::join(near, "' or '") + "'?";
    return error(node, message);
  }
  return error(node, describe(object) + " has no attribute '" + name + "'");
}
