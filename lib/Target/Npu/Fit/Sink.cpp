//===- Sink.cpp - tiles made in the loop that uses them --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Sink.h"

#include "kiln/Analysis/MemoryOrder.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln::npu::fit {

namespace {

/// The loop of the same block that all users are in.
scf::ForOp onlyUser(Operation *op) {
  scf::ForOp loop;
  for (Operation *user : op->getUsers()) {
    auto outer = dyn_cast_or_null<scf::ForOp>(op->getBlock()->findAncestorOpInBlock(*user));
    if (!outer || outer.getOperation() == user || (loop && outer != loop))
      return {};
    loop = outer;
  }
  return loop;
}

/// Nothing from the load to the end of the loop may write what is loaded.
bool mayRepeat(tile::LoadOp load, scf::ForOp loop) {
  if (!load.getView().getDefiningOp<tile::ViewOp>() || load.getIsVolatile())
    return false;
  MemoryOrder order;
  for (Operation *next = load->getNextNode(); next != loop->getNextNode();
       next = next->getNextNode()) {
    WalkResult result = next->walk([&](Operation *inner) {
      if (!MemoryOrder::isWrite(inner))
        return WalkResult::advance();
      bool isApart =
          (inner == next && order.mayReorder(load, inner)) || MemoryOrder::neverAlias(load, inner);
      return isApart ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return false;
  }
  return true;
}

} // namespace

bool sinkIntoLoops(func::FuncOp function) {
  bool moved = false;
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    bool hasLanes =
        llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType, tile::ViewType>);
    if (op->getNumResults() == 1 && hasLanes && !isa<tile::ReduceOp>(op) &&
        (isPure(op) || isa<tile::LoadOp>(op)))
      ops.push_back(op);
  });
  // Users before what they use.
  for (Operation *op : llvm::reverse(ops)) {
    scf::ForOp loop = onlyUser(op);
    if (!loop)
      continue;
    if (auto load = dyn_cast<tile::LoadOp>(op); load && !mayRepeat(load, loop))
      continue;
    op->moveBefore(&loop.getBody()->front());
    moved = true;
  }
  return moved;
}

} // namespace kiln::npu::fit
