//===- Graph.cpp - the tensor operations of a function as nodes ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Graph.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kiln::cpu {

/// Up to this price a value that depends on no memory is computed again at every use.
static constexpr unsigned kFreeCost = 12;
static constexpr unsigned kCostLimit = 1000;

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

bool touchesTensors(Operation *op) {
  if (llvm::any_of(op->getOperands(), isTensor) || llvm::any_of(op->getResults(), isTensor))
    return true;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArguments(), isTensor) ||
          llvm::any_of(block, [](Operation &inner) { return touchesTensors(&inner); }))
        return true;
  return false;
}

/// A rough price of one operation on one vector register.
static unsigned priceOf(Operation *op) {
  if (isa<arith::DivFOp, math::SqrtOp>(op))
    return 6;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
          arith::FloorDivSIOp, arith::RemFOp>(op))
    return 40;
  if (isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::FloorOp, math::CeilOp, math::CopySignOp>(
          op))
    return 1;
  if (isa<math::MathDialect>(op->getDialect()))
    return 20;
  return isa<linalg::YieldOp>(op) ? 0 : 1;
}

bool Node::readsMemory() const {
  return kind == NodeKind::Load || kind == NodeKind::Gather || kind == NodeKind::BufferLoad;
}

bool Node::writesMemory() const {
  return kind == NodeKind::Store || kind == NodeKind::Scatter || kind == NodeKind::BufferStore;
}

bool Node::isRoot() const {
  if (auto load = dyn_cast_if_present<tile::LoadOp>(op))
    return load.getIsVolatile();
  if (auto gather = dyn_cast_if_present<tile::GatherOp>(op))
    return gather.getIsVolatile();
  return writesMemory() || kind == NodeKind::Reduce || kind == NodeKind::Print ||
         kind == NodeKind::Assert;
}

unsigned Node::resultIndex(Value value) const {
  return llvm::find(results, value) - results.begin();
}

Node *Graph::make(NodeKind kind, Operation *op, Location loc, Block *block) {
  nodes.push_back(std::make_unique<Node>(kind, loc, nodes.size()));
  nodes.back()->op = op;
  nodes.back()->block = block;
  return nodes.back().get();
}

void Graph::setSpace(Node &node, ArrayRef<int64_t> extents) {
  node.extents.assign(extents.begin(), extents.end());
  for (int64_t extent : extents)
    node.axes.push_back(extent == 1 ? kUnit : axes.make(node.order));
}

void Graph::link(Node &node, Value value, ArrayRef<int> dims, bool whole) {
  Link &link = node.links.emplace_back();
  link.value = value;
  link.def = definition(value);
  if (!link.def)
    return;
  link.whole = whole;
  for (auto [dim, extent] : llvm::zip(dims, shapeOf(value)))
    link.dims.push_back(extent == 1 ? -1 : dim);
  if (whole || link.def->isFree || link.def->block != node.block)
    return;
  for (auto [dim, of] : llvm::zip(link.dims, link.def->resultDims))
    if (dim >= 0 && !axes.unite(node.axes[dim], link.def->axes[of]))
      link.whole = true;
}

void Graph::linkIdentity(Node &node, Value value) {
  link(node, value, llvm::to_vector(llvm::seq<int>(0, node.extents.size())));
}

void Graph::setResults(Node &node, ValueRange results, ArrayRef<int> dims) {
  llvm::append_range(node.results, results);
  node.resultDims.assign(dims.begin(), dims.end());
  node.buffers.resize(results.size());
  node.scalars.resize(results.size());
  for (Value result : results)
    if (isTensor(result))
      definitions[result] = &node;
}

