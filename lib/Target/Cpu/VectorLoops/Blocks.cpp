//===- Blocks.cpp - a block of tensor operations, lowered ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Blocks.h"
#include "Residence.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace kiln::cpu {
namespace {

/// May a scalar operation move to where its results are wanted?
bool isMovable(Operation *op) {
  return isa<tile::AssumeOp>(op) || (!touchesTensors(op) && isMemoryEffectFree(op));
}

class BlockLowering {
public:
  BlockLowering(FunctionContext &context, Block &block)
      : context(context), block(block), terminator(block.getTerminator()),
        schedule(context.graph, order, context.options.longestLoop), builder(terminator) {}

  LogicalResult run(ArrayRef<TensorHome> inputs, ArrayRef<TensorHome> outputs) {
    if (failed(collectSteps(inputs, outputs)))
      return failure();
    schedule.build(steps);
    assignResidence(schedule, context.graph, *context.scratch);
    for (auto &cluster : schedule.getClusters()) {
      builder.setInsertionPoint(terminator);
      if (failed(cluster->kind == Cluster::Border ? emitBorder(*cluster) : emitGroup(*cluster)))
        return failure();
    }
    for (Operation *op : scalars)
      place(op);
    return success();
  }

private:
  void addBufferLoad(const TensorHome &home) {
    steps.push_back({context.graph.addBufferLoad(home.value, home.buffer), nullptr, nullptr});
  }
  void addBufferStore(const TensorHome &home, Location loc) {
    if (home.value.getDefiningOp<tensor::EmptyOp>()) // Undefined: anything that is there will do.
      return;
    steps.push_back(
        {context.graph.addBufferStore(home.value, home.buffer, loc, &block), nullptr, nullptr});
  }

  LogicalResult collectSteps(ArrayRef<TensorHome> inputs, ArrayRef<TensorHome> outputs) {
    for (const TensorHome &home : inputs)
      addBufferLoad(home);
    for (Operation &op : block.without_terminator()) {
      if (op.getNumRegions() && !isa<tile::ReduceOp>(op) && touchesTensors(&op) &&
          op.getName().getDialectNamespace() == "scf") {
        auto &border =
            *borders.try_emplace(&op, std::make_unique<Border>(context, &op)).first->second;
        for (const TensorHome &home : border.getInitial())
          addBufferStore(home, op.getLoc());
        steps.push_back({nullptr, nullptr, &op});
        for (const TensorHome &home : border.getResults())
          addBufferLoad(home);
        continue;
      }
      FailureOr<Node *> node = context.graph.add(&op);
      if (failed(node))
        return failure();
      if (*node) {
        steps.push_back({*node, nullptr, nullptr});
        context.dead.push_back(&op);
      } else if (isa<tensor::EmptyOp>(op)) {
        context.dead.push_back(&op);
      } else if (isMovable(&op)) {
        steps.push_back({nullptr, &op, nullptr});
        scalars.push_back(&op);
        unplaced.insert(&op);
        if (isa<tile::ViewOp>(op))
          context.dead.push_back(&op);
      } else {
        steps.push_back({nullptr, nullptr, &op});
      }
    }
    for (const TensorHome &home : outputs)
      addBufferStore(home, terminator->getLoc());
    return success();
  }

  /// Puts a scalar operation, after what it needs, behind the code emitted so far.
  void place(Operation *op) {
    if (!unplaced.erase(op))
      return;
    placeOperands(op);
    op->moveBefore(terminator);
  }

