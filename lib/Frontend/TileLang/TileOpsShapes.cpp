//===- TileOpsShapes.cpp - tiles filled, stretched, transposed --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "TileOps.h"

namespace kiln::frontend::tilelang {

using llvm::Twine;
using namespace triton;

//===----------------------------------------------------------------------------------------===//
// Constants and sequences
//===----------------------------------------------------------------------------------------===//

/// Lanes of a region of global memory: what lies outside the tensor is not touched.
static Value fillGlobal(CallContext &context, const RegionData &region, const Value &scalar) {
  std::optional<Shape> shape = staticExtents(context, region);
  if (!shape)
    return Value::poison();
  int64_t count = 1;
  for (int64_t size : *shape)
    if ((count *= size) > kMaxTensorElements)
      return context.error("found " + describe(Value::region(region)) + ", expected at most " +
                           Twine(kMaxTensorElements) + " elements");
  llvm::SmallVector<Value> indices;
  for (size_t dim = 0; dim < shape->size(); ++dim) {
    Value lane = indicesAlong(context, *shape, dim);
    indices.push_back(context.binary(BinaryOperator::Add, region.offsets[dim], lane));
    if (indices.back().isPoison())
      return Value::poison();
  }
  return storeGlobal(context, *region.buffer, indices, *shape, Value::poison(),
                     splat(context, scalar, *shape));
}

static Value fill(CallContext &context, const Arguments &arguments, llvm::StringRef valueName) {
  std::optional<RegionData> region = regionArgument(context, arguments, "buffer");
  if (!region || !expectTiles(context))
    return Value::poison();
  DType dtype = region->buffer->dtype;
  Value scalar = valueName.empty() ? context.materializeAs(Value::integer(0), dtype)
                                   : scalarOperand(context, arguments, valueName, dtype);
  if (scalar.isPoison())
    return scalar;
  if (region->buffer->isGlobal)
    return fillGlobal(context, *region, scalar);
  std::optional<Tile> dst = tileArgument(context, arguments, "buffer");
  return dst ? storeRegion(context, dst->region, scalar) : Value::poison();
}

static Value lowerFill(CallContext &context, const Arguments &arguments) {
  return fill(context, arguments, "value");
}

static Value lowerClear(CallContext &context, const Arguments &arguments) {
  return fill(context, arguments, "");
}

/// first + i·step of the i-th element, row-major, in at least 32 bits.
static Value progression(CallContext &context, const Arguments &arguments, const Tile &dst,
                         const Value &step) {
  DType dtype = widenedFloat(dst.dtype());
  if (isInteger(dtype) && bitWidth(dtype) < 32)
    dtype = DType::I32;
  Value first =
      castTo(context, scalarOperand(context, arguments, "first_value", dst.dtype()), dtype);
  if (first.isPoison() || step.isPoison())
    return Value::poison();
  Value lanes =
      castTo(context, reshapeTo(context, iota(context, 0, dst.count()), dst.shape), dtype);
  bool isPlain = step.asInt() != nullptr;
  Value grown =
      isPlain ? lanes
              : binaryOperator(context, BinaryOperator::Mul, lanes, castTo(context, step, dtype));
  Value values = binaryOperator(context, BinaryOperator::Add, grown, first);
  return values.isPoison() ? values
                           : storeRegion(context, dst.region, castTo(context, values, dst.dtype()));
}

static Value lowerCreateVecIndex(CallContext &context, const Arguments &arguments) {
  std::optional<Tile> dst = tileArgument(context, arguments, "dst");
  if (!dst || !expectElements(context, arguments, "dst", *dst, Elements::Any))
    return Value::poison();
  return progression(context, arguments, *dst, Value::integer(1));
}

static Value lowerArithProgression(CallContext &context, const Arguments &arguments) {
  std::optional<Tile> dst = tileArgument(context, arguments, "buffer", "count");
  if (!dst || !expectElements(context, arguments, "buffer", *dst, Elements::Any))
    return Value::poison();
  return progression(context, arguments, *dst,
                     scalarOperand(context, arguments, "diff_value", dst->dtype()));
}

//===----------------------------------------------------------------------------------------===//
// Broadcasts
//===----------------------------------------------------------------------------------------===//

/// Nothing where it is not clear.
static std::optional<Shape> shapeToStretch(ShapeRef src, ShapeRef dst,
                                           std::optional<int64_t> axis) {
  int64_t count = 1;
  for (int64_t size : src)
    count *= size;
  if (axis) {
    Shape shape(dst);
    shape[*axis] = 1;
    int64_t expected = 1;
    for (int64_t size : shape)
      expected *= size;
    return count == expected ? std::optional(shape) : std::nullopt;
  }
  if (count == 1)
    return Shape(dst.size(), 1);
  auto stretches = [](int64_t from, int64_t to) { return from == to || from == 1; };
  if (src.size() == dst.size())
    return llvm::all_of(llvm::zip(src, dst), [&](auto pair) { return std::apply(stretches, pair); })
               ? std::optional(Shape(src))
               : std::nullopt;
  // One row, or one column: by its length, unless both could be meant.
  if (squeezedShape(src).size() != 1 || dst.size() != 2 || dst[0] == dst[1])
    return std::nullopt;
  if (count == dst[0])
    return Shape{count, 1};
  return count == dst[1] ? std::optional(Shape{1, count}) : std::nullopt;
}

std::optional<Shape> shapeToStretch(CallContext &context, const Arguments &arguments,
                                    const Tile &dst, const Tile &src) {
  Shape wanted = slicedShape(dst);
  std::optional<int64_t> axis;
  if (!arguments["axis"].isNone()) {
    axis = context.axisConst(arguments, "axis", wanted.size());
    if (!axis)
      return std::nullopt;
  }
  std::optional<Shape> shape = shapeToStretch(slicedShape(src), wanted, axis);
  if (!shape)
    wrongTile(context, arguments, "src", src,
              "extents that stretch to " + describe(dst.value()) +
                  (axis ? " along axis " + std::to_string(*axis)
                        : std::string(", equal to its or 1, or an axis")));
  return shape;
}

static Value lowerBroadcast(CallContext &context, const Arguments &arguments) {
  std::optional<Tile> dst = tileArgument(context, arguments, "dst");
  std::optional<Tile> src = tileArgument(context, arguments, "src");
  if (!dst || !src)
    return Value::poison();
  if (src->dtype() != dst->dtype())
    return wrongTile(context, arguments, "src", *src,
                     "elements of " + info(dst->dtype()).languageName + ", as " +
                         describe(dst->value()) + " has");
  std::optional<Shape> shape = shapeToStretch(context, arguments, *dst, *src);
  if (!shape)
    return Value::poison();
  Value stretched =
      broadcastTo(context, reshapeTo(context, load(context, *src), *shape), slicedShape(*dst));
  return stretched.isPoison() ? stretched : storeRegion(context, dst->region, stretched);
}

/// dst[i, j] = src0[i, j] op src1[i]
template <BinaryOperator op>
static Value lowerRowExpand(CallContext &context, const Arguments &arguments) {
  std::optional<Tile> dst = tileArgument(context, arguments, "dst");
  std::optional<Tile> column = tileArgument(context, arguments, "src1");
  Elements elements = op == BinaryOperator::Div ? Elements::Floats : Elements::Any;
  if (!dst || !column || !expectElements(context, arguments, "dst", *dst, elements))
    return Value::poison();
  Shape shape = dst->shape;
  shape.back() = 1;
  Value x = tensorOperand(context, arguments, "src0", *dst);
  Value y = tensorOperand(context, arguments, "src1", resized(*dst, shape));
  if (x.isPoison() || y.isPoison())
    return Value::poison();
  Value result = binaryOperator(context, op, x, broadcastTo(context, y, dst->shape));
  return result.isPoison() ? result : storeRegion(context, dst->region, result);
}

//===----------------------------------------------------------------------------------------===//
// Transpose
//===----------------------------------------------------------------------------------------===//

/// Of the last two dimensions; the others are 1.
static Value lowerTranspose(CallContext &context, const Arguments &arguments) {
  std::optional<Tile> dst = tileArgument(context, arguments, "dst");
  std::optional<Tile> src = tileArgument(context, arguments, "src");
  if (!dst || !src)
    return Value::poison();
  auto matrix = [](const Tile &tile) {
    size_t rank = tile.shape.size();
    return rank < 2 || tile.count() != tile.shape[rank - 2] * tile.shape[rank - 1]
               ? Shape()
               : Shape(ShapeRef(tile.shape).take_back(2));
  };
  Shape from = matrix(*src), to = matrix(*dst);
  if (from.empty())
    return wrongTile(context, arguments, "src", *src, "a matrix");
  if (to.empty() || to[0] != from[1] || to[1] != from[0] || src->dtype() != dst->dtype())
    return wrongTile(context, arguments, "dst", *dst,
                     info(src->dtype()).languageName + "[" + shapeText({from[1], from[0]}) +
                         "], what " + describe(src->value()) + " is transposed");
  Value turned = permuteDims(context, reshapeTo(context, load(context, *src), from), {1, 0});
  return turned.isPoison() ? turned : storeRegion(context, dst->region, turned);
}

void addTileShapes(Vocabulary &vocabulary) {
  static constexpr llvm::StringLiteral kRowExpand = "dst, src0, src1, tmp=None";
  static constexpr LanguageEntry kEntries[] = {
      {"T.fill", "buffer, value", byLevel<lowerFill>},
      {"T.clear", "buffer", byLevel<lowerClear>},
      {"T.transpose", "src, dst", byLevel<lowerTranspose>},
      {"T.tile.fill", "buffer, value", byLevel<lowerFill>},
      {"T.tile.clear", "buffer", byLevel<lowerClear>},
      {"T.tile.transpose", "dst, src", byLevel<lowerTranspose>},
      {"T.tile.createvecindex", "dst, first_value", byLevel<lowerCreateVecIndex>},
      {"T.tile.arith_progression", "buffer, first_value, diff_value, count=None",
       byLevel<lowerArithProgression>},
      {"T.tile.broadcast", "dst, src, axis=None", byLevel<lowerBroadcast>},
      {"T.tile.row_expand_mul", kRowExpand, byLevel<lowerRowExpand<BinaryOperator::Mul>>},
      {"T.tile.row_expand_mul_experiment", kRowExpand,
       byLevel<lowerRowExpand<BinaryOperator::Mul>>},
      {"T.tile.row_expand_sub_experiment", kRowExpand,
       byLevel<lowerRowExpand<BinaryOperator::Sub>>},
      {"T.tile.row_expand_div_experiment", kRowExpand,
       byLevel<lowerRowExpand<BinaryOperator::Div>>},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::tilelang
