//===- Copies.cpp - T.copy --------------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// One side names a region of a tensor argument, the other one of a buffer on chip; or both lie on
// chip. A side that is given as one element is the corner of a region of the other side's extents.
// What lies outside the tensor is not touched: a copy to the chip fills it with the pad value, as
// it does with what a region has less than the buffer, where that is meant as padding. A region on
// chip whose extent is known at run time only is the first lanes of what its buffer has behind the
// corner; the others keep what they hold.
//
//===-----------------------------------------------------------------------------------------===//

#include "Copies.h"
#include "Tables.h"
#include "TileOps.h"

namespace kiln::frontend::tilelang {

using llvm::Twine;
using namespace triton;

/// The region with `extents` at the corner, the last extent in the last dimension.
static std::optional<RegionData> regionAt(CallContext &context, RegionData corner,
                                          llvm::ArrayRef<Value> extents) {
  size_t rank = corner.offsets.size();
  llvm::ArrayRef<Value> aligned = extents;
  while (aligned.size() > rank && knownInt(aligned.front()) == 1)
    aligned = aligned.drop_front();
  if (aligned.size() > rank) {
    context.error("found a corner in " + Twine(rank) + " dimensions for a region in " +
                  Twine(aligned.size()));
    return std::nullopt;
  }
  for (size_t dim = 0; dim < rank; ++dim) {
    size_t missing = rank - aligned.size();
    corner.extents[dim] = dim < missing ? Value::integer(1) : aligned[dim - missing];
    corner.isIndex[dim] = dim < missing;
  }
  return corner;
}

static bool hasStaticExtents(const RegionData &region) {
  return llvm::all_of(region.extents, [](const Value &extent) { return extent.asInt(); });
}

static Shape knownExtents(const RegionData &region) {
  Shape shape;
  for (const Value &extent : region.extents)
    shape.push_back(knownInt(extent).value_or(-1));
  return shape;
}

llvm::SmallVector<size_t> laneDims(const RegionData &region, size_t count) {
  llvm::SmallVector<size_t> dims;
  Shape extents = knownExtents(region);
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (extent != 1)
      dims.push_back(dim);
  for (size_t dim = extents.size(); dims.size() < count && dim-- > 0;)
    if (!llvm::is_contained(dims, dim))
      dims.push_back(dim);
  llvm::sort(dims);
  return dims;
}

namespace {
/// Lanes of a copy laid over a tensor argument.
struct Transfer {
  Shape shape;                      ///< of the lanes
  llvm::SmallVector<Value> indices; ///< per dimension of the tensor
  Value mask;                       ///< poison: all lanes, but for the tensor's bounds
  RegionData local;                 ///< what lies under the lanes on chip
  Value onChip;                     ///< which lanes the copy has there; poison: all
};
} // namespace

static Value mismatch(CallContext &context, const RegionData &a, const RegionData &b) {
  return context.error("the shapes of the two sides differ: found " + describe(Value::region(a)) +
                       " and " + describe(Value::region(b)));
}

bool isPadded(const Arguments &arguments, DType dtype, int64_t extent, int64_t lanes,
              bool isInnermost) {
  constexpr int64_t rowBytes = 32;
  int64_t bytes = std::max<int64_t>(bitWidth(dtype) / 8, 1);
  bool isRow = isInnermost && lanes * bytes == rowBytes;
  const Arguments::Argument *pad = arguments.find("pad_value");
  return extent < lanes && (isRow || (pad && !pad->value.isNone()));
}

/// The region with all that its buffer has behind the corner, in dimensions whose extent is known
/// at run time only.
static std::optional<RegionData> widened(CallContext &context, RegionData region) {
  for (auto [offset, extent, size] :
       llvm::zip(region.offsets, region.extents, region.buffer->shape)) {
    std::optional<int64_t> start = knownInt(offset), all = knownInt(size);
    if (!knownInt(extent) && start && all)
      extent = Value::integer(*all - *start);
  }
  return staticExtents(context, region) ? std::optional(region) : std::nullopt;
}

/// Which of the lanes [shape] that lie over `wide` belong to `region`; poison: all.
static Value lanesOf(CallContext &context, const RegionData &region, const RegionData &wide,
                     ShapeRef shape) {
  Value mask = Value::poison();
  size_t axis = 0;
  for (auto [extent, all] : llvm::zip(region.extents, wide.extents)) {
    bool isOne = knownInt(all) == 1;
    if (!knownInt(extent)) {
      Value first = context.materializeAs(Value::integer(0), DType::I32);
      Value lane = isOne ? splat(context, first, shape) : indicesAlong(context, shape, axis);
      mask = meetMasks(context, mask, context.compare(CompareOperator::Lt, lane, extent));
    }
    axis += !isOne;
  }
  return mask;
}

/// Writes the lanes of `mask` (poison: all) to a region whose extents are known.
static Value storeLanes(CallContext &context, const RegionData &region, const Value &mask,
                        Value value) {
  if (!mask.isPoison() && !value.isPoison()) {
    Value old = loadRegion(context, region);
    if (old.isPoison())
      return old;
    value = reshapeTo(context, value, mask.type().shape());
    value = triton::select(context, mask, value, reshapeTo(context, old, mask.type().shape()));
  }
  return value.isPoison() ? value : storeRegion(context, region, value);
}

static std::optional<Transfer> layOver(CallContext &context, const Arguments &arguments,
                                       const RegionData &global, const RegionData &local,
                                       bool isLoad) {
  std::optional<RegionData> wide = widened(context, local);
  if (!wide)
    return std::nullopt;
  Transfer transfer;
  transfer.shape = squeezedShape(knownExtents(*wide));
  transfer.local = *wide;
  transfer.onChip = lanesOf(context, local, *wide, transfer.shape);
  transfer.mask = transfer.onChip;
  llvm::SmallVector<size_t> dims = laneDims(global, transfer.shape.size());
  // Only one element: any dimension carries it.
  if (dims.size() != transfer.shape.size()) {
    mismatch(context, global, local);
    return std::nullopt;
  }
  transfer.indices.assign(global.offsets.begin(), global.offsets.end());
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    const Value &extent = global.extents[dim];
    int64_t lanes = transfer.shape[axis];
    std::optional<int64_t> known = knownInt(extent);
    bool isInnermost = axis + 1 == dims.size();
    bool pads =
        isLoad && known && isPadded(arguments, local.buffer->dtype, *known, lanes, isInnermost);
    if (extent.asInt() && known != lanes && !pads) {
      mismatch(context, global, local);
      return std::nullopt;
    }
    Value lane = indicesAlong(context, transfer.shape, axis);
    if (!extent.asInt() || pads) {
      Value isInside = context.compare(CompareOperator::Lt, lane, extent);
      transfer.mask = meetMasks(context, transfer.mask, isInside);
    }
    Value &index = transfer.indices[dim];
    bool isZero = index.asInt() && index.asInt()->isZero();
    index = isZero ? lane : context.binary(BinaryOperator::Add, index, lane);
    if (index.isPoison())
      return std::nullopt;
  }
  return transfer;
}

