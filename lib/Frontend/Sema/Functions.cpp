//===- Functions.cpp - calls of jit functions, lambdas and host functions ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Ast/HostValue.h"
#include "lib/Frontend/Sema/Sema.h"

#include "kiln/Support/Json.h"

#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/raw_ostream.h"

using namespace kiln;
using namespace kiln::frontend;

Frame Sema::newFrame(const ast::Function &function, const ast::Node *callNode) {
  mlir::Location here = callNode ? loc(*callNode) : builder.getUnknownLoc();
  return Frame{&function,
               std::vector<Binding>(function.names.size()),
               callNode ? frame : nullptr,
               callNode,
               here,
               builder.getStringAttr(function.file),
               ast::NameSet(function.names.size())};
}

bool Sema::bindParameters(const ast::Node &node, const ast::Function &function,
                          const GivenArguments &arguments, Frame &callee) {
  auto fail = [&](const ast::Node *place, const llvm::Twine &message) {
    error(place ? *place : node, "call of '" + function.name + "': " + message);
    return false;
  };
  std::vector<const Signature::GivenArgument *> slots(function.parameters.size(), nullptr);
  std::vector<Value> extra;
  size_t next = 0;
  std::optional<size_t> variadic;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    if (function.parameters[i]->passing == ast::Parameter::Variadic)
      variadic = i;
    if (function.parameters[i]->passing == ast::Parameter::Keywords)
      return fail(nullptr, "it has a '**' parameter, which is not supported");
  }
  for (const Signature::GivenArgument &argument : arguments) {
    size_t slot = function.parameters.size();
    if (argument.keyword.empty()) {
      if (next < slots.size() && function.parameters[next]->passing == ast::Parameter::Positional)
        slot = next++;
      else if (!variadic)
        return fail(argument.node, "found more positional arguments than the " + llvm::Twine(next) +
                                       " that it takes");
      else {
        extra.push_back(argument.value);
        continue;
      }
    } else {
      for (size_t i = 0; i < slots.size(); ++i)
        if (function.parameters[i]->name == argument.keyword &&
            function.parameters[i]->passing != ast::Parameter::Variadic)
          slot = i;
      if (slot == slots.size())
        return fail(argument.node, "no parameter '" + argument.keyword + "'");
      if (slots[slot])
        return fail(argument.node, "parameter '" + argument.keyword + "' is given twice");
    }
    slots[slot] = &argument;
  }
  for (auto [index, parameter] : llvm::enumerate(function.parameters)) {
    Value value;
    if (variadic && index == *variadic)
      value = Value::tuple(extra);
    else if (slots[index])
      value = slots[index]->value;
    else if (parameter->defaultValue)
      value = parameter->defaultValue->asLanguage()
                  ? resolveLanguage(node, parameter->defaultValue->asLanguage()->name)
                  : *parameter->defaultValue;
    else
      return fail(nullptr, "argument '" + parameter->name + "' is missing");
    if (parameter->isConstexpr && !value.isConstant() && !value.isPoison())
      return fail(slots[index] ? slots[index]->node : nullptr,
                  "parameter '" + parameter->name + "' is constexpr, found " + describe(value) +
                      ", expected a value known at compile time");
    callee.names[parameter->id] = {Binding::Bound, value, parameter};
  }
  return true;
}

Value Sema::callFunction(const ast::Node &node, const ast::Function &function,
                         const GivenArguments &arguments) {
  for (const Frame *outer = frame; outer; outer = outer->caller)
    if (outer->function == &function && !outer->isLambda)
      return error(node, "recursive call of '" + function.name + "': kernels are inlined");
  // Functions that call each other without recursion are bounded by their number only.
  llvm::SaveAndRestore<unsigned> scope(depth, depth + 8);
  if (depth > kMaxEvaluationDepth) {
    isTooDeep = true;
    return error(node, "calls nest too deep");
  }
  Frame callee = newFrame(function, &node);
  if (!bindParameters(node, function, arguments, callee))
    return Value::poison();
  llvm::SaveAndRestore<Frame *> current(frame, &callee);
  ast::NameSet nothing(function.names.size());
  Completion completion = run(function.body, nothing);
  return resultOf(node, function, completion);
}

