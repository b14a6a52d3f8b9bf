//===- Touched.cpp - who reads and writes buffers that the author named ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Touched.h"

#include "kiln/Analysis/PinnedBuffers.h"
#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

using namespace mlir;

namespace kiln::npu::bufferize {

/// The buffer that a memref is, or is part of; null if it is none of the author's.
static Value namedBuffer(Value memref) {
  while (Operation *def = memref.getDefiningOp()) {
    if (auto window = dyn_cast<WindowOp>(def))
      memref = window.getSource();
    else if (auto slot = dyn_cast<SlotOp>(def))
      memref = slot.getRing();
    else if (auto local = dyn_cast<LocalOp>(def))
      return local.getBuffer();
    else
      break;
  }
  return {};
}

Touched::Touched(func::FuncOp function) {
  for (auto alloc : function.front().getOps<tile::LocalAllocOp>())
    leaders[alloc.getResult()] = alloc.getResult();
  for (const PinnedGroup &group : pinnedGroups(function))
    for (tile::LocalAllocOp alloc : group.buffers)
      leaders[alloc.getResult()] = group.buffers.front()->getResult(0);

  function.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LocalLoadOp>(op))
      add(op, load.getBuffer(), false);
    else if (auto get = dyn_cast<tile::LocalGetOp>(op))
      add(op, get.getBuffer(), false);
    else if (auto store = dyn_cast<tile::LocalStoreOp>(op))
      add(op, store.getBuffer(), true);
    else if (auto set = dyn_cast<tile::LocalSetOp>(op))
      add(op, set.getBuffer(), true);
    else if (isa<SetOp, WaitOp, BarrierOp>(op))
      touched[op].push_back({Value(), true});
    else if (auto instruction = dyn_cast<InstructionOpInterface>(op))
      for (const Access &access : instruction.accesses())
        if (Value buffer = access.isGlobal() ? Value() : namedBuffer(access.buffer))
          add(op, buffer, access.write);
  });
}

void Touched::add(Operation *op, Value buffer, bool write) {
  touched[op].push_back({leaders.lookup(buffer), write});
}

bool Touched::touches(Operation *op, Value buffer, bool onlyWrites) const {
  Value leader = leaders.lookup(buffer);
  WalkResult result = op->walk([&](Operation *inner) {
    auto found = touched.find(inner);
    if (found == touched.end())
      return WalkResult::advance();
    for (const Touch &touch : found->second)
      if ((!touch.buffer || touch.buffer == leader) && (touch.write || !onlyWrites))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

} // namespace kiln::npu::bufferize
