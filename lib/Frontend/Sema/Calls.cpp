//===- Calls.cpp - calls: arguments, and who answers -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/ConstEval.h"
#include "lib/Frontend/Sema/Sema.h"

using namespace kiln;
using namespace kiln::frontend;

bool Sema::isCallable(const Value &value) {
  return value.asLanguage() || value.asFunction() || value.asLambda() || value.asHost() ||
         value.asBuiltin() || value.asMethod();
}

bool Sema::evaluateArguments(const ast::CallExpr &node, GivenArguments &arguments) {
  bool isWhole = true;
  auto give = [&](std::string keyword, Value value, const ast::Node *place) {
    isWhole &= !value.hasPoison();
    arguments.push_back({std::move(keyword), std::move(value), place});
  };
  for (const ast::Expr *argument : node.arguments) {
    const auto *starred = llvm::dyn_cast<ast::StarredExpr>(argument);
    if (!starred) {
      give("", evaluate(argument), argument);
      continue;
    }
    Value spread = evaluate(starred->value);
    if (!spread.isTuple() && !spread.isPoison())
      spread = error(*starred, "found " + describe(spread) + " after '*', expected a tuple");
    isWhole &= !spread.isPoison();
    for (const Value &element : spread.elements())
      give("", element, starred);
  }
  for (const ast::CallExpr::Keyword &keyword : node.keywords) {
    if (keyword.name.empty()) {
      error(*keyword.value, "unsupported construct: found '**' in a call");
      isWhole = false;
      continue;
    }
    give(keyword.name, evaluate(keyword.value), keyword.value);
  }
  return isWhole;
}

Value Sema::evaluateCall(const ast::CallExpr &node) {
  Value callee = evaluate(node.callee);
  GivenArguments arguments;
  // Arguments are visited whatever the callee is, for the errors in them.
  bool isWhole = evaluateArguments(node, arguments);
  if (callee.isPoison() || !isWhole)
    return Value::poison();
  return call(node, callee, arguments);
}

Value Sema::call(const ast::Node &node, const Value &callee, const GivenArguments &arguments) {
  if (callee.isPoison() ||
      llvm::any_of(arguments, [](const auto &argument) { return argument.value.hasPoison(); }))
    return Value::poison();
  if (const LanguageName *language = callee.asLanguage())
    return callLanguage(node, language->name, arguments);
  if (const MethodData *method = callee.asMethod()) {
    GivenArguments withReceiver{{"", method->receiver, &node}};
    withReceiver.append(arguments.begin(), arguments.end());
    return callLanguage(node, method->entry, withReceiver);
  }
  if (const FunctionRef *function = callee.asFunction())
    return callFunction(node, *function->function, arguments);
  if (const LambdaData *lambda = callee.asLambda())
    return callLambda(node, *lambda, arguments);
  if (const HostRef *host = callee.asHost())
    return callHost(node, host->id, arguments);
  if (const BuiltinRef *builtin = callee.asBuiltin())
    return callBuiltin(node, builtin->name, arguments);
  if (callee.asType() && vocabulary.find("dtype.__call__")) {
    GivenArguments withType{{"", callee, &node}};
    withType.append(arguments.begin(), arguments.end());
    return callLanguage(node, "dtype.__call__", withType);
  }
  return error(node, describe(callee) + " cannot be called");
}

/// Defaults of signatures may be dotted names, which stand for constants of the vocabulary.
static void resolveDefaults(const Vocabulary &vocabulary, Arguments &arguments) {
  for (Arguments::Argument &argument : arguments.bound)
    if (!argument.node && argument.value.asLanguage())
      if (const Value *constant = vocabulary.findConstant(argument.value.asLanguage()->name))
        argument.value = *constant;
}

Value Sema::callLanguage(const ast::Node &node, llvm::StringRef name,
                         const GivenArguments &arguments) {
  std::string canonical = vocabulary.canonical(name);
  if (std::optional<Value> result = callCore(node, canonical, arguments))
    return *result;
  const Vocabulary::Entry *entry = vocabulary.find(canonical);
  if (!entry && vocabulary.isNamespace(canonical))
    return error(node, canonical + " is a module and cannot be called");
  if (!entry)
    return resolveLanguage(node, canonical);
  Arguments bound;
  std::string reason;
  if (!entry->signature.bind(arguments, bound, reason))
    return error(node, "call of " + canonical + ": " + reason);
  resolveDefaults(vocabulary, bound);
  CallContext context(*this, node, entry->name);
  return entry->lower(context, bound);
}

