//===- ConstEval.cpp - Python's operators on compile-time values -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/ConstEval.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace kiln::frontend;

std::optional<Integer> kiln::frontend::asInteger(const Value &value) {
  if (const bool *boolean = value.asBool())
    return Integer(*boolean ? 1 : 0);
  if (const Integer *integer = value.asInt())
    return *integer;
  return std::nullopt;
}

std::optional<double> kiln::frontend::asDouble(const Value &value) {
  if (const double *number = value.asFloat())
    return *number;
  if (std::optional<Integer> integer = asInteger(value))
    return integer->asDouble();
  return std::nullopt;
}

std::optional<bool> kiln::frontend::truth(const Value &value) {
  if (value.isNone())
    return false;
  if (std::optional<Integer> integer = asInteger(value))
    return !integer->isZero();
  if (const double *number = value.asFloat())
    return *number != 0.0;
  if (const std::string *text = value.asString())
    return !text->empty();
  if (value.isTuple())
    return !value.elements().empty();
  if (value.isConstant() && !value.asOpaque())
    return true;
  return std::nullopt;
}

static Evaluated failOperands(llvm::StringRef op, const Value &lhs, const Value &rhs) {
  return Evaluated::failure("unsupported operands of '" + op + "': " + describe(lhs) + " and " +
                            describe(rhs));
}

static Evaluated bounded(const std::optional<Integer> &result) {
  if (!result)
    return Evaluated::failure("the integer needs more than " + llvm::Twine(Integer::kMaxBits) +
                              " bits");
  return Value::integer(*result);
}

static Evaluated integerBinary(BinaryOperator op, const Integer &a, const Integer &b) {
  switch (op) {
  case BinaryOperator::Add:
    return bounded(a.add(b));
  case BinaryOperator::Sub:
    return bounded(a.sub(b));
  case BinaryOperator::Mul:
    return bounded(a.mul(b));
  case BinaryOperator::Div:
  case BinaryOperator::FloorDiv:
  case BinaryOperator::Mod:
    if (b.isZero())
      return Evaluated::failure("division by zero");
    if (op == BinaryOperator::Div)
      return Value::number(a.asDouble() / b.asDouble());
    return Value::integer(op == BinaryOperator::Mod ? a.floorMod(b) : a.floorDiv(b));
  case BinaryOperator::Pow:
    if (!b.isNegative())
      return bounded(a.pow(b));
    if (a.isZero())
      return Evaluated::failure("0 to a negative power");
    return Value::number(std::pow(a.asDouble(), b.asDouble()));
  case BinaryOperator::Shl:
  case BinaryOperator::Shr:
    if (b.isNegative())
      return Evaluated::failure("negative shift count " + b.str());
    return op == BinaryOperator::Shl ? bounded(a.shl(b)) : Evaluated(Value::integer(a.shr(b)));
  case BinaryOperator::And:
    return Value::integer(a.bitAnd(b));
  case BinaryOperator::Or:
    return Value::integer(a.bitOr(b));
  case BinaryOperator::Xor:
    return Value::integer(a.bitXor(b));
  default:
    return failOperands(spelling(op), Value::integer(a), Value::integer(b));
  }
}

static double floorMod(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest != 0.0)
    return (rest < 0) != (b < 0) ? rest + b : rest;
  return std::copysign(0.0, b);
}

static Evaluated floatBinary(BinaryOperator op, double a, double b) {
  switch (op) {
  case BinaryOperator::Add:
    return Value::number(a + b);
  case BinaryOperator::Sub:
    return Value::number(a - b);
  case BinaryOperator::Mul:
    return Value::number(a * b);
  case BinaryOperator::Div:
  case BinaryOperator::FloorDiv:
  case BinaryOperator::Mod:
    if (b == 0.0)
      return Evaluated::failure("division by zero");
    if (op == BinaryOperator::Div)
      return Value::number(a / b);
    if (op == BinaryOperator::Mod)
      return Value::number(floorMod(a, b));
    return Value::number(std::floor((a - floorMod(a, b)) / b + 0.5));
  case BinaryOperator::Pow: {
    double result = std::pow(a, b);
    if (std::isnan(result) && !std::isnan(a) && !std::isnan(b))
      return Evaluated::failure("a negative number to a fractional power");
    return Value::number(result);
  }
  default:
    return failOperands(spelling(op), Value::number(a), Value::number(b));
  }
}

static Evaluated repeated(const Value &sequence, const Integer &count) {
  int64_t times = std::max<int64_t>(0, count.asInt64().value_or(INT64_MAX));
  if (const std::string *text = sequence.asString()) {
    if (!text->empty() && times > (1 << 20) / static_cast<int64_t>(text->size()))
      return Evaluated::failure("the string would be too long");
    std::string result;
    for (int64_t i = 0; i < times && !text->empty(); ++i)
      result += *text;
    return Value::string(result);
  }
  const TupleData &tuple = *sequence.asTuple();
  if (!tuple.elements.empty() && times > (1 << 16) / static_cast<int64_t>(tuple.elements.size()))
    return Evaluated::failure("the sequence would be too long");
  std::vector<Value> result;
  for (int64_t i = 0; i < times && !tuple.elements.empty(); ++i)
    llvm::append_range(result, tuple.elements);
  return Value::tuple(std::move(result), {}, tuple.isList);
}

