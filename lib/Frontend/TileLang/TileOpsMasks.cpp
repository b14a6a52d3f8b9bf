//===- TileOpsMasks.cpp - T.tile.compare and T.tile.select ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// `compare` writes one bit per element into a buffer of bytes, `select` reads them. How bits lie in
// bytes is a matter of the machine, so at tile level such a buffer has a twin with a bool for each
// of its bits, and is itself never touched: whoever wants its bytes gets an error.
//
//===-----------------------------------------------------------------------------------------===//

#include "TileOpsMasks.h"
#include "TileOps.h"

namespace kiln::frontend::tilelang {

using llvm::Twine;
using namespace triton;

bool expectNoMask(CallContext &context, const BufferData &buffer) {
  if (!stateOf(context).maskTwins.contains(buffer.handle))
    return true;
  context.error("'" + buffer.name +
                "' holds the mask of a T.tile.compare: its bits can be read by "
                "T.tile.select only, or by a kernel that places flags by hand");
  return false;
}

/// The bools of a region of packed bits; nothing after an error.
static std::optional<Tile> twinOf(CallContext &context, const Arguments &arguments,
                                  llvm::StringRef name) {
  std::optional<Tile> mask = tileArgument(context, arguments, name);
  if (!mask || !expectElements(context, arguments, name, *mask, Elements::Integers))
    return std::nullopt;
  const BufferData &buffer = *mask->region.buffer;
  int64_t bits = bitWidth(buffer.dtype);
  Value &twin = stateOf(context).maskTwins[buffer.handle];
  if (twin.isPoison()) {
    if (!buffer.handle.use_empty()) {
      wrongTile(context, arguments, name, *mask,
                "a buffer that only T.tile.compare and T.tile.select use");
      return std::nullopt;
    }
    Shape shape;
    for (const Value &extent : buffer.shape)
      shape.push_back(*extent.asInt()->asInt64());
    shape.back() *= bits;
    twin = allocate(context, shape, DType::I1, buffer.memory);
  }
  RegionData region = mask->region;
  Shape shape = mask->shape;
  region.buffer = twin.asBuffer();
  region.offsets.back() =
      context.binary(BinaryOperator::Mul, region.offsets.back(), Value::integer(bits));
  shape.back() *= bits;
  if (region.offsets.back().isPoison())
    return std::nullopt;
  return resized({region, shape}, shape);
}

/// The bools of the first `count` elements; nothing after an error.
static std::optional<Tile> maskOf(CallContext &context, const Arguments &arguments,
                                  llvm::StringRef name, int64_t count) {
  std::optional<Tile> twin = twinOf(context, arguments, name);
  if (!twin)
    return std::nullopt;
  if (twin->count() >= count)
    return firstOf(context, *twin, count);
  wrongArgument(context, arguments, name, arguments[name],
                "at least " + Twine(count) + " bits, one for each element: it has " +
                    Twine(twin->count()));
  return std::nullopt;
}

//===----------------------------------------------------------------------------------------===//
// compare
//===----------------------------------------------------------------------------------------===//

static constexpr std::pair<llvm::StringLiteral, CompareOperator> kModes[] = {
    {"EQ", CompareOperator::Eq}, {"NE", CompareOperator::Ne}, {"GT", CompareOperator::Gt},
    {"GE", CompareOperator::Ge}, {"LT", CompareOperator::Lt}, {"LE", CompareOperator::Le},
};

static Value lowerCompare(CallContext &context, const Arguments &arguments) {
  std::optional<std::string> mode = context.stringConst(arguments, "mode");
  std::optional<Tile> src = tileArgument(context, arguments, "src0");
  if (!mode || !src || !expectElements(context, arguments, "src0", *src, Elements::Any))
    return Value::poison();
  const auto *found = llvm::find_if(kModes, [&](const auto &row) { return row.first == *mode; });
  if (found == std::end(kModes))
    return wrongArgument(context, arguments, "mode", "'" + *mode + "'", "EQ, NE, GT, GE, LT or LE");
  Value other = anyOperand(context, arguments, "src1", *src);
  std::optional<Tile> mask = maskOf(context, arguments, "dst", src->count());
  if (!mask || other.isPoison())
    return Value::poison();
  Value bits = compareOperator(context, found->second, load(context, *src), other);
  bits = reshapeTo(context, bits, mask->shape);
  return bits.isPoison() ? bits : storeRegion(context, mask->region, bits);
}

//===----------------------------------------------------------------------------------------===//
// select
//===----------------------------------------------------------------------------------------===//

/// The bools of the first vector of 256 bytes, for each of them again.
static Value repeatedMask(CallContext &context, const Arguments &arguments, const Tile &dst) {
  int64_t lanes = 256 * 8 / bitWidth(dst.dtype()), count = dst.count();
  if (count > lanes && count % lanes != 0)
    return wrongTile(context, arguments, "dst", dst,
                     "a multiple of " + Twine(lanes) +
                         " elements: VSEL_CMPMASK_SPR takes the same bits for each " +
                         Twine(lanes) + " of them");
  std::optional<Tile> mask = maskOf(context, arguments, "selMask", std::min(lanes, count));
  if (!mask)
    return Value::poison();
  int64_t repeats = count / mask->count();
  Value bits = reshapeTo(context, load(context, *mask), {1, mask->count()});
  return broadcastTo(context, bits, {repeats, mask->count()});
}

static Value lowerSelect(CallContext &context, const Arguments &arguments) {
  std::optional<std::string> mode = context.stringConst(arguments, "selMode");
  std::optional<Tile> dst = tileArgument(context, arguments, "dst");
  if (!mode || !dst || !expectElements(context, arguments, "dst", *dst, Elements::Any))
    return Value::poison();
  bool repeats = *mode == "VSEL_CMPMASK_SPR", isScalar = *mode == "VSEL_TENSOR_SCALAR_MODE";
  if (!repeats && !isScalar && *mode != "VSEL_TENSOR_TENSOR_MODE")
    return wrongArgument(context, arguments, "selMode", "'" + *mode + "'",
                         "VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE or VSEL_TENSOR_TENSOR_MODE");
  Value x = tensorOperand(context, arguments, "src0", *dst);
  Value y = repeats    ? anyOperand(context, arguments, "src1", *dst)
            : isScalar ? scalarOperand(context, arguments, "src1", dst->dtype())
                       : tensorOperand(context, arguments, "src1", *dst);
  Value bits;
  if (repeats) {
    bits = repeatedMask(context, arguments, *dst);
  } else if (std::optional<Tile> mask = maskOf(context, arguments, "selMask", dst->count())) {
    bits = load(context, *mask);
  }
  if (x.isPoison() || y.isPoison() || bits.isPoison())
    return Value::poison();
  Value chosen = select(context, reshapeTo(context, bits, dst->shape), x, y);
  return chosen.isPoison() ? chosen : storeRegion(context, dst->region, chosen);
}

void addTileMasks(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"T.tile.compare", "dst, src0, src1, mode", byLevel<lowerCompare>},
      {"T.tile.select", "dst, selMask, src0, src1, selMode", byLevel<lowerSelect>},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::tilelang
