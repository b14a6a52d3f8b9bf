//===- PinnedBuffers.h - buffers that their author put on the same bytes ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_PINNEDBUFFERS_H
#define KILN_ANALYSIS_PINNEDBUFFERS_H

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln {

/// Buffers with an address (`at N`) that share bytes, directly or by way of each other, and the
/// bytes from the first to the last of them. One that shares none is alone.
struct PinnedGroup {
  int64_t begin = 0, end = 0;
  llvm::SmallVector<tile::LocalAllocOp, 1> buffers;
};

/// The buffers with an address of a function, in the order of their addresses.
llvm::SmallVector<PinnedGroup> pinnedGroups(mlir::func::FuncOp function);

} // namespace kiln

#endif // KILN_ANALYSIS_PINNEDBUFFERS_H
