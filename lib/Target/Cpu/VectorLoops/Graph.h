//===- Graph.h - the tensor operations of a function as nodes --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A node is one tensor operation seen as a loop nest: its iteration space, how each tensor operand
// and the results index it, and (filled in by later steps) where it is computed and whether its
// results are kept in scratch. Reads and writes of tensors that live in scratch (carried through
// loops, yielded by branches) are nodes too, without an operation.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_VECTORLOOPS_GRAPH_H
#define KILN_TARGET_CPU_VECTORLOOPS_GRAPH_H

#include "Axes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <memory>

namespace kiln::cpu {

struct Buffer;
struct Cluster;
struct Node;

enum class NodeKind {
  Map,         ///< lane by lane: arith, math, a structured op, a reshape that moves unit dimensions
  Reshape,     ///< the operand, as a whole, under another shape
  Iota,        ///< start, start + 1, …
  Splat,       ///< of a scalar, or a constant
  Load,        ///< of a view
  Store,       ///< to a view
  Gather,      ///< reads elements at offsets
  Scatter,     ///< writes elements at offsets
  Reduce,      ///< folds one dimension
  Print,       ///< a line per lane
  Assert,      ///< every lane must hold
  BufferLoad,  ///< a tensor that lives in scratch
  BufferStore, ///< writes the operand to where such a tensor lives
};

/// How a node reads an operand. For a scalar, only `value` is set.
struct Link {
  mlir::Value value;
  Node *def = nullptr;
  /// The iteration dimension of each dimension of the operand; -1 where that has one lane only.
  llvm::SmallVector<int, 4> dims;
  /// The operand is read as a whole, from scratch: its lanes are not the node's lanes.
  bool whole = false;
};

struct Node {
  NodeKind kind;
  mlir::Operation *op = nullptr; ///< none for BufferLoad and BufferStore
  mlir::Block *block = nullptr;
  mlir::Location loc;
  unsigned order; ///< program order, over the whole function

  llvm::SmallVector<int64_t, 4> extents; ///< of the iteration space
  llvm::SmallVector<Axis, 4> axes;       ///< of each iteration dimension, before find()
  llvm::SmallVector<Link, 3> links;      ///< one per operand of `op`
  llvm::SmallVector<mlir::Value, 1> results;
  llvm::SmallVector<int, 4> resultDims; ///< the iteration dimension of each result dimension
  int reducedDim = -1;                  ///< of a Reduce

  /// Depends on no memory and is cheap: computed again wherever it is used, under any loop.
  bool isFree = false;
  /// A rough price, in vector operations, of computing it and all it depends on again.
  unsigned cost = 0;

  /// Where it is placed in program order; where it is computed, if its results are kept for others.
  Cluster *leaf = nullptr;
  Cluster *home = nullptr;
  /// Leaves that read the results lane by lane; whether somebody reads them as a whole.
  llvm::SmallSetVector<Cluster *, 4> needs;
  bool neededWhole = false;
  /// May be computed again in nested blocks too.
  bool anywhere = false;
  /// One lane within the loops around its readers: handed on as a scalar.
  bool keptScalar = false;
  /// The tensor in scratch that a BufferLoad reads and a BufferStore writes.
  Buffer *tensor = nullptr;
  /// Per result: where it is kept in scratch, and the scalar once that is known (for a result that
  /// is one lane within the loops around its readers).
  llvm::SmallVector<Buffer *, 1> buffers;
  llvm::SmallVector<mlir::Value, 1> scalars;

  Node(NodeKind kind, mlir::Location loc, unsigned order) : kind(kind), loc(loc), order(order) {}

  bool isRoot() const;
  bool readsMemory() const;
  bool writesMemory() const;
  unsigned resultIndex(mlir::Value value) const;
};

class Graph {
public:
  /// The node of a tensor operation; nothing for an operation on scalars. Errors are reported on
  /// the operation.
  mlir::FailureOr<Node *> add(mlir::Operation *op);
  Node *addBufferLoad(mlir::Value value, Buffer *buffer);
  Node *addBufferStore(mlir::Value value, Buffer *buffer, mlir::Location loc, mlir::Block *block);

  /// The node that computes a tensor; nothing for a scalar.
  Node *definition(mlir::Value value) const {
    return mlir::isa<mlir::RankedTensorType>(value.getType()) ? definitions.lookup(value) : nullptr;
  }
  /// The axes of the node's iteration space.
  llvm::SmallVector<Axis, 4> axesOf(const Node &node) const;
  Axis find(Axis axis) const { return axes.find(axis); }

private:
  Node *make(NodeKind kind, mlir::Operation *op, mlir::Location loc, mlir::Block *block);
  void setSpace(Node &node, llvm::ArrayRef<int64_t> extents);
  void link(Node &node, mlir::Value value, llvm::ArrayRef<int> dims, bool whole = false);
  void linkIdentity(Node &node, mlir::Value value);
  void setResults(Node &node, mlir::ValueRange results, llvm::ArrayRef<int> dims);
  void settle(Node &node);
  mlir::LogicalResult addMap(Node &node);
  mlir::LogicalResult addReshape(Node &node);

  Axes axes;
  std::vector<std::unique_ptr<Node>> nodes;
  llvm::DenseMap<mlir::Value, Node *> definitions;
};

/// The extents of a tensor.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
bool isTensor(mlir::Value value);
/// Does the operation, or one inside it, take or make tensors?
bool touchesTensors(mlir::Operation *op);

} // namespace kiln::cpu

#endif // KILN_TARGET_CPU_VECTORLOOPS_GRAPH_H
