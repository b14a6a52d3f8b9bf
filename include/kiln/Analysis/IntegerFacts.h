//===- IntegerFacts.h - ranges and divisibility of integers ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_INTEGERFACTS_H
#define KILN_ANALYSIS_INTEGERFACTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <limits>

namespace kiln {

class LinearExpr;

/// What holds for an integer, or for every lane of a tensor of integers, read as signed.
struct IntegerFact {
  static constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

  int64_t lower = kMin;     ///< lower <= x
  int64_t upper = kMax;     ///< x <= upper
  int64_t divisibility = 1; ///< x is a multiple of it; 0 only for the constant 0

  static IntegerFact constant(int64_t value);
  bool isNonNegative() const { return lower >= 0; }
  bool isPositive() const { return lower > 0; }
  bool isConstant() const { return lower == upper; }
};

/// Ranges and divisibility, from constants, argument attributes, program ids, loop bounds and hints
/// upwards. Sums and products are taken not to overflow, as LinearExpr.h says. Every value is
/// looked at once. Of one that lies `kMostSteps` operations above the one that is asked for, only
/// the type counts: a long chain costs each question no more, and no more of the stack.
class IntegerFacts {
public:
  IntegerFact get(mlir::Value value);
  IntegerFact get(const LinearExpr &expr);

private:
  static constexpr unsigned kMostSteps = 128;

  IntegerFact compute(mlir::Value value);

  llvm::DenseMap<mlir::Value, IntegerFact> known;
  unsigned steps = 0; ///< from the value that is asked for to the present one
};

} // namespace kiln

#endif // KILN_ANALYSIS_INTEGERFACTS_H
