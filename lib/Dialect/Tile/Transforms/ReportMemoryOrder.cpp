//===- ReportMemoryOrder.cpp - say which accesses may be reordered or cut --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// One remark for each pair of accesses of a block of which one writes, at the later of the two,
// counting accesses from 0 in the order of the block:
//
//   remark: access 1 and access 0: same lanes, may interleave
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Analysis/MemoryOrder.h"
#include "kiln/Dialect/Tile/IR/Tile.h"
#include "kiln/Dialect/Tile/Transforms/Passes.h"

using namespace mlir;
using namespace kiln;

namespace kiln::tile {
#define GEN_PASS_DEF_REPORTMEMORYORDERPASS
#include "kiln/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace kiln::tile

static StringRef nameOf(Relation relation) {
  switch (relation) {
  case Relation::Disjoint:
    return "disjoint";
  case Relation::SameLanes:
    return "same lanes";
  case Relation::Unknown:
    break;
  }
  return "unknown";
}

static void reportBlock(Block &block, MemoryOrder &order) {
  SmallVector<Operation *> accesses;
  for (Operation &op : block)
    if (MemoryOrder::isAccess(&op))
      accesses.push_back(&op);
  for (auto [index, later] : llvm::enumerate(accesses))
    for (auto [earlierIndex, earlier] : llvm::enumerate(ArrayRef(accesses).take_front(index))) {
      if (!MemoryOrder::isWrite(earlier) && !MemoryOrder::isWrite(later))
        continue;
      StringRef verdict = order.mayReorder(earlier, later)      ? "may reorder"
                          : order.mayInterleave(earlier, later) ? "may interleave"
                                                                : "must stage";
      later->emitRemark() << "access " << index << " and access " << earlierIndex << ": "
                          << nameOf(order.relate(earlier, later)) << ", " << verdict;
    }
}

namespace {
struct ReportMemoryOrderPass : kiln::tile::impl::ReportMemoryOrderPassBase<ReportMemoryOrderPass> {
  void runOnOperation() override {
    MemoryOrder order;
    getOperation().walk([&](Block *block) { reportBlock(*block, order); });
    markAllAnalysesPreserved();
  }
};
} // namespace
