//===- Cut.h - a program in phases along one axis --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Ends of an axis are what leaves a trace outside of it: stores and reductions. Ends follow one
// another in phases; a phase becomes one loop over pieces, and makes again, from memory on, all
// that its ends are computed from. A new phase begins where the program needs the result of a
// reduction of the phase before, or where pieces of two accesses must not be mixed.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_FIT_CUT_H
#define KILN_LIB_TARGET_NPU_FIT_CUT_H

#include "kiln/Analysis/Axes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu::fit {

/// Why an axis cannot be cut.
struct Refusal {
  mlir::Operation *op = nullptr;    ///< that stops it
  std::string reason;               ///< a clause about it
  mlir::Operation *other = nullptr; ///< the access that it collides with, if any
};

struct Phase {
  llvm::SmallVector<mlir::Operation *> ends;
  llvm::SmallVector<mlir::Operation *> slice; ///< the ends and what they need, in program order
  mlir::Operation *before = nullptr;          ///< where the loop goes
  bool hasReductions = false;
  bool isExact = false; ///< no lane beyond the end of the tile may be there
};

/// How to cut a program along one axis.
class Cut {
public:
  Cut(const Axes &axes, unsigned axis) : axes(axes), axis(axis) {}

  /// Finds the phases; false, and the refusal, if there is no legal way.
  bool plan(Refusal &refusal);

  /// Rewrites the program. Returns the new operations that the pieces stand in.
  llvm::SmallVector<mlir::Operation *> apply(int64_t piece);

  bool isReduced() const { return !axes.all()[axis].reductions.empty(); }
  /// Some reduction combines several values at once.
  bool reducesInOrder() const {
    return llvm::any_of(axes.all()[axis].reductions,
                        [](mlir::Operation *op) { return op->getNumResults() > 1; });
  }
  llvm::ArrayRef<Phase> getPhases() const { return phases; }
  int64_t size() const { return axes.all()[axis].size; }
  /// Bits of the smallest and largest element along the axis.
  std::pair<unsigned, unsigned> elementBits() const;
  /// Lanes of all other dimensions of the largest tile that is moved.
  int64_t otherLanes() const;
  /// No dimension with lanes comes after it, in any tile.
  bool isInnermost() const;

private:
  friend class PhasePlanner;

  const Axes &axes;
  unsigned axis;
  mlir::Block *block = nullptr;
  llvm::SmallVector<mlir::Operation *> members; ///< ops of the block, in program order
  llvm::SmallVector<Phase> phases;
};

} // namespace kiln::npu::fit

#endif // KILN_LIB_TARGET_NPU_FIT_CUT_H
