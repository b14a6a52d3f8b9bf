//===- MemoryOrder.h - which accesses may be reordered or cut ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Within a program, in program order, *all* lanes of an access happen before any lane of a later
// one that may touch the same memory. A target that cuts blocks into chunks and runs load, compute
// and store chunk by chunk moves lanes of the store before lanes of the load. That is invisible
// only if
//
//   * the two never touch the same element (Disjoint), or
//   * lane i of one touches the element that lane i of the other touches, and no other lane does
//     (SameLanes): then only lane i's own order matters, and chunks keep it.
//
// In-place reverse (load x[n-1-i], store x[i]) is neither, so its block has to be staged.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_MEMORYORDER_H
#define KILN_ANALYSIS_MEMORYORDER_H

#include "kiln/Analysis/IntegerFacts.h"
#include "kiln/Analysis/LinearExpr.h"

#include "mlir/IR/Operation.h"

namespace kiln {

enum class Relation {
  Disjoint,  ///< no element is touched by both
  SameLanes, ///< lane i of both touches one element, and lanes i != j never share one
  Unknown,
};

/// Answers for the accesses of one function: tile.load, store, gather, scatter, ptr_load,
/// ptr_store. Answers hold within one execution of the innermost block around both: they say
/// nothing about an access of this loop iteration and an access of the next. The tables keep SSA
/// values: make a new object after a rewrite.
class MemoryOrder {
public:
  MemoryOrder() : exprs(&facts) {}

  Relation relate(mlir::Operation *a, mlir::Operation *b);

  /// May the two be executed in the other order, whole block by whole block?
  bool mayReorder(mlir::Operation *a, mlir::Operation *b);

  /// May the two be cut into the same chunks of lanes and run as chunk 0 of `first`, chunk 0 of
  /// `second`, chunk 1 of `first`, …? Needs accesses of one shape when they may share elements.
  /// Symmetric.
  bool mayInterleave(mlir::Operation *first, mlir::Operation *second);

  /// Does the operation read or write memory that a kernel's pointers reach?
  static bool isAccess(mlir::Operation *op);
  /// Is it an access that writes?
  static bool isWrite(mlir::Operation *op);
  /// Can accesses through the two pointers (scalars or tensors) touch the same memory, whatever the
  /// offset?
  static bool mayAlias(mlir::Value pointerA, mlir::Value pointerB);
  /// Do two accesses go through pointers that cannot alias? Then they touch different memory in all
  /// of their executions, while the answers above are about single ones.
  static bool neverAlias(mlir::Operation *a, mlir::Operation *b);

private:
  Relation relateUncached(mlir::Operation *a, mlir::Operation *b);

  IntegerFacts facts;
  LinearExprs exprs;
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Operation *>, Relation> known;
};

} // namespace kiln

#endif // KILN_ANALYSIS_MEMORYORDER_H
