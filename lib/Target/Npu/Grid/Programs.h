//===- Programs.h - what one program of a kernel does ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// What map-grid has to know of a kernel's body: which ops belong into the loop, whether copies of
// it can be interleaved, which loads may come before everything else, and how many bytes move.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_GRID_PROGRAMS_H
#define KILN_LIB_TARGET_NPU_GRID_PROGRAMS_H

#include "machine/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln::npu {

struct ProgramShape {
  /// The ops of the loop's body; constants and scalars that are the same for all programs are left
  /// out, and stand before them.
  llvm::SmallVector<mlir::Operation *> ops;
  /// Straight: no control flow, and memory only through views.
  bool isStraight = true;
  /// Loads that no earlier store of the program may touch, and what they need.
  llvm::DenseSet<mlir::Operation *> early;
  /// What gives the same in all programs, early loads included: once for all that go together.
  llvm::DenseSet<mlir::Operation *> shared;
  int64_t loadBytes = 0, storeBytes = 0, largestTile = 0;
};

/// Puts what is the same for all programs first and looks at the rest.
ProgramShape shapeOf(mlir::func::FuncOp function);

/// How many programs make one iteration: enough for a batch of loads that reaches a good part of
/// the path's rate, as far as there is room for them on chip.
int64_t chooseUnroll(const ProgramShape &shape, const machine::Machine &machine);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_GRID_PROGRAMS_H
