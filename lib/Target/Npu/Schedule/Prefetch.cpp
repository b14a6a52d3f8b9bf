//===- Prefetch.cpp - loads an iteration ahead -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Prefetch.h"

#include "kiln/Analysis/MemoryOrder.h"
#include "kiln/Dialect/Npu/IR/Npu.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

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

Value pointerOf(Operation *access) {
  return TypeSwitch<Operation *, Value>(access)
      .Case([](tile::StoreOp store) {
        auto view = store.getView().getDefiningOp<tile::ViewOp>();
        return view ? Value(view.getBase()) : Value();
      })
      .Case([](tile::ScatterOp scatter) { return scatter.getBase(); })
      .Case([](tile::PtrStoreOp store) { return store.getPtr(); })
      .Default(Value());
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
  builder.setInsertionPoint(copy);
  Location loc = load.getLoc();
  Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, induction,
                                     loop.getUpperBound());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  if (copy.getUpper().empty()) {
    SmallVector<Value> lower, upper;
    for (int64_t size : cast<RankedTensorType>(load.getType()).getShape()) {
      lower.push_back(zero);
      upper.push_back(arith::ConstantIndexOp::create(builder, loc, size));
    }
    copy.getLowerMutable().assign(lower);
    copy.getUpperMutable().assign(upper);
  }
  Value last = arith::SelectOp::create(builder, loc, more, copy.getUpper().front(), zero);
  copy.getUpperMutable().slice(0, 1).assign(last);
  builder.setInsertionPointAfter(copy);
  return copy.getResult();
}

} // namespace

bool canPrefetch(tile::LoadOp load, scf::ForOp loop) {
  llvm::SetVector<Operation *> slice;
  if (load.getMask() || load.getIsVolatile() || !collectSlice(load, loop, slice) ||
      (load.getPad() && isa<RankedTensorType>(load.getPad().getType())))
    return false;
  auto view = load.getView().getDefiningOp<tile::ViewOp>();
  if (!view)
    return false;
  WalkResult stores = loop.walk([&](Operation *op) {
    if (!MemoryOrder::isAccess(op) || !MemoryOrder::isWrite(op))
      return WalkResult::advance();
    // Programs have no order among each other: only what the load's own program stored before
    // counts.
    Operation *here = loop.getBody()->findAncestorOpInBlock(*op);
    if (loop->hasAttr(kPersistentAttr) && load->isBeforeInBlock(here))
      return WalkResult::advance();
    Value pointer = pointerOf(op);
    bool apart = pointer && !MemoryOrder::mayAlias(pointer, view.getBase());
    return apart ? WalkResult::advance() : WalkResult::interrupt();
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
