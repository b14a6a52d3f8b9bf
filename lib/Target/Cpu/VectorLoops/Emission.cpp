//===- Emission.cpp - values of one leaf, computed on demand ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Emission.h"
#include "Reduction.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::cpu {

LeafEmitter::LeafEmitter(FunctionContext &context, const Cluster &leaf,
                         const DenseMap<Axis, Value> &indices, OpBuilder &builder)
    : context(context), graph(context.graph), leaf(leaf), indices(indices), builder(builder),
      head(builder), current(&builder), axis(leaf.axis), extent(leaf.extent) {}

LeafEmitter::~LeafEmitter() = default;

Point LeafEmitter::pointOf(const Node &node, const Link &link, const Point &iteration) const {
  Point point;
  for (int dim : link.dims)
    point.push_back(dim < 0 ? kUnit : iteration[dim]);
  return point;
}

/// The axes of all iteration dimensions of a node that maps lanes one to one.
Point LeafEmitter::iterationPoint(const Node &node, const Point &point) const {
  Point iteration(node.extents.size(), kUnit);
  for (auto [dim, at] : llvm::zip(node.resultDims, point))
    iteration[dim] = at;
  return iteration;
}

/// Are the node's lanes found where another leaf has put them?
bool LeafEmitter::isKeptElsewhere(const Node &node) const {
  if (!node.home || node.home == &leaf)
    return false;
  if (!leaf.nodes.empty() && node.block != leaf.nodes.front()->block && node.anywhere)
    return false;
  return node.keptScalar || node.buffers[0];
}

bool LeafEmitter::varies(Value value, const Point &point) {
  if (axis == kUnit || !isTensor(value))
    return false;
  auto [at, isNew] = variation.try_emplace({value.getAsOpaquePointer(), point}, false);
  if (isNew)
    at->second = varies(*graph.definition(value), point);
  return at->second;
}

bool LeafEmitter::varies(Node &node, const Point &point) {
  bool onAxis = llvm::is_contained(point, axis);
  if (isKeptElsewhere(node)) {
    if (node.keptScalar)
      return false;
    return llvm::any_of(node.buffers[0]->dims, [&](int dim) { return point[dim] == axis; });
  }
  switch (node.kind) {
  case NodeKind::Splat:
    return false;
  case NodeKind::Map:
  case NodeKind::Gather:
    return llvm::any_of(node.links, [&](Link &link) {
      return link.def && varies(link.value, pointOf(node, link, iterationPoint(node, point)));
    });
  default:
    return onAxis;
  }
}

/// Notes the reads of memory that a value takes here.
void LeafEmitter::need(Value value, const Point &point) {
  Node *node = graph.definition(value);
  if (!node)
    return;
  auto [at, isNew] = wanted.insert({value.getAsOpaquePointer(), point});
  if (!isNew || isKeptElsewhere(*node) || node->kind == NodeKind::Reduce)
    return;
  if (node->readsMemory())
    reads.push_back({node, point});
  Point iteration = iterationPoint(*node, point);
  for (Link &link : node->links)
    if (link.def && !link.whole)
      need(link.value, pointOf(*node, link, iteration));
}

void LeafEmitter::collect() {
  for (Node *node : leaf.homes) {
    bool kept = node->keptScalar || llvm::any_of(node->buffers, [](Buffer *b) { return b; });
    if (!node->isRoot() && !kept)
      continue;
    roots.push_back(node);
    Point iteration = graph.axesOf(*node);
    if (node->readsMemory())
      reads.push_back({node, iteration});
    for (Link &link : node->links)
      if (link.def && !link.whole)
        need(link.value, pointOf(*node, link, iteration));
  }
  llvm::sort(roots, [](Node *a, Node *b) { return a->order < b->order; });
  llvm::sort(reads, [](const Read &a, const Read &b) { return a.node->order < b.node->order; });
}

Value LeafEmitter::emit(Value value, const Point &point) {
  if (!isTensor(value))
    return value;
  Node &node = *graph.definition(value);
  bool inChunk = varies(value, point);
  auto &known = inChunk ? lanes : uniform;
  Key key{value.getAsOpaquePointer(), point};
  if (auto at = known.find(key); at != known.end())
    return at->second;
  OpBuilder *outer = current;
  current = inChunk ? &builder : &head;
  Value result = emitNode(node, node.resultIndex(value), point);
  current = outer;
  return known[key] = result;
}

