//===- BufferVariables.cpp - the buffers that become values, and what regions do with them ---===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "BufferVariables.h"

#include "kiln/Analysis/PinnedBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln::tile;

//===-----------------------------------------------------------------------------------------===//
// Which buffers
//===-----------------------------------------------------------------------------------------===//

bool kiln::tile::readsBuffer(Operation *op) { return isa<LocalLoadOp, LocalGetOp>(op); }
bool kiln::tile::writesBuffer(Operation *op) { return isa<LocalStoreOp, LocalSetOp>(op); }

Operation *kiln::tile::scalarSource(Value tensor) {
  Operation *def = tensor.getDefiningOp();
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(def))
    def = def->getOperand(0).getDefiningOp();
  return isa_and_nonnull<tensor::SplatOp, arith::ConstantOp>(def) ? def : nullptr;
}

/// Is the operation reached through loops and branches whose values can be widened?
static bool isInKnownRegions(Operation *op, Operation *function) {
  for (op = op->getParentOp(); op != function; op = op->getParentOp())
    if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
      return false;
  return true;
}

/// The type of the value that a buffer can become; null if it has to stay memory.
static Type valueType(LocalAllocOp buffer) {
  bool isScalar = buffer.getResult().getType().getTensorType().getNumElements() == 1;
  bool loads = false, stores = false, computed = false, gets = false, sets = false;
  for (Operation *user : buffer->getUsers()) {
    if (!isInKnownRegions(user, buffer->getParentOp()))
      return {};
    if (auto load = dyn_cast<LocalLoadOp>(user); load && load.isWhole())
      loads = true;
    else if (auto store = dyn_cast<LocalStoreOp>(user); store && store.isWhole()) {
      stores = true;
      computed |= !scalarSource(store.getValue());
    } else if (isa<LocalGetOp>(user))
      gets = true;
    else if (isa<LocalSetOp>(user))
      sets = true;
    else
      return {};
  }
  if ((gets || sets) && !isScalar)
    return {};
  if (gets && computed) // An element of a tensor that was computed: that takes memory.
    return {};
  bool synchronous = !buffer->getParentOp()->hasAttr(kAsynchronousAttr);
  if ((gets || (sets && !stores)) && (synchronous || !(loads || stores)))
    return buffer.getResult().getType().getElementType();
  return synchronous ? Type(buffer.getResult().getType().getTensorType()) : Type();
}

/// Erases buffers whose content nobody reads, and what is written to them.
static void eraseUnread(SmallVectorImpl<LocalAllocOp> &buffers) {
  bool changed = true;
  auto isUnread = [&](LocalAllocOp buffer) {
    if (!llvm::all_of(buffer->getUsers(), [](Operation *user) {
          return writesBuffer(user) || (readsBuffer(user) && user->use_empty());
        }))
      return false;
    for (Operation *user : llvm::make_early_inc_range(buffer->getUsers()))
      user->erase();
    buffer.erase();
    return changed = true;
  };
  while (std::exchange(changed, false))
    llvm::erase_if(buffers, isUnread);
}

SmallVector<BufferVariable> kiln::tile::findVariables(func::FuncOp function, bool pinned) {
  // What is written to one of several buffers on the same bytes, the others read.
  llvm::SmallPtrSet<Operation *, 4> shared;
  for (const PinnedGroup &group : pinnedGroups(function))
    if (group.buffers.size() > 1)
      shared.insert(group.buffers.begin(), group.buffers.end());
  SmallVector<LocalAllocOp> buffers;
  for (auto buffer : function.front().getOps<LocalAllocOp>())
    if (!buffer.getAddress() || (pinned && !shared.contains(buffer)))
      buffers.push_back(buffer);
  if (!function->hasAttr(kAsynchronousAttr))
    eraseUnread(buffers);
  SmallVector<BufferVariable> variables;
  for (LocalAllocOp buffer : buffers)
    if (Type type = valueType(buffer))
      variables.push_back({buffer, type});
  return variables;
}

//===-----------------------------------------------------------------------------------------===//
// What regions do with them
//===-----------------------------------------------------------------------------------------===//

VariableUses::VariableUses(ArrayRef<BufferVariable> variables, Block &block)
    : count(variables.size()) {
  for (auto [index, variable] : llvm::enumerate(variables))
    indices[Value(variable.buffer->getResult(0))] = index;
  summarise(block);
}

const VariableEffects *VariableUses::find(Operation *op) const {
  auto found = operations.find(op);
  return found == operations.end() ? nullptr : &found->second;
}

std::optional<unsigned> VariableUses::variableOf(Operation *op) const {
  Value buffer;
  if (readsBuffer(op))
    buffer = op->getOperand(0);
  else if (writesBuffer(op))
    buffer = op->getOperand(1);
  auto found = buffer ? indices.find(buffer) : indices.end();
  return found == indices.end() ? std::nullopt : std::optional(found->second);
}

VariableEffects VariableUses::summarise(Operation *op) {
  VariableEffects effects(count);
  if (std::optional<unsigned> variable = variableOf(op)) {
    (readsBuffer(op) ? effects.reads : effects.overwrites).set(*variable);
    if (writesBuffer(op))
      effects.writes.set(*variable);
    return effects;
  }
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      summarise(block);
      effects.writes |= of(&block).writes;
    }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    // It may not run at all, so it overwrites nothing for certain.
    effects.reads = of(loop.getBody()).reads;
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    effects.reads = of(branch.thenBlock()).reads;
    if (Block *elseBlock = branch.elseBlock()) {
      effects.reads |= of(elseBlock).reads;
      effects.overwrites = of(branch.thenBlock()).overwrites;
      effects.overwrites &= of(elseBlock).overwrites;
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    const VariableEffects &before = of(loop.getBeforeBody());
    effects.reads = before.liveBefore(of(loop.getAfterBody()).reads);
    effects.overwrites = before.overwrites;
  }
  return effects;
}

void VariableUses::summarise(Block &block) {
  VariableEffects effects(count);
  for (Operation &op : llvm::reverse(block)) {
    if (!op.getNumRegions() && !variableOf(&op))
      continue;
    VariableEffects inner = summarise(&op);
    effects.reads = inner.liveBefore(effects.reads);
    effects.overwrites |= inner.overwrites;
    effects.writes |= inner.writes;
    operations.insert_or_assign(&op, std::move(inner));
  }
  blocks.insert_or_assign(&block, std::move(effects));
}
