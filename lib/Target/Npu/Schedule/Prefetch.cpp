//===- Prefetch.cpp - loads an iteration ahead -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Prefetch.h"

#include "../Tiles.h"

#include "kiln/Analysis/MemoryOrder.h"
#include "kiln/Dialect/Npu/IR/Npu.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// The ops of the loop's body that make what the load reads from, in order. False if it hangs on
/// more than the induction variable and values from outside.
bool collectSlice(Operation *op, scf::ForOp loop, llvm::SetVector<Operation *> &slice) {
  for (Value operand : op->getOperands()) {
    if (auto argument = dyn_cast<BlockArgument>(operand)) {
      if (argument.getOwner() == loop.getBody() && operand != loop.getInductionVar())
        return false;
      continue;
    }
    Operation *maker = operand.getDefiningOp();
    if (maker->getBlock() != loop.getBody() || slice.contains(maker))
      continue;
    if (!isPure(maker) || maker->getNumRegions() || isa<RankedTensorType>(operand.getType()) ||
        !collectSlice(maker, loop, slice))
      return false;
    slice.insert(maker);
  }
  return true;
}

/// The load as it is for another value of the induction variable; nothing is read unless that is
/// below the upper bound.
Value loadAt(OpBuilder &builder, tile::LoadOp load, scf::ForOp loop, Value induction) {
  llvm::SetVector<Operation *> slice;
  collectSlice(load, loop, slice);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), induction);
  for (Operation *op : slice)
    builder.clone(*op, mapping);
  auto copy = cast<tile::LoadOp>(builder.clone(*load, mapping));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(copy);
    Value more = arith::CmpIOp::create(builder, load.getLoc(), arith::CmpIPredicate::slt, induction,
                                       loop.getUpperBound());
    touchOnlyIf(builder, copy, more);
  }
  return copy.getResult();
}

} // namespace

bool canPrefetch(tile::LoadOp load, scf::ForOp loop) {
  llvm::SetVector<Operation *> slice;
  if (load.getMask() || load.getIsVolatile() || !load.getView().getDefiningOp<tile::ViewOp>() ||
      !collectSlice(load, loop, slice) ||
      (load.getPad() && isa<RankedTensorType>(load.getPad().getType())))
    return false;
  WalkResult stores = loop.walk([&](Operation *op) {
    if (!MemoryOrder::isAccess(op) || !MemoryOrder::isWrite(op))
      return WalkResult::advance();
    // Programs have no order among each other: only what the load's own program stored before
    // counts.
    Operation *here = loop.getBody()->findAncestorOpInBlock(*op);
    if (loop->hasAttr(kPersistentAttr) && load->isBeforeInBlock(here))
      return WalkResult::advance();
    return MemoryOrder::neverAlias(load, op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !stores.wasInterrupted();
}

void prefetch(tile::LoadOp load, scf::ForOp loop, Value ring, Value number) {
  Location loc = load.getLoc();
  auto type = cast<RankedTensorType>(load.getType());
  OpBuilder builder(loop);
  Value first = loadAt(builder, load, loop, loop.getLowerBound());
  tile::RingPutOp::create(builder, loc, type, first, ring, loop.getInitArgs().back());

  builder.setInsertionPointToStart(loop.getBody());
  Value next = arith::AddIOp::create(builder, loc, loop.getInductionVar(), loop.getStep());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value nextNumber = arith::AddIOp::create(builder, loc, number, one);
  Value ahead = loadAt(builder, load, loop, next);
  tile::RingPutOp::create(builder, loc, type, ahead, ring, nextNumber);

  builder.setInsertionPoint(load);
  Value value = tile::RingGetOp::create(builder, loc, type, ring, number);
  load.getResult().replaceAllUsesWith(value);
  load.erase();
}

} // namespace kiln::npu
