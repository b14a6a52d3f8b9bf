//===- Bounds.cpp - which lanes of an access are on ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A lane of an access is on if it exists (the chunk may reach beyond its section), lies within the
// bounds, and its lane of the mask is on. Bounds along the leaf's axis become a range of lanes, in
// the head; bounds of other dimensions a condition for the whole row.
//
//===-----------------------------------------------------------------------------------------===//

#include "Emission.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::cpu {

/// Bounds of a load or a store; none for other accesses.
static std::pair<ValueRange, ValueRange> boundOperands(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return {load.getLower(), load.getUpper()};
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return {store.getLower(), store.getUpper()};
  return {};
}

Bounds &LeafEmitter::boundsOf(Node &node, const Point &iteration) {
  auto [at, isNew] = boundsKnown.try_emplace({&node, iteration});
  Bounds &bounds = at->second;
  auto [lowers, uppers] = boundOperands(node.op);
  if (!isNew || lowers.empty())
    return bounds;
  OpBuilder *outer = current;
  current = &head;
  Location loc = node.loc;
  for (auto [dim, lower, upper] : llvm::enumerate(lowers, uppers)) {
    std::optional<int64_t> low = getConstantIntValue(OpFoldResult(lower)),
                           high = getConstantIntValue(OpFoldResult(upper));
    bool lowTrivial = low && *low <= 0, highTrivial = high && *high >= node.extents[dim];
    bool onAxis = axis != kUnit && iteration[dim] == axis;
    auto narrow = [&](Value &known, auto other, auto tag) {
      using Op = decltype(tag);
      known = known ? Op::create(head, loc, known, other).getResult() : Value(other);
    };
    if (onAxis) {
      if (!lowTrivial)
        narrow(bounds.lower, lower, arith::MaxSIOp());
      if (!highTrivial)
        narrow(bounds.upper, upper, arith::MinSIOp());
      continue;
    }
    auto require = [&](arith::CmpIPredicate predicate, Value limit) {
      Value holds = arith::CmpIOp::create(head, loc, predicate, indexOf(iteration[dim]), limit);
      narrow(bounds.rows, holds, arith::AndIOp());
    };
    if (!lowTrivial)
      require(arith::CmpIPredicate::sge, lower);
    if (!highTrivial)
      require(arith::CmpIPredicate::slt, upper);
  }
  // Clamped to the lanes that there are, so that sections and masks need not check again.
  if (bounds.lower)
    bounds.lower = arith::MaxSIOp::create(
        head, loc, arith::MinSIOp::create(head, loc, bounds.lower, constantIndex(extent)),
        constantIndex(0));
  if (bounds.upper)
    bounds.upper = arith::MaxSIOp::create(
        head, loc, arith::MinSIOp::create(head, loc, bounds.upper, constantIndex(extent)),
        constantIndex(0));
  if (bounds.rows && axis != kUnit && llvm::is_contained(iteration, axis)) {
    Value all = bounds.upper ? bounds.upper : constantIndex(extent);
    bounds.upper = arith::SelectOp::create(head, loc, bounds.rows, all, constantIndex(0));
  }
  current = outer;
  return bounds;
}

Value LeafEmitter::conjunction(Value a, Value b, Location loc) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(*current, loc, toLanes(a, loc), toLanes(b, loc));
}

/// The lanes of the chunk whose index is below a limit.
Value LeafEmitter::lanesBelow(Value limit, Location loc) {
  if (width() == 1)
    return arith::CmpIOp::create(*current, loc, arith::CmpIPredicate::slt, chunk.first, limit);
  Value &known = lanes[{limit.getAsOpaquePointer(), Point()}];
  if (known)
    return known;
  // A byte per lane is enough to count a chunk: one compare makes the whole mask.
  Type byte = builder.getI8Type();
  Value count = arith::SubIOp::create(*current, loc, limit, chunk.first);
  count = arith::MinSIOp::create(*current, loc, count, constantIndex(width()));
  count = arith::MaxSIOp::create(*current, loc, count, constantIndex(0));
  count = arith::IndexCastOp::create(*current, loc, byte, count);
  return known = arith::CmpIOp::create(*current, loc, arith::CmpIPredicate::ult, laneNumbers(byte),
                                       toLanes(count, loc));
}

/// The lanes of an access that are on; nothing if all are.
Value LeafEmitter::maskOf(Node &node, const Point &iteration, Value mask) {
  Location loc = node.loc;
  Bounds bounds = node.op ? boundsOf(node, iteration) : Bounds();
  Value result;
  if (current == &head) {
    result = bounds.rows;
  } else {
    result = chunk.existing;
    if (chunk.edge && bounds.upper)
      result = conjunction(result, lanesBelow(bounds.upper, loc), loc);
    if (chunk.edge && bounds.lower) {
      Value below = lanesBelow(bounds.lower, loc);
      Value all = toLanes(constantInt(builder.getI1Type(), 1), loc);
      result = conjunction(result, arith::XOrIOp::create(*current, loc, below, all), loc);
    }
  }
  return mask ? conjunction(result, mask, loc) : result;
}

} // namespace kiln::cpu
