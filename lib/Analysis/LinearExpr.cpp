//===- LinearExpr.cpp - sums of scalars times constants --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Analysis/LinearExpr.h"

#include "kiln/Analysis/IntegerFacts.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln;

/// A product that is longer stays one opaque factor: expressions are compared term by term.
static constexpr size_t kMaxTerms = 8;

//===-----------------------------------------------------------------------------------------===//
// Arithmetic
//===-----------------------------------------------------------------------------------------===//

bool LinearTerm::sameFactors(const LinearTerm &other) const {
  return factors.size() == other.factors.size() &&
         std::is_permutation(factors.begin(), factors.end(), other.factors.begin());
}

LinearExpr LinearExpr::leaf(Value value) {
  LinearExpr expr;
  expr.terms.push_back({{value}, 1});
  return expr;
}

std::optional<int64_t> LinearExpr::asConstant() const {
  return isConstant() ? std::optional(constant) : std::nullopt;
}

/// Two's complement without undefined behaviour: address arithmetic is modulo 2^64 in the end.
static int64_t wrappingAdd(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
static int64_t wrappingMul(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

void LinearExpr::addTerm(const LinearTerm &term, int64_t factor) {
  int64_t coefficient = wrappingMul(term.coefficient, factor);
  if (coefficient == 0)
    return;
  for (LinearTerm &mine : terms) {
    if (!mine.sameFactors(term))
      continue;
    mine.coefficient = wrappingAdd(mine.coefficient, coefficient);
    if (mine.coefficient == 0)
      terms.erase(&mine);
    return;
  }
  terms.push_back({term.factors, coefficient});
}

LinearExpr LinearExpr::operator+(const LinearExpr &other) const {
  LinearExpr sum = *this;
  sum.constant = wrappingAdd(constant, other.constant);
  for (const LinearTerm &term : other.terms)
    sum.addTerm(term, 1);
  return sum;
}

LinearExpr LinearExpr::operator-(const LinearExpr &other) const { return *this + other * -1; }

LinearExpr LinearExpr::operator*(int64_t factor) const {
  LinearExpr product(wrappingMul(constant, factor));
  for (const LinearTerm &term : terms)
    product.addTerm(term, factor);
  return product;
}

std::optional<LinearExpr> LinearExpr::times(const LinearExpr &other) const {
  if (other.isConstant())
    return *this * other.constant;
  if (isConstant())
    return other * constant;
  if ((terms.size() + 1) * (other.terms.size() + 1) > kMaxTerms)
    return std::nullopt;
  LinearExpr product = *this * other.constant + other * constant;
  product.constant = wrappingMul(constant, other.constant);
  for (const LinearTerm &mine : terms)
    for (const LinearTerm &theirs : other.terms) {
      LinearTerm term = mine;
      llvm::append_range(term.factors, theirs.factors);
      product.addTerm(term, theirs.coefficient);
    }
  return product;
}

//===-----------------------------------------------------------------------------------------===//
// From values
//===-----------------------------------------------------------------------------------------===//

/// 8- and 16-bit arithmetic wraps around in ordinary programs, wider arithmetic is taken as exact.
static bool isExact(Type type) {
  return type.isIndex() || (type.isInteger() && type.getIntOrFloatBitWidth() >= 32);
}

LinearExpr LinearExprs::get(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  LinearExpr expr = compute(value);
  known[value] = expr;
  return expr;
}

LinearExpr LinearExprs::compute(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return LinearExpr(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (!op || !isExact(value.getType()))
    return LinearExpr::leaf(value);

  if (isa<arith::AddIOp>(op))
    return get(op->getOperand(0)) + get(op->getOperand(1));
  if (isa<arith::SubIOp>(op))
    return get(op->getOperand(0)) - get(op->getOperand(1));
  if (isa<arith::MulIOp>(op)) {
    LinearExpr left = get(op->getOperand(0));
    if (std::optional<LinearExpr> product = left.times(get(op->getOperand(1))))
      return *product;
  }
  if (auto shift = dyn_cast<arith::ShLIOp>(op)) {
    APInt amount;
    if (matchPattern(shift.getRhs(), m_ConstantInt(&amount)) && amount.ult(62))
      return get(shift.getLhs()) * (int64_t(1) << amount.getZExtValue());
  }
  if (isa<tile::HintOp>(op))
    return get(op->getOperand(0));
  if (isa<arith::ExtSIOp, arith::IndexCastOp, arith::ExtUIOp, arith::IndexCastUIOp>(op)) {
    // Index casts in both directions: offsets of 32 bits that are carried as `index` do not
    // overflow either.
    Value source = op->getOperand(0);
    bool zero = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
    if (isExact(source.getType()) && (!zero || (facts && facts->get(source).isNonNegative())))
      return get(source);
  }
  return LinearExpr::leaf(value);
}

//===-----------------------------------------------------------------------------------------===//
// To values
//===-----------------------------------------------------------------------------------------===//

unsigned LinearExprEmitter::numberOf(Value value) {
  return numbers.try_emplace(value, numbers.size()).first->second;
}

Value LinearExprEmitter::resolve(Value leaf) const {
  Value scalar = bindings.lookup(leaf);
  return scalar ? scalar : leaf;
}

Value LinearExprEmitter::emit(OpBuilder &builder, Location loc, const LinearExpr &expr) {
  // Positive terms first, so that a subtraction needs no negated operand; then by first appearance.
  struct Keyed {
    bool negative;
    SmallVector<unsigned, 2> factors;
    LinearTerm term;
  };
  SmallVector<Keyed> sorted;
  for (LinearTerm term : expr.getTerms()) {
    llvm::sort(term.factors, [&](Value a, Value b) { return numberOf(a) < numberOf(b); });
    SmallVector<unsigned, 2> key =
        llvm::map_to_vector<2>(term.factors, [&](Value v) { return numberOf(v); });
    sorted.push_back({term.coefficient < 0, std::move(key), std::move(term)});
  }
  llvm::sort(sorted, [](const Keyed &a, const Keyed &b) {
    return std::tie(a.negative, a.factors) < std::tie(b.negative, b.factors);
  });

  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto product = [&](const LinearTerm &term, int64_t coefficient) {
    Value result;
    for (Value leaf : term.factors) {
      Value factor = resolve(leaf);
      if (!factor.getType().isIndex())
        factor = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), factor);
      result = result ? arith::MulIOp::create(builder, loc, result, factor) : factor;
    }
    return coefficient == 1 ? result
                            : arith::MulIOp::create(builder, loc, result, index(coefficient));
  };

  Value sum;
  for (const Keyed &keyed : sorted) {
    int64_t coefficient = keyed.term.coefficient;
    if (!keyed.negative) {
      Value term = product(keyed.term, coefficient);
      sum = sum ? arith::AddIOp::create(builder, loc, sum, term) : term;
      continue;
    }
    // Nothing to subtract from: start from the constant, which then is not added below.
    if (!sum)
      sum = index(expr.getConstant());
    Value term = product(keyed.term, wrappingMul(coefficient, -1));
    sum = arith::SubIOp::create(builder, loc, sum, term);
  }
  bool allNegative = !sorted.empty() && sorted.front().negative;
  if (!sum)
    return index(expr.getConstant());
  if (allNegative || expr.getConstant() == 0)
    return sum;
  return arith::AddIOp::create(builder, loc, sum, index(expr.getConstant()));
}
