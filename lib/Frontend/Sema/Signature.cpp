//===- Signature.cpp - parameters of language names --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Frontend/Vocabulary.h"
#include "lib/Frontend/Ast/HostValue.h"

#include "llvm/ADT/StringExtras.h"

using namespace kiln::frontend;

static Value parseDefault(llvm::StringRef text) {
  if (text == "None")
    return Value::none();
  if (text == "True" || text == "False")
    return Value::boolean(text == "True");
  if (text == "()")
    return Value::tuple({});
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"'))
    return Value::string(text.drop_front().drop_back());
  if (std::optional<Integer> integer = Integer::parse(text))
    return Value::integer(*integer);
  if (std::optional<double> number = ast::parseFloat(text))
    return Value::number(*number);
  assert(text.contains('.') && "a default is a constant or a dotted name");
  return Value::language(text);
}

static Signature::Form parseForm(llvm::StringRef text) {
  Signature::Form form;
  bool isKeywordOnly = false;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    auto [name, defaultText] = part.split('=');
    name = name.trim();
    if (name == "*") {
      isKeywordOnly = true;
      continue;
    }
    Signature::Parameter parameter;
    parameter.isVariadic = name.consume_front("*");
    parameter.isKeywordOnly = isKeywordOnly;
    parameter.name = name.str();
    assert(!name.empty() && llvm::all_of(name, [](char c) {
      return llvm::isAlnum(c) || c == '_';
    }) && "a parameter's name");
    if (!defaultText.empty())
      parameter.defaultValue = parseDefault(defaultText.trim());
    isKeywordOnly |= parameter.isVariadic;
    form.push_back(std::move(parameter));
  }
  return form;
}

Signature Signature::parse(llvm::StringRef text) {
  Signature signature;
  llvm::SmallVector<llvm::StringRef> forms;
  text.split(forms, '|');
  for (llvm::StringRef form : forms)
    signature.formList.push_back(parseForm(form));
  return signature;
}

/// Binds to one form; the reason if it does not fit.
static std::optional<std::string> bindForm(const Signature::Form &form,
                                           llvm::ArrayRef<Signature::GivenArgument> given,
                                           Arguments &arguments) {
  std::vector<const Signature::GivenArgument *> slots(form.size(), nullptr);
  size_t next = 0, positional = 0, capacity = 0;
  bool isVariadic = false;
  for (const Signature::Parameter &parameter : form) {
    isVariadic |= parameter.isVariadic;
    capacity += !parameter.isKeywordOnly && !parameter.isVariadic;
  }
  for (const Signature::GivenArgument &argument : given) {
    if (argument.keyword.empty()) {
      ++positional;
      while (next < form.size() && form[next].isKeywordOnly)
        ++next;
      if (next < form.size() && form[next].isVariadic)
        arguments.variadic.push_back({form[next].name, argument.value, argument.node});
      else if (next < form.size())
        slots[next++] = &argument;
      continue;
    }
    size_t index = 0;
    while (index < form.size() && (form[index].isVariadic || form[index].name != argument.keyword))
      ++index;
    if (index == form.size())
      return "no parameter '" + argument.keyword + "'";
    const Signature::GivenArgument *&slot = slots[index];
    if (slot)
      return "parameter '" + argument.keyword + "' is given twice";
    slot = &argument;
  }
  if (positional > capacity && !isVariadic)
    return "found " + std::to_string(positional) + " positional arguments, expected at most " +
           std::to_string(capacity);
  for (auto [parameter, slot] : llvm::zip(form, slots)) {
    if (parameter.isVariadic)
      continue;
    if (!slot && !parameter.defaultValue)
      return "argument '" + parameter.name + "' is missing";
    arguments.bound.push_back({parameter.name, slot ? slot->value : *parameter.defaultValue,
                               slot ? slot->node : nullptr});
  }
  return std::nullopt;
}

bool Signature::bind(llvm::ArrayRef<GivenArgument> given, Arguments &arguments,
                     std::string &reason) const {
  for (const Form &form : formList) {
    Arguments attempt;
    std::optional<std::string> failure = bindForm(form, given, attempt);
    if (!failure) {
      arguments = std::move(attempt);
      return true;
    }
    if (reason.empty())
      reason = *failure;
  }
  return false;
}

const Arguments::Argument *Arguments::find(llvm::StringRef name) const {
  for (const Argument &argument : bound)
    if (argument.name == name)
      return &argument;
  return nullptr;
}

const Value &Arguments::operator[](llvm::StringRef name) const {
  static const Value poison;
  const Argument *argument = find(name);
  return argument ? argument->value : poison;
}

bool Arguments::given(llvm::StringRef name) const {
  const Argument *argument = find(name);
  return argument && argument->node;
}

llvm::SmallVector<Value> Arguments::restValues() const {
  llvm::SmallVector<Value> values;
  for (const Argument &argument : variadic)
    values.push_back(argument.value);
  return values;
}
