//===- Parallel.h - bodies that run once for all lanes ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// `for i, j in T.Parallel(M, N)` visits its body once: i and j are blocks of int32[M, N], an access
// `a[i, j]` is an access of a region or of global memory, and an `if` on a block is a mask. A
// statement is done for all lanes before the next one; that is what the loop says as long as no
// lane touches an element that another one writes, which every access is checked for.
//
// * Parallel.cpp           the loop, masks
// * ParallelIndices.cpp    indices as functions of the lanes; which of them may meet
// * ParallelAccesses.cpp   elements read and written
// * ParallelGather.cpp     elements that no region covers: one by one
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_TILELANG_PARALLEL_H
#define KILN_LIB_FRONTEND_TILELANG_PARALLEL_H

#include "Buffers.h"

#include "kiln/Analysis/LinearExpr.h"
#include "kiln/Support/Diagnostic.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace kiln::frontend::tilelang {

//===----------------------------------------------------------------------------------------===//
// The hooks of the front end of these names
//===----------------------------------------------------------------------------------------===//

/// Elements; they ask `stateOf(context).lanes`.
Value readInLanes(CallContext &context, const RegionData &element);
Value writeInLanes(CallContext &context, const RegionData &element, const Value &value);
bool enterMask(CallContext &context, const Value &mask);
void leaveMask(CallContext &context);
Value selectLanes(CallContext &context, const Value &mask, const Value &x, const Value &y);
Value spreadOverLanes(CallContext &context, const Value &value);

//===----------------------------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------------------------===//

/// An index of one dimension: `base + sum of coefficients[axis] * lane along axis`. An axis of one
/// lane has coefficient 0.
struct LaneIndex {
  LinearExpr base;
  llvm::SmallVector<int64_t, 3> coefficients;
};

/// The indices of an element, one for each dimension of the buffer; absent where an index is no
/// such function, with the reason in `whyNot`.
struct LaneIndices {
  llvm::SmallVector<std::optional<LaneIndex>, 2> dims;
  std::string whyNot;
};

/// An access of a buffer in the body.
struct LaneAccess {
  mlir::Value buffer; ///< its handle
  LaneIndices indices;
  bool isWrite = false;
  bool isRepeated = false; ///< stands in a loop inside the outermost nest
  SourcePlace place;
};

/// A nest of `T.Parallel` loops; one inside another continues its axes.
struct Lanes {
  std::shared_ptr<Lanes> outer;
  Shape shape;
  mlir::Block *body;
  /// The regions around the body: what is defined there stays the same while it runs.
  llvm::SmallPtrSet<mlir::Region *, 4> around;
  /// Which lanes an extent that is known at run time leaves on; poison: all.
  Value inRange;
  /// Which lanes are on, innermost `if` last, each with those before it.
  std::vector<Value> masks;
  std::vector<LaneAccess> accesses;
  /// Buffers of which a dependence was reported.
  llvm::SmallVector<mlir::Value> reported;
  /// The last call that was refused.
  SourcePlace refused;

  /// Poison: all lanes.
  const Value &mask() const { return masks.empty() ? inRange : masks.back(); }
};

LaneIndices indicesOf(CallContext &context, const Lanes &lanes, const RegionData &element);

/// All lanes are between 0 and `size` for certain.
bool staysInside(const Lanes &lanes, const LaneIndex &index, int64_t size);

/// Notes an access. False, after an error, if a lane writes what another one accesses.
bool recordAccess(CallContext &context, Lanes &lanes, const RegionData &element,
                  const LaneIndices &indices, bool isWrite);

/// False, after an error, in a nest: for what works on regions.
bool expectOutsideLanes(CallContext &context);

/// A value as a block of the nest's shape; the value is a scalar, or such a block already.
Value inAllLanes(CallContext &context, const Lanes &lanes, const Value &value);

//===----------------------------------------------------------------------------------------===//
// One by one
//===----------------------------------------------------------------------------------------===//

/// Elements of a buffer on chip at any indices. Lanes that are off, and those outside the buffer,
/// read 0 and write nothing. Slow, which a remark says with the reason.
Value gatherElements(CallContext &context, Lanes &lanes, const RegionData &element,
                     llvm::StringRef reason);
Value scatterElements(CallContext &context, Lanes &lanes, const RegionData &element,
                      const Value &value, llvm::StringRef reason);

} // namespace kiln::frontend::tilelang

#endif // KILN_LIB_FRONTEND_TILELANG_PARALLEL_H
