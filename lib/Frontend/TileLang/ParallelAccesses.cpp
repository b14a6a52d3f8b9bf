//===- ParallelAccesses.cpp - elements read and written in all lanes --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Where each index of a buffer on chip is a scalar, or a scalar plus the lane along one axis, the
// lanes touch a region: its dimensions are axes in some order, and axes that have no dimension see
// the same elements. A region that is all of the buffer is read and written as such, which is what
// makes the buffer a value later.
//
//===-----------------------------------------------------------------------------------------===//

#include "Parallel.h"

#include "kiln/Analysis/IntegerFacts.h"

namespace kiln::frontend::tilelang {

using llvm::Twine;
using namespace triton;

//===----------------------------------------------------------------------------------------===//
// Which region
//===----------------------------------------------------------------------------------------===//

namespace {

/// How the lanes lie over a buffer.
struct Placement {
  RegionData region;
  /// The axes that dimensions follow, in the order of the dimensions.
  Shape axes;
};

/// Smallest and largest index that lanes have in a dimension.
struct Reach {
  int64_t below = 0, above = 0; ///< from the base on
  explicit Reach(const Lanes &lanes, const LaneIndex &index) {
    for (auto [coefficient, size] : llvm::zip(index.coefficients, lanes.shape))
      (coefficient < 0 ? below : above) += coefficient * (size - 1);
  }
};

enum class Bounds { Fine, Partly, Outside };

} // namespace

/// Where the lanes lie for certain; what is not known is taken to be inside.
static Bounds boundsOf(const Lanes &lanes, const LaneIndex &index, int64_t size) {
  Reach reach(lanes, index);
  IntegerFact base = IntegerFacts().get(index.base);
  constexpr int64_t kFar = IntegerFact::kMax / 2;
  if (base.upper < kFar && base.upper + reach.above < 0)
    return Bounds::Outside;
  if (base.lower > -kFar && base.lower + reach.below >= size)
    return Bounds::Outside;
  bool isPartly = (base.upper < kFar && base.upper + reach.below < 0) ||
                  (base.lower > -kFar && base.lower + reach.above >= size);
  return isPartly ? Bounds::Partly : Bounds::Fine;
}

bool staysInside(const Lanes &lanes, const LaneIndex &index, int64_t size) {
  Reach reach(lanes, index);
  IntegerFact base = IntegerFacts().get(index.base);
  return base.lower >= -reach.below && base.upper < size - reach.above;
}

static int64_t sizeOf(const RegionData &element, size_t dim) {
  return element.buffer->shape[dim].asInt()->asInt64().value_or(0);
}

/// False, after an error, where no lane is inside the buffer.
static bool checkBounds(CallContext &context, const Lanes &lanes, const RegionData &element,
                        const LaneIndices &indices) {
  for (auto [dim, index] : llvm::enumerate(indices.dims)) {
    if (!index || boundsOf(lanes, *index, sizeOf(element, dim)) != Bounds::Outside)
      continue;
    context.error("index " + Twine(dim) + " of '" + element.buffer->name + "' is outside its " +
                  Twine(sizeOf(element, dim)) + " elements in every lane");
    return false;
  }
  return true;
}

/// The base of an index as a scalar at the builder's place.
static Value baseOf(CallContext &context, const Value &index, const LinearExpr &base) {
  if (std::optional<int64_t> known = base.asConstant())
    return Value::integer(*known);
  if (index.type().isScalar())
    return index;
  mlir::Value scalar = LinearExprEmitter().emit(context.builder(), context.loc(), base);
  return Value::runtime(
      context.fold<mlir::arith::IndexCastOp>(context.builder().getI64Type(), scalar), DType::I64);
}

/// The region that the lanes touch; nothing if it is none, then `reason` says why.
static std::optional<Placement> placementOf(CallContext &context, const Lanes &lanes,
                                            const RegionData &element, const LaneIndices &indices,
                                            std::string &reason) {
  Placement placement{element, {}};
  for (auto [dim, index] : llvm::enumerate(indices.dims)) {
    if (!index) {
      reason = indices.whyNot;
      return std::nullopt;
    }
    if (boundsOf(lanes, *index, sizeOf(element, dim)) == Bounds::Partly) {
      reason = ("index " + Twine(dim) + " is outside the buffer in some lanes").str();
      return std::nullopt;
    }
    // A region takes all lanes, those that are off as well.
    bool followsLanes = llvm::any_of(index->coefficients, [](int64_t step) { return step != 0; });
    if (followsLanes && !lanes.mask().isPoison() &&
        !staysInside(lanes, *index, sizeOf(element, dim))) {
      reason = ("index " + Twine(dim) + " may be outside the buffer in lanes that are off").str();
      return std::nullopt;
    }
    int64_t extent = 1;
    for (auto [axis, coefficient] : llvm::enumerate(index->coefficients)) {
      if (coefficient == 0)
        continue;
      if (coefficient != 1 || extent != 1 || llvm::is_contained(placement.axes, axis)) {
        reason = coefficient != 1 ? ("index " + Twine(dim) + " goes in steps of " +
                                     Twine(coefficient) + " from lane to lane")
                                        .str()
                                  : "two indices, or one index twice, go with the same lanes";
        return std::nullopt;
      }
      placement.axes.push_back(axis);
      extent = lanes.shape[axis];
    }
    placement.region.extents[dim] = Value::integer(extent);
  }
  for (auto [dim, index] : llvm::enumerate(indices.dims))
    placement.region.offsets[dim] = baseOf(context, element.offsets[dim], index->base);
  return placement;
}

//===----------------------------------------------------------------------------------------===//
// Between the region's shape and that of the lanes
//===----------------------------------------------------------------------------------------===//

/// Brings dimensions that follow `axes` into the order of the axes, or back.
static Value orderAxes(CallContext &context, const Lanes &lanes, const Value &value, ShapeRef axes,
                       bool isBack) {
  Shape sorted(axes);
  llvm::sort(sorted);
  if (sorted == Shape(axes))
    return value;
  const Shape given(axes);
  const Shape &from = isBack ? sorted : given, &to = isBack ? given : sorted;
  Shape shape, permutation;
  for (int64_t axis : from)
    shape.push_back(lanes.shape[axis]);
  for (int64_t axis : to)
    permutation.push_back(llvm::find(from, axis) - from.begin());
  return permuteDims(context, reshapeTo(context, value, shape), permutation);
}

static Value toLanes(CallContext &context, const Lanes &lanes, const Placement &placement,
                     const Value &value) {
  Value ordered = orderAxes(context, lanes, value, placement.axes, /*isBack=*/false);
  Shape shape(lanes.shape.size(), 1);
  for (int64_t axis : placement.axes)
    shape[axis] = lanes.shape[axis];
  return broadcastTo(context, reshapeTo(context, ordered, shape), lanes.shape);
}

static Value fromLanes(CallContext &context, const Lanes &lanes, const Placement &placement,
                       const Value &value) {
  Value ordered = orderAxes(context, lanes, value, placement.axes, /*isBack=*/true);
  Shape shape;
  for (const Value &extent : placement.region.extents)
    shape.push_back(*extent.asInt()->asInt64());
  return reshapeTo(context, ordered, shape);
}

//===----------------------------------------------------------------------------------------===//
// Reads and writes
//===----------------------------------------------------------------------------------------===//

static bool hasOnlyScalars(llvm::ArrayRef<Value> indices) {
  return llvm::none_of(
      indices, [](const Value &index) { return index.isRuntime() && index.type().isBlock(); });
}

static bool haveShapeOf(CallContext &context, const Lanes &lanes, const RegionData &element) {
  return llvm::none_of(element.offsets, [&](const Value &offset) {
    return offset.isRuntime() && inAllLanes(context, lanes, offset).isPoison();
  });
}

/// What lanes see of a region, or elements one by one.
static Value readLocal(CallContext &context, Lanes &lanes, const RegionData &element,
                       const LaneIndices &indices) {
  if (!checkBounds(context, lanes, element, indices))
    return Value::poison();
  std::string reason;
  std::optional<Placement> placement = placementOf(context, lanes, element, indices, reason);
  if (!placement)
    return gatherElements(context, lanes, element, reason);
  Value loaded = loadRegion(context, placement->region);
  return loaded.isPoison() ? loaded : toLanes(context, lanes, *placement, loaded);
}

Value readInLanes(CallContext &context, const RegionData &element) {
  Lanes &lanes = *stateOf(context).lanes;
  if (!haveShapeOf(context, lanes, element))
    return Value::poison();
  const BufferData &buffer = *element.buffer;
  LaneIndices indices = indicesOf(context, lanes, element);
  if (!recordAccess(context, lanes, element, indices, /*isWrite=*/false))
    return Value::poison();
  // One element for all lanes stays a scalar: it may be an index, a bound or a condition.
  if (hasOnlyScalars(element.offsets))
    return readElement(context, element);
  if (buffer.isGlobal)
    return loadGlobal(context, buffer, element.offsets, lanes.shape, lanes.inRange,
                      Value::poison());
  return readLocal(context, lanes, element, indices);
}

Value writeInLanes(CallContext &context, const RegionData &element, const Value &given) {
  Lanes &lanes = *stateOf(context).lanes;
  if (!haveShapeOf(context, lanes, element))
    return Value::poison();
  const BufferData &buffer = *element.buffer;
  LaneIndices indices = indicesOf(context, lanes, element);
  if (!recordAccess(context, lanes, element, indices, /*isWrite=*/true))
    return Value::poison();
  Value value = inAllLanes(context, lanes, valueFor(context, element, given));
  if (value.isPoison())
    return value;
  if (buffer.isGlobal)
    return storeGlobal(context, buffer, element.offsets, lanes.shape, lanes.mask(), value);
  if (!checkBounds(context, lanes, element, indices))
    return Value::poison();
  std::string reason;
  std::optional<Placement> placement = placementOf(context, lanes, element, indices, reason);
  if (!placement)
    return scatterElements(context, lanes, element, value, reason);
  if (!lanes.mask().isPoison()) {
    Value old = loadRegion(context, placement->region);
    if (old.isPoison())
      return old;
    value = triton::select(context, lanes.mask(), value, toLanes(context, lanes, *placement, old));
  }
  return storeRegion(context, placement->region, fromLanes(context, lanes, *placement, value));
}

} // namespace kiln::frontend::tilelang
