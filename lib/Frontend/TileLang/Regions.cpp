//===- Regions.cpp - parts of buffers: found in arguments and subscripts --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Buffers.h"
#include "Parallel.h"

#include "kiln/Analysis/LaneAffine.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln::frontend::tilelang {

using llvm::Twine;
using namespace triton;

//===----------------------------------------------------------------------------------------===//
// Finding them
//===----------------------------------------------------------------------------------------===//

bool expectInKernel(CallContext &context) {
  State &state = stateOf(context);
  if (state.isInKernel || state.isOutsideReported)
    return state.isInKernel;
  state.isOutsideReported = true;
  context.error("found " + context.callee() + " outside of T.Kernel, expected it inside");
  return false;
}

RegionData wholeOf(const std::shared_ptr<const BufferData> &buffer) {
  size_t rank = buffer->shape.size();
  return {buffer, std::vector<Value>(rank, Value::integer(0)), buffer->shape,
          std::vector<bool>(rank, false)};
}

std::optional<RegionData> regionArgument(CallContext &context, const Arguments &arguments,
                                         llvm::StringRef name) {
  const Value &value = arguments[name];
  if (!expectOutsideLanes(context) || !expectInKernel(context))
    return std::nullopt;
  if (std::shared_ptr<const BufferData> buffer = value.asBuffer())
    return wholeOf(buffer);
  if (const RegionData *region = value.asRegion())
    return *region;
  wrongArgument(context, arguments, name, value, "a buffer or a part of one");
  return std::nullopt;
}

std::optional<RegionData> localArgument(CallContext &context, const Arguments &arguments,
                                        llvm::StringRef name) {
  std::optional<RegionData> region = regionArgument(context, arguments, name);
  if (!region || !region->buffer->isGlobal)
    return region;
  wrongArgument(context, arguments, name, arguments[name], "a buffer on chip");
  return std::nullopt;
}

std::optional<Shape> staticExtents(CallContext &context, const RegionData &region) {
  Shape shape;
  for (const Value &extent : region.extents) {
    std::optional<int64_t> known = knownInt(extent);
    if (!known) {
      context.error("found " + describe(Value::region(region)) +
                    ", expected extents that are known at compile time");
      return std::nullopt;
    }
    shape.push_back(*known);
  }
  return shape;
}

Value productOf(CallContext &context, llvm::ArrayRef<Value> extents) {
  Value result = extents.front();
  for (const Value &extent : extents.drop_front())
    result = context.binary(BinaryOperator::Mul, result, extent);
  return result;
}

Shape squeezedShape(ShapeRef shape) {
  Shape result;
  for (int64_t size : shape)
    if (size != 1)
      result.push_back(size);
  if (result.empty())
    result.push_back(1);
  return result;
}

//===----------------------------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------------------------===//

static bool isIndex(const Value &value) {
  return value.asInt() || (value.isRuntime() && value.type().isIntegerLike());
}

/// The same value, or made by equal operations of equal operands: an expression that is written
/// twice is made twice.
static bool isEqual(mlir::Value a, mlir::Value b, unsigned depth = 0) {
  mlir::Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (a == b || !x || !y || depth > 8)
    return a == b;
  auto areEqual = [&](mlir::Value first, mlir::Value second) {
    return mlir::success(isEqual(first, second, depth + 1));
  };
  return mlir::isPure(x) && x->getNumResults() == 1 &&
         mlir::OperationEquivalence::isEquivalentTo(x, y, areEqual, /*markEquivalent=*/nullptr,
                                                    mlir::OperationEquivalence::IgnoreLocations);
}

/// `expr` with its terms written as the equal ones of `other`.
static LinearExpr inTermsOf(LinearExpr expr, const LinearExpr &other) {
  for (const LinearTerm &term : llvm::SmallVector<LinearTerm>(expr.getTerms()))
    for (const LinearTerm &known : other.getTerms()) {
      bool isOne = term.factors.size() == 1 && known.factors.size() == 1;
      mlir::Value from = term.factors.front(), to = known.factors.front();
      if (!isOne || from == to || !isEqual(from, to))
        continue;
      expr = expr - LinearExpr::leaf(from) * term.coefficient +
             LinearExpr::leaf(to) * term.coefficient;
      break;
    }
  return expr;
}

/// `b - a`, if that is known although neither has to be.
static std::optional<int64_t> knownDifference(CallContext &context, const Value &a,
                                              const Value &b) {
  auto form = [&](const Value &value, LinearExprs &exprs) -> std::optional<LinearExpr> {
    if (std::optional<int64_t> known = knownInt(value))
      return LinearExpr(*known);
    if (value.isRuntime() && value.type().isScalar())
      return exprs.get(value.ir());
    return std::nullopt;
  };
  LinearExprs exprs;
  std::optional<LinearExpr> first = form(a, exprs), second = form(b, exprs);
  return first && second ? (inTermsOf(*second, *first) - *first).asConstant() : std::nullopt;
}

