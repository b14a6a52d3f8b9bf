//===- Operators.cpp - operators: at compile time, or through the vocabulary's hooks -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/ConstEval.h"
#include "lib/Frontend/Sema/Sema.h"

using namespace kiln;
using namespace kiln::frontend;

llvm::StringRef kiln::frontend::spelling(BinaryOperator op) {
  static constexpr llvm::StringLiteral table[] = {"+", "-", "*", "/",  "//", "%",   "**", "@",
                                                  "&", "|", "^", "<<", ">>", "and", "or"};
  return table[static_cast<size_t>(op)];
}

llvm::StringRef kiln::frontend::spelling(CompareOperator op) {
  static constexpr llvm::StringLiteral table[] = {"==", "!=", "<", "<=", ">", ">="};
  return table[static_cast<size_t>(op)];
}

llvm::StringRef kiln::frontend::spelling(UnaryOperator op) {
  static constexpr llvm::StringLiteral table[] = {"+", "-", "~", "not"};
  return table[static_cast<size_t>(op)];
}

Value Sema::binary(const ast::Node &node, BinaryOperator op, const Value &left,
                   const Value &right) {
  Value lhs = read(node, left), rhs = read(node, right);
  if (lhs.hasPoison() || rhs.hasPoison())
    return Value::poison();
  if (op == BinaryOperator::MatMul)
    return error(node,
                 llvm::Twine("'@' is not an operator of the language; matrices are multiplied "
                             "by ") +
                     (hasBuffers() ? "T.gemm" : "tl.dot"));
  if (!lhs.isRuntime() && !rhs.isRuntime()) {
    Evaluated result = evaluateBinary(op, lhs, rhs);
    return result.value ? *result.value : error(node, result.error);
  }
  CallContext context(*this, node, spelling(op));
  return vocabulary.hooks().binary(context, op, lhs, rhs);
}

Value Sema::read(const ast::Node &node, const Value &value) {
  const RegionData *region = value.asRegion();
  if (!region || !region->isElement())
    return value;
  CallContext context(*this, node, "element");
  return vocabulary.hooks().read(context, *region);
}

Value Sema::compare(const ast::Node &node, CompareOperator op, const Value &left,
                    const Value &right) {
  Value lhs = read(node, left), rhs = read(node, right);
  if (lhs.hasPoison() || rhs.hasPoison())
    return Value::poison();
  if (!lhs.isRuntime() && !rhs.isRuntime()) {
    if (!lhs.isConstant() || !rhs.isConstant())
      return error(node, "cannot compare " + describe(lhs) + " with " + describe(rhs) +
                             " that hold runtime values");
    Evaluated result = evaluateCompare(op, lhs, rhs);
    return result.value ? *result.value : error(node, result.error);
  }
  // A tensor is never None.
  if ((lhs.isNone() || rhs.isNone()) && (op == CompareOperator::Eq || op == CompareOperator::Ne))
    return Value::boolean(op == CompareOperator::Ne);
  CallContext context(*this, node, spelling(op));
  return vocabulary.hooks().compare(context, op, lhs, rhs);
}

Value Sema::unary(const ast::Node &node, UnaryOperator op, const Value &given) {
  Value operand = read(node, given);
  if (operand.hasPoison())
    return Value::poison();
  if (!operand.isRuntime()) {
    Evaluated result = evaluateUnary(op, operand);
    return result.value ? *result.value : error(node, result.error);
  }
  CallContext context(*this, node, spelling(op));
  return vocabulary.hooks().unary(context, op, operand);
}

std::optional<Value> Sema::condition(const ast::Node &node, const Value &given) {
  Value value = read(node, given);
  if (value.hasPoison())
    return std::nullopt;
  if (!value.isRuntime()) {
    std::optional<bool> result = truth(value);
    if (result)
      return Value::boolean(*result);
    error(node, "found " + describe(value) + ", expected a condition");
    return std::nullopt;
  }
  if (!value.type().isScalar()) {
    error(node, "found " + describe(value) + ", expected a scalar condition" +
                    (hasBuffers() ? "" : "; tl.where chooses lane by lane"));
    return std::nullopt;
  }
  CallContext context(*this, node, "condition");
  Value result = vocabulary.hooks().truth(context, value);
  if (result.isPoison())
    return std::nullopt;
  return result;
}

