//===- ControlFlow.cpp - tensors that go through loops and branches --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "ControlFlow.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace kiln::npu::bufferize {

namespace {

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

/// Values of one list and the tensors of another that they become, joined or copied before `at`.
void pass(ValueRange from, ValueRange into, Operation *at, Storages &storages,
          SmallVectorImpl<Copies> &copies) {
  Copies group{at, {}};
  for (auto [source, target] : llvm::zip_equal(from, into)) {
    if (!isTensor(source))
      continue;
    bool hasStorage = storedTensor(source) == source &&
                      !(source.getDefiningOp() && isSeenThrough(source.getDefiningOp()));
    if (!hasStorage || !storages.join(target, source))
      group.copies.emplace_back(source, target);
  }
  if (!group.copies.empty())
    copies.push_back(std::move(group));
}

/// An argument or result and its result or argument are one storage whatever happens.
void unite(ValueRange a, ValueRange b, Storages &storages) {
  for (auto [first, second] : llvm::zip_equal(a, b))
    if (isTensor(first)) {
      [[maybe_unused]] bool joined = storages.join(first, second);
      assert(joined && "nothing of a loop is needed when its result comes into being");
    }
}

/// The values that are not tensors.
SmallVector<Value> scalarsOf(ValueRange values) {
  return llvm::filter_to_vector(values, [](Value value) { return !isTensor(value); });
}

using PlaceOf = llvm::function_ref<Value(Value)>;

/// Uses of a tensor argument or result name what its buffer holds.
void nameContent(OpBuilder &builder, Value tensor, PlaceOf placeOf) {
  if (tensor.use_empty())
    return;
  Value held = bufferization::ToTensorOp::create(builder, tensor.getLoc(), tensor.getType(),
                                                 placeOf(tensor), /*restrict=*/true);
  tensor.replaceAllUsesWith(held);
}

void nameArguments(Block &block, PlaceOf placeOf) {
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  for (BlockArgument argument : block.getArguments())
    if (isTensor(argument))
      nameContent(builder, argument, placeOf);
}

void eraseTensorArguments(Block &block) {
  block.eraseArguments([](BlockArgument argument) { return isTensor(argument); });
}

/// A copy of the operation without its tensors that takes over the regions.
void replaceWithoutTensors(Operation *op, ValueRange operands) {
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName(), operands, {}, op->getAttrs());
  for (Value result : op->getResults())
    if (!isTensor(result))
      state.types.push_back(result.getType());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *replacement = builder.create(state);
  auto next = replacement->result_begin();
  for (Value result : op->getResults())
    if (!isTensor(result))
      result.replaceAllUsesWith(*next++);
  op->erase();
}

} // namespace

void joinControlFlow(func::FuncOp function, Storages &storages, SmallVectorImpl<Copies> &copies) {
  // Inner operations first: what carries on through nested loops meets in one storage.
  function.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      Operation *yield = loop.getBody()->getTerminator();
      unite(loop.getResults(), loop.getRegionIterArgs(), storages);
      pass(yield->getOperands(), loop.getRegionIterArgs(), yield, storages, copies);
      pass(loop.getInitArgs(), loop.getRegionIterArgs(), loop, storages, copies);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      scf::ConditionOp condition = loop.getConditionOp();
      scf::YieldOp yield = loop.getYieldOp();
      unite(loop.getResults(), loop.getAfterArguments(), storages);
      pass(yield.getOperands(), loop.getBeforeArguments(), yield, storages, copies);
      pass(condition.getArgs(), loop.getAfterArguments(), condition, storages, copies);
      pass(loop.getInits(), loop.getBeforeArguments(), loop, storages, copies);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (branch.getNumResults() == 0)
        return;
      pass(branch.thenYield().getOperands(), branch.getResults(), branch.thenYield(), storages,
           copies);
      pass(branch.elseYield().getOperands(), branch.getResults(), branch.elseYield(), storages,
           copies);
    }
  });
}

bool hoist(Value value, Operation *op) {
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != op->getBlock() || def->isBeforeInBlock(op))
    return true;
  if (!isPure(def) || def->getNumRegions() ||
      !llvm::all_of(def->getOperands(), [&](Value operand) { return hoist(operand, op); }))
    return false;
  def->moveBefore(op);
  return true;
}

void dropTensors(func::FuncOp function, PlaceOf placeOf) {
  SmallVector<Operation *> all;
  function.walk([&](Operation *op) {
    if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op) &&
        (llvm::any_of(op->getOperands(), isTensor) || llvm::any_of(op->getResults(), isTensor)))
      all.push_back(op);
  });
  // All content is named before an operation that a place was asked for goes away.
  for (Operation *op : all) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        nameArguments(block, placeOf);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults())
      if (isTensor(result))
        nameContent(builder, result, placeOf);
  }
  for (Operation *op : all) {
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        Operation *terminator = block.getTerminator();
        SmallVector<Value> scalars = scalarsOf(terminator->getOperands());
        terminator->setOperands(scalars);
        eraseTensorArguments(block);
      }
    replaceWithoutTensors(op, scalarsOf(op->getOperands()));
  }
}

} // namespace kiln::npu::bufferize
