//===- Expressions.cpp - expressions -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Ast/LiveNames.h"
#include "lib/Frontend/Sema/ConstEval.h"
#include "lib/Frontend/Sema/Sema.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace kiln;
using namespace kiln::frontend;

Value Sema::evaluate(const ast::Expr *expr) {
  llvm::SaveAndRestore<unsigned> scope(depth, depth + 1);
  if (depth > kMaxEvaluationDepth) {
    // One report: every level on the way back would find the same.
    if (!isTooDeep)
      error(*expr, "calls and expressions nest deeper than " + llvm::Twine(kMaxEvaluationDepth) +
                       " levels");
    isTooDeep = true;
  }
  if (isTooDeep || isCancelled)
    return Value::poison();
  return evaluateKind(expr);
}

Value Sema::evaluateKind(const ast::Expr *expr) {
  return llvm::TypeSwitch<const ast::Expr *, Value>(expr)
      .Case([&](const ast::NameExpr *node) { return readName(*node, node->id); })
      .Case([&](const ast::ConstantExpr *node) { return node->value; })
      .Case([&](const ast::BinaryExpr *node) {
        Value lhs = evaluate(node->lhs);
        Value rhs = evaluate(node->rhs);
        return binary(*node, node->op, lhs, rhs);
      })
      .Case([&](const ast::CallExpr *node) { return evaluateCall(*node); })
      .Case([&](const ast::AttributeExpr *node) {
        return attribute(*node, evaluate(node->object), node->name);
      })
      .Case([&](const ast::SubscriptExpr *node) {
        Value object = evaluate(node->object);
        Value index = evaluate(node->index);
        return subscript(*node, object, index);
      })
      .Case([&](const ast::SliceExpr *node) { return evaluateSlice(*node); })
      .Case([&](const ast::UnaryExpr *node) {
        return unary(*node, node->op, evaluate(node->operand));
      })
      .Case([&](const ast::CompareExpr *node) { return evaluateComparison(*node); })
      .Case([&](const ast::BoolExpr *node) { return evaluateBool(*node); })
      .Case([&](const ast::SequenceExpr *node) { return evaluateSequence(*node); })
      .Case([&](const ast::IfExpr *node) { return evaluateTernary(*node); })
      .Case([&](const ast::LambdaExpr *node) { return evaluateLambda(*node); })
      .Case([&](const ast::FormattedString *node) { return evaluateFormatted(*node); })
      .Case([&](const ast::ListComp *node) { return evaluateComprehension(*node); })
      .Case([&](const ast::NamedExpr *node) {
        Value value = evaluate(node->value);
        bind(node->target, value, *node);
        return value;
      })
      .Case([&](const ast::StarredExpr *node) {
        return error(*node, "'*' is only allowed among the arguments of a call and in a tuple");
      })
      .Case([&](const ast::DictExpr *node) { return evaluateDict(*node); })
      .Case([&](const ast::UnsupportedExpr *node) {
        return error(*node, "unsupported construct: found " + node->what +
                                ", which kernels cannot contain");
      })
      .Default([&](const ast::Expr *node) { return error(*node, "unsupported expression"); });
}

Value Sema::evaluateSlice(const ast::SliceExpr &node) {
  auto part = [&](const ast::Expr *expr) { return expr ? evaluate(expr) : Value::none(); };
  Value lower = part(node.lower);
  Value upper = part(node.upper);
  Value step = part(node.step);
  return Value::slice(lower, upper, step);
}

Value Sema::evaluateDict(const ast::DictExpr &node) {
  if (!hasBuffers())
    return error(node, "unsupported construct: found a dictionary, which kernels cannot contain");
  std::vector<Value> pairs;
  for (auto [key, value] : llvm::zip(node.keys, node.values)) {
    Value first = evaluate(key), second = evaluate(value);
    pairs.push_back(Value::tuple({first, second}));
  }
  return Value::tuple(std::move(pairs), {}, /*isList=*/true);
}

Value Sema::evaluateSequence(const ast::SequenceExpr &node) {
  std::vector<Value> elements;
  for (const ast::Expr *element : node.elements) {
    const auto *starred = llvm::dyn_cast<ast::StarredExpr>(element);
    if (!starred) {
      elements.push_back(evaluate(element));
      continue;
    }
    Value spread = evaluate(starred->value);
    if (spread.isTuple())
      llvm::append_range(elements, spread.elements());
    else if (!spread.isPoison())
      elements.push_back(error(*starred, "found " + describe(spread) + ", expected a tuple"));
    else
      elements.push_back(spread);
  }
  return Value::tuple(std::move(elements), {}, node.isList);
}