std::optional<Sides> sidesOf(CallContext &context, const Arguments &arguments,
                             llvm::StringRef srcName, llvm::StringRef dstName) {
  std::optional<RegionData> src = regionArgument(context, arguments, srcName);
  std::optional<RegionData> dst = regionArgument(context, arguments, dstName);
  if (!src || !dst)
    return std::nullopt;
  bool srcIsCorner = src->isElement(), dstIsCorner = dst->isElement();
  // The author's instructions have lengths that are known.
  bool takesAny = !stateOf(context).isNpuLevel;
  if (srcIsCorner && !dstIsCorner && (takesAny || hasStaticExtents(*dst)))
    src = regionAt(context, *src, dst->extents);
  else if (dstIsCorner && !srcIsCorner && (takesAny || hasStaticExtents(*src)))
    dst = regionAt(context, *dst, src->extents);
  if (!src || !dst)
    return std::nullopt;
  return std::pair(*src, *dst);
}

std::optional<Sides> copySides(CallContext &context, const Arguments &arguments) {
  for (llvm::StringRef name : {"enable_relu", "transpose"}) {
    std::optional<bool> isSet = context.boolConst(arguments, name);
    if (!isSet)
      return std::nullopt;
    if (*isSet) {
      context.errorAt(arguments, name, "argument '" + name + "' of T.copy is not there yet");
      return std::nullopt;
    }
  }
  std::optional<Sides> sides = sidesOf(context, arguments);
  if (!sides)
    return std::nullopt;
  const auto &[src, dst] = *sides;
  if (src.buffer->isGlobal && dst.buffer->isGlobal) {
    context.error("found a copy from " + describe(Value::region(src)) + " to " +
                  describe(Value::region(dst)) +
                  ", expected at least one side on chip: global memory is not copied to global "
                  "memory");
    return std::nullopt;
  }
  if (!src.buffer->isGlobal && !arguments["pad_value"].isNone()) {
    context.errorAt(arguments, "pad_value",
                    "found a pad value, expected none: only copies from global memory have lanes "
                    "to pad");
    return std::nullopt;
  }
  return sides;
}

