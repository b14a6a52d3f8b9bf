//===- IntegerFacts.cpp - ranges and divisibility of integers --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Analysis/IntegerFacts.h"

#include "kiln/Analysis/LinearExpr.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace kiln;

//===-----------------------------------------------------------------------------------------===//
// Arithmetic on facts: an unknown end stays unknown, a known one saturates to it
//===-----------------------------------------------------------------------------------------===//

IntegerFact IntegerFact::constant(int64_t value) {
  return {value, value, value == kMin ? int64_t(1) : std::abs(value)};
}

static bool isEnd(int64_t value) {
  return value == IntegerFact::kMin || value == IntegerFact::kMax;
}

static int64_t addEnd(int64_t a, int64_t b, int64_t unknown) {
  int64_t sum;
  return isEnd(a) || isEnd(b) || __builtin_add_overflow(a, b, &sum) ? unknown : sum;
}

static int64_t divisorOfProduct(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::max(a, b) : product;
}

static IntegerFact add(const IntegerFact &a, const IntegerFact &b) {
  return {addEnd(a.lower, b.lower, IntegerFact::kMin), addEnd(a.upper, b.upper, IntegerFact::kMax),
          std::gcd(a.divisibility, b.divisibility)};
}

static IntegerFact negate(const IntegerFact &a) {
  return {a.upper == IntegerFact::kMax ? IntegerFact::kMin : -a.upper,
          a.lower == IntegerFact::kMin ? IntegerFact::kMax : -a.lower, a.divisibility};
}

static IntegerFact multiply(const IntegerFact &a, const IntegerFact &b) {
  IntegerFact result;
  result.divisibility = divisorOfProduct(a.divisibility, b.divisibility);
  if (!isEnd(a.lower) && !isEnd(a.upper) && !isEnd(b.lower) && !isEnd(b.upper)) {
    int64_t ends[4];
    bool overflow = __builtin_mul_overflow(a.lower, b.lower, &ends[0]);
    overflow |= __builtin_mul_overflow(a.lower, b.upper, &ends[1]);
    overflow |= __builtin_mul_overflow(a.upper, b.lower, &ends[2]);
    overflow |= __builtin_mul_overflow(a.upper, b.upper, &ends[3]);
    if (!overflow) {
      result.lower = *std::min_element(ends, ends + 4);
      result.upper = *std::max_element(ends, ends + 4);
      return result;
    }
  }
  if (a.isNonNegative() && b.isNonNegative()) {
    int64_t product;
    bool overflow = __builtin_mul_overflow(a.lower, b.lower, &product);
    result.lower = overflow ? 0 : product;
  }
  return result;
}

/// Either of two values.
static IntegerFact join(const IntegerFact &a, const IntegerFact &b) {
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper),
          std::gcd(a.divisibility, b.divisibility)};
}

/// C-like division by a number that is not negative; the dividend's sign decides the result's.
static IntegerFact divide(const IntegerFact &a, IntegerFact b) {
  IntegerFact result;
  if (!b.isNonNegative() || b.upper < 1)
    return result;
  b.lower = std::max<int64_t>(b.lower, 1); // a division by zero has no result
  if (a.isNonNegative())
    result.lower = b.upper == IntegerFact::kMax ? 0 : a.lower / b.upper;
  if (a.upper != IntegerFact::kMax)
    result.upper = a.upper >= 0 ? a.upper / b.lower : 0;
  if (b.isConstant() && a.divisibility % b.lower == 0)
    result.divisibility = a.divisibility / b.lower;
  return result;
}

static IntegerFact remainder(const IntegerFact &a, const IntegerFact &b) {
  IntegerFact result;
  result.divisibility = std::gcd(a.divisibility, b.divisibility);
  if (a.isNonNegative()) {
    result.lower = 0;
    result.upper = a.upper;
  }
  if (b.isPositive() && b.upper != IntegerFact::kMax) {
    result.lower = std::max(result.lower, 1 - b.upper);
    result.upper = std::min(result.upper, b.upper - 1);
  }
  return result;
}

//===-----------------------------------------------------------------------------------------===//
// Values
//===-----------------------------------------------------------------------------------------===//