Value Sema::evaluateBool(const ast::BoolExpr &node) {
  BinaryOperator op = node.isAnd ? BinaryOperator::LogicalAnd : BinaryOperator::LogicalOr;
  auto evaluate = [&](const ast::Expr *operand) { return read(*operand, Sema::evaluate(operand)); };
  Value result = evaluate(node.operands.front());
  for (const ast::Expr *operand : llvm::ArrayRef(node.operands).drop_front()) {
    if (result.hasPoison())
      return Value::poison();
    if (!result.isRuntime()) {
      std::optional<bool> known = truth(result);
      if (!known)
        return error(node, "found " + describe(result) + ", expected a condition");
      // Python's rule: the operand that decides is the result, what follows is not evaluated.
      if (*known != node.isAnd)
        return result;
      result = evaluate(operand);
      continue;
    }
    Value next = evaluate(operand);
    if (next.hasPoison())
      return Value::poison();
    if (!next.isRuntime()) {
      std::optional<bool> known = truth(next);
      if (!known)
        return error(*operand, "found " + describe(next) + ", expected a condition");
      next = Value::boolean(*known);
    }
    result = binary(node, op, result, next);
  }
  return result;
}

Value Sema::compareOne(const ast::CompareExpr &node, ast::Comparison op, const Value &lhs,
                       const Value &rhs) {
  if (lhs.hasPoison() || rhs.hasPoison())
    return Value::poison();
  switch (op) {
  case ast::Comparison::Eq:
    return compare(node, CompareOperator::Eq, lhs, rhs);
  case ast::Comparison::Ne:
    return compare(node, CompareOperator::Ne, lhs, rhs);
  case ast::Comparison::Lt:
    return compare(node, CompareOperator::Lt, lhs, rhs);
  case ast::Comparison::Le:
    return compare(node, CompareOperator::Le, lhs, rhs);
  case ast::Comparison::Gt:
    return compare(node, CompareOperator::Gt, lhs, rhs);
  case ast::Comparison::Ge:
    return compare(node, CompareOperator::Ge, lhs, rhs);
  case ast::Comparison::Is:
  case ast::Comparison::IsNot: {
    bool isSame = lhs.isRuntime() && rhs.isRuntime() ? lhs.ir() == rhs.ir() : identical(lhs, rhs);
    return Value::boolean(isSame == (op == ast::Comparison::Is));
  }
  case ast::Comparison::In:
  case ast::Comparison::NotIn: {
    if (!lhs.isConstant() || !rhs.isConstant())
      return error(node, "'in' is decided at compile time: found " + describe(lhs) + " and " +
                             describe(rhs));
    Evaluated result = evaluateIn(lhs, rhs);
    if (!result.value)
      return error(node, result.error);
    return Value::boolean(*result.value->asBool() == (op == ast::Comparison::In));
  }
  }
  return Value::poison();
}

Value Sema::evaluateComparison(const ast::CompareExpr &node) {
  Value lhs = evaluate(node.first);
  std::optional<Value> result;
  for (auto [op, operand] : llvm::zip(node.ops, node.rest)) {
    Value rhs = evaluate(operand);
    Value one = compareOne(node, op, lhs, rhs);
    if (one.isPoison())
      return one;
    if (!result)
      result = one;
    else if (!result->isRuntime())
      result = one; // a constant that was true
    else
      result = binary(node, BinaryOperator::LogicalAnd, *result, one);
    if (result->isPoison())
      return *result;
    if (const bool *known = one.asBool(); known && !*known)
      return Value::boolean(false);
    lhs = rhs;
  }
  return *result;
}