bool Sema::isCoreName(llvm::StringRef name) {
  return name == "tl.range" || name == "tl.static_range" || name == "tl.constexpr" ||
         name == "triton.next_power_of_2";
}

/// What the core itself gives a meaning: the names of isCoreName.
std::optional<Value> Sema::callCore(const ast::Node &node, llvm::StringRef name,
                                    const GivenArguments &arguments) {
  if (name == "tl.range" || name == "tl.static_range")
    return callRange(node, name, arguments);
  if (name == "triton.next_power_of_2")
    return callNextPowerOf2(node, arguments);
  if (name != "tl.constexpr")
    return std::nullopt;
  if (arguments.size() != 1 || !arguments[0].keyword.empty())
    return error(node, "call of tl.constexpr: expected one positional argument");
  if (!arguments[0].value.isConstant())
    return error(node, "found " + describe(arguments[0].value) +
                           ", expected a value that is known at compile time");
  return arguments[0].value;
}

Value Sema::callNextPowerOf2(const ast::Node &node, const GivenArguments &arguments) {
  std::optional<Integer> number =
      arguments.size() == 1 ? asInteger(arguments[0].value) : std::nullopt;
  if (!number)
    return error(node, "call of triton.next_power_of_2: expected one int known at compile time");
  Integer power(1);
  while (power < *number) {
    std::optional<Integer> doubled = power.add(power);
    if (!doubled)
      return error(node,
                   "the power of two needs more than " + llvm::Twine(Integer::kMaxBits) + " bits");
    power = *doubled;
  }
  return Value::integer(power);
}

Value Sema::callRange(const ast::Node &node, llvm::StringRef name,
                      const GivenArguments &arguments) {
  static const Signature plain = Signature::parse("stop | start, stop, step=1");
  static const Signature staticRange =
      Signature::parse("stop | start, stop, step=1 | arg1, arg2=None, step=None");
  // The hints are tl.range's own; `arg1` and `arg2` are the names that Triton gives the bounds.
  static const Signature hinted = Signature::parse(
      "arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, "
      "disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False");
  bool isStatic = name == "tl.static_range", isHinted = name == "tl.range";
  const Signature &signature = isHinted ? hinted : isStatic ? staticRange : plain;
  Arguments bound;
  std::string reason;
  if (!signature.bind(arguments, bound, reason))
    return error(node, "call of " + name + ": " + reason);
  for (Arguments::Argument &argument : bound.bound)
    argument.value = read(node, argument.value);
  auto first = [&](std::initializer_list<llvm::StringRef> names) {
    for (llvm::StringRef candidate : names)
      if (const Arguments::Argument *argument = bound.find(candidate))
        if (!argument->value.isNone())
          return argument->value;
    return Value::none();
  };
  RangeData range;
  range.isStatic = isStatic;
  range.start = first({"start", "arg1"});
  range.stop = first({"stop", "arg2"});
  if (range.stop.isNone() || range.start.isNone()) {
    range.stop = range.stop.isNone() ? range.start : range.stop;
    range.start = Value::integer(0);
  }
  range.step = bound.find("step") ? bound["step"] : Value::none();
  if (range.step.isNone())
    range.step = Value::integer(1);
  llvm::StringRef shown = hasBuffers() ? "the loop" : name;
  for (Value *part : {&range.start, &range.stop, &range.step}) {
    if (asInteger(*part))
      *part = Value::integer(*asInteger(*part));
    else if (isStatic)
      return error(node, "found " + describe(*part) + " as a bound of " + shown +
                             ", expected an int known at compile time");
    else if (!part->isRuntime() || !part->type().isScalar() || !part->type().isIntegerLike())
      return error(node, "found " + describe(*part) + " as a bound of " + shown +
                             ", expected an integer scalar");
  }
  if (range.step.asInt() && range.step.asInt()->isZero())
    return error(node, "the step of a range must not be zero");
  for (llvm::StringRef hint : {"num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer",
                               "flatten", "warp_specialize", "disable_licm"}) {
    const Arguments::Argument *argument = bound.find(hint);
    if (!argument || !argument->node || argument->value.isNone())
      continue;
    if (!argument->value.isConstant() || !asInteger(argument->value))
      return error(node, "argument '" + hint + "' of " + name + ": found " +
                             describe(argument->value) + ", expected an int or a bool");
    range.hints.push_back({hint.str(), argument->value});
  }
  return Value::range(std::move(range));
}
