//===- Counters.cpp - numbers that count on through nested loops -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Counters.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// The loop again, with one more carried value that starts as `start` and so far yields itself.
scf::ForOp addCarried(scf::ForOp loop, Value start) {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  auto itself = [](OpBuilder &, Location, ArrayRef<BlockArgument> carried) {
    return SmallVector<Value>{carried.back()};
  };
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, start, /*replaceInitOperandUsesInLoop=*/false, itself);
  assert(succeeded(replaced) && "scf.for can carry more");
  return cast<scf::ForOp>(replaced->getOperation());
}

void setLastYield(scf::ForOp loop, Value value) {
  Operation *yield = loop.getBody()->getTerminator();
  yield->setOperand(yield->getNumOperands() - 1, value);
}

} // namespace

scf::ForOp outermostOf(scf::ForOp loop) {
  while (auto outer = dyn_cast<scf::ForOp>(loop->getParentOp()))
    loop = outer;
  return loop;
}

scf::ForOp addCounter(scf::ForOp loop) {
  Location loc = loop.getLoc(); // the loop itself goes
  SmallVector<scf::ForOp> loops = {loop};
  while (auto outer = dyn_cast<scf::ForOp>(loops.back()->getParentOp()))
    loops.push_back(outer);
  // From the outermost in: replacing a loop moves its body, so those within stay the same ops.
  OpBuilder builder(loops.back());
  Value start = arith::ConstantIndexOp::create(builder, loc, 0);
  scf::ForOp around;
  for (scf::ForOp old : llvm::reverse(loops)) {
    scf::ForOp made = addCarried(old, start);
    if (around)
      setLastYield(around, made.getResults().back());
    start = made.getRegionIterArgs().back();
    around = made;
  }
  Operation *yield = around.getBody()->getTerminator();
  builder.setInsertionPoint(yield);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  setLastYield(around, arith::AddIOp::create(builder, loc, start, one));
  return around;
}

} // namespace kiln::npu