namespace {
/// One dimension of a subscript.
struct Part {
  Value offset, extent;
  bool isIndex = false;
};
} // namespace

static Value outside(CallContext &context, const BufferData &buffer, size_t dim, int64_t index,
                     int64_t size) {
  return context.error("index " + Twine(index) + " is outside dimension " + Twine(dim) + " of '" +
                       buffer.name + "', which has " + Twine(size) + " elements");
}

/// A constant position, negative ones counted from the end. On chip it has to lie inside; outside
/// a tensor argument copies are cut.
static std::optional<Value> position(CallContext &context, const BufferData &buffer, size_t dim,
                                     const Value &index, const Value &size, int64_t last) {
  std::optional<int64_t> known = knownInt(index), extent = knownInt(size);
  if (index.asInt() && !known) {
    context.error("index " + index.asInt()->str() + " is outside dimension " + Twine(dim) +
                  " of '" + buffer.name + "'");
    return std::nullopt;
  }
  if (!known || !extent)
    return index;
  int64_t at = *known < 0 ? *known + *extent : *known;
  if (at < 0 || (at > *extent - last && !(buffer.isGlobal && last == 0))) {
    outside(context, buffer, dim, *known, *extent);
    return std::nullopt;
  }
  return Value::integer(at);
}

static std::optional<Part> slicePart(CallContext &context, const BufferData &buffer, size_t dim,
                                     const SliceData &slice, const Value &size) {
  if (!slice.step.isNone() && knownInt(slice.step) != 1) {
    context.error("a slice of a buffer has no step: found " + describe(slice.step));
    return std::nullopt;
  }
  for (const Value *bound : {&slice.lower, &slice.upper})
    if (!bound->isNone() && (!isIndex(*bound) || (bound->isRuntime() && bound->type().isBlock()))) {
      context.error("found " + describe(*bound) + " as a bound of a slice, expected an integer");
      return std::nullopt;
    }
  Value lower = slice.lower.isNone() ? Value::integer(0) : slice.lower;
  Value upper = slice.upper.isNone() ? size : slice.upper;
  std::optional<Value> begin = position(context, buffer, dim, lower, size, 0);
  std::optional<Value> end = position(context, buffer, dim, upper, size, 0);
  if (!begin || !end)
    return std::nullopt;
  std::optional<int64_t> known = knownDifference(context, *begin, *end);
  if (known && *known < 1) {
    context.error("a slice of dimension " + Twine(dim) + " of '" + buffer.name + "' has " +
                  Twine(*known) + " elements, expected at least 1");
    return std::nullopt;
  }
  if (known)
    return Part{*begin, Value::integer(*known), false};
  Value extent = context.binary(BinaryOperator::Sub, *end, *begin);
  return extent.isPoison() ? std::nullopt : std::optional(Part{*begin, extent, false});
}

Value subscriptBuffer(CallContext &context, const Value &object, llvm::ArrayRef<Value> indices) {
  std::shared_ptr<const BufferData> buffer = object.asBuffer();
  RegionData region = buffer ? wholeOf(buffer) : *object.asRegion();
  buffer = region.buffer;
  llvm::SmallVector<size_t> dims; // those that an index can still name
  for (auto [dim, isIndex] : llvm::enumerate(region.isIndex))
    if (!isIndex)
      dims.push_back(dim);
  llvm::SmallVector<Value> given(indices);
  // `...` stands for as many full slices as are missing.
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i].isEllipsis()) {
      size_t missing = dims.size() + 1 < given.size() ? 0 : dims.size() + 1 - given.size();
      Value full = Value::slice(Value::none(), Value::none(), Value::none());
      given.erase(given.begin() + i);
      given.insert(given.begin() + i, missing, full);
      break;
    }
  if (given.size() > dims.size())
    return context.error("found " + Twine(given.size()) + " indices for " + describe(object) +
                         ", expected at most " + Twine(dims.size()));
  for (auto [index, dim] : llvm::zip(given, dims)) {
    if (index.isPoison())
      return index;
    const Value size = region.extents[dim];
    Part part;
    if (const SliceData *slice = index.asSlice()) {
      std::optional<Part> found = slicePart(context, *buffer, dim, *slice, size);
      if (!found)
        return Value::poison();
      part = *found;
    } else if (isIndex(index)) {
      std::optional<Value> at = position(context, *buffer, dim, index, size, 1);
      if (!at)
        return Value::poison();
      part = {*at, Value::integer(1), true};
    } else {
      return context.error("index " + Twine(dim) + " of '" + buffer->name + "' is " +
                           describe(index) + ", expected an integer or a slice");
    }
    bool isFirst = knownInt(region.offsets[dim]) == 0;
    region.offsets[dim] =
        isFirst ? part.offset
                : context.binary(BinaryOperator::Add, region.offsets[dim], part.offset);
    region.extents[dim] = part.extent;
    region.isIndex[dim] = part.isIndex;
    if (region.offsets[dim].isPoison())
      return Value::poison();
  }
  return Value::region(std::move(region));
}

} // namespace kiln::frontend::tilelang
