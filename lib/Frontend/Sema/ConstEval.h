//===- ConstEval.h - Python's operators on compile-time values ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Both operands are known at compile time, so Python's own rules hold: integers of any size, `//`
// and `%` that floor, true division, string and tuple concatenation. An evaluation gives a value or
// the reason why there is none; the caller knows the place.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_SEMA_CONSTEVAL_H
#define KILN_LIB_FRONTEND_SEMA_CONSTEVAL_H

#include "kiln/Frontend/CallContext.h"

namespace kiln::frontend {

/// A value, or the message of an error.
struct Evaluated {
  std::optional<Value> value;
  std::string error;

  Evaluated(Value value) : value(std::move(value)) {}
  static Evaluated failure(const llvm::Twine &message) {
    Evaluated result{Value()};
    result.value.reset();
    result.error = message.str();
    return result;
  }
};

Evaluated evaluateBinary(BinaryOperator op, const Value &lhs, const Value &rhs);
Evaluated evaluateCompare(CompareOperator op, const Value &lhs, const Value &rhs);
Evaluated evaluateUnary(UnaryOperator op, const Value &operand);
/// `lhs in rhs`.
Evaluated evaluateIn(const Value &lhs, const Value &rhs);
/// Python's `bool()`; nothing for values that have no truth.
std::optional<bool> truth(const Value &value);
/// The value of a number as a float.
std::optional<double> asDouble(const Value &value);
/// The value of a bool or int.
std::optional<Integer> asInteger(const Value &value);
/// `format(value, spec)`; nothing where the specification is not one of Python's.
std::optional<std::string> formatValue(const Value &value, llvm::StringRef spec);

} // namespace kiln::frontend

#endif // KILN_LIB_FRONTEND_SEMA_CONSTEVAL_H
