//===- Schedule.cpp - which loops run which nodes, in which order ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Schedule.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace kiln::cpu {

/// The iteration dimensions that no loop around runs yet, as axes.
static SmallVector<Axis, 4> remaining(const Graph &graph, const Node &node, ArrayRef<Axis> fixed) {
  SmallVector<Axis, 4> result;
  for (Axis axis : graph.axesOf(node))
    if (axis != kUnit && !llvm::is_contained(fixed, axis))
      result.push_back(axis);
  return result;
}

static int64_t extentOf(const Graph &graph, const Node &node, Axis axis) {
  for (auto [of, extent] : llvm::zip(graph.axesOf(node), node.extents))
    if (of == axis)
      return extent;
  return 1;
}

Relation Schedule::relate(Node &a, Node &b) {
  if (!a.op || !b.op) { // a tensor in scratch meets only itself
    if (a.op || b.op || a.tensor != b.tensor)
      return Relation::Disjoint;
    return graph.axesOf(a) == graph.axesOf(b) ? Relation::SameLanes : Relation::Unknown;
  }
  Relation relation = order.relate(a.op, b.op);
  if (relation == Relation::SameLanes && graph.axesOf(a) != graph.axesOf(b))
    return Relation::Unknown;
  return relation;
}

/// The first cluster of the list that the node could join as far as its operands and the memory it
/// touches go.
unsigned Schedule::readyAfter(Node &node, const List &list, const Places &places,
                              ArrayRef<Axis> fixed) {
  unsigned ready = 0;
  for (Link &link : node.links) {
    auto place = link.def ? places.of.find(link.def) : places.of.end();
    if (place == places.of.end())
      continue;
    bool laneByLane = !link.whole;
    // A folded dimension is complete only after the loop that folds it.
    if (laneByLane && link.def->kind == NodeKind::Reduce) {
      Axis folded = graph.axesOf(*link.def)[link.def->reducedDim];
      laneByLane = list[place->second]->axis != folded || folded == kUnit;
    }
    ready = std::max(ready, place->second + (laneByLane ? 0 : 1));
  }
  if (!node.readsMemory() && !node.writesMemory())
    return ready;
  for (Node *other : places.accesses) {
    unsigned place = places.of.lookup(other);
    if (place < ready || !(node.writesMemory() ? other->readsMemory() || other->writesMemory()
                                               : other->writesMemory()))
      continue;
    switch (relate(*other, node)) {
    case Relation::Disjoint:
      break;
    case Relation::SameLanes:
      ready = std::max(ready, place);
      break;
    case Relation::Unknown:
      ready = std::max(ready, place + 1);
      break;
    }
  }
  return ready;
}

Cluster *Schedule::place(Node &node, List &list, Places &places, unsigned ready, Cluster *parent,
                         ArrayRef<Axis> fixed) {
  ready = std::max(ready, readyAfter(node, list, places, fixed));
  SmallVector<Axis, 4> axes = remaining(graph, node, fixed);
  bool alone = node.kind == NodeKind::Print || node.kind == NodeKind::Assert;
  Cluster *found = nullptr;
  unsigned index = ready;
  for (; !alone && index < list.size() && !found; ++index) {
    Cluster &cluster = *list[index];
    if (cluster.kind == Cluster::Border || cluster.closed || cluster.full)
      continue;
    bool joins = axes.empty()
                     ? cluster.kind == Cluster::Scalar
                     : cluster.axis == axes.front() || (cluster.kind == Cluster::Rows &&
                                                        llvm::is_contained(axes, cluster.axis));
    if (joins)
      found = &cluster;
  }
  if (found) {
    --index;
  } else {
    index = list.size();
    list.push_back(std::make_unique<Cluster>(axes.empty() ? Cluster::Scalar : Cluster::Vector));
    found = list.back().get();
    found->parent = parent;
    found->closed = alone;
    if (!axes.empty()) {
      found->axis = axes.front();
      found->extent = extentOf(graph, node, found->axis);
    }
  }
  if (axes.size() > 1)
    found->kind = Cluster::Rows;
  found->nodes.push_back(&node);
  found->full = !parent && found->kind == Cluster::Vector && found->nodes.size() >= longest;
  node.leaf = found;
  places.of[&node] = index;
  if (node.readsMemory() || node.writesMemory())
    places.accesses.push_back(&node);
  return found;
}

