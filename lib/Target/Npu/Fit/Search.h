//===- Search.h - which axis to cut, and into what -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Axes are tried in order: parallel ones before those that are reduced, outer dimensions before
// inner ones. For each, the piece is the largest that fits, found by cutting copies and estimating
// their footprint, then made smaller where that gives overlap or equal pieces. Where one dimension
// is not enough, or its pieces would be short rows, the other is cut too.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_FIT_SEARCH_H
#define KILN_LIB_TARGET_NPU_FIT_SEARCH_H

#include "Cut.h"
#include "Footprint.h"

namespace kiln::npu::fit {

/// A cut that was made.
struct Made {
  mlir::Location loc;
  int64_t size, piece;
  size_t phases;
};

struct Outcome {
  bool fits = false;
  llvm::SmallVector<Made> cuts;
  // If it does not fit:
  Footprint footprint;
  struct Stop {
    int64_t size;
    Refusal refusal; ///< without an operation: pieces do not fit either
  };
  llvm::SmallVector<Stop> stops;
};

/// Cuts the tiles of a function until they fit into so many bytes.
Outcome cutToFit(mlir::func::FuncOp function, const machine::Machine &machine, int64_t budget);

} // namespace kiln::npu::fit

#endif // KILN_LIB_TARGET_NPU_FIT_SEARCH_H
