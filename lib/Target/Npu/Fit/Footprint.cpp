//===- Footprint.cpp - the room that tiles take ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Footprint.h"

#include "../Bufferize/Layout.h"
#include "../Bufferize/Storage.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using kiln::npu::bufferize::isSeenThrough;

namespace kiln::npu::fit {

namespace {

bool isTile(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isIntOrFloat();
}

bool hasStorage(Value value) {
  return isTile(value) && !(value.getDefiningOp() && isSeenThrough(value.getDefiningOp()));
}

class Estimate {
public:
  Estimate(func::FuncOp function, const machine::Machine &machine)
      : function(function), rule(function, machine) {
    number(function);
    positions = next;
  }

  Footprint run(ArrayRef<Operation *> within);

private:
  /// From where to where a buffer is needed.
  struct Interval {
    unsigned from, to;
    Value tensor;
    int64_t bytes;
  };

  void number(Operation *op) {
    unsigned start = next++;
    for (Region &region : op->getRegions())
      if (!isa<tile::ReduceOp, linalg::LinalgOp>(op))
        for (Block &block : region)
          for (Operation &inner : block)
            number(&inner);
    range[op] = {start, op->getNumRegions() ? next++ : start};
  }

  int64_t bytesOf(Value value) const {
    MemRefType type = rule.bufferType(cast<RankedTensorType>(value.getType()));
    return llvm::alignTo(llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(), 8),
                         32);
  }

  unsigned madeAt(Value value) const {
    if (Operation *def = value.getDefiningOp())
      return range.lookup(def).second;
    return range.lookup(value.getParentBlock()->getParentOp()).first;
  }

  unsigned lastUse(Value shown, Value tensor) const {
    unsigned last = madeAt(tensor);
    for (Operation *user : shown.getUsers()) {
      if (isSeenThrough(user) && user->getOperand(0) == shown) {
        last = std::max(last, lastUse(user->getResult(0), tensor));
        continue;
      }
      auto known = range.find(user);
      if (known == range.end())
        continue;
      last = std::max(last, known->second.first);
      for (Operation *up = user->getParentOp(); up && up != function; up = up->getParentOp())
        if (isa<LoopLikeOpInterface>(up) && !up->isAncestor(tensor.getParentBlock()->getParentOp()))
          last = std::max(last, range.lookup(up).second);
    }
    return last;
  }

  /// What goes through control flow lies in one buffer.
  void joinCarried(llvm::EquivalenceClasses<void *> &classes);
  /// Room that lowering takes while it makes the operation.
  int64_t temporaries(Operation *op) const;
  int64_t ringBytes(Operation *root) const;

  func::FuncOp function;
  LayoutRule rule;
  unsigned next = 0, positions = 0;
  DenseMap<Operation *, std::pair<unsigned, unsigned>> range;
};

void Estimate::joinCarried(llvm::EquivalenceClasses<void *> &classes) {
  auto join = [&](Value a, Value b) {
    if (hasStorage(a) && hasStorage(b))
      classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  };
  function.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [init, argument, yielded, result] :
           llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(),
                           loop.getResults())) {
        join(argument, result);
        join(argument, yielded);
        if (init.hasOneUse())
          join(argument, init);
      }
    } else if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults()) {
      for (auto [index, result] : llvm::enumerate(branch.getResults())) {
        join(result, branch.thenYield().getOperand(index));
        join(result, branch.elseYield().getOperand(index));
      }
    }
  });
}