Value Sema::evaluateTernary(const ast::IfExpr &node) {
  Value given = read(*node.condition, evaluate(node.condition));
  if (given.isRuntime() && given.type().isBlock() && vocabulary.hooks().enterMask)
    return chooseLanes(node, given);
  std::optional<Value> decided = condition(*node.condition, given);
  if (!decided)
    return Value::poison();
  if (const bool *known = decided->asBool())
    return evaluate(*known ? node.thenValue : node.elseValue);

  ast::NameSet assigned(frame->names.size());
  ast::collectAssigned(node.thenValue, assigned);
  ast::collectAssigned(node.elseValue, assigned);
  // The two values leave the branches the way results of functions do.
  auto branch = [&](const ast::Expr *expr) {
    return [this, expr] {
      Completion completion;
      completion.kind = Completion::Returns;
      completion.value = evaluate(expr);
      completion.place = expr;
      return completion;
    };
  };
  auto thenBranch = branch(node.thenValue), elseBranch = branch(node.elseValue);
  return runBranches(node, decided->ir(), assigned, assigned, thenBranch, elseBranch).value;
}

Value Sema::evaluateLambda(const ast::LambdaExpr &node) {
  auto lambda = std::make_shared<LambdaData>();
  lambda->node = &node;
  lambda->function = frame->function;
  for (ast::NameId id : node.used)
    if (frame->names[id].state == Binding::Bound)
      lambda->captured.push_back({frame->function->names[id], frame->names[id].value});
  for (const ast::Expr *expr : node.defaults)
    lambda->defaults.push_back(evaluate(expr));
  return Value::lambda(std::move(lambda));
}

Value Sema::evaluateFormatted(const ast::FormattedString &node) {
  std::string text;
  bool isPoison = false;
  for (const ast::FormattedString::Part &part : node.parts) {
    Value value = evaluate(part.value);
    if (value.hasPoison()) {
      isPoison = true;
      continue;
    }
    if (part.conversion == 'r' || part.conversion == 'a')
      value = Value::string(pythonRepr(value));
    else if (part.conversion == 's')
      value = Value::string(pythonStr(value));
    std::optional<std::string> formatted = formatValue(value, part.format);
    if (!formatted) {
      error(*part.value, "cannot format " + describe(value) + " as '" + part.format + "'");
      isPoison = true;
      continue;
    }
    text += *formatted;
  }
  return isPoison ? Value::poison() : Value::string(text);
}

std::optional<std::vector<Value>> Sema::iterate(const ast::Node &node, const Value &iterable) {
  if (iterable.hasPoison())
    return std::nullopt;
  if (const TupleData *tuple = iterable.asTuple())
    return tuple->elements;
  const RangeData *range = iterable.asRange();
  if (!range || !iterable.isConstant()) {
    error(node, "found " + describe(iterable) +
                    ", expected a tuple or a range that is known at compile time");
    return std::nullopt;
  }
  Integer step = *asInteger(range->step), stop = *asInteger(range->stop);
  std::vector<Value> result;
  for (Integer i = *asInteger(range->start); step.isNegative() ? stop < i : i < stop;
       i = *i.add(step)) {
    if (result.size() == static_cast<size_t>(kMaxUnrolled)) {
      error(node, "the range has more than " + llvm::Twine(kMaxUnrolled) +
                      " elements, too many to unroll");
      return std::nullopt;
    }
    result.push_back(Value::integer(i));
  }
  return result;
}

bool Sema::comprehend(const ast::ListComp &node, size_t level, std::vector<Value> &result) {
  if (level == node.generators.size()) {
    if (result.size() == static_cast<size_t>(kMaxUnrolled)) {
      error(node, "the list has more than " + llvm::Twine(kMaxUnrolled) + " elements");
      return false;
    }
    result.push_back(evaluate(node.element));
    return !result.back().isPoison() && countVisit(node);
  }
  const ast::ListComp::Generator &generator = node.generators[level];
  std::optional<std::vector<Value>> values =
      iterate(*generator.iterable, evaluate(generator.iterable));
  if (!values)
    return false;
  for (const Value &value : *values) {
    assign(generator.target, value);
    bool isTaken = true;
    for (const ast::Expr *test : generator.conditions) {
      std::optional<Value> decided = condition(*test, evaluate(test));
      if (!decided)
        return false;
      if (!decided->asBool()) {
        error(*test, "a condition of a comprehension must be known at compile time");
        return false;
      }
      isTaken = isTaken && *decided->asBool();
      if (!isTaken)
        break;
    }
    if (isTaken && !comprehend(node, level + 1, result))
      return false;
  }
  return true;
}

