//===- Reduction.h - folding lanes -----------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Three ways to fold the lanes of a chunk loop:
//
//   Known      the region is one commutative operation with an identity: W partial results, folded
//              at the end, left half with right half
//   Ordered    any region without control flow: each chunk is folded in order, neighbours first,
//              and joined to the result so far. Needs no identity and no commutativity
//   Serial     the region has control flow: one lane after the other
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_VECTORLOOPS_REDUCTION_H
#define KILN_TARGET_CPU_VECTORLOOPS_REDUCTION_H

#include "Graph.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

namespace kiln::cpu {

enum class FoldKind { Known, Ordered, Serial };

FoldKind foldKindOf(tile::ReduceOp reduce);
/// The identity of a Known reduction.
mlir::TypedAttr identityOf(tile::ReduceOp reduce);
/// Is it the largest or the smallest of f32 or f64 lanes that are not NaN?
bool ignoresNaN(tile::ReduceOp reduce);

/// The state of one reduction while its leaf is emitted.
struct Reduction {
  Node *node;
  FoldKind kind;
  /// Known: W partial results. Where NaNs are ignored two of them, none ever NaN: what is asked for
  /// and its opposite (the smallest beside the largest). No lane has been a number as long as both
  /// are what they were at first.
  llvm::SmallVector<mlir::Value, 2> partial;
  llvm::SmallVector<mlir::Value, 2> result; ///< the result so far
  mlir::Value seen;                         ///< Ordered, Serial: does `result` hold a lane yet?
};

} // namespace kiln::cpu

#endif // KILN_TARGET_CPU_VECTORLOOPS_REDUCTION_H
