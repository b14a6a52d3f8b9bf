//===- Planner.h - which flags and barriers a program needs ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// docs/design/insert-sync.md explains the words: forward edge, token, slot, primed, drained.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_SYNC_PLANNER_H
#define KILN_LIB_TARGET_NPU_SYNC_PLANNER_H

#include "Edges.h"
#include "Order.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"

#include <optional>
#include <string>

namespace kiln::npu {

/// An order that a flag keeps: `set` behind `source`, `wait` before `destination`; both ops stand
/// in one block.
struct Flag {
  mlir::Operation *source = nullptr, *destination = nullptr;
  machine::Pipe from = machine::Pipe::S, to = machine::Pipe::S;
  std::optional<SlotPair> slots; ///< an id per slot: set by the cause's, waited for by the effect's
  bool token = false; ///< from one execution of the block to the next: primed and drained
  mlir::Operation *cause = nullptr, *effect = nullptr; ///< the instructions, for reports
  Position causePosition = 0; ///< of the last instruction of `from` that must be waited for
  unsigned firstId = 0;

  int64_t ids() const { return slots ? slots->cause.depth : 1; }
  /// Of a token: so many executions of the block lie between set and wait.
  int64_t distance() const { return slots ? slots->distance() : 1; }
};

/// A barrier before `before`; without a pipe, on all of them.
struct PlannedBarrier {
  mlir::Operation *before = nullptr;
  std::optional<machine::Pipe> pipe;
  std::string reason; ///< of one on all pipes: why no flag would do
};

struct SyncPlan {
  std::vector<Flag> flags;
  std::vector<PlannedBarrier> barriers;
  unsigned edges = 0; ///< that were asked for, before pruning
};

/// Finds what keeps program order where bytes meet. `ids`: flag ids per pair of pipes; those of
/// flags that are there already are taken, and the flags give no order. `onlyUnnamed`: order only
/// for buffers that lowering made.
SyncPlan planSync(mlir::func::FuncOp function, unsigned ids, bool onlyUnnamed = false);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_SYNC_PLANNER_H
