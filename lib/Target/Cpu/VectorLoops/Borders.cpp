//===- Borders.cpp - loops and branches that carry tensors -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   %r = scf.for … iter_args(%a = %init) {     … %init to the buffer …
//     %b = … %a …                              scf.for … {
//     scf.yield %b                               … %b of the buffer, to the buffer …
//   }                                          }
//
// The write of %b to the buffer is a node like any other: it joins the loop that reads %a if that
// reads the same lanes, and comes after it, with %b staged, if not.
//
//===-----------------------------------------------------------------------------------------===//

#include "Blocks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln::cpu {

Buffer *Border::bufferFor(Value value) {
  return isTensor(value) ? context.scratch->makeTensor(value.getType()) : nullptr;
}

Border::Border(FunctionContext &context, Operation *op) : context(context), op(op) {
  auto note = [](ValueRange values, ArrayRef<Buffer *> buffers, SmallVector<TensorHome> &homes) {
    for (auto [value, buffer] : llvm::zip(values, buffers))
      if (buffer)
        homes.push_back({value, buffer});
  };
  for (Value result : op->getResults())
    passed.push_back(bufferFor(result));
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    carried = passed;
    note(loop.getInitArgs(), carried, initial);
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (Value init : loop.getInits())
      carried.push_back(bufferFor(init));
    note(loop.getInits(), carried, initial);
  }
  note(op->getResults(), passed, results);
}

/// The values that are no tensors.
static SmallVector<Value> scalarsOf(ValueRange values) {
  return llvm::filter_to_vector(values, [](Value value) { return !isTensor(value); });
}

static SmallVector<TensorHome> homesOf(ValueRange values, ArrayRef<Buffer *> buffers) {
  SmallVector<TensorHome> homes;
  for (auto [value, buffer] : llvm::zip(values, buffers))
    if (buffer)
      homes.push_back({value, buffer});
  return homes;
}

static void eraseTensorArguments(Block &block) {
  for (BlockArgument argument : block.getArguments())
    if (isTensor(argument))
      argument.dropAllUses();
  block.eraseArguments([](BlockArgument argument) { return isTensor(argument); });
}

static void replaceScalars(Operation *from, Operation *to) {
  for (auto [before, after] : llvm::zip(scalarsOf(from->getResults()), to->getResults()))
    before.replaceAllUsesWith(after);
}

LogicalResult Border::lowerFor() {
  auto loop = cast<scf::ForOp>(op);
  OpBuilder builder(op);
  auto lowered = scf::ForOp::create(builder, op->getLoc(), loop.getLowerBound(),
                                    loop.getUpperBound(), loop.getStep(),
                                    scalarsOf(loop.getInitArgs()), nullptr, loop.getUnsignedCmp());
  lowered.getRegion().takeBody(loop.getRegion());
  Block &body = lowered.getRegion().front();
  auto yield = cast<scf::YieldOp>(body.getTerminator());
  if (failed(lowerBlock(context, body, homesOf(body.getArguments().drop_front(), carried),
                        homesOf(yield.getResults(), carried))))
    return failure();
  builder.setInsertionPoint(yield);
  scf::YieldOp::create(builder, yield.getLoc(), scalarsOf(yield.getResults()));
  yield.erase();
  eraseTensorArguments(body);
  replaceScalars(op, lowered);
  return success();
}

LogicalResult Border::lowerIf() {
  auto branch = cast<scf::IfOp>(op);
  OpBuilder builder(op);
  SmallVector<Type> types;
  for (Value result : scalarsOf(op->getResults()))
    types.push_back(result.getType());
  auto lowered = scf::IfOp::create(builder, op->getLoc(), types, branch.getCondition(),
                                   /*addThenBlock=*/false, /*addElseBlock=*/false);
  for (auto [from, to] : llvm::zip(branch->getRegions(), lowered->getRegions())) {
    to.takeBody(from);
    if (to.empty())
      continue;
    auto yield = cast<scf::YieldOp>(to.front().getTerminator());
    if (failed(lowerBlock(context, to.front(), {}, homesOf(yield.getResults(), passed))))
      return failure();
    builder.setInsertionPoint(yield);
    scf::YieldOp::create(builder, yield.getLoc(), scalarsOf(yield.getResults()));
    yield.erase();
  }
  replaceScalars(op, lowered);
  return success();
}

LogicalResult Border::lowerWhile() {
  auto loop = cast<scf::WhileOp>(op);
  OpBuilder builder(op);
  SmallVector<Type> types;
  for (Value result : scalarsOf(op->getResults()))
    types.push_back(result.getType());
  auto lowered = scf::WhileOp::create(builder, op->getLoc(), types, scalarsOf(loop.getInits()));
  lowered.getBefore().takeBody(loop.getBefore());
  lowered.getAfter().takeBody(loop.getAfter());
  Block &before = lowered.getBefore().front(), &after = lowered.getAfter().front();
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  if (failed(lowerBlock(context, before, homesOf(before.getArguments(), carried),
                        homesOf(condition.getArgs(), passed))))
    return failure();
  builder.setInsertionPoint(condition);
  scf::ConditionOp::create(builder, condition.getLoc(), condition.getCondition(),
                           scalarsOf(condition.getArgs()));
  condition.erase();
  auto yield = cast<scf::YieldOp>(after.getTerminator());
  if (failed(lowerBlock(context, after, homesOf(after.getArguments(), passed),
                        homesOf(yield.getResults(), carried))))
    return failure();
  builder.setInsertionPoint(yield);
  scf::YieldOp::create(builder, yield.getLoc(), scalarsOf(yield.getResults()));
  yield.erase();
  eraseTensorArguments(before);
  eraseTensorArguments(after);
  replaceScalars(op, lowered);
  return success();
}

LogicalResult Border::lower() {
  unsigned start = context.scratch->now();
  LogicalResult result = failure();
  if (isa<scf::ForOp>(op))
    result = lowerFor();
  else if (isa<scf::IfOp>(op))
    result = lowerIf();
  else if (isa<scf::WhileOp>(op))
    result = lowerWhile();
  else
    return op->emitOpError("carries tensors in a way that the CPU target does not know");
  if (isa<LoopLikeOpInterface>(op)) {
    context.scratch->endLoop(start);
    // Also those whose first content is undefined, which nothing wrote before the loop.
    for (Buffer *buffer : carried)
      if (buffer)
        context.scratch->touchSince(*buffer, start);
  }
  context.dead.push_back(op);
  return result;
}

} // namespace kiln::cpu