/// Strings and sequences; absent where the operands are neither.
static std::optional<Evaluated> sequenceBinary(BinaryOperator op, const Value &lhs,
                                               const Value &rhs) {
  if (op == BinaryOperator::Add) {
    if (lhs.asString() && rhs.asString())
      return Value::string(*lhs.asString() + *rhs.asString());
    if (lhs.isTuple() && rhs.isTuple() && lhs.asTuple()->isList == rhs.asTuple()->isList) {
      std::vector<Value> result = lhs.asTuple()->elements;
      llvm::append_range(result, rhs.elements());
      return Value::tuple(std::move(result), {}, lhs.asTuple()->isList);
    }
  }
  if (op == BinaryOperator::Mul) {
    if ((lhs.asString() || lhs.isTuple()) && asInteger(rhs))
      return repeated(lhs, *asInteger(rhs));
    if ((rhs.asString() || rhs.isTuple()) && asInteger(lhs))
      return repeated(rhs, *asInteger(lhs));
  }
  return std::nullopt;
}

Evaluated kiln::frontend::evaluateBinary(BinaryOperator op, const Value &lhs, const Value &rhs) {
  bool isBitwise =
      op == BinaryOperator::And || op == BinaryOperator::Or || op == BinaryOperator::Xor;
  if (isBitwise && lhs.asBool() && rhs.asBool()) {
    bool a = *lhs.asBool(), b = *rhs.asBool();
    return Value::boolean(op == BinaryOperator::And  ? (a && b)
                          : op == BinaryOperator::Or ? (a || b)
                                                     : (a != b));
  }
  std::optional<Integer> a = asInteger(lhs), b = asInteger(rhs);
  if (a && b)
    return integerBinary(op, *a, *b);
  std::optional<double> x = asDouble(lhs), y = asDouble(rhs);
  if (x && y && !isBitwise && op != BinaryOperator::Shl && op != BinaryOperator::Shr)
    return floatBinary(op, *x, *y);
  if (std::optional<Evaluated> result = sequenceBinary(op, lhs, rhs))
    return *result;
  return failOperands(spelling(op), lhs, rhs);
}

/// -1, 0, 1, or 2 where one of the floats is nan.
static int order(const Value &lhs, const Value &rhs) {
  std::optional<Integer> a = asInteger(lhs), b = asInteger(rhs);
  if (a && b)
    return a->compare(*b);
  // An int against a float is exact in Python; the cap on integers keeps both finite ranges
  // comparable as doubles only roughly, which matters beyond 2**53 alone.
  double x = *asDouble(lhs), y = *asDouble(rhs);
  return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
}

static bool holds(CompareOperator op, int order) {
  switch (op) {
  case CompareOperator::Eq:
    return order == 0;
  case CompareOperator::Ne:
    return order != 0;
  case CompareOperator::Lt:
    return order == -1;
  case CompareOperator::Le:
    return order == -1 || order == 0;
  case CompareOperator::Gt:
    return order == 1;
  case CompareOperator::Ge:
    return order == 1 || order == 0;
  }
  return false;
}

/// `==` of any two compile-time values.
static bool equal(const Value &lhs, const Value &rhs) {
  if (lhs.isNumber() && rhs.isNumber())
    return order(lhs, rhs) == 0;
  if (lhs.isTuple() && rhs.isTuple())
    return lhs.asTuple()->isList == rhs.asTuple()->isList &&
           llvm::equal(lhs.elements(), rhs.elements(), equal);
  return identical(lhs, rhs);
}

Evaluated kiln::frontend::evaluateCompare(CompareOperator op, const Value &lhs, const Value &rhs) {
  if (lhs.isNumber() && rhs.isNumber())
    return Value::boolean(holds(op, order(lhs, rhs)));
  if (op == CompareOperator::Eq || op == CompareOperator::Ne)
    return Value::boolean(equal(lhs, rhs) == (op == CompareOperator::Eq));
  if (lhs.asString() && rhs.asString()) {
    int result = lhs.asString()->compare(*rhs.asString());
    return Value::boolean(holds(op, result < 0 ? -1 : result > 0));
  }
  if (lhs.isTuple() && rhs.isTuple()) {
    for (auto [a, b] : llvm::zip(lhs.elements(), rhs.elements()))
      if (!equal(a, b))
        return evaluateCompare(op, a, b);
    int sizes = static_cast<int>(lhs.elements().size()) - static_cast<int>(rhs.elements().size());
    return Value::boolean(holds(op, sizes < 0 ? -1 : sizes > 0));
  }
  return failOperands(spelling(op), lhs, rhs);
}

Evaluated kiln::frontend::evaluateUnary(UnaryOperator op, const Value &operand) {
  if (op == UnaryOperator::Not) {
    if (std::optional<bool> value = truth(operand))
      return Value::boolean(!*value);
  } else if (std::optional<Integer> integer = asInteger(operand)) {
    return Value::integer(op == UnaryOperator::Minus    ? -*integer
                          : op == UnaryOperator::Invert ? ~*integer
                                                        : *integer);
  } else if (const double *number = operand.asFloat(); number && op != UnaryOperator::Invert) {
    return Value::number(op == UnaryOperator::Minus ? -*number : *number);
  }
  return Evaluated::failure("unsupported operand of '" + spelling(op) + "': " + describe(operand));
}

Evaluated kiln::frontend::evaluateIn(const Value &lhs, const Value &rhs) {
  if (lhs.asString() && rhs.asString())
    return Value::boolean(llvm::StringRef(*rhs.asString()).contains(*lhs.asString()));
  if (rhs.isTuple())
    return Value::boolean(
        llvm::any_of(rhs.elements(), [&](const Value &element) { return equal(lhs, element); }));
  return failOperands("in", lhs, rhs);
}
