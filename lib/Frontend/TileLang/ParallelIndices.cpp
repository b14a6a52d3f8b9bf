//===- ParallelIndices.cpp - indices as functions of the lanes, and dependences ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Two accesses of a buffer, one of them a write, must not meet in an element in different lanes.
// That they do not is shown dimension by dimension. Either the indices of one dimension never are
// equal (ranges apart, or a difference that the steps cannot make); or equal indices in some
// dimensions mean equal lanes, which together they must for all axes:
//
//   c[i, j], c[i, j]     dimension 0 tells i, dimension 1 tells j
//   a[i], a[i + 1]       index i + 1 of one lane is index i of the next: an error
//   s[0], s[0]           tells no lane from another: a reduction
//   x[2 * i], x[2 * i + 1]   never equal
//
// Scalars that change while the body runs (variables of loops inside it) are taken to differ
// between the two accesses; so are axes of a nest inside, seen from the one outside.
//
//===-----------------------------------------------------------------------------------------===//

#include "Parallel.h"

#include "kiln/Analysis/LaneAffine.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace kiln::frontend::tilelang {

using namespace triton;

//===----------------------------------------------------------------------------------------===//
// One index
//===----------------------------------------------------------------------------------------===//

/// A scalar; those that may wrap around are terms of their own.
static LinearExpr scalarBase(const Value &index) {
  bool isExact = bitWidth(index.type().dtype()) >= 32 && isSigned(index.type().dtype());
  return isExact ? LinearExprs().get(index.ir()) : LinearExpr::leaf(index.ir());
}

static std::optional<LaneIndex> indexOf(const Lanes &lanes, const Value &index,
                                        std::string &whyNot) {
  LaneIndex result;
  result.coefficients.assign(lanes.shape.size(), 0);
  if (const Integer *known = index.asInt()) {
    result.base = LinearExpr(known->asInt64().value_or(IntegerFact::kMax / 2));
    return result;
  }
  if (index.type().isScalar()) {
    result.base = scalarBase(index);
    return result;
  }
  LaneAffines affines;
  const LaneAffine *form = affines.get(index.ir());
  if (!form) {
    whyNot = affines.whyNot(index.ir()).str();
    return std::nullopt;
  }
  result.base = form->offset;
  for (auto [dim, coefficient] : llvm::zip(form->dims, result.coefficients)) {
    std::optional<int64_t> known = dim.coefficient.asConstant();
    if (!known || dim.wrap) {
      whyNot = dim.wrap ? "the index wraps around" : "the step from lane to lane is not constant";
      return std::nullopt;
    }
    coefficient = *known;
  }
  return result;
}

LaneIndices indicesOf(CallContext &, const Lanes &lanes, const RegionData &element) {
  LaneIndices result;
  for (const Value &offset : element.offsets)
    result.dims.push_back(indexOf(lanes, offset, result.whyNot));
  return result;
}

//===----------------------------------------------------------------------------------------===//
// Two accesses
//===----------------------------------------------------------------------------------------===//

namespace {

/// The indices of one dimension in two accesses, as seen from a nest.
class Pair {
public:
  Pair(const Lanes &lanes, const LaneIndex &a, const LaneIndex &b, bool isRepeated)
      : lanes(lanes), a(a), b(b), isRepeated(isRepeated) {
    difference = split(a.base) - split(b.base);
    size_t axes = lanes.shape.size();
    for (const LaneIndex *index : {&a, &b})
      for (int64_t coefficient : llvm::ArrayRef(index->coefficients).drop_front(axes))
        step = std::gcd(step, coefficient);
  }

  /// The two are never equal.
  bool isApart() const {
    std::optional<int64_t> distance = difference.asConstant();
    if (!distance)
      return false;
    int64_t common = step, low = *distance, high = *distance;
    for (auto [axis, size] : llvm::enumerate(lanes.shape)) {
      int64_t ca = a.coefficients[axis], cb = b.coefficients[axis];
      common = std::gcd(std::gcd(common, ca), cb);
      high += std::max<int64_t>(ca, 0) * (size - 1) + std::max<int64_t>(-cb, 0) * (size - 1);
      low -= std::max<int64_t>(-ca, 0) * (size - 1) + std::max<int64_t>(cb, 0) * (size - 1);
    }
    // What changes adds a multiple of the step.
    bool mayBeZero =
        step == 0 ? low <= 0 && high >= 0 : llvm::divideFloorSigned(high, step) * step >= low;
    if (!mayBeZero)
      return true;
    return common != 0 && *distance % common != 0;
  }

