//===- Emission.h - code for one leaf of the schedule ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A leaf is a loop over chunks of W lanes of one axis (or no loop). Its code has three places:
//
//   head      what does not vary along the axis: addresses of rows, bounds, scalars. Once
//   body      one chunk; emitted once per section: lanes that all bounds cover, and the rest
//   tail      reductions finished, scalars handed on. Once
//
// A value is computed on demand at a *point*: for each of its dimensions the axis that indexes it.
// A value that does not vary along the leaf's axis is a scalar, in the head; any other is a vector
// of W lanes, or a scalar where W is 1.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_VECTORLOOPS_EMISSION_H
#define KILN_TARGET_CPU_VECTORLOOPS_EMISSION_H

#include "Schedule.h"
#include "Scratch.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include <map>
#include <set>

namespace kiln::cpu {

/// Facts about the machine and the request.
struct LoopOptions {
  int64_t vectorBits = 512;
  bool maskedTails = true;
  bool streaming = false;
  unsigned longestLoop = 256; ///< operations
};

using Point = llvm::SmallVector<Axis, 4>;

/// What stays the same over a function.
struct FunctionContext {
  LoopOptions options;
  Graph graph;
  std::unique_ptr<Scratch> scratch;
  /// Pointer arguments that the kernel reads through: their stores stay in the caches.
  llvm::DenseSet<mlir::Value> readBases;
  /// Lowered operations, kept until nothing asks for them.
  llvm::SmallVector<mlir::Operation *> dead;
};

/// The lanes that the code being emitted works on.
struct Chunk {
  int64_t width = 1;    ///< lanes; 1 for scalar code
  mlir::Value first;    ///< index of the first lane
  bool edge = false;    ///< some lane may lie outside a bound
  mlir::Value existing; ///< the lanes that belong to the section; none: all
  bool streams = false; ///< the aligned store bypasses the caches
};

/// Lanes of an access along the leaf's axis: [lower, upper), within the extent, if `rows` holds
/// (the other dimensions' indices are within their bounds); a missing member stands for no
/// restriction.
struct Bounds {
  mlir::Value lower, upper, rows;
  bool empty() const { return !lower && !upper && !rows; }
};

/// Where the lanes of a chunk lie.
struct Place {
  mlir::Value first;         ///< address of the first lane
  int64_t stride = 0;        ///< elements from lane to lane, kDynamic where `strides` says it
  mlir::Value dynamicStride; ///< i64
  mlir::Value pointers;      ///< a vector of addresses, if they have no stride
};

struct Reduction;

/// An index or a signed integer.
mlir::Value toI64(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

class LeafEmitter {
public:
  LeafEmitter(FunctionContext &context, const Cluster &leaf,
              const llvm::DenseMap<Axis, mlir::Value> &indices, mlir::OpBuilder &builder);
  ~LeafEmitter();

  /// Emits the leaf at the builder's insertion point. Kept scalars end in Node::scalars.
  void run();

private:
  // Emission.cpp: values.
  void collect();
  void need(mlir::Value value, const Point &point);
  bool varies(mlir::Value value, const Point &point);
  bool varies(Node &node, const Point &point);
  mlir::Value emit(mlir::Value value, const Point &point);
  mlir::Value emitNode(Node &node, unsigned result, const Point &point);
  mlir::Value emitMap(Node &node, unsigned result, const Point &point);
  void emitRoot(Node &node);
  void emitPrint(Node &node);
  void emitAssert(Node &node);
  Point pointOf(const Node &node, const Link &link, const Point &iteration) const;
  Point iterationPoint(const Node &node, const Point &point) const;
  bool isKeptElsewhere(const Node &node) const;

  // Vectorise.cpp: operations on lanes.
  llvm::SmallVector<mlir::Value> cloneLanes(mlir::Operation *op, mlir::ValueRange operands);
  mlir::Value divideByScalar(mlir::Operation *op, mlir::Value dividend, mlir::Value divisor);
  llvm::SmallVector<mlir::Value> cloneBody(mlir::Block &body, mlir::ValueRange arguments);
  mlir::Value toLanes(mlir::Value value, mlir::Location loc);
  mlir::Value constantIndex(int64_t value);
  mlir::Value constantInt(mlir::Type element, int64_t value);
  mlir::Value zero(mlir::Type element);
  mlir::Value laneNumbers(mlir::Type element);
  mlir::Type lanesOf(mlir::Type element) const;
  /// Lanes of the code being emitted: 1 in the head.
  int64_t width() const { return current == &head ? 1 : chunk.width; }
  mlir::Value indexOf(Axis axis);

  // Access.cpp: memory.
  Place placeOfView(Node &node, const Point &iteration);
  Place placeOfBuffer(Buffer &buffer, const Point &point, mlir::Location loc);
  Place placeOfOffsets(Node &node, mlir::Value base, mlir::Value offsets);
  Place advance(mlir::Value row, mlir::Type element, int64_t stride, mlir::Value dynamicStride,
                mlir::Location loc);
  mlir::Value pointersOf(const Place &place, mlir::Type element, mlir::Location loc);
  mlir::Value readLanes(const Place &place, mlir::Type element, mlir::Value mask, mlir::Value pad,
                        mlir::Location loc);
  void writeLanes(const Place &place, mlir::Value value, mlir::Value mask, mlir::Location loc,
                  bool streaming = false);
  mlir::Value loadNode(Node &node, const Point &point);
  void storeNode(Node &node);
  mlir::Value readBuffer(Buffer &buffer, const Point &point, mlir::Location loc);
  void writeBuffer(Buffer &buffer, const Point &point, mlir::Value value, mlir::Location loc);
  mlir::Value readReshape(Node &node, const Point &point);

  // Prefetch.cpp: memory that is read later.
  mlir::FailureOr<mlir::Value> distanceToNext(Node &node, const Point &point);
  void prefetch(Node &node, const Point &point, const Place &place, mlir::Type element);

  // Bounds.cpp: which lanes of an access are on.
  Bounds &boundsOf(Node &node, const Point &iteration);
  mlir::Value maskOf(Node &node, const Point &iteration, mlir::Value mask);
  mlir::Value lanesBelow(mlir::Value limit, mlir::Location loc);
  mlir::Value lanesWithin(const Bounds &range, mlir::Location loc);
  mlir::Value conjunction(mlir::Value a, mlir::Value b, mlir::Location loc);

  // Ranges.cpp: masks that are ranges of lanes.
  Bounds &rangeOf(Node &node, const Point &point);
  mlir::Value laneOffset(mlir::Value value, const Point &point);
  mlir::Value inHead(mlir::Value value, const Point &point);

  // Sections.cpp: the loops.
  int64_t chooseWidth();
  llvm::StringRef scalarReason();
  void runScalar(llvm::StringRef reason);
  void runSections();
  void section(mlir::Value from, mlir::Value to, const Chunk &form, bool exact);
  void emitChunk();
  void chooseAligned();
  mlir::Value lanesToCacheLine(mlir::Value start);

  // Reductions.cpp.
  bool foldsLanes(const Node &node) const;
  void startReductions(bool vectorCode, bool scalarCode, int64_t width);
  void reduceChunk(Node &node);
  void growRow(Node &node, llvm::SmallVector<mlir::Value> values);
  void finishReductions();
  mlir::Value foldPartial(Reduction &reduction);
  llvm::SmallVector<mlir::Value> combine(Node &node, mlir::ValueRange left, mlir::ValueRange right);
  mlir::Value combineOnce(Node &node, mlir::Value left, mlir::Value right);
  void foldChunk(Reduction &reduction, llvm::SmallVector<mlir::Value> lanes);
  void foldLane(Reduction &reduction, mlir::ValueRange lane, mlir::Value exists);

  FunctionContext &context;
  Graph &graph;
  const Cluster &leaf;
  const llvm::DenseMap<Axis, mlir::Value> &indices; ///< of the loops around
  mlir::OpBuilder &builder;                         ///< body, or after the loops: tail
  mlir::OpBuilder head;
  mlir::OpBuilder *current; ///< the one in use
  Axis axis;                ///< of the chunks; kUnit in a Scalar leaf
  int64_t extent;

  llvm::SmallVector<Node *> roots; ///< in program order, with reads that must keep their place
  struct Read {
    Node *node;
    Point point;
  };
  llvm::SmallVector<Read> reads;
  std::vector<std::unique_ptr<Reduction>> reductions;
  int64_t registerLanes = 1; ///< lanes of the widest type in one register
  Node *aligned = nullptr;   ///< the store whose main chunks begin at cache lines
  bool streams = false;      ///< it bypasses the caches

  using Key = std::pair<void *, Point>;
  std::map<Key, mlir::Value> uniform, lanes; ///< computed already, in the head and in this chunk
  std::map<Key, bool> variation;
  std::set<Key> wanted;
  std::map<Key, Bounds> boundsKnown;
  std::map<std::pair<void *, int64_t>, mlir::Value> splats;
  /// Bytes to the row that comes next, in the head, where they have been asked for.
  llvm::DenseMap<Node *, mlir::FailureOr<mlir::Value>> distances;
  Chunk chunk;
};

} // namespace kiln::cpu

#endif // KILN_TARGET_CPU_VECTORLOOPS_EMISSION_H
