//===- Axes.cpp - dimensions that belong together --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Analysis/Axes.h"

#include "ShapeMap.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

/// The sizes of what has lanes; nothing for scalars.
static ArrayRef<int64_t> lanesOf(Value value) {
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    return tensor.getShape();
  if (auto view = dyn_cast<ViewType>(value.getType()))
    return view.getShape();
  return {};
}

//===-----------------------------------------------------------------------------------------===//
// Union-find
//===-----------------------------------------------------------------------------------------===//

unsigned Axes::node(Value value, unsigned dim) {
  auto [entry, isNew] = nodes.try_emplace({value, dim}, unsigned(parents.size()));
  if (isNew) {
    parents.push_back(entry->second);
    keys.push_back({value, dim});
  }
  return entry->second;
}

unsigned Axes::find(unsigned node) {
  while (parents[node] != node)
    node = parents[node] = parents[parents[node]];
  return node;
}

void Axes::join(Value a, unsigned dimA, Value b, unsigned dimB) {
  if (lanesOf(a)[dimA] == 1 || lanesOf(a)[dimA] != lanesOf(b)[dimB])
    return;
  unsigned first = find(node(a, dimA)), second = find(node(b, dimB));
  parents[std::max(first, second)] = std::min(first, second);
}

void Axes::join(Value a, Value b) {
  if (!a || !b || lanesOf(a).size() != lanesOf(b).size())
    return;
  for (unsigned dim = 0; dim < lanesOf(a).size(); ++dim)
    join(a, dim, b, dim);
}

void Axes::fix(Value value, unsigned dim, Operation *op, StringRef reason) {
  if (lanesOf(value)[dim] != 1)
    fixed.push_back({node(value, dim), op, reason.str()});
}

void Axes::fix(Value value, Operation *op, StringRef reason) {
  for (unsigned dim = 0; dim < lanesOf(value).size(); ++dim)
    fix(value, dim, op, reason);
}

//===-----------------------------------------------------------------------------------------===//
// Operations
//===-----------------------------------------------------------------------------------------===//

void Axes::visitShape(Operation *op) {
  std::optional<ShapeMap> map = ShapeMap::get(op);
  Value input = op->getOperand(0), result = op->getResult(0);
  if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op))
    join(broadcast.getInit(), result);
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op))
    join(transpose.getInit(), result);
  for (const ShapeMap::Group &group : map->groups) {
    auto real = [](ArrayRef<unsigned> dims, Value value) {
      return llvm::filter_to_vector(dims, [&](unsigned dim) { return lanesOf(value)[dim] != 1; });
    };
    SmallVector<unsigned> from = real(group.inputDims, input),
                          into = real(group.resultDims, result);
    if (from.size() == 1 && into.size() == 1) {
      join(input, from[0], result, into[0]);
      continue;
    }
    for (unsigned dim : from)
      fix(input, dim, op, "it lays several dimensions out as others");
    for (unsigned dim : into)
      fix(result, dim, op, "it lays several dimensions out as others");
  }
}

