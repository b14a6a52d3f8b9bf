//===- Programs.cpp - what one program of a kernel does --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Sizes, order and invariance of the ops of a kernel's body, for map-grid.
//
//===-----------------------------------------------------------------------------------------===//

#include "Programs.h"

#include "../Tiles.h"

#include "kiln/Analysis/MemoryOrder.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// Batches below it reach 50 to 70 % of the path's rate, larger ones more than 80 %.
constexpr int64_t kBatchBytes = 20 << 10;
/// Two pieces share barriers and hide each other's latency. More copies need more flags than a pair
/// of pipes has, and one scalar unit issues all of their code.
constexpr int64_t kMaxUnroll = 2;

bool isTensorType(Type type) { return isa<RankedTensorType>(type); }

/// The same in all programs, and no tensor: those would hold room on chip all the time.
bool isInvariant(Operation *op, const llvm::DenseSet<Value> &varying) {
  // Buffers are made once: programs of a core run one after the other, and find them undefined.
  if (isa<tile::LocalAllocOp>(op))
    return true;
  if (isa<tile::ProgramIdOp>(op) || op->getNumRegions() || !isPure(op))
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return true;
  return llvm::none_of(op->getResultTypes(), isTensorType) &&
         llvm::none_of(op->getOperandTypes(), isTensorType) &&
         llvm::none_of(op->getOperands(), [&](Value v) { return varying.contains(v); });
}

/// Regions of reductions and of linalg ops are what the op computes, not control flow.
bool isStraightOp(Operation *op) {
  if (op->getNumRegions())
    return isa<tile::ReduceOp, linalg::LinalgOp>(op);
  return isPure(op) || isa<tile::LoadOp, tile::StoreOp>(op);
}

/// Adds the load and all that it needs, unless that includes another load.
void addEarly(ProgramShape &shape, Operation *load, const llvm::DenseSet<Operation *> &inBody) {
  SmallVector<Operation *> pending = {load}, slice;
  llvm::DenseSet<Operation *> seen;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (!inBody.contains(op) || !seen.insert(op).second)
      continue;
    if (op != load && !isMemoryEffectFree(op))
      return;
    slice.push_back(op);
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp())
        pending.push_back(def);
  }
  shape.early.insert(slice.begin(), slice.end());
}

void findEarlyLoads(ProgramShape &shape) {
  MemoryOrder order;
  llvm::DenseSet<Operation *> inBody(shape.ops.begin(), shape.ops.end());
  SmallVector<Operation *> stores;
  for (Operation *op : shape.ops) {
    if (isa<tile::StoreOp>(op))
      stores.push_back(op);
    if (isa<tile::LoadOp>(op) &&
        llvm::all_of(stores, [&](Operation *store) { return order.mayReorder(store, op); }))
      addEarly(shape, op, inBody);
  }
}

/// Nothing of it comes from the program's number, or from memory that the program may have written.
void findShared(ProgramShape &shape) {
  llvm::DenseSet<Value> own;
  for (Operation *op : shape.ops) {
    bool isShared = !isa<tile::ProgramIdOp>(op) &&
                    (isMemoryEffectFree(op) || (isa<tile::LoadOp>(op) && shape.early.contains(op)));
    op->walk([&](Operation *inner) {
      isShared &= llvm::none_of(inner->getOperands(), [&](Value v) { return own.contains(v); });
    });
    if (isShared)
      shape.shared.insert(op);
    else
      own.insert(op->result_begin(), op->result_end());
  }
}

} // namespace

ProgramShape shapeOf(func::FuncOp function) {
  ProgramShape shape;
  llvm::DenseSet<Value> varying;
  Block &entry = function.getBody().front();
  SmallVector<Operation *> invariant;
  for (Operation &op : entry.without_terminator()) {
    if (isInvariant(&op, varying)) {
      invariant.push_back(&op);
      continue;
    }
    shape.ops.push_back(&op);
    varying.insert(op.result_begin(), op.result_end());
    shape.isStraight &= isStraightOp(&op);
    for (Type type : op.getResultTypes())
      shape.largestTile = std::max(shape.largestTile, tileBytes(type));
    if (isa<tile::LoadOp>(op))
      shape.loadBytes += tileBytes(op.getResult(0).getType());
    if (auto store = dyn_cast<tile::StoreOp>(op))
      shape.storeBytes += tileBytes(store.getValue().getType());
  }
  for (Operation *op : invariant)
    if (!shape.ops.empty() && shape.ops.front()->isBeforeInBlock(op))
      op->moveBefore(shape.ops.front());
  if (shape.isStraight) {
    findEarlyLoads(shape);
    findShared(shape);
  }
  return shape;
}

int64_t chooseUnroll(const ProgramShape &shape, const machine::Machine &machine) {
  int64_t moved = std::max(shape.loadBytes, shape.storeBytes);
  if (!shape.isStraight || moved == 0)
    return 1;
  // Two batches are in flight, and what is between load and store needs room too.
  int64_t room = machine.memory(machine::Memory::UB).usableBytes / 2;
  int64_t each = shape.loadBytes + shape.storeBytes + 2 * shape.largestTile;
  return std::max<int64_t>(
      1, std::min({int64_t(llvm::divideCeil(kBatchBytes, moved)), room / each, kMaxUnroll}));
}

} // namespace kiln::npu