bool sameDType(CallContext &context, const RegionData &src, const RegionData &dst) {
  if (src.buffer->dtype == dst.buffer->dtype)
    return true;
  context.error("the element types of the two sides differ: found " + describe(Value::region(src)) +
                " and " + describe(Value::region(dst)) +
                "; a copy between global memory and the chip does not convert");
  return false;
}

static Value loadCopy(CallContext &context, const Arguments &arguments, const RegionData &src,
                      const RegionData &dst) {
  std::optional<Transfer> transfer = layOver(context, arguments, src, dst, /*isLoad=*/true);
  if (!transfer || !sameDType(context, src, dst))
    return Value::poison();
  Value pad = context.read(arguments["pad_value"]);
  if (pad.isNone())
    pad = Value::poison();
  else if (!pad.isNumber() && !(pad.isRuntime() && pad.type().isScalar()))
    return wrongArgument(context, arguments, "pad_value", pad, "a scalar");
  else if (pad.isNumber() && (pad = context.materializeAs(pad, src.buffer->dtype)).isPoison())
    return pad;
  Value loaded =
      loadGlobal(context, *src.buffer, transfer->indices, transfer->shape, transfer->mask, pad);
  return storeLanes(context, transfer->local, transfer->onChip, loaded);
}

static Value storeCopy(CallContext &context, const Arguments &arguments, const RegionData &src,
                       const RegionData &dst) {
  std::optional<Transfer> transfer = layOver(context, arguments, dst, src, /*isLoad=*/false);
  if (!transfer || !sameDType(context, src, dst))
    return Value::poison();
  Value value = loadRegion(context, transfer->local);
  if (value.isPoison())
    return value;
  value = reshapeTo(context, value, transfer->shape);
  return storeGlobal(context, *dst.buffer, transfer->indices, transfer->shape, transfer->mask,
                     value);
}

/// As many lanes in both regions: where an extent is known at run time only, as many as both
/// buffers have behind the corners. Nothing after an error.
static std::optional<Sides> widenedAlike(CallContext &context, const RegionData &src,
                                         const RegionData &dst) {
  std::optional<RegionData> from = widened(context, src), to = widened(context, dst);
  if (!from || !to)
    return std::nullopt;
  llvm::SmallVector<size_t> fromDims = laneDims(src, 0), toDims = laneDims(dst, 0);
  bool areAlike = fromDims.size() == toDims.size();
  for (auto [a, b] : llvm::zip(fromDims, toDims)) {
    int64_t x = *knownInt(from->extents[a]), y = *knownInt(to->extents[b]);
    areAlike &= x == y || !knownInt(src.extents[a]) || !knownInt(dst.extents[b]);
    from->extents[a] = to->extents[b] = Value::integer(std::min(x, y));
  }
  if (areAlike)
    return std::pair(*from, *to);
  mismatch(context, src, dst);
  return std::nullopt;
}

static Value moveOnChip(CallContext &context, const RegionData &src, const RegionData &dst) {
  std::optional<Sides> wide = widenedAlike(context, src, dst);
  if (!wide)
    return Value::poison();
  const auto &[from, to] = *wide;
  Shape shape = squeezedShape(knownExtents(to));
  Value mask =
      meetMasks(context, lanesOf(context, src, from, shape), lanesOf(context, dst, to, shape));
  Value value = loadRegion(context, from);
  if (!value.isPoison())
    value = castToNearest(context, value, dst.buffer->dtype);
  return storeLanes(context, to, mask, value);
}

static Value lowerCopy(CallContext &context, const Arguments &arguments) {
  std::optional<Sides> sides = copySides(context, arguments);
  if (!sides)
    return Value::poison();
  const auto &[src, dst] = *sides;
  if (src.buffer->isGlobal)
    return loadCopy(context, arguments, src, dst);
  if (dst.buffer->isGlobal)
    return storeCopy(context, arguments, src, dst);
  return moveOnChip(context, src, dst);
}

void addCopies(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"T.copy",
       "src, dst, enable_relu=False, transpose=False, pad_value=None, coalesced_width=None, "
       "annotations=None, loop_layout=None",
       byLevel<lowerCopy>},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::tilelang
