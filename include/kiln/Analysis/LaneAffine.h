//===- LaneAffine.h - values as affine functions of the lane ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// One analysis serves addresses and masks: lane (i0, i1, …) of a tensor is written as
//
//     base + offset + sum_d coefficient_d * x_d,    x_d = i_d  or  (start_d + i_d) mod size_d,
//
// where `offset`, the coefficients, starts and sizes are LinearExprs of scalars. An address is such
// a function with a scalar pointer as base; a mask is a conjunction, and a comparison whose two
// sides differ by a function of one lane index with coefficient ±1 is a bound on that index.
//
//     offs = pid * 128 + iota            offset 128*pid, coefficient 1
//     x + offs[:, None] * s + cols       base x, offset 128*s*pid, coefficients s and 1
//     offs < n                           i0 < n - 128*pid
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_LANEAFFINE_H
#define KILN_ANALYSIS_LANEAFFINE_H

#include "kiln/Analysis/IntegerFacts.h"
#include "kiln/Analysis/LinearExpr.h"

#include "mlir/IR/BuiltinTypes.h"

#include <memory>

namespace kiln {

/// `(start + i) mod size`, start and size not negative as the analysis proves; the size may be
/// given with either sign where `absolute` is set (the remainder of a dividend that is not negative
/// does not see the sign).
struct LaneWrap {
  LinearExpr start, size;
  bool absolute = false;

  bool operator==(const LaneWrap &other) const {
    return start == other.start && size == other.size && absolute == other.absolute;
  }
};

/// One dimension's share; a dimension of size 1 always has coefficient 0.
struct LaneDim {
  LinearExpr coefficient;
  std::optional<LaneWrap> wrap;

  bool isUniform() const { return coefficient.isConstant(0); }
  bool operator==(const LaneDim &other) const {
    return coefficient == other.coefficient && wrap == other.wrap;
  }
};

struct LaneAffine {
  mlir::Value base; ///< a scalar pointer; null for integers
  LinearExpr offset;
  llvm::SmallVector<LaneDim, 2> dims; ///< one per dimension; empty for scalars

  /// All lanes are equal.
  bool isUniform() const;
  /// The two differ by their offsets (and bases) only.
  bool sameLanes(const LaneAffine &other) const { return dims == other.dims; }
};

/// A mask: the conjunction of all that is listed here.
struct LaneMask {
  struct Bound {
    unsigned dim;
    LinearExpr value;
    bool operator==(const Bound &other) const { return dim == other.dim && value == other.value; }
  };
  llvm::SmallVector<Bound, 2> lower;            ///< value <= i_dim
  llvm::SmallVector<Bound, 2> upper;            ///< i_dim < value
  llvm::SmallVector<LinearExpr, 1> positive;    ///< expressions that must be > 0, whatever the lane
  llvm::SmallVector<mlir::Value, 1> conditions; ///< i1 scalars
  llvm::SmallVector<mlir::Value, 1> residual;   ///< i1 tensors of the mask's shape
  bool never = false;                           ///< no lane is on

  void meet(const LaneMask &other);
};

/// The table of one function. Values are looked at once; the table keeps SSA values, so make a new
/// one after a rewrite.
class LaneAffines {
public:
  LaneAffines() : exprs(&facts) {}

  /// Null if the value is not affine in its lanes; `whyNot` then has the reason.
  const LaneAffine *get(mlir::Value value);
  llvm::StringRef whyNot(mlir::Value value) const { return reasons.lookup(value); }

  /// Takes the form of a value as given: how loop-carried values are looked through. Call before
  /// the first `get`.
  void assume(mlir::Value value, LaneAffine form);

  /// `mask` may be a scalar or a tensor of i1, or null.
  const LaneMask &getMask(mlir::Value mask);

  IntegerFacts &getFacts() { return facts; }

private:
  using Form = std::optional<LaneAffine>;
  Form compute(mlir::Value value);
  Form computeScalar(mlir::Value value);
  Form computeShape(mlir::Operation *op);
  Form remainder(mlir::Operation *op);
  Form fail(mlir::Value value, llvm::StringRef reason);
  /// The operand's form; where it has none, its reason becomes that of the operation's result.
  const LaneAffine *operand(mlir::Operation *op, unsigned index);

  LaneMask computeMask(mlir::Value mask);
  LaneMask compareMask(mlir::Value mask);
  LaneMask shapeMask(mlir::Value mask);

  IntegerFacts facts;
  LinearExprs exprs;
  llvm::DenseMap<mlir::Value, std::unique_ptr<LaneAffine>> known;
  llvm::DenseMap<mlir::Value, llvm::StringRef> reasons;
  llvm::DenseMap<mlir::Value, std::unique_ptr<LaneMask>> masks;
};

} // namespace kiln

#endif // KILN_ANALYSIS_LANEAFFINE_H
