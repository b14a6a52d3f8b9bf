//===- Schedule.h - which loops run which nodes, in which order ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A block becomes a list of clusters that run one after the other:
//
//   Vector   one loop over chunks of lanes of an axis; nodes with that one dimension left
//   Rows     a loop over an axis, one index at a time; its body is a list of clusters again
//   Scalar   no loop: nodes with no dimension left
//   Border   an operation that stays (a loop, a branch, a scalar access): nothing moves across
//
// The first three are groups: a node joins the first group it may join. It may join a group if its
// operands are there lane by lane or complete before it, and if no access of the group could touch
// other lanes of the memory it touches.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_VECTORLOOPS_SCHEDULE_H
#define KILN_TARGET_CPU_VECTORLOOPS_SCHEDULE_H

#include "Graph.h"

#include "kiln/Analysis/MemoryOrder.h"

namespace kiln::cpu {

struct Cluster {
  enum Kind { Scalar, Vector, Rows, Border };
  Kind kind;
  Axis axis = kUnit;
  int64_t extent = 1;
  llvm::SmallVector<Node *, 8> nodes; ///< in program order; of Rows: also of its body
  llvm::SmallVector<Node *, 4> homes; ///< nodes that a leaf computes for good
  std::vector<std::unique_ptr<Cluster>> body;
  Cluster *parent = nullptr;
  unsigned id = 0; ///< grows in order of execution
  mlir::Operation *border = nullptr;
  bool closed = false; ///< holds output: nothing joins
  bool full = false;   ///< as long as a loop may be: nothing joins, what follows reads scratch

  explicit Cluster(Kind kind) : kind(kind) {}
};

/// One operation of a block, or a pseudo node, in program order.
struct Step {
  Node *node = nullptr;
  mlir::Operation *scalar = nullptr; ///< free to move as its operands allow
  mlir::Operation *border = nullptr;
};

class Schedule {
public:
  /// `longest`: the operations of a loop over chunks, at most; for loops in loops over rows there
  /// is no limit. Code generation takes more than twice as long for a block of twice the size.
  Schedule(Graph &graph, MemoryOrder &order, unsigned longest)
      : graph(graph), order(order), longest(longest) {}

  void build(llvm::ArrayRef<Step> steps);

  /// How the memory that two nodes touch is related; SameLanes only for nodes over the same axes.
  Relation relate(Node &a, Node &b);
  /// May a read be computed in a leaf: does no write that follows it come first there?
  bool mayReadIn(Node &load, Cluster &leaf);
  /// May the read be repeated in a nested block or behind the block's last border?
  bool mayReadAnywhere(Node &load);

  llvm::ArrayRef<std::unique_ptr<Cluster>> getClusters() const { return clusters; }
  llvm::ArrayRef<Node *> getNodes() const { return nodes; }

private:
  using List = std::vector<std::unique_ptr<Cluster>>;
  /// Where the nodes of a list of clusters are.
  struct Places {
    llvm::DenseMap<Node *, unsigned> of;
    llvm::SmallVector<Node *> accesses;
  };

  Cluster *place(Node &node, List &list, Places &places, unsigned ready, Cluster *parent,
                 llvm::ArrayRef<Axis> fixed);
  unsigned readyAfter(Node &node, const List &list, const Places &places,
                      llvm::ArrayRef<Axis> fixed);
  void refine(Cluster &rows, llvm::SmallVector<Axis, 4> fixed);
  void number(List &list);
  bool borderMayWrite(mlir::Operation *border, Node &load);

  Graph &graph;
  MemoryOrder &order;
  unsigned longest;
  List clusters;
  llvm::SmallVector<Node *> nodes, writes;
  llvm::SmallVector<Cluster *> borders;
  unsigned nextId = 0;
};

} // namespace kiln::cpu

#endif // KILN_TARGET_CPU_VECTORLOOPS_SCHEDULE_H