/// Price and freedom, once the links stand.
void Graph::settle(Node &node) {
  bool free =
      node.kind == NodeKind::Splat || node.kind == NodeKind::Iota || node.kind == NodeKind::Map;
  unsigned cost = node.kind == NodeKind::Splat ? 0 : 1;
  if (node.kind == NodeKind::Map) {
    cost = 0;
    if (isa<linalg::LinalgOp>(node.op))
      for (Operation &op : node.op->getRegion(0).front())
        cost += priceOf(&op);
    else
      cost = priceOf(node.op);
  }
  for (Link &link : node.links) {
    if (!link.def)
      continue;
    cost += link.def->kind == NodeKind::Reduce ? 0 : link.def->cost;
    free &= link.def->isFree;
  }
  node.cost = std::min(cost, kCostLimit);
  node.isFree = free && cost <= kFreeCost;
}

static SmallVector<int> iota(size_t count) { return llvm::to_vector(llvm::seq<int>(0, count)); }

LogicalResult Graph::addMap(Node &node) {
  Operation *op = node.op;
  setSpace(node, shapeOf(op->getResult(0)));
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured) {
    for (Value operand : op->getOperands())
      linkIdentity(node, operand);
    setResults(node, op->getResults(), iota(node.extents.size()));
    return success();
  }
  if (structured.getNumLoops() != structured.getNumParallelLoops() ||
      !llvm::all_of(structured.getIndexingMapsArray(), [](AffineMap map) {
        return map.isProjectedPermutation(/*allowZeroInResults=*/true);
      }))
    return op->emitOpError("is not a structured operation whose lanes map one to one");
  for (OpOperand *operand : structured.getDpsInputOperands()) {
    SmallVector<int> dims;
    for (AffineExpr expr : structured.getMatchingIndexingMap(operand).getResults())
      dims.push_back(isa<AffineDimExpr>(expr) ? int(cast<AffineDimExpr>(expr).getPosition()) : -1);
    link(node, operand->get(), dims);
  }
  for (OpOperand &init : structured.getDpsInitsMutable()) {
    if (!structured.getMatchingIndexingMap(&init).isIdentity() ||
        structured.payloadUsesValueFromOperand(&init))
      return op->emitOpError("reads or permutes its output, expected a plain lane by lane map");
  }
  setResults(node, op->getResults(), iota(node.extents.size()));
  return success();
}

LogicalResult Graph::addReshape(Node &node) {
  Value source = node.op->getOperand(0), result = node.op->getResult(0);
  setSpace(node, shapeOf(result));
  auto lanes = [](ArrayRef<int64_t> shape) {
    SmallVector<int64_t> kept;
    llvm::copy_if(shape, std::back_inserter(kept), [](int64_t extent) { return extent != 1; });
    return kept;
  };
  bool onlyUnits = lanes(shapeOf(source)) == lanes(shapeOf(result));
  SmallVector<int> dims;
  unsigned next = 0;
  for (int64_t extent : shapeOf(source)) {
    while (onlyUnits && extent != 1 && node.extents[next] == 1)
      ++next;
    dims.push_back(onlyUnits && extent != 1 ? int(next++) : -1);
  }
  Node *def = definition(source);
  // A splat looks the same in any shape.
  bool uniform = def && def->kind == NodeKind::Splat;
  node.kind = onlyUnits || uniform ? NodeKind::Map : NodeKind::Reshape;
  // Lanes of a reshape are found in scratch, so its operand has to be kept there.
  if (def && node.kind == NodeKind::Reshape)
    def->isFree = false;
  link(node, source, dims, /*whole=*/node.kind == NodeKind::Reshape);
  setResults(node, node.op->getResults(), iota(node.extents.size()));
  return success();
}

