//===- Parallel.cpp - T.Parallel and masks ----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// An extent that is known at run time only takes the lanes of a bound that is known when compiling:
// of its range, or of the buffers that the loop's variable indexes. The lanes behind it are off.
//
//===-----------------------------------------------------------------------------------------===//

#include "Parallel.h"
#include "Tables.h"

#include "kiln/Analysis/IntegerFacts.h"

namespace kiln::frontend::tilelang {

using llvm::Twine;
using namespace triton;

/// Axes of a nest; tensors have no more dimensions on any target.
static constexpr size_t kMaxAxes = 3;

//===----------------------------------------------------------------------------------------===//
// Values in lanes
//===----------------------------------------------------------------------------------------===//

Value inAllLanes(CallContext &context, const Lanes &lanes, const Value &value) {
  if (value.isPoison() || value.type().shape() == ShapeRef(lanes.shape))
    return value;
  if (value.type().isScalar())
    return splat(context, value, lanes.shape);
  return context.error("found " + describe(value) +
                       ", expected a scalar or a value of the lanes [" + shapeText(lanes.shape) +
                       "] of T.Parallel");
}

bool expectOutsideLanes(CallContext &context) {
  Lanes *lanes = stateOf(context).lanes.get();
  if (!lanes)
    return true;
  SourcePlace here = context.place();
  // One report for a call with several regions.
  if (here.line != lanes->refused.line || here.column != lanes->refused.column)
    context.error("found " + context.callee() +
                  " in the body of T.Parallel, expected it outside: it works on regions, not lane "
                  "by lane");
  lanes->refused = here;
  return false;
}

/// What a value of the nest outside is in the lanes of the one inside: the same along new axes.
static Value widened(CallContext &context, const Lanes &lanes, const Value &value) {
  if (!lanes.outer)
    return value;
  if (value.isTuple()) {
    std::vector<Value> elements;
    for (const Value &element : value.elements())
      elements.push_back(widened(context, lanes, element));
    const TupleData &tuple = *value.asTuple();
    return Value::tuple(std::move(elements), tuple.names, tuple.isList);
  }
  if (const RegionData *found = value.asRegion()) {
    RegionData region = *found;
    for (Value &offset : region.offsets)
      offset = widened(context, lanes, offset);
    return Value::region(std::move(region));
  }
  if (!value.isRuntime() || value.type().shape() != ShapeRef(lanes.outer->shape))
    return value;
  Shape shape = lanes.outer->shape;
  shape.resize(lanes.shape.size(), 1);
  return broadcastTo(context, reshapeTo(context, value, shape), lanes.shape);
}

//===----------------------------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------------------------===//

bool enterMask(CallContext &context, const Value &given) {
  Lanes *lanes = stateOf(context).lanes.get();
  if (!lanes) {
    context.error("found " + describe(given) +
                  " as a condition outside T.Parallel, expected a scalar");
    return false;
  }
  Value mask = inAllLanes(context, *lanes, toBool(context, given));
  if (mask.isPoison())
    return false;
  lanes->masks.push_back(meetMasks(context, lanes->mask(), mask));
  return true;
}

void leaveMask(CallContext &context) { stateOf(context).lanes->masks.pop_back(); }

Value selectLanes(CallContext &context, const Value &mask, const Value &x, const Value &y) {
  if (x.isPoison() || y.isPoison())
    return Value::poison();
  if (isOperand(x) && isOperand(y))
    return triton::select(context, mask, x, y);
  return context.error("a name stands for " + describe(x) + " in some lanes and for " +
                       describe(y) + " in others after this condition, expected numbers");
}

Value spreadOverLanes(CallContext &context, const Value &value) {
  const Lanes *lanes = stateOf(context).lanes.get();
  bool isNumber = value.isRuntime() && value.type().isScalar() && !value.type().isPointer();
  return lanes && isNumber ? inAllLanes(context, *lanes, value) : value;
}

//===----------------------------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------------------------===//

/// How many lanes an extent takes; nothing after an error. `target` is the number of the loop's
/// variable.
static std::optional<int64_t> lanesOf(CallContext &context, const Value &extent, size_t target) {
  if (std::optional<int64_t> known = knownInt(extent))
    return known;
  std::optional<int64_t> bound = context.extentIndexedBy(target);
  int64_t upper = IntegerFacts().get(extent.ir()).upper;
  // One that is none at all takes a lane that is off.
  upper = std::max<int64_t>(upper, 1);
  if (upper <= kMaxTensorElements)
    bound = std::min(bound.value_or(upper), upper);
  if (!bound)
    context.error("extent " + Twine(target) + " is " + describe(extent) +
                  ", known at run time only, and no bound is found: expected T.min(bound, extent) "
                  "or a buffer on chip that the loop's variable indexes");
  return bound;
}

static Value enterLanes(CallContext &context, llvm::ArrayRef<Value> extents, size_t targets) {
  State &state = stateOf(context);
  if (targets != extents.size())
    return context.error("T.Parallel has " + Twine(extents.size()) + " extent" +
                         (extents.size() == 1 ? "" : "s") + " and gives as many indices: found " +
                         Twine(targets) + " name" + (targets == 1 ? "" : "s"));
  auto lanes = std::make_shared<Lanes>();
  lanes->outer = state.lanes;
  lanes->body = context.builder().getInsertionBlock();
  for (mlir::Block *block = lanes->body; block; block = context.blockAround(block))
    lanes->around.insert(block->getParent());
  if (lanes->outer)
    lanes->shape = lanes->outer->shape;
  size_t first = lanes->shape.size();
  if (first + extents.size() > kMaxAxes)
    return context.error("found " + Twine(first + extents.size()) +
                         " nested axes of T.Parallel, expected at most " + Twine(kMaxAxes));
  int64_t count = lanes->outer ? Type(DType::I1).withShape(lanes->shape).numElements() : 1;
  for (auto [target, extent] : llvm::enumerate(extents)) {
    std::optional<int64_t> size = lanesOf(context, extent, target);
    if (!size)
      return Value::poison();
    lanes->shape.push_back(*size);
    if (*size > kMaxTensorElements || (count *= *size) > kMaxTensorElements)
      return context.error("T.Parallel has [" + shapeText(lanes->shape) +
                           "] lanes, expected at most " + Twine(kMaxTensorElements));
  }
  if (lanes->outer && !lanes->outer->mask().isPoison())
    lanes->inRange = widened(context, *lanes, lanes->outer->mask());
  std::vector<Value> indices;
  for (auto [target, extent] : llvm::enumerate(extents)) {
    indices.push_back(indicesAlong(context, lanes->shape, first + target));
    if (knownInt(extent))
      continue;
    Value limit = widened(context, *lanes, extent);
    Value isInside = context.compare(CompareOperator::Lt, indices.back(), limit);
    lanes->inRange = meetMasks(context, lanes->inRange, isInside);
  }
  state.lanes = lanes;
  return indices.size() == 1 ? indices.front() : Value::tuple(std::move(indices));
}

/// What was accessed in the lanes inside was accessed in those outside as well.
static void leaveLanes(CallContext &context) {
  State &state = stateOf(context);
  std::shared_ptr<Lanes> lanes = state.lanes;
  state.lanes = lanes->outer;
  if (!lanes->outer)
    return;
  llvm::append_range(lanes->outer->accesses, lanes->accesses);
  llvm::append_range(lanes->outer->reported, lanes->reported);
}

static Value lowerParallel(CallContext &context, const Arguments &arguments) {
  std::vector<Value> extents;
  bool isEmpty = false;
  for (const Arguments::Argument &argument : arguments.rest()) {
    Value extent = context.read(argument.value);
    if (extent.isPoison())
      return extent;
    std::optional<int64_t> known = knownInt(extent);
    if (known && *known < 0)
      return context.errorAt(argument, "found " + Twine(*known) + " lanes, expected at least 0");
    isEmpty |= known == 0;
    // In lanes of a nest outside, the extent may differ from lane to lane.
    bool isInteger = known || (extent.isRuntime() && extent.type().isIntegerLike() &&
                               (extent.type().isScalar() || stateOf(context).lanes));
    if (!isInteger)
      return context.errorAt(argument,
                             "found " + describe(extent) + " as an extent, expected an integer");
    extents.push_back(extent);
  }
  if (extents.empty() || extents.size() > kMaxAxes)
    return context.error("found " + Twine(extents.size()) + " extents, expected 1 to " +
                         Twine(kMaxAxes));
  // A remainder that is none: the body is not visited at all.
  if (isEmpty)
    return Value::tuple({});
  auto entered = std::make_shared<std::vector<bool>>();
  return Value::scope({[extents, entered](CallContext &inner, size_t targets) {
                         Value indices = enterLanes(inner, extents, targets);
                         entered->push_back(!indices.isPoison());
                         return indices;
                       },
                       [entered](CallContext &inner) {
                         if (entered->back())
                           leaveLanes(inner);
                         entered->pop_back();
                       },
                       [](CallContext &inner, const Value &value) {
                         return widened(inner, *stateOf(inner).lanes, value);
                       }});
}

void addParallel(Vocabulary &vocabulary) {
  // How lanes are spread over hardware changes no value.
  static constexpr LanguageEntry kEntries[] = {
      {"T.Parallel",
       "*extents, coalesced_width=None, loop_layout=None, annotations=None, prefer_async=None",
       lowerParallel},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::tilelang
