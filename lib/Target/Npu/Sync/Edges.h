//===- Edges.h - pairs of accesses whose order matters ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_SYNC_EDGES_H
#define KILN_LIB_TARGET_NPU_SYNC_EDGES_H

#include "Order.h"
#include "Touches.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <vector>

namespace kiln::npu {

/// The slots of a cause and its effect; the same base and depth.
struct SlotPair {
  Slot cause, effect;
  /// The base counts the iterations of the innermost loop around both. (A block in a branch of its
  /// body may not be executed in each.)
  bool counted = false;

  /// After how many iterations the effect comes to the cause's slot: 1 to depth.
  int64_t distance() const {
    int64_t steps = (cause.offset - effect.offset) % cause.depth;
    return steps > 0 ? steps : steps + cause.depth;
  }
  bool sameNow() const { return (cause.offset - effect.offset) % cause.depth == 0; }
  bool operator==(const SlotPair &) const = default;
};

/// `cause` comes before `effect`: in one execution of the innermost block around both, or
/// (`carried`) from one execution to the next.
struct Edge {
  mlir::Operation *cause = nullptr, *effect = nullptr;
  mlir::Operation *source = nullptr, *destination = nullptr; ///< their ancestors in that block
  machine::Pipe from = machine::Pipe::S, to = machine::Pipe::S;
  std::optional<SlotPair> slots; ///< the order matters only where the slot is the same
  bool carried = false;
};

/// The instructions of a function in program order, and the edges between them.
struct Program {
  std::vector<mlir::Operation *> instructions;
  llvm::DenseMap<mlir::Operation *, Position> position; ///< of instructions
  std::vector<Edge> edges;
};

/// `onlyUnnamed`: edges only of buffers that have no name, which are not the author's.
Program readProgram(mlir::func::FuncOp function, bool onlyUnnamed = false);

/// Whether a value is a number that all loops around a block carry and each execution of the block
/// raises by one. The block is the body of the innermost of them.
bool countsExecutions(mlir::Value base, mlir::Block *block);

/// The loop op right around a block, seen through branches; null if there is none.
mlir::Operation *loopAround(mlir::Block *block);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_SYNC_EDGES_H