Value Sema::resultOf(const ast::Node &node, const ast::Function &function, Completion completion) {
  switch (completion.kind) {
  case Completion::Falls:
    return Value::none();
  case Completion::Stops:
    return Value::poison();
  case Completion::Returns:
    return completion.value;
  case Completion::May:
    if (completion.value.isNone() || completion.value.isPoison())
      return completion.value;
    return error(*completion.place, "'" + function.name + "' returns " +
                                        describe(completion.value) +
                                        " here, but nothing on the other ways through it");
  }
  return Value::poison();
}

Value Sema::callLambda(const ast::Node &node, const LambdaData &lambda,
                       const GivenArguments &arguments) {
  const ast::LambdaExpr &expr = *lambda.node;
  size_t count = expr.parameters.size(), required = count - lambda.defaults.size();
  bool hasKeywords =
      llvm::any_of(arguments, [](const auto &argument) { return !argument.keyword.empty(); });
  if (hasKeywords || arguments.size() < required || arguments.size() > count)
    return error(node, "call of a lambda: found " + llvm::Twine(arguments.size()) +
                           " arguments, expected " + llvm::Twine(count) +
                           (hasKeywords ? " without keywords" : ""));
  Frame callee = newFrame(*lambda.function, &node);
  callee.isLambda = true;
  for (const auto &[name, value] : lambda.captured)
    callee.names[lambda.function->nameIds.lookup(name)] = {Binding::Bound, value, &expr};
  for (size_t i = 0; i < count; ++i)
    callee.names[expr.parameters[i]] = {
        Binding::Bound, i < arguments.size() ? arguments[i].value : lambda.defaults[i - required],
        &expr};
  llvm::SaveAndRestore<Frame *> current(frame, &callee);
  return evaluate(expr.body);
}

Value Sema::callHost(const ast::Node &node, int64_t id, const GivenArguments &arguments) {
  if (!input.host || !input.host->callHost)
    return error(node, "there is no host to evaluate this function at compile time");
  llvm::json::Array positional;
  llvm::json::Object keywords;
  for (const Signature::GivenArgument &argument : arguments) {
    std::optional<llvm::json::Value> json = ast::writeValue(argument.value);
    if (!json && id >= 0 && uint64_t(id) < capture.hostBodies.size() && capture.hostBodies[id])
      return callFunction(node, *capture.hostBodies[id], arguments);
    if (!json)
      return error(*argument.node, "a host function is evaluated at compile time: found " +
                                       describe(argument.value) +
                                       ", expected a value known at compile time");
    if (argument.keyword.empty())
      positional.push_back(std::move(*json));
    else
      keywords[argument.keyword] = std::move(*json);
  }
  std::string request;
  llvm::raw_string_ostream(request) << llvm::json::Value(llvm::json::Object{
      {"function", id}, {"args", std::move(positional)}, {"kwargs", std::move(keywords)}});
  char *text = input.host->callHost(input.host->user, request.c_str());
  if (!text)
    return error(node, "the host did not evaluate the function");
  llvm::Expected<llvm::json::Value> answer = parseJson(text);
  std::string reason = "the answer is malformed";
  std::optional<Value> result;
  if (answer) {
    if (const llvm::json::Object *object = answer->getAsObject()) {
      if (const llvm::json::Value *value = object->get("value"))
        result = ast::readValue(*value, &capture, reason);
      else
        reason = object->getString("error").value_or(reason).str();
    }
  } else {
    llvm::consumeError(answer.takeError());
  }
  if (input.host->freeText)
    input.host->freeText(input.host->user, text);
  if (!result)
    return error(node, "call of a host function: " + reason);
  return *result;
}
