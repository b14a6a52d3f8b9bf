//===- Ranges.cpp - masks that are ranges of lanes -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   %c = arith.cmpi slt, %lanes, %n      (%lanes = iota + scalar)
//
// Such a mask is on from one lane to another, like a bound of an access. Main chunks lie within all
// ranges, so that there it is a constant and `select` folds away; edge chunks count lanes. Sums of
// lane numbers of 32 bits or more do not wrap around (LinearExpr.h).
//
//===-----------------------------------------------------------------------------------------===//

#include "Emission.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace kiln::cpu {

/// The scalar operation that the node applies to its lanes, if it is one; operands are the node's.
static Operation *scalarOperation(Node &node) {
  if (node.kind != NodeKind::Map)
    return nullptr;
  if (!isa<linalg::LinalgOp>(node.op))
    return node.op;
  Block &body = node.op->getRegion(0).front();
  if (!llvm::hasNItems(body, 2))
    return nullptr;
  Operation &op = body.front();
  for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || argument.getOwner() != &body || argument.getArgNumber() != index)
      return nullptr;
  }
  return body.getTerminator()->getOperand(0) == op.getResult(0) ? &op : nullptr;
}

static bool countsLanes(Type type) {
  return type.isIndex() || (type.isInteger() && type.getIntOrFloatBitWidth() >= 32);
}

Value LeafEmitter::inHead(Value value, const Point &point) {
  Value scalar = emit(value, point);
  if (scalar.getType().isIndex())
    return scalar;
  return arith::IndexCastOp::create(head, scalar.getLoc(), head.getIndexType(), scalar);
}

/// The scalar b of a value whose lane i is i + b.
Value LeafEmitter::laneOffset(Value value, const Point &point) {
  Node *node = graph.definition(value);
  if (!node || isKeptElsewhere(*node) || !countsLanes(getElementTypeOrSelf(value.getType())))
    return {};
  if (node->kind == NodeKind::Iota)
    return arith::ConstantIndexOp::create(head, node->loc, cast<tile::IotaOp>(node->op).getStart());
  Operation *op = scalarOperation(*node);
  if (!op)
    return {};
  Point iteration = iterationPoint(*node, point);
  auto pointAt = [&](unsigned index) { return pointOf(*node, node->links[index], iteration); };
  auto operand = [&](unsigned index) { return node->op->getOperand(index); };
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op) ||
      isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return laneOffset(operand(0), pointAt(0));
  if (!isa<arith::AddIOp, arith::SubIOp>(op))
    return {};
  unsigned laneAt = 0;
  if (isa<arith::AddIOp>(op) && !varies(operand(0), pointAt(0)))
    laneAt = 1;
  if (varies(operand(1 - laneAt), pointAt(1 - laneAt)))
    return {};
  Value base = laneOffset(operand(laneAt), pointAt(laneAt));
  if (!base)
    return {};
  Value moved = inHead(operand(1 - laneAt), pointAt(1 - laneAt));
  if (isa<arith::SubIOp>(op))
    return arith::SubIOp::create(head, node->loc, base, moved);
  return arith::AddIOp::create(head, node->loc, base, moved);
}

/// The lanes where a mask is on, if they are a range; no member where they are not.
Bounds &LeafEmitter::rangeOf(Node &node, const Point &point) {
  auto [at, isNew] = boundsKnown.try_emplace({&node, point});
  Bounds &range = at->second;
  Operation *op = isNew && axis != kUnit ? scalarOperation(node) : nullptr;
  auto compare = dyn_cast_if_present<arith::CmpIOp>(op);
  if (!compare || !countsLanes(getElementTypeOrSelf(compare.getLhs().getType())))
    return range;
  Point iteration = iterationPoint(node, point);
  Point lhsAt = pointOf(node, node.links[0], iteration),
        rhsAt = pointOf(node, node.links[1], iteration);
  Value lhs = node.op->getOperand(0), rhs = node.op->getOperand(1);
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (varies(rhs, rhsAt)) { // scalar ? lanes: the other way round
    static constexpr std::pair<arith::CmpIPredicate, arith::CmpIPredicate> kMirror[] = {
        {arith::CmpIPredicate::slt, arith::CmpIPredicate::sgt},
        {arith::CmpIPredicate::sle, arith::CmpIPredicate::sge},
        {arith::CmpIPredicate::sgt, arith::CmpIPredicate::slt},
        {arith::CmpIPredicate::sge, arith::CmpIPredicate::sle}};
    auto mirror = llvm::find_if(kMirror, [&](auto &pair) { return pair.first == predicate; });
    if (mirror == std::end(kMirror))
      return range;
    predicate = mirror->second;
    std::swap(lhs, rhs);
    std::swap(lhsAt, rhsAt);
  }
  bool below = predicate == arith::CmpIPredicate::slt || predicate == arith::CmpIPredicate::sle;
  bool above = predicate == arith::CmpIPredicate::sgt || predicate == arith::CmpIPredicate::sge;
  if ((!below && !above) || !varies(lhs, lhsAt) || varies(rhs, rhsAt))
    return range;
  Value base = laneOffset(lhs, lhsAt);
  if (!base)
    return range;
  // lane + base < limit, and the like: the first lane at or above the limit.
  Location loc = node.loc;
  Value limit = arith::SubIOp::create(head, loc, inHead(rhs, rhsAt), base);
  if (predicate == arith::CmpIPredicate::sle || predicate == arith::CmpIPredicate::sgt)
    limit = arith::AddIOp::create(head, loc, limit, arith::ConstantIndexOp::create(head, loc, 1));
  limit =
      arith::MinSIOp::create(head, loc, limit, arith::ConstantIndexOp::create(head, loc, extent));
  limit = arith::MaxSIOp::create(head, loc, limit, arith::ConstantIndexOp::create(head, loc, 0));
  (below ? range.upper : range.lower) = limit;
  return range;
}

/// The lanes of the chunk within a range.
Value LeafEmitter::lanesWithin(const Bounds &range, Location loc) {
  Value all = toLanes(constantInt(builder.getI1Type(), 1), loc);
  if (!chunk.edge)
    return all;
  if (range.upper)
    return lanesBelow(range.upper, loc);
  return arith::XOrIOp::create(*current, loc, lanesBelow(range.lower, loc), all);
}

} // namespace kiln::cpu