/// Fills the body of a loop over rows.
void Schedule::refine(Cluster &rows, SmallVector<Axis, 4> fixed) {
  fixed.push_back(rows.axis);
  Places places;
  for (Node *node : rows.nodes)
    place(*node, rows.body, places, 0, &rows, fixed);
  for (auto &cluster : rows.body)
    if (cluster->kind == Cluster::Rows)
      refine(*cluster, fixed);
}

void Schedule::number(List &list) {
  for (auto &cluster : list) {
    cluster->id = nextId++;
    number(cluster->body);
  }
}

void Schedule::build(ArrayRef<Step> steps) {
  Places places;
  // The first cluster in which a scalar is known; none for scalars of outer blocks.
  DenseMap<Value, unsigned> known;
  auto readyOf = [&](Operation *op) {
    unsigned ready = 0;
    auto visit = [&](Operation *inner) {
      for (Value operand : inner->getOperands())
        ready = std::max(ready, known.lookup(operand));
    };
    if (op->getNumRegions())
      op->walk(visit);
    else
      visit(op);
    return ready;
  };
  unsigned behindBorder = 0;
  for (const Step &step : steps) {
    if (step.scalar) {
      if (unsigned ready = readyOf(step.scalar))
        for (Value result : step.scalar->getResults())
          known[result] = ready;
      continue;
    }
    if (step.border) {
      clusters.push_back(std::make_unique<Cluster>(Cluster::Border));
      clusters.back()->border = step.border;
      borders.push_back(clusters.back().get());
      behindBorder = clusters.size();
      for (Value result : step.border->getResults())
        known[result] = behindBorder;
      continue;
    }
    Node &node = *step.node;
    nodes.push_back(&node);
    if (node.writesMemory())
      writes.push_back(&node);
    unsigned ready = std::max(behindBorder, node.op ? readyOf(node.op) : 0);
    place(node, clusters, places, ready, nullptr, {});
    if (node.kind == NodeKind::Reduce && node.extents.size() == 1)
      for (Value result : node.results)
        known[result] = places.of[&node] + 1;
    if (clusters[places.of[&node]]->closed)
      behindBorder = clusters.size();
  }
  for (auto &cluster : clusters)
    if (cluster->kind == Cluster::Rows)
      refine(*cluster, {});
  number(clusters);
}

bool Schedule::borderMayWrite(Operation *border, Node &load) {
  if (!load.op)
    return false;
  WalkResult result = border->walk([&](Operation *inner) {
    return MemoryOrder::isWrite(inner) && order.relate(load.op, inner) != Relation::Disjoint
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Is there a loop over rows around both?
static bool shareLoop(Cluster *a, Cluster *b) {
  for (; a->parent; a = a->parent)
    ;
  for (; b->parent; b = b->parent)
    ;
  return a == b;
}

bool Schedule::mayReadIn(Node &load, Cluster &leaf) {
  for (Node *write : writes) {
    bool later = write->leaf->id > leaf.id;
    if (write->order < load.order || (later && !shareLoop(write->leaf, &leaf)))
      continue;
    Relation relation = relate(load, *write);
    if (relation == Relation::Unknown ||
        (relation == Relation::SameLanes && write->leaf->id < leaf.id))
      return false;
  }
  return llvm::none_of(borders, [&](Cluster *border) {
    return border->id > load.leaf->id && border->id < leaf.id &&
           borderMayWrite(border->border, load);
  });
}

bool Schedule::mayReadAnywhere(Node &load) {
  if (!load.op)
    return false;
  auto clashes = [&](Node *write) {
    return write->order > load.order && relate(load, *write) != Relation::Disjoint;
  };
  return llvm::none_of(writes, clashes) && llvm::none_of(borders, [&](Cluster *border) {
           return border->id > load.leaf->id && borderMayWrite(border->border, load);
         });
}

} // namespace kiln::cpu
