//===- LinearExpr.h - sums of scalars times constants ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Offsets, strides and bounds of accesses are integer scalars. To compare two of them ("is this the
// same address, plus 1024?") they are written as `c + sum_k coefficient_k * product of scalars`.
//
// Signed address arithmetic must not overflow: a kernel whose 32-bit offsets or mask comparisons
// wrap around has no meaning. So a 32-bit sum equals the sum of its sign-extended terms, and a
// LinearExpr stands for the exact mathematical value.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_LINEAREXPR_H
#define KILN_ANALYSIS_LINEAREXPR_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace kiln {

class IntegerFacts;

/// `coefficient * factors[0] * factors[1] * …`, signed scalars of 32 bits or more; never without a
/// factor.
struct LinearTerm {
  llvm::SmallVector<mlir::Value, 2> factors;
  int64_t coefficient = 1;

  /// The same product of scalars, in any order.
  bool sameFactors(const LinearTerm &other) const;
};

/// A constant plus terms whose factors differ pairwise and whose coefficients are not zero.
class LinearExpr {
public:
  LinearExpr(int64_t constant = 0) : constant(constant) {}
  static LinearExpr leaf(mlir::Value value);

  int64_t getConstant() const { return constant; }
  llvm::ArrayRef<LinearTerm> getTerms() const { return terms; }
  bool isConstant() const { return terms.empty(); }
  bool isConstant(int64_t value) const { return terms.empty() && constant == value; }
  std::optional<int64_t> asConstant() const;

  LinearExpr operator+(const LinearExpr &other) const;
  LinearExpr operator-(const LinearExpr &other) const;
  LinearExpr operator*(int64_t factor) const;
  bool operator==(const LinearExpr &other) const { return (*this - other).isConstant(0); }

  /// The product, unless it would have more than a handful of terms.
  std::optional<LinearExpr> times(const LinearExpr &other) const;

private:
  void addTerm(const LinearTerm &term, int64_t factor);

  int64_t constant;
  llvm::SmallVector<LinearTerm, 2> terms;
};

/// Takes integer scalars apart. Each value is looked at once; the table stays valid as long as the
/// values live.
class LinearExprs {
public:
  /// `facts`, if given, tells which zero extensions are sign extensions too.
  explicit LinearExprs(IntegerFacts *facts = nullptr) : facts(facts) {}

  /// The expression of an integer or index scalar; a value that cannot be taken apart is a term of
  /// its own.
  LinearExpr get(mlir::Value value);

private:
  LinearExpr compute(mlir::Value value);

  IntegerFacts *facts;
  llvm::DenseMap<mlir::Value, LinearExpr> known;
};

/// Writes expressions back as `index` arithmetic. Equal expressions come out as the same sequence
/// of ops, whatever order their terms were found in, so that CSE makes them one value.
class LinearExprEmitter {
public:
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc, const LinearExpr &expr);

  /// Emits `scalar` wherever expressions speak of `leaf`: values that a rewrite has replaced.
  void bind(mlir::Value leaf, mlir::Value scalar) { bindings[leaf] = scalar; }
  mlir::Value resolve(mlir::Value leaf) const;

private:
  unsigned numberOf(mlir::Value value);

  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::DenseMap<mlir::Value, mlir::Value> bindings;
};

} // namespace kiln

#endif // KILN_ANALYSIS_LINEAREXPR_H
