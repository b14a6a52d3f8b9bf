//===- Residence.cpp - which values are kept, and where they are computed --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Users come before what they use: nodes are visited backwards, each knowing which leaves want its
// lanes. One leaf: it is computed there. Several: again in each where that is cheap and no write
// comes between; else in the first of them, and kept in scratch for the others.
//
//===-----------------------------------------------------------------------------------------===//

#include "Residence.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace kiln::cpu {
namespace {

/// Up to this price a value is computed again rather than kept: a load, a cast, an operation or
/// two.
constexpr unsigned kAgainCost = 4;

class Residence {
public:
  Residence(Schedule &schedule, Graph &graph, Scratch &scratch)
      : schedule(schedule), graph(graph), scratch(scratch) {}

  void run() {
    for (auto &cluster : schedule.getClusters())
      if (cluster->kind == Cluster::Border)
        serveBorder(cluster->border);
    for (Node *node : llvm::reverse(schedule.getNodes()))
      if (!node->isFree)
        visit(*node);
    for (Node *node : schedule.getNodes())
      if (node->home) {
        node->home->homes.push_back(node);
        keep(*node);
      }
  }

private:
  void serveBorder(Operation *border) {
    for (Region &region : border->getRegions())
      region.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Node *def = graph.definition(operand); def && def->block == border->getBlock())
            if (!offerAnywhere(*def))
              def->neededWhole = true;
      });
  }

  /// Makes the value computable in nested blocks, if that is cheap and legal.
  bool offerAnywhere(Node &node) {
    if (node.isFree || node.anywhere || node.kind == NodeKind::BufferLoad)
      return node.anywhere = true;
    if (node.isRoot() || node.kind == NodeKind::Reshape || node.cost > kAgainCost ||
        (node.readsMemory() && !schedule.mayReadAnywhere(node)))
      return false;
    for (Link &link : node.links)
      if (link.def && (link.whole || !offerAnywhere(*link.def)))
        return false;
    return node.anywhere = true;
  }

  bool mayComputeIn(Node &node, Cluster &leaf) {
    return !node.readsMemory() || schedule.mayReadIn(node, leaf);
  }

  /// Do the loops of the leaf repeat no lane of the node?
  bool runsOnceIn(Node &node, Cluster &leaf) {
    auto axes = graph.axesOf(node);
    for (Cluster *loop = &leaf; loop; loop = loop->parent)
      if (loop->axis != kUnit && !llvm::is_contained(axes, loop->axis))
        return false;
    return true;
  }

  void visit(Node &node) {
    if (node.isRoot()) {
      node.home = node.leaf;
      return ask(node, node.leaf);
    }
    if (node.needs.empty() && !node.neededWhole)
      return;
    auto legal = [&](Cluster *leaf) { return mayComputeIn(node, *leaf); };
    auto once = [&](Cluster *leaf) { return runsOnceIn(node, *leaf); };
    bool cheap = node.cost <= kAgainCost;
    // Readers of a loop that was cut would pull all of it into theirs.
    bool cut = node.leaf->full && !node.needs.contains(node.leaf);
    if (!node.neededWhole && llvm::all_of(node.needs, legal) &&
        (cheap || (!cut && node.needs.size() == 1 && once(node.needs[0])))) {
      for (Cluster *leaf : node.needs)
        ask(node, leaf);
      return;
    }
    node.home = node.leaf;
    if (!node.neededWhole && !cut) {
      Cluster *first =
          *llvm::min_element(node.needs, [](Cluster *a, Cluster *b) { return a->id < b->id; });
      if (legal(first) && once(first))
        node.home = first;
    }
    ask(node, node.home);
  }

  /// The node is computed in the leaf: so its operands are wanted there.
  void ask(Node &node, Cluster *leaf) {
    for (Link &link : node.links) {
      if (!link.def || link.def->isFree || link.def->block != node.block)
        continue;
      if (link.whole)
        link.def->neededWhole = true;
      else
        link.def->needs.insert(leaf);
    }
  }

  /// The loops around both the home and every reader: the value is kept once per iteration.
  SmallVector<Axis, 4> commonLoops(Node &node) {
    SmallVector<Axis, 4> result;
    if (node.neededWhole)
      return result;
    for (Cluster *loop = node.home->parent; loop; loop = loop->parent)
      if (llvm::all_of(node.needs, [&](Cluster *reader) {
            for (; reader; reader = reader->parent)
              if (reader == loop)
                return true;
            return false;
          }))
        result.push_back(loop->axis);
    return result;
  }

  /// Does the node fold a loop over rows, so that its result grows in memory?
  bool growsInRows(Node &node) {
    return node.kind == NodeKind::Reduce && graph.axesOf(node)[node.reducedDim] != kUnit &&
           graph.axesOf(node)[node.reducedDim] != node.leaf->axis;
  }

  void keep(Node &node) {
    bool grows = growsInRows(node);
    bool readElsewhere = node.neededWhole ||
                         llvm::any_of(node.needs, [&](Cluster *leaf) { return leaf != node.home; });
    if (!readElsewhere && !grows)
      return;
    SmallVector<Axis, 4> common = commonLoops(node), axes = graph.axesOf(node);
    SmallVector<int64_t> shape;
    SmallVector<int> dims;
    for (auto [dim, of] : llvm::enumerate(node.resultDims)) {
      if (axes[of] == kUnit || llvm::is_contained(common, axes[of]))
        continue;
      dims.push_back(dim);
      shape.push_back(node.extents[of]);
    }
    if (dims.empty() && !grows && !node.neededWhole) {
      node.keptScalar = true;
      return;
    }
    for (auto [buffer, result] : llvm::zip(node.buffers, node.results))
      buffer = scratch.make(getElementTypeOrSelf(result.getType()), shape, dims);
  }

  Schedule &schedule;
  Graph &graph;
  Scratch &scratch;
};

} // namespace

void assignResidence(Schedule &schedule, Graph &graph, Scratch &scratch) {
  Residence(schedule, graph, scratch).run();
}

} // namespace kiln::cpu
