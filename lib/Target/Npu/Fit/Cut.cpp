//===- Cut.cpp - loops over pieces -----------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   %x = tile.load …                 : 1000       %x0 = tile.load … : 232    what is left over,
//   first: %s = tile.reduce(%x) axis 0  f32          =>  %s0 = tile.reduce(%x0)     it seeds the
//   result
//                                                 %s = scf.for %i = 232 to 1000 step 256 … (%a =
//                                                 %s0)
//                                                   %p = tile.reduce(tile.load … : 256)
//                                                   scf.yield combine(%a, %p)
//
// All pieces of a phase with reductions are whole, so no lane has to be neutral. Other phases are
// one loop, whose last piece is clipped by bounds.
//
//===-----------------------------------------------------------------------------------------===//

#include "Cut.h"

#include "Pieces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln::npu::fit {

SmallVector<Operation *> Cut::apply(int64_t piece) {
  SmallVector<Operation *> made;
  OpBuilder builder(block->getParentOp()->getContext());
  // Pieces behind the last lane that is stored have no effect.
  auto storedEnd = [&](const Phase &phase) {
    Value end;
    for (Operation *op : phase.ends) {
      auto store = dyn_cast<tile::StoreOp>(op);
      if (!store || store.getUpper().empty())
        return Value();
      Value upper = store.getUpper()[*axes.dimAlong(store.getView(), axis)];
      end = end ? arith::MaxSIOp::create(builder, op->getLoc(), end, upper).getResult() : upper;
    }
    return end;
  };
  for (Phase &phase : phases) {
    builder.setInsertionPoint(phase.before);
    Operation *mark = phase.before->getPrevNode();
    SmallVector<tile::ReduceOp> reductions;
    for (Operation *end : phase.ends)
      if (llvm::is_contained(axes.all()[axis].reductions, end))
        reductions.push_back(cast<tile::ReduceOp>(end));
    Location loc = phase.ends.front()->getLoc();
    int64_t rest = size() % piece, first = 0;
    if (phase.hasReductions)
      first = rest ? rest : piece;
    else if (phase.isExact)
      first = rest;

    SmallVector<Value> partial;
    if (first) {
      PieceCloner cloner(builder, axes, axis, first, Value(), /*clipped=*/false);
      for (Operation *op : phase.slice)
        cloner.clone(op);
      for (tile::ReduceOp reduce : reductions)
        for (Value result : reduce.getResults())
          partial.push_back(cloner.lookup(result));
    }
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    Value from = constant(first), to = constant(size()), step = constant(piece);
    if (Value end = first ? Value() : storedEnd(phase))
      to = arith::MinSIOp::create(builder, loc, to, end);
    auto loop = scf::ForOp::create(builder, loc, from, to, step, partial);
    builder.setInsertionPointToStart(loop.getBody());
    PieceCloner cloner(builder, axes, axis, piece, loop.getInductionVar(),
                       /*clipped=*/!first && rest);
    for (Operation *op : phase.slice)
      cloner.clone(op);
    SmallVector<Value> carried(loop.getRegionIterArgs()), yielded;
    size_t next = 0;
    for (tile::ReduceOp reduce : reductions) {
      SmallVector<Value> own;
      for (Value result : reduce.getResults())
        own.push_back(cloner.lookup(result));
      ArrayRef<Value> sofar = ArrayRef(carried).slice(next, own.size());
      llvm::append_range(yielded, combine(builder, reduce, sofar, own));
      for (Value result : reduce.getResults())
        result.replaceAllUsesWith(loop.getResult(next++));
    }
    if (!yielded.empty())
      scf::YieldOp::create(builder, loc, yielded);
    for (Operation *op = mark ? mark->getNextNode() : &block->front(); op != phase.before;
         op = op->getNextNode())
      made.push_back(op);
  }
  for (Operation *op : llvm::reverse(members))
    op->erase();
  return made;
}

} // namespace kiln::npu::fit
