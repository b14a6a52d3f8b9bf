//===- Steady.cpp - the modelled time of one iteration of a loop -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Steady.h"

#include "../Tiles.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "machine/Cost.h"

using namespace mlir;
using kiln::machine::Memory;

namespace kiln::npu {
namespace {

/// Bytes per cycle that one vector core gets of memory when all of them draw.
double shareOfMemory(const machine::Machine &machine) {
  double all = machine::bytesPerCycle(machine, machine.shared.hbmBytesPerSecond);
  return std::min(all / machine.vectorCores(),
                  machine.shared.hbmBytesPerCyclePerCore / machine.vectorsPerCore);
}

double transfer(const machine::Machine &machine, Memory from, Memory to, int64_t bytes,
                double &latency) {
  const machine::Path *path = machine.path(from, to);
  if (!path || !bytes)
    return 0;
  machine::TransferCost cost =
      machine::transferCost(machine, *path, uint64_t(bytes), machine::Residence::HBM);
  latency = std::max(latency, cost.latency);
  return std::max(cost.pipe(), double(bytes) / shareOfMemory(machine));
}

/// Vector work of an op on tensors: about one instruction over its widest operand; a reduction
/// reads its operand once and folds.
double vectorWork(const machine::Machine &machine, Operation *op) {
  if (isa<tile::LoadOp, tile::StoreOp, tile::RingPutOp, tensor::EmptyOp, arith::ConstantOp>(op))
    return 0;
  int64_t bytes = 0;
  for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()),
                                      llvm::to_vector(op->getResultTypes())))
    bytes = std::max(bytes, tileBytes(type));
  if (!bytes)
    return 0;
  machine::VectorShape shape;
  shape.rowBytes = uint64_t(bytes);
  return machine::vectorCost(machine, machine::Opcode::VAdd, shape).total();
}

/// The bytes of values that live at the fullest point of a block.
int64_t fullest(Block &block) {
  int64_t live = 0, most = 0;
  DenseMap<Operation *, int64_t> endsAt;
  for (Operation &op : block) {
    for (Value result : op.getResults()) {
      int64_t bytes = tileBytes(result.getType());
      Operation *last = &op;
      for (Operation *user : result.getUsers())
        if (Operation *here = block.findAncestorOpInBlock(*user);
            here && last->isBeforeInBlock(here))
          last = here;
      live += bytes;
      endsAt[last] += bytes;
    }
    most = std::max(most, live);
    live -= endsAt.lookup(&op);
  }
  return most;
}

} // namespace

IterationCost costOf(scf::ForOp loop, const machine::Machine &machine) {
  IterationCost cost;
  for (Operation &op : loop.getBody()->without_terminator()) {
    double ignored = 0;
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      int64_t bytes = tileBytes(load.getType());
      cost.load += transfer(machine, Memory::GM, Memory::UB, bytes, cost.loadLatency);
      cost.ringBytes += bytes;
    } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
      int64_t bytes = tileBytes(store.getValue().getType());
      cost.store += transfer(machine, Memory::UB, Memory::GM, bytes, ignored);
      cost.ringBytes += bytes;
    } else {
      op.walk([&](Operation *inner) {
        double cycles = vectorWork(machine, inner);
        cost.vector += cycles;
        if (cycles) // with its barrier; a reduction folds in a few steps
          cost.vectorInstructions += isa<tile::ReduceOp>(inner) ? 6 : 2;
      });
    }
  }
  cost.otherBytes = fullest(*loop.getBody());
  return cost;
}

double steadyCycles(const IterationCost &cost, int64_t depth) {
  constexpr int64_t iterations = 32;    // the pace settles after a few
  SmallVector<double> computed, stored; // when the values of a slot were used
  double loadFree = 0, vectorFree = 0, storeFree = 0, before = 0, pace = 0;
  for (int64_t i = 0; i < iterations; ++i) {
    double start = std::max(loadFree, i >= depth ? computed[i - depth] : 0);
    loadFree = start + cost.load;
    double ready = std::max(vectorFree, loadFree + cost.loadLatency);
    vectorFree = std::max(ready, i >= depth ? stored[i - depth] : 0) + cost.vector;
    computed.push_back(vectorFree);
    storeFree = std::max(storeFree, vectorFree) + cost.store;
    stored.push_back(storeFree);
    pace = storeFree - before;
    before = storeFree;
  }
  return pace;
}

} // namespace kiln::npu