FailureOr<Node *> Graph::add(Operation *op) {
  if (isa<tensor::EmptyOp>(op) ||
      (llvm::none_of(op->getOperands(), isTensor) && llvm::none_of(op->getResults(), isTensor) &&
       !isa<tile::LoadOp, tile::StoreOp>(op)))
    return static_cast<Node *>(nullptr);
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                         SmallVector<Value>(op->getResults())))
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      if (!type.hasStaticShape() || type.getRank() == 0 ||
          !type.getElementType().isIntOrIndexOrFloat())
        return op->emitOpError("found the tensor type ")
               << type << ", expected a static shape of rank 1 or more and number elements";

  Node &node = *make(NodeKind::Map, op, op->getLoc(), op->getBlock());
  LogicalResult result = success();
  auto linkAll = [&](ValueRange values) {
    for (Value value : values)
      linkIdentity(node, value);
  };
  auto resultsAll = [&] { setResults(node, op->getResults(), iota(node.extents.size())); };
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant))) {
    node.kind = NodeKind::Splat;
    if (!constant.isSplat())
      return op->emitOpError("found a constant tensor with different lanes, expected a splat");
    setSpace(node, shapeOf(op->getResult(0)));
    resultsAll();
  } else if (isa<tensor::SplatOp>(op)) {
    node.kind = NodeKind::Splat;
    setSpace(node, shapeOf(op->getResult(0)));
    linkAll(op->getOperands());
    resultsAll();
  } else if (isa<tile::IotaOp>(op)) {
    node.kind = NodeKind::Iota;
    setSpace(node, shapeOf(op->getResult(0)));
    resultsAll();
  } else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    result = addReshape(node);
  } else if (isa<tile::LoadOp, tile::GatherOp>(op)) {
    node.kind = isa<tile::LoadOp>(op) ? NodeKind::Load : NodeKind::Gather;
    setSpace(node, shapeOf(op->getResult(0)));
    linkAll(op->getOperands());
    resultsAll();
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    node.kind = NodeKind::Store;
    setSpace(node, shapeOf(store.getValue()));
    linkAll(op->getOperands());
  } else if (auto scatter = dyn_cast<tile::ScatterOp>(op)) {
    node.kind = NodeKind::Scatter;
    setSpace(node, shapeOf(scatter.getValue()));
    linkAll(op->getOperands());
  } else if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    node.kind = NodeKind::Reduce;
    node.reducedDim = reduce.getAxis();
    setSpace(node, shapeOf(reduce.getInputs()[0]));
    linkAll(op->getOperands());
    SmallVector<int> dims = iota(node.extents.size());
    dims.erase(dims.begin() + node.reducedDim);
    // One lane is its own sum; only a scalar result needs the way of reductions.
    if (node.extents.size() > 1 && node.extents[node.reducedDim] == 1)
      node.kind = NodeKind::Map;
    setResults(node, op->getResults(), dims);
  } else if (isa<tile::PrintOp, tile::AssertOp>(op)) {
    node.kind = isa<tile::PrintOp>(op) ? NodeKind::Print : NodeKind::Assert;
    setSpace(node, shapeOf(*llvm::find_if(op->getOperands(), isTensor)));
    linkAll(op->getOperands());
  } else if (isa<tile::HintOp, linalg::LinalgOp>(op) ||
             (OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults())) {
    result = addMap(node);
  } else {
    return op->emitOpError("works on tensors in a way that the CPU target does not know");
  }
  if (failed(result))
    return failure();
  settle(node);
  return &node;
}

Node *Graph::addBufferLoad(Value value, Buffer *buffer) {
  Node *node = make(NodeKind::BufferLoad, nullptr, value.getLoc(), value.getParentBlock());
  setSpace(*node, shapeOf(value));
  setResults(*node, value, iota(node->extents.size()));
  node->tensor = buffer;
  settle(*node);
  return node;
}

Node *Graph::addBufferStore(Value value, Buffer *buffer, Location loc, Block *block) {
  Node *node = make(NodeKind::BufferStore, nullptr, loc, block);
  setSpace(*node, shapeOf(value));
  linkIdentity(*node, value);
  node->tensor = buffer;
  return node;
}

SmallVector<Axis, 4> Graph::axesOf(const Node &node) const {
  SmallVector<Axis, 4> result;
  for (Axis axis : node.axes)
    result.push_back(axes.find(axis));
  return result;
}

} // namespace kiln::cpu