void Axes::visitControlFlow(Operation *op) {
  auto joinAll = [&](ValueRange a, ValueRange b) {
    for (auto [first, second] : llvm::zip_equal(a, b))
      join(first, second);
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    joinAll(loop.getInitArgs(), loop.getRegionIterArgs());
    joinAll(loop.getRegionIterArgs(), loop.getYieldedValues());
    joinAll(loop.getRegionIterArgs(), loop.getResults());
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (branch.getNumResults()) {
      joinAll(branch.thenYield().getOperands(), branch.getResults());
      joinAll(branch.elseYield().getOperands(), branch.getResults());
    }
  } else {
    auto loop = cast<scf::WhileOp>(op);
    joinAll(loop.getInits(), loop.getBeforeArguments());
    joinAll(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
    joinAll(loop.getConditionOp().getArgs(), loop.getAfterArguments());
    joinAll(loop.getAfterArguments(), loop.getResults());
    for (Value value : llvm::concat<Value>(loop.getBeforeArguments(), loop.getAfterArguments()))
      fix(value, op, "it carries the values as long as a condition holds");
  }
}

void Axes::visit(Operation *op) {
  for (Value result : op->getResults())
    for (unsigned dim = 0; dim < lanesOf(result).size(); ++dim)
      if (lanesOf(result)[dim] != 1)
        node(result, dim);
  if (ShapeMap::isShapeOp(op))
    return visitShape(op);
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
    return visitControlFlow(op);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    unsigned axis = reduce.getAxis();
    for (Value input : reduce.getInputs())
      join(reduce.getInputs().front(), input);
    for (Value result : reduce.getResults())
      for (unsigned dim = 0; dim < lanesOf(result).size(); ++dim)
        join(reduce.getInputs().front(), dim < axis ? dim : dim + 1, result, dim);
    if (lanesOf(reduce.getInputs().front())[axis] != 1)
      reduced.push_back({node(reduce.getInputs().front(), axis), op});
    return;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (!isa<SplatElementsAttr>(constant.getValue()))
      fix(constant.getResult(), op, "its elements are constants that differ");
    return;
  }
  if (isa<LoadOp, StoreOp, GatherOp, ScatterOp, HintOp, AssertOp, RingPutOp>(op) ||
      OpTrait::hasElementwiseMappableTraits(op)) {
    // Lane by lane: whatever has lanes has the same.
    SmallVector<Value> all(op->getOperands());
    llvm::append_range(all, op->getResults());
    llvm::erase_if(all, [](Value value) { return lanesOf(value).empty(); });
    for (Value value : all)
      join(all.front(), value);
    return;
  }
  if (isa<ViewOp, IotaOp, tensor::SplatOp, tensor::EmptyOp, scf::YieldOp, scf::ConditionOp,
          tile::YieldOp>(op))
    return;
  for (Value value : op->getOperands())
    fix(value, op, "it needs all lanes at once");
  for (Value value : op->getResults())
    fix(value, op, "it needs all lanes at once");
}

//===-----------------------------------------------------------------------------------------===//
// The classes
//===-----------------------------------------------------------------------------------------===//

Axes::Axes(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != root)
      visit(op);
  });
  collect();
}

void Axes::collect() {
  DenseMap<unsigned, unsigned> numbers; // by representative
  for (unsigned current = 0; current < keys.size(); ++current) {
    auto [entry, isNew] = numbers.try_emplace(find(current), unsigned(axes.size()));
    if (isNew)
      axes.emplace_back().size = lanesOf(keys[current].first)[keys[current].second];
    axes[entry->second].members.push_back({keys[current].first, keys[current].second});
    axisOf[keys[current]] = entry->second;
  }
  for (const Fixed &entry : fixed) {
    Axis &axis = axes[numbers.lookup(find(entry.node))];
    if (!axis.fixedBy) {
      axis.fixedBy = entry.op;
      axis.reason = entry.reason;
    }
  }
  for (auto [current, op] : reduced)
    axes[numbers.lookup(find(current))].reductions.push_back(op);
  for (Axis &axis : axes) {
    llvm::DenseSet<Value> seen;
    for (Axis::Member member : axis.members)
      if (!seen.insert(member.value).second && !axis.fixedBy) {
        axis.fixedBy = member.value.getDefiningOp();
        if (!axis.fixedBy)
          axis.fixedBy = member.value.getParentBlock()->getParentOp();
        axis.reason = "two of its dimensions depend on each other";
      }
  }
}

std::optional<unsigned> Axes::of(Value value, unsigned dim) const {
  auto found = axisOf.find({value, dim});
  return found == axisOf.end() ? std::nullopt : std::optional(found->second);
}

std::optional<unsigned> Axes::dimAlong(Value value, unsigned axis) const {
  for (unsigned dim = 0; dim < lanesOf(value).size(); ++dim)
    if (of(value, dim) == axis)
      return dim;
  return std::nullopt;
}
