//===- PlanState.h - a plan in the making, and what follows from it --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_SYNC_PLANSTATE_H
#define KILN_LIB_TARGET_NPU_SYNC_PLANSTATE_H

#include "Edges.h"
#include "Planner.h"

namespace kiln::npu {

struct PlanState {
  explicit PlanState(Program program) : program(std::move(program)) {}

  Program program;
  SyncPlan plan;
  llvm::DenseMap<mlir::Operation *, After> after;   ///< of every op, once it is walked
  llvm::DenseMap<mlir::Operation *, int64_t> order; ///< of ops of one block among each other
  llvm::DenseMap<mlir::Block *, Knowledge> atEnd;   ///< of every block

  /// The first position of a pipe in an op; 0 if it has none there.
  Position firstIn(mlir::Operation *op, machine::Pipe pipe) const;

  /// Whether the tokens keep the order that `asked` wants, from one execution of its block to a
  /// later one.
  bool implied(const Flag &asked, llvm::ArrayRef<const Flag *> tokens) const;

  /// Whether the effect's pipe, when a block around both ends, is behind the cause: then it is in
  /// all later executions.
  bool knownAtEnd(const Flag &asked) const;

  /// Whether a set for `setter` behind `source` knows that the wait of `waiter` before
  /// `destination`, in the same execution, is over.
  bool knowsWait(mlir::Operation *source, machine::Pipe setter, mlir::Operation *destination,
                 machine::Pipe waiter) const;

  /// Whether, because of the tokens, the set of a flag in a loop knows that the last wait for the
  /// same id is over.
  bool alternates(const Flag &flag, llvm::ArrayRef<const Flag *> tokens) const;

  /// Takes flags out of the plan that a barrier on all pipes, met between their set and their wait,
  /// makes needless. (Kept, such a flag could be raised twice.)
  void dropBehindStops();

  /// Whether each execution of a block stops all pipes.
  bool stopsAll(mlir::Block *block) const;

private:
  struct Way;
  /// Whether a chain of tokens of one block leads from the start of `way` to its goal in no more
  /// executions of the block than it allows.
  bool leads(const Way &way, llvm::ArrayRef<const Flag *> tokens) const;
};

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_SYNC_PLANSTATE_H