  /// Adds to `told` the axes along which lanes are the same where the indices are.
  void tell(llvm::SmallVectorImpl<bool> &told) const {
    if (!difference.isConstant(0))
      return;
    // Digits of a number: each step is longer than all the shorter ones together.
    llvm::SmallVector<std::pair<int64_t, size_t>, 3> digits;
    for (auto [axis, size] : llvm::enumerate(lanes.shape)) {
      int64_t coefficient = a.coefficients[axis];
      if (coefficient != b.coefficients[axis])
        return;
      if (coefficient != 0 && size > 1)
        digits.push_back({std::abs(coefficient), axis});
    }
    llvm::sort(digits);
    int64_t reach = 0;
    for (auto [size, axis] : digits) {
      if (size <= reach)
        return;
      reach += size * (lanes.shape[axis] - 1);
    }
    if (step != 0 && step <= reach)
      return;
    for (auto [size, axis] : digits)
      told[axis] = true;
  }

private:
  /// The terms of a base that are the same all the time; `step` divides the others.
  LinearExpr split(const LinearExpr &base) {
    LinearExpr fixed = base;
    for (const LinearTerm &term : base.getTerms()) {
      if (llvm::none_of(term.factors, [&](mlir::Value factor) { return changes(factor); }))
        continue;
      LinearExpr one(1);
      for (mlir::Value factor : term.factors)
        one = one.times(LinearExpr::leaf(factor)).value_or(one);
      fixed = fixed - one * term.coefficient;
      step = std::gcd(step, term.coefficient);
    }
    return fixed;
  }

  bool changes(mlir::Value value) const {
    return isRepeated && !lanes.around.contains(value.getParentRegion());
  }

  const Lanes &lanes;
  const LaneIndex &a, &b;
  bool isRepeated;
  LinearExpr difference;
  int64_t step = 0; ///< divides what other axes and changing scalars may add; 0: nothing
};

} // namespace

static bool mayMeet(const Lanes &lanes, const LaneAccess &a, const LaneAccess &b) {
  llvm::SmallVector<bool, 3> told(lanes.shape.size(), false);
  for (auto [mine, theirs] : llvm::zip(a.indices.dims, b.indices.dims)) {
    if (!mine || !theirs)
      continue;
    Pair pair(lanes, *mine, *theirs, a.isRepeated || b.isRepeated);
    if (pair.isApart())
      return false;
    pair.tell(told);
  }
  for (auto [axis, size] : llvm::enumerate(lanes.shape))
    if (size > 1 && !told[axis])
      return true;
  return false;
}

/// Lanes that write the same element. Where memory says what is written, nobody knows.
static bool overwritesItself(const Lanes &lanes, const LaneAccess &access) {
  bool isKnown =
      llvm::all_of(access.indices.dims, [](const auto &index) { return index.has_value(); });
  return access.isWrite && isKnown && mayMeet(lanes, access, access);
}

static bool isSame(const LaneAccess &a, const LaneAccess &b) {
  return a.buffer == b.buffer && a.isWrite == b.isWrite && a.isRepeated == b.isRepeated &&
         llvm::equal(a.indices.dims, b.indices.dims, [](const auto &mine, const auto &theirs) {
           return mine && theirs && mine->base == theirs->base &&
                  mine->coefficients == theirs->coefficients;
         });
}

/// Whether the builder is in a loop inside the block.
static bool isInLoop(CallContext &context, mlir::Block *body) {
  mlir::Block *block = context.builder().getInsertionBlock();
  while (block && block != body) {
    if (mlir::isa_and_nonnull<mlir::LoopLikeOpInterface>(block->getParentOp()))
      return true;
    block = context.blockAround(block);
  }
  // Not found: in the condition of a `while`, which has no operation yet.
  return !block;
}

static bool reportMeeting(CallContext &context, const BufferData &buffer, const LaneAccess &now,
                          const LaneAccess &before) {
  llvm::StringRef here = now.isWrite ? "writes" : "reads";
  llvm::StringRef there = before.isWrite ? "write" : "read";
  context.error("a lane of T.Parallel " + here + " an element of '" + buffer.name +
                    "' here that another lane may " + there +
                    ", so the lanes cannot run in parallel; T.serial runs them in order",
                "the other access is here", before.place);
  return false;
}

bool recordAccess(CallContext &context, Lanes &lanes, const RegionData &element,
                  const LaneIndices &indices, bool isWrite) {
  const BufferData &buffer = *element.buffer;
  const Lanes *outermost = &lanes;
  for (const Lanes *nest = &lanes; nest; nest = nest->outer.get()) {
    if (llvm::is_contained(nest->reported, buffer.handle))
      return false;
    outermost = nest;
  }
  LaneAccess access{buffer.handle, indices, isWrite, isInLoop(context, outermost->body),
                    context.place()};
  for (const Lanes *nest = &lanes; nest; nest = nest->outer.get()) {
    if (overwritesItself(*nest, access)) {
      lanes.reported.push_back(buffer.handle);
      context.error("lanes of T.Parallel write the same element of '" + buffer.name +
                    "', expected indices that tell every lane from the others; a reduction "
                    "(T.reduce_sum, …) makes one value of many, T.serial runs in order");
      return false;
    }
    for (const LaneAccess &before : nest->accesses) {
      if (before.buffer != buffer.handle || !(isWrite || before.isWrite) ||
          !mayMeet(*nest, access, before))
        continue;
      lanes.reported.push_back(buffer.handle);
      return reportMeeting(context, buffer, access, before);
    }
  }
  if (llvm::none_of(lanes.accesses, [&](const LaneAccess &other) { return isSame(other, access); }))
    lanes.accesses.push_back(std::move(access));
  return true;
}

} // namespace kiln::frontend::tilelang