/// What the type alone says.
static IntegerFact ofType(Type type) {
  Type element = getElementTypeOrSelf(type);
  unsigned width = element.isInteger() ? element.getIntOrFloatBitWidth() : 64;
  if (width >= 64 || width == 0)
    return {};
  return {-(int64_t(1) << (width - 1)), (int64_t(1) << (width - 1)) - 1, 1};
}

static IntegerFact meet(const IntegerFact &a, const IntegerFact &b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper),
          std::max(a.divisibility, b.divisibility)};
}

IntegerFact IntegerFacts::get(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (steps == kMostSteps)
    return ofType(value.getType());
  known[value] = ofType(value.getType()); // what a cycle through a loop sees
  ++steps;
  IntegerFact fact = compute(value);
  --steps;
  if (fact.divisibility != 0)
    fact = meet(fact, ofType(value.getType()));
  return known[value] = fact;
}

IntegerFact IntegerFacts::get(const LinearExpr &expr) {
  IntegerFact sum = IntegerFact::constant(expr.getConstant());
  for (const LinearTerm &term : expr.getTerms()) {
    IntegerFact product = IntegerFact::constant(term.coefficient);
    for (Value factor : term.factors)
      product = multiply(product, get(factor));
    sum = add(sum, product);
  }
  return sum;
}

/// A scalar that a loop only increases never falls below where it started.
static IntegerFact ofCarried(scf::ForOp loop, BlockArgument argument, IntegerFacts &facts) {
  // Asked while the loop is being written, there is no next value yet.
  if (!loop.getBody()->mightHaveTerminator())
    return {};
  unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
  auto next = loop.getYieldedValues()[index].getDefiningOp<arith::AddIOp>();
  if (!next || (next.getLhs() != argument && next.getRhs() != argument))
    return {};
  IntegerFact step = facts.get(next.getLhs() == argument ? next.getRhs() : next.getLhs());
  IntegerFact start = facts.get(loop.getInitArgs()[index]), fact;
  fact.divisibility = std::gcd(start.divisibility, step.divisibility);
  if (step.isNonNegative())
    fact.lower = start.lower;
  return fact;
}

/// Arguments carry attributes, induction variables lie between the loop's bounds.
static IntegerFact ofArgument(BlockArgument argument, IntegerFacts &facts) {
  Operation *parent = argument.getOwner()->getParentOp();
  // The head of a loop that is being written belongs to no operation yet.
  if (!parent)
    return {};
  if (auto function = dyn_cast<FunctionOpInterface>(parent)) {
    auto divisibility =
        function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tile::kDivisibilityAttr);
    IntegerFact fact;
    if (divisibility && divisibility.getInt() > 0)
      fact.divisibility = divisibility.getInt();
    if (function.getArgAttr(argument.getArgNumber(), tile::kExtentAttr))
      fact.lower = 0;
    return fact;
  }
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    return {};
  if (argument != loop.getInductionVar())
    return ofCarried(loop, argument, facts);
  IntegerFact lower = facts.get(loop.getLowerBound()), upper = facts.get(loop.getUpperBound()),
              step = facts.get(loop.getStep()), fact;
  fact.divisibility = std::gcd(lower.divisibility, step.divisibility);
  // The step of scf.for is positive.
  fact.lower = loop.getUnsignedCmp() ? IntegerFact::kMin : lower.lower;
  fact.upper =
      loop.getUnsignedCmp() ? IntegerFact::kMax : addEnd(upper.upper, -1, IntegerFact::kMax);
  return fact;
}

static IntegerFact ofHint(tile::HintOp hint, const IntegerFact &input) {
  IntegerFact fact = input;
  // For a tensor, "multiple of" speaks of the first lane of each group only.
  if (hint.getKind() == "multiple_of" && !isa<RankedTensorType>(hint.getType()) &&
      hint.getValues().size() == 1 && hint.getValues()[0] > 0)
    fact.divisibility = std::lcm(fact.divisibility, hint.getValues()[0]);
  return fact;
}