Value LeafEmitter::emitNode(Node &node, unsigned result, const Point &point) {
  if (isKeptElsewhere(node))
    return node.keptScalar ? node.scalars[result]
                           : readBuffer(*node.buffers[result], point, node.loc);
  switch (node.kind) {
  case NodeKind::Splat: {
    auto constant = dyn_cast<arith::ConstantOp>(node.op);
    if (!constant)
      return node.op->getOperand(0);
    auto dense = cast<DenseElementsAttr>(constant.getValue());
    return arith::ConstantOp::create(*current, node.loc, dense.getSplatValue<TypedAttr>());
  }
  case NodeKind::Iota: {
    Type element = getElementTypeOrSelf(node.results[0].getType());
    Value first = indexOf(point[0]);
    if (auto start = cast<tile::IotaOp>(node.op).getStart())
      first = arith::AddIOp::create(*current, node.loc, first, constantIndex(start));
    if (!element.isIndex())
      first = arith::IndexCastOp::create(*current, node.loc, element, first);
    if (width() == 1)
      return first;
    return arith::AddIOp::create(*current, node.loc, toLanes(first, node.loc),
                                 laneNumbers(element));
  }
  case NodeKind::Map:
    if (width() > 1)
      if (const Bounds &range = rangeOf(node, point); range.lower || range.upper)
        return lanesWithin(range, node.loc);
    return emitMap(node, result, point);
  case NodeKind::Reshape:
    return readReshape(node, point);
  case NodeKind::BufferLoad:
    return readBuffer(*node.tensor, point, node.loc);
  default:
    return loadNode(node, point);
  }
}

Value LeafEmitter::emitMap(Node &node, unsigned result, const Point &point) {
  Point iteration = iterationPoint(node, point);
  SmallVector<Value> operands;
  for (auto [index, link] : llvm::enumerate(node.links))
    operands.push_back(emit(node.op->getOperand(index), pointOf(node, link, iteration)));
  // A fold of one lane, a hint or a reshape hands its operand on.
  if (isa<tile::ReduceOp>(node.op))
    return operands[result];
  if (!isa<linalg::LinalgOp>(node.op) && !OpTrait::hasElementwiseMappableTraits(node.op))
    return operands[0];
  SmallVector<Value> results;
  if (!isa<linalg::LinalgOp>(node.op)) {
    results = cloneLanes(node.op, operands);
  } else {
    results = cloneBody(node.op->getRegion(0).front(), operands);
  }
  for (auto [value, at] : llvm::zip(node.results, results))
    (varies(value, point) ? lanes : uniform)[{value.getAsOpaquePointer(), point}] = at;
  return results[result];
}

void LeafEmitter::emitRoot(Node &node) {
  Point iteration = graph.axesOf(node);
  switch (node.kind) {
  case NodeKind::Store:
  case NodeKind::Scatter:
    return storeNode(node);
  case NodeKind::BufferStore:
    return writeBuffer(*node.tensor, iteration,
                       emit(node.links[0].value, pointOf(node, node.links[0], iteration)),
                       node.loc);
  case NodeKind::Reduce:
    return reduceChunk(node);
  case NodeKind::Print:
    return emitPrint(node);
  case NodeKind::Assert:
    return emitAssert(node);
  default:
    break;
  }
  Point point;
  for (int dim : node.resultDims)
    point.push_back(iteration[dim]);
  for (auto [index, result] : llvm::enumerate(node.results)) {
    Value value = emit(result, point);
    if (node.keptScalar)
      node.scalars[index] = value;
    else if (node.buffers[index])
      writeBuffer(*node.buffers[index], point, value, node.loc);
  }
}

void LeafEmitter::emitPrint(Node &node) {
  auto print = cast<tile::PrintOp>(node.op);
  Point iteration = graph.axesOf(node);
  SmallVector<Value> args, at;
  for (auto [index, link] : llvm::enumerate(node.links))
    args.push_back(emit(node.op->getOperand(index), pointOf(node, link, iteration)));
  for (Axis dim : iteration)
    at.push_back(indexOf(dim));
  tile::PrintOp::create(*current, node.loc, print.getPrefixAttr(), print.getHexAttr(), args, at,
                        print.getIsSignedAttr());
}

void LeafEmitter::emitAssert(Node &node) {
  auto check = cast<tile::AssertOp>(node.op);
  Value holds = emit(check.getCondition(), pointOf(node, node.links[0], graph.axesOf(node)));
  if (isa<VectorType>(holds.getType())) {
    if (chunk.existing) {
      Value all = toLanes(constantInt(builder.getI1Type(), 1), node.loc);
      Value off = arith::XOrIOp::create(*current, node.loc, chunk.existing, all);
      holds = arith::OrIOp::create(*current, node.loc, holds, off);
    }
    holds = vector::ReductionOp::create(*current, node.loc, vector::CombiningKind::AND, holds);
  }
  tile::AssertOp::create(*current, node.loc, holds, check.getMessageAttr());
}

} // namespace kiln::cpu
