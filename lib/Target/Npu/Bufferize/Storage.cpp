//===- Storage.cpp - which tensors share a buffer --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Storage.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::npu::bufferize {

bool isSeenThrough(Operation *op) {
  if (isa<tensor::SplatOp, tensor::EmptyOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          linalg::BroadcastOp, tile::HintOp>(op))
    return true;
  auto constant = dyn_cast<arith::ConstantOp>(op);
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

Value storedTensor(Value tensor) {
  while (Operation *def = tensor.getDefiningOp()) {
    if (!isSeenThrough(def) || def->getNumOperands() == 0 ||
        !isa<RankedTensorType>(def->getOperand(0).getType()))
      break;
    tensor = def->getOperand(0);
  }
  return tensor;
}

static bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

Storages::Storages(func::FuncOp function) {
  // Even numbers are operations; the odd one behind a loop's is its body's arguments.
  unsigned next = 0;
  auto number = [&](auto &self, Operation *op) -> void {
    unsigned start = next;
    next += 2;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          self(self, &inner);
    range[op] = {start, op->getNumRegions() ? next : start};
    next += op->getNumRegions() ? 2 : 0;
  };
  number(number, function);
}

unsigned Storages::definition(Value tensor) const {
  if (Operation *def = tensor.getDefiningOp())
    return range.lookup(def).second;
  // The arguments of a block come into being in front of its first operation.
  return range.lookup(&tensor.getParentBlock()->front()).first - 1;
}

void Storages::addUses(Value shown, Value tensor, SmallVectorImpl<Use> &uses) {
  for (Operation *user : shown.getUsers()) {
    if (isSeenThrough(user) && user->getOperand(0) == shown) {
      addUses(user->getResult(0), tensor, uses);
      continue;
    }
    Use use{user, range.lookup(user).first};
    for (Operation *up = user; up->getParentRegion() != tensor.getParentRegion();) {
      up = up->getParentOp();
      if (isLoop(up))
        use = {up, range.lookup(up).second};
    }
    uses.push_back(use);
  }
}

const SmallVector<Storages::Use> &Storages::usesOf(Value tensor) {
  auto [entry, isNew] = uses.try_emplace(tensor);
  if (isNew) {
    SmallVector<Use> found;
    addUses(tensor, tensor, found);
    uses[tensor] = std::move(found);
  }
  return uses[tensor];
}

/// The two operations are in different branches of one `if`.
static bool isExclusive(Operation *a, Block *b) {
  for (Operation *up = a; up; up = up->getParentOp()) {
    auto branch = dyn_cast_or_null<scf::IfOp>(up->getParentOp());
    if (!branch)
      continue;
    Region *other = b->getParent();
    while (other && other->getParentOp() != branch)
      other = other->getParentRegion();
    if (other)
      return other != up->getParentRegion();
  }
  return false;
}

bool Storages::isLiveAt(Value tensor, Value defined) {
  unsigned at = definition(defined);
  if (definition(tensor) > at)
    return false;
  if (definition(tensor) == at)
    return true;
  return llvm::any_of(usesOf(tensor), [&](const Use &use) {
    return use.until > at && !isExclusive(use.within, defined.getParentBlock());
  });
}

Value Storages::leader(Value tensor) {
  auto [entry, isNew] = leaders.try_emplace(tensor, tensor);
  if (isNew)
    groups[tensor].push_back(tensor);
  return entry->second;
}

ArrayRef<Value> Storages::members(Value tensor) { return groups[leader(tensor)]; }

bool Storages::join(Value a, Value b) {
  Value first = leader(a), second = leader(b);
  if (first == second)
    return true;
  if (closed.count(first) || closed.count(second))
    return false;
  for (Value left : groups[first])
    for (Value right : groups[second])
      if (isLiveAt(left, right) || isLiveAt(right, left))
        return false;
  SmallVector<Value> moved = std::move(groups[second]);
  groups.erase(second);
  for (Value tensor : moved)
    leaders[tensor] = first;
  llvm::append_range(groups[first], moved);
  return true;
}

} // namespace kiln::npu::bufferize