IntegerFact IntegerFacts::compute(Value value) {
  if (!getElementTypeOrSelf(value.getType()).isIntOrIndex())
    return {};
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return IntegerFact::constant(constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument, *this);

  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned index) { return get(op->getOperand(index)); };
  bool exact = getElementTypeOrSelf(value.getType()).isIndex() ||
               getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() >= 32;
  return llvm::TypeSwitch<Operation *, IntegerFact>(op)
      .Case([](tile::ProgramIdOp id) {
        auto count = id->getAttrOfType<IntegerAttr>(tile::kCountAttr);
        int64_t last = count ? count.getInt() - 1 : std::numeric_limits<int32_t>::max() - 1;
        return IntegerFact{0, std::max<int64_t>(last, 0), 1};
      })
      .Case([](tile::NumProgramsOp) {
        return IntegerFact{1, std::numeric_limits<int32_t>::max(), 1};
      })
      .Case([](tile::IotaOp iota) {
        int64_t first = iota.getStart(), last = first + iota.getType().getDimSize(0) - 1;
        return IntegerFact{first, last, 1};
      })
      .Case([&](tile::HintOp hint) { return ofHint(hint, operand(0)); })
      .Case<arith::AddIOp>(
          [&](auto) { return exact ? add(operand(0), operand(1)) : IntegerFact(); })
      .Case<arith::SubIOp>(
          [&](auto) { return exact ? add(operand(0), negate(operand(1))) : IntegerFact(); })
      .Case<arith::MulIOp>(
          [&](auto) { return exact ? multiply(operand(0), operand(1)) : IntegerFact(); })
      .Case<arith::ShLIOp>([&](auto) {
        IntegerFact amount = operand(1);
        if (!exact || !amount.isConstant() || amount.lower < 0 || amount.lower > 61)
          return IntegerFact();
        return multiply(operand(0), IntegerFact::constant(int64_t(1) << amount.lower));
      })
      .Case<arith::DivSIOp>([&](auto) { return divide(operand(0), operand(1)); })
      .Case<arith::DivUIOp>([&](auto) {
        IntegerFact left = operand(0);
        return left.isNonNegative() ? divide(left, operand(1)) : IntegerFact();
      })
      .Case<arith::CeilDivSIOp>([&](auto) {
        IntegerFact left = operand(0), right = operand(1), fact;
        if (right.isPositive() && left.isNonNegative())
          fact.lower = left.isPositive() ? 1 : 0;
        if (right.isPositive() && left.upper >= 0)
          fact.upper = left.upper;
        return fact;
      })
      .Case<arith::RemSIOp>([&](auto) { return remainder(operand(0), operand(1)); })
      .Case<arith::RemUIOp>([&](auto) {
        IntegerFact left = operand(0);
        return left.isNonNegative() ? remainder(left, operand(1)) : IntegerFact();
      })
      .Case<arith::AndIOp>([&](auto) {
        IntegerFact left = operand(0), right = operand(1), fact;
        if (left.isNonNegative() || right.isNonNegative()) {
          fact.lower = 0;
          fact.upper = left.isNonNegative() ? left.upper : right.upper;
        }
        return fact;
      })
      .Case<arith::MinSIOp>([&](auto) {
        IntegerFact left = operand(0), right = operand(1);
        return IntegerFact{std::min(left.lower, right.lower), std::min(left.upper, right.upper),
                           std::gcd(left.divisibility, right.divisibility)};
      })
      .Case<arith::MaxSIOp>([&](auto) {
        IntegerFact left = operand(0), right = operand(1);
        return IntegerFact{std::max(left.lower, right.lower), std::max(left.upper, right.upper),
                           std::gcd(left.divisibility, right.divisibility)};
      })
      .Case<arith::SelectOp>([&](auto) { return join(operand(1), operand(2)); })
      .Case<arith::ExtSIOp, tensor::SplatOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
            linalg::BroadcastOp, linalg::TransposeOp>([&](auto) { return operand(0); })
      .Case([&](arith::IndexCastOp) { return exact ? operand(0) : IntegerFact(); })
      .Case([&](arith::ExtUIOp extension) {
        IntegerFact input = operand(0);
        if (input.isNonNegative())
          return input;
        unsigned width = getElementTypeOrSelf(extension.getIn().getType()).getIntOrFloatBitWidth();
        return IntegerFact{0, width < 63 ? (int64_t(1) << width) - 1 : IntegerFact::kMax, 1};
      })
      .Default([](Operation *) { return IntegerFact(); });
}