Value Sema::evaluateComprehension(const ast::ListComp &node) {
  // The targets are names of the comprehension's own.
  std::vector<Binding> saved = frame->names;
  std::vector<Value> result;
  bool isDone = comprehend(node, 0, result);
  frame->names = std::move(saved);
  return isDone ? Value::tuple(std::move(result)) : Value::poison();
}

/// An index of Python, negative counted from the end.
static std::optional<size_t> elementIndex(const Value &index, size_t size) {
  std::optional<Integer> integer = asInteger(index);
  std::optional<int64_t> position = integer ? integer->asInt64() : std::nullopt;
  int64_t count = size;
  if (!position || *position < -count || *position >= count)
    return std::nullopt;
  return *position < 0 ? *position + count : *position;
}

/// `tuple[a:b:c]` by Python's rule; absent if a part is not an int.
static std::optional<std::vector<size_t>> slicePositions(const SliceData &slice, size_t size) {
  auto number = [](const Value &value, int64_t otherwise) -> std::optional<int64_t> {
    if (value.isNone())
      return otherwise;
    std::optional<Integer> integer = asInteger(value);
    if (!integer)
      return std::nullopt;
    return integer->asInt64().value_or(integer->isNegative() ? INT64_MIN : INT64_MAX);
  };
  int64_t count = size;
  std::optional<int64_t> step = number(slice.step, 1);
  if (!step || *step == 0)
    return std::nullopt;
  bool isDown = *step < 0;
  std::optional<int64_t> lower = number(slice.lower, isDown ? count - 1 : 0);
  std::optional<int64_t> upper = number(slice.upper, isDown ? -count - 1 : count);
  if (!lower || !upper)
    return std::nullopt;
  auto clamp = [&](int64_t position) {
    if (position < 0)
      position = position < -count ? -1 : position + count;
    return std::clamp<int64_t>(position, isDown ? -1 : 0, isDown ? count - 1 : count);
  };
  std::vector<size_t> result;
  int64_t last = clamp(*upper);
  for (int64_t i = clamp(*lower); isDown ? i > last : i < last; i += *step) {
    result.push_back(i);
    if (*step > count || *step < -count)
      break;
  }
  return result;
}

/// The indices of a subscript; elements of buffers among them are read.
llvm::SmallVector<Value> Sema::indicesOf(const ast::Node &node, const Value &index) {
  llvm::SmallVector<Value> indices;
  for (const Value &one : index.isTuple() ? index.elements() : llvm::ArrayRef(index)) {
    const SliceData *slice = one.asSlice();
    indices.push_back(slice ? Value::slice(read(node, slice->lower), read(node, slice->upper),
                                           read(node, slice->step))
                            : read(node, one));
  }
  return indices;
}

Value Sema::subscript(const ast::Node &node, const Value &object, const Value &index) {
  if (object.hasPoison() || index.hasPoison())
    return Value::poison();
  if (object.isRuntime() || object.asBuffer() || object.asRegion()) {
    CallContext context(*this, node, "subscript");
    return vocabulary.hooks().subscript(context, object, indicesOf(node, index));
  }
  const std::string *text = object.asString();
  if (!object.isTuple() && !text)
    return error(node, describe(object) + " has no elements");
  size_t size = text ? text->size() : object.elements().size();
  if (const SliceData *slice = index.asSlice()) {
    std::optional<std::vector<size_t>> positions = slicePositions(*slice, size);
    if (!positions)
      return error(node, "the bounds of a slice of " + describe(object) +
                             " must be ints, its step not zero");
    std::vector<Value> elements;
    std::string characters;
    for (size_t position : *positions)
      if (text)
        characters += (*text)[position];
      else
        elements.push_back(object.elements()[position]);
    if (text)
      return Value::string(characters);
    return Value::tuple(std::move(elements), {}, object.asTuple()->isList);
  }
  std::optional<size_t> position = elementIndex(index, size);
  if (!position && asInteger(index))
    return error(node, "index " + pythonRepr(index) + " is outside " + describe(object));
  if (!position)
    return error(node,
                 "found the index " + describe(index) + ", expected an int known at compile time");
  return text ? Value::string(text->substr(*position, 1)) : object.elements()[*position];
}