  void placeOperands(Operation *op) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        // A tensor of this block may be computed again inside.
        if (Node *node = context.graph.definition(operand))
          placeFor(*node);
        else if (Operation *def = operand.getDefiningOp(); def && def->getBlock() == &block)
          place(def);
      }
    });
  }

  /// Places the scalars that the node, and whatever may be computed again for it, takes.
  void placeFor(Node &node) {
    if (node.block != &block || !served.insert(&node).second)
      return;
    if (node.op)
      placeOperands(node.op);
    for (Link &link : node.links)
      if (link.def)
        placeFor(*link.def);
  }

  static bool hasWork(const Cluster &cluster) {
    for (Node *node : cluster.homes)
      if (node->isRoot() || node->keptScalar ||
          llvm::any_of(node->buffers, [](Buffer *buffer) { return buffer; }))
        return true;
    return llvm::any_of(cluster.body, [](auto &inner) { return hasWork(*inner); });
  }

  void placeForAll(Cluster &cluster) {
    for (Node *node : cluster.homes)
      placeFor(*node);
    for (auto &inner : cluster.body)
      placeForAll(*inner);
  }

  LogicalResult emitGroup(Cluster &cluster) {
    if (!hasWork(cluster))
      return success();
    placeForAll(cluster);
    DenseMap<Axis, Value> indices;
    emitCluster(cluster, indices);
    for (Node *node : cluster.nodes)
      if (node->kind == NodeKind::Reduce)
        handOnScalars(*node);
    return success();
  }

  void emitCluster(Cluster &cluster, DenseMap<Axis, Value> &indices) {
    context.scratch->advance();
    if (!hasWork(cluster))
      return;
    if (cluster.kind != Cluster::Rows) {
      LeafEmitter(context, cluster, indices, builder).run();
      return;
    }
    // What grows over the rows is there from the first row to the last.
    for (Node *node : cluster.nodes)
      if (node->kind == NodeKind::Reduce &&
          context.graph.axesOf(*node)[node->reducedDim] == cluster.axis)
        for (Buffer *buffer : node->buffers)
          if (buffer)
            context.scratch->touch(*buffer);
    touchOutliving(cluster, cluster.axis);
    context.scratch->advance();
    unsigned start = context.scratch->now();
    Location loc = cluster.nodes.front()->loc;
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    auto loop =
        scf::ForOp::create(builder, loc, constant(0), constant(cluster.extent), constant(1));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(loop.getBody()->getTerminator());
      indices[cluster.axis] = loop.getInductionVar();
      for (auto &inner : cluster.body)
        emitCluster(*inner, indices);
      indices.erase(cluster.axis);
    }
    context.scratch->endLoop(start);
  }

  /// What holds lanes of every row lives from the first row on, wherever in an iteration it is
  /// written first: what one row keeps for itself may not share its bytes.
  void touchOutliving(Cluster &cluster, Axis rows) {
    for (Node *node : cluster.homes) {
      if (node->kind == NodeKind::BufferStore)
        context.scratch->touch(*node->tensor);
      SmallVector<Axis, 4> axes = context.graph.axesOf(*node);
      for (Buffer *buffer : node->buffers)
        if (buffer && llvm::any_of(buffer->dims,
                                   [&](int dim) { return axes[node->resultDims[dim]] == rows; }))
          context.scratch->touch(*buffer);
    }
    for (auto &inner : cluster.body)
      touchOutliving(*inner, rows);
  }

  /// The result of a fold of a rank-1 tensor is a scalar of the block.
  void handOnScalars(Node &node) {
    for (auto [index, result] : llvm::enumerate(node.results)) {
      if (isTensor(result))
        continue;
      Value value = node.scalars[index];
      if (Buffer *buffer = node.buffers[index]) {
        // Kept in one element: the fold ran over a loop of rows.
        Value address = context.scratch->address(builder, node.loc, *buffer);
        Type stored = storageType(buffer->element);
        value = LLVM::LoadOp::create(builder, node.loc, stored, address);
        if (buffer->element.isIndex())
          value = arith::IndexCastOp::create(builder, node.loc, buffer->element, value);
        else if (stored != buffer->element)
          value = arith::TruncIOp::create(builder, node.loc, buffer->element, value);
      }
      result.replaceAllUsesWith(value);
    }
  }

  LogicalResult emitBorder(Cluster &cluster) {
    Operation *op = cluster.border;
    placeOperands(op);
    op->moveBefore(terminator);
    context.scratch->advance();
    auto border = borders.find(op);
    return border == borders.end() ? success() : border->second->lower();
  }

  FunctionContext &context;
  Block &block;
  Operation *terminator;
  MemoryOrder order;
  Schedule schedule;
  OpBuilder builder;
  SmallVector<Step> steps;
  SmallVector<Operation *> scalars;
  DenseSet<Operation *> unplaced;
  DenseSet<Node *> served;
  DenseMap<Operation *, std::unique_ptr<Border>> borders;
};

} // namespace

LogicalResult lowerBlock(FunctionContext &context, Block &block, ArrayRef<TensorHome> inputs,
                         ArrayRef<TensorHome> outputs) {
  return BlockLowering(context, block).run(inputs, outputs);
}

} // namespace kiln::cpu