int64_t Estimate::temporaries(Operation *op) const {
  // Folds write to a copy of the rows.
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    int64_t bytes = 0;
    for (Value input : reduce.getInputs())
      bytes += bytesOf(input);
    return reduce.getInputs().size() == 1 ? bytes : 3 * bytes;
  }
  if (isa<linalg::TransposeOp>(op))
    return bytesOf(op->getResult(0));
  // A span of memory and 32-bit offsets into it.
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    auto view = load.getView().getDefiningOp<tile::ViewOp>();
    if (!view || view.getMixedStrides().empty())
      return 0;
    std::optional<int64_t> stride = getConstantIntValue(view.getMixedStrides().back());
    int64_t bytes = bytesOf(load.getResult());
    return stride == 1 ? 0 : bytes * (stride ? std::min<int64_t>(std::abs(*stride), 8) : 1) + bytes;
  }
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    Operation *def = store.getValue().getDefiningOp();
    return def && isSeenThrough(def) ? bytesOf(store.getValue()) : 0;
  }
  // Masks as numbers.
  if (isa<arith::SelectOp, arith::CmpIOp, arith::CmpFOp>(op) && op->getNumResults() == 1 &&
      isTile(op->getResult(0)))
    return 256;
  return 0;
}

int64_t Estimate::ringBytes(Operation *root) const {
  int64_t bytes = 0;
  root->walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      bytes += bytesOf(load.getResult());
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      bytes += bytesOf(store.getValue());
  });
  return bytes;
}

Footprint Estimate::run(ArrayRef<Operation *> within) {
  SmallVector<Value> tensors;
  auto add = [&](ValueRange values) {
    llvm::append_range(tensors, llvm::make_filter_range(values, hasStorage));
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    add(op->getResults());
    if (isa<scf::ForOp, scf::WhileOp>(op))
      for (Region &region : op->getRegions())
        add(region.getArguments());
    return isa<tile::ReduceOp, linalg::LinalgOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  llvm::EquivalenceClasses<void *> classes;
  for (Value tensor : tensors)
    classes.insert(tensor.getAsOpaquePointer());
  joinCarried(classes);

  llvm::MapVector<void *, Interval> buffers;
  for (Value tensor : tensors) {
    Interval own{madeAt(tensor), lastUse(tensor, tensor), tensor, bytesOf(tensor)};
    auto [entry, isNew] =
        buffers.insert({classes.getLeaderValue(tensor.getAsOpaquePointer()), own});
    if (isNew)
      continue;
    entry->second.from = std::min(entry->second.from, own.from);
    entry->second.to = std::max(entry->second.to, own.to);
  }

  SmallVector<int64_t> change(positions + 2, 0);
  for (auto &[leader, buffer] : buffers) {
    change[buffer.from] += buffer.bytes;
    change[buffer.to + 1] -= buffer.bytes;
  }
  SmallVector<int64_t> live(positions + 1, 0);
  for (int64_t sum = 0; unsigned at : llvm::seq(0u, positions))
    live[at] = sum += change[at];

  Footprint footprint;
  Operation *whole = function;
  for (Operation *root : within.empty() ? ArrayRef(whole) : within)
    footprint.rings += ringBytes(root);
  unsigned fullest = 0;
  for (auto [op, at] : range) {
    bool counts = within.empty() || llvm::any_of(within, [&, inner = op](Operation *outer) {
                    return outer->isAncestor(inner);
                  });
    if (!counts)
      continue;
    int64_t bytes = live[at.first] + temporaries(op);
    if (bytes > footprint.live || !footprint.fullest ||
        (bytes == footprint.live && at.first < fullest)) {
      footprint.live = bytes;
      footprint.fullest = op;
      fullest = at.first;
    }
  }
  for (auto &[leader, buffer] : buffers)
    if (buffer.from <= fullest && fullest <= buffer.to)
      footprint.tenants.push_back({buffer.tensor, buffer.bytes});
  llvm::stable_sort(footprint.tenants,
                    [](const Tenant &a, const Tenant &b) { return a.bytes > b.bytes; });
  return footprint;
}

} // namespace

Footprint footprintOf(func::FuncOp function, const machine::Machine &machine,
                      ArrayRef<Operation *> within) {
  return Estimate(function, machine).run(within);
}

} // namespace kiln::npu::fit
