//===- ExpertShapes.cpp - instructions that move or reduce lanes ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Expert.h"
#include "TileOps.h"

#include "llvm/Support/MathExtras.h"

namespace kiln::frontend::tilelang::expert {

using llvm::Twine;
using machine::Opcode;

namespace {
struct Pair {
  View dst, src;
};
} // namespace

/// The argument without the dimensions that an index names: `x[i, :, :]` is a matrix.
static std::optional<View> slicedArgument(CallContext &context, const Arguments &arguments,
                                          llvm::StringRef name) {
  std::optional<RegionData> region = localArgument(context, arguments, name);
  std::optional<View> view = region ? viewOf(context, name, *region) : std::nullopt;
  if (!view || region->isElement())
    return view;
  for (size_t dim = view->sizes.size(); dim-- > 0;)
    if (region->isIndex[dim]) {
      view->sizes.erase(view->sizes.begin() + dim);
      view->strides.erase(view->strides.begin() + dim);
    }
  return view;
}

/// Destination and source of one element type.
static std::optional<Pair> pairOf(CallContext &context, const Arguments &arguments) {
  std::optional<View> dst = slicedArgument(context, arguments, nameOf(arguments, 0));
  std::optional<View> src = slicedArgument(context, arguments, nameOf(arguments, 1));
  if (!dst || !src)
    return std::nullopt;
  return expectTypeOf(context, arguments, *src, *dst) ? std::optional(Pair{*dst, *src})
                                                      : std::nullopt;
}

static Value wrongShape(CallContext &context, const Arguments &arguments, const View &found,
                        const Twine &expected) {
  return triton::wrongArgument(context, arguments, found.argument,
                               Type::block(found.dtype, found.sizes).str(), expected);
}

//===----------------------------------------------------------------------------------------===//
// Broadcasts
//===----------------------------------------------------------------------------------------===//

/// The type in which lanes of this width are spread over blocks.
static std::optional<DType> spreadType(DType dtype) {
  switch (bitWidth(dtype)) {
  case 16:
    return DType::F16;
  case 32:
    return DType::F32;
  default:
    return std::nullopt;
  }
}

/// dst[i, j] = src[i]: each element fills a block, which rows then repeat.
static Value broadcastRows(CallContext &context, const Arguments &arguments, const View &dst,
                           View src) {
  std::optional<DType> moved = spreadType(dst.dtype);
  if (!moved || !isDense(src))
    return context.error("a broadcast along rows of " + describe(arguments[1]) +
                         " is not there yet at the level of instructions");
  int64_t rows = dst.sizes[0], columns = dst.sizes[1], block = kBlockBytes / dst.elementBytes();
  View blocks = scratch(context, {rows, block}, dst.dtype);
  mlir::Type element = mlirType(*moved, context.mlirContext());
  View row = src, filled = blocks;
  row.sizes = {rows};
  row.strides = {1};
  row.element = filled.element = element;
  if (forEachWindow(context, arguments, {row}, [](Parts) {}).isPoison())
    return Value::poison();
  orderVector(context);
  context.create<npu::VBroadcastOp>(windowOf(context, row, {rows}, {1}),
                                    windowOf(context, filled, {rows, block}, {block, 1}));
  orderVector(context);
  auto part = [&](int64_t first, Shape inner) {
    View to = dst, from = blocks;
    to.bytes += first * dst.elementBytes();
    to.sizes = from.sizes = {rows};
    to.strides = {dst.strides[0]};
    from.strides = {block};
    for (auto [index, size] : llvm::enumerate(inner)) {
      bool isInner = index + 1 == inner.size();
      for (View *view : {&to, &from})
        view->sizes.push_back(size);
      to.strides.push_back(isInner ? 1 : block);
      from.strides.push_back(isInner ? 1 : 0);
    }
    return forEachWindow(context, arguments, {to, from},
                         [&](Parts part) { context.create<npu::CopyOp>(part[1], part[0]); });
  };
  Value done = Value::none();
  if (columns >= block)
    done = part(0, {columns / block, block});
  if (columns % block && !done.isPoison())
    done = part(columns / block * block, {columns % block});
  return done;
}

/// The same lanes in another shape; nothing where they have gaps that it does not fit.
static std::optional<View> reshaped(const View &view, ShapeRef shape) {
  View result = view;
  result.sizes.assign(shape.begin(), shape.end());
  result.strides.assign(shape.size(), 1);
  Shape gaps;
  for (auto [size, stride] : llvm::zip(view.sizes, view.strides))
    if (size != 1)
      gaps.push_back(stride);
  bool areDense = isDense(view);
  if (!areDense && squeezedShape(view.sizes) != squeezedShape(result.sizes))
    return std::nullopt;
  int64_t dense = 1;
  for (size_t dim = shape.size(); dim-- > 0; dense *= shape[dim])
    if (areDense)
      result.strides[dim] = dense;
    else if (shape[dim] != 1)
      result.strides[dim] = gaps.pop_back_val();
  return result;
}

static Value lowerBroadcast(CallContext &context, const Arguments &arguments) {
  std::optional<Pair> pair = pairOf(context, arguments);
  if (!pair ||
      !expectElement(context, arguments, nameOf(arguments, 0), Opcode::Copy, pair->dst.dtype))
    return Value::poison();
  auto tileOf = [&](size_t index) {
    std::optional<RegionData> region = localArgument(context, arguments, nameOf(arguments, index));
    return Tile{*region, *staticExtents(context, *region)};
  };
  Tile wanted = tileOf(0);
  std::optional<Shape> stretched = shapeToStretch(context, arguments, wanted, tileOf(1));
  if (!stretched)
    return Value::poison();
  std::optional<View> target = reshaped(pair->dst, slicedShape(wanted));
  std::optional<View> source = reshaped(pair->src, *stretched);
  if (!target || !source)
    return wrongShape(context, arguments, target ? pair->src : pair->dst, "a region without gaps");
  View &dst = *target, &src = *source;
  if (dst.sizes.size() == 1)
    for (View *view : {&dst, &src}) {
      view->strides.insert(view->strides.begin(), view->sizes[0]);
      view->sizes.insert(view->sizes.begin(), 1);
    }
  if (dst.sizes.size() != 2)
    return wrongShape(context, arguments, dst, "a buffer of one or two dimensions");
  if (src.sizes[1] != dst.sizes[1])
    return src.sizes[0] == dst.sizes[0]
               ? broadcastRows(context, arguments, dst, src)
               : context.error("a broadcast of one element over two dimensions is not there yet at "
                               "the level of instructions: T.tile.fill does it");
  if (src.sizes[0] != dst.sizes[0]) {
    src.sizes[0] = dst.sizes[0];
    src.strides[0] = 0;
  }
  return forEachWindow(context, arguments, {dst, src},
                       [&](Parts part) { context.create<npu::CopyOp>(part[1], part[0]); });
}

//===----------------------------------------------------------------------------------------===//
// Gathers and transposes
//===----------------------------------------------------------------------------------------===//

static Value lowerGather(CallContext &context, const Arguments &arguments) {
  std::optional<Pair> pair = pairOf(context, arguments);
  std::optional<View> offsets = viewArgument(context, arguments, nameOf(arguments, 2));
  if (!pair || !offsets ||
      !expectElement(context, arguments, nameOf(arguments, 0), Opcode::VGather, pair->dst.dtype))
    return Value::poison();
  auto &[dst, src] = *pair;
  if (offsets->dtype != DType::U32 && offsets->dtype != DType::I32)
    return triton::wrongArgument(context, arguments, offsets->argument,
                                 "elements of " + info(offsets->dtype).languageName,
                                 "uint32: offsets in bytes");
  int64_t base = 0;
  if (arguments.size() > 3 && !arguments[3].isNone()) {
    std::optional<int64_t> given = context.intConst(arguments, nameOf(arguments, 3));
    if (!given)
      return Value::poison();
    base = *given;
  }
  if (base < 0 || base % src.elementBytes() != 0 || base >= src.count() * src.elementBytes())
    return triton::wrongArgument(context, arguments, nameOf(arguments, 3), Twine(base),
                                 "an offset in bytes of an element of '" + src.argument + "'");
  int64_t lanes = std::min(dst.count(), offsets->count());
  std::optional<View> to = firstLanes(context, arguments, dst, lanes);
  std::optional<View> at = to ? firstLanes(context, arguments, *offsets, lanes) : std::nullopt;
  std::optional<View> from = at ? firstLanes(context, arguments, src, src.count()) : std::nullopt;
  if (!from)
    return Value::poison();
  from->bytes += base;
  int64_t room = src.count() - base / src.elementBytes();
  return forEachWindow(context, arguments, {*to, *at}, [&](Parts part) {
    context.create<npu::VGatherOp>(windowOf(context, *from, {room}, {1}), part[1], part[0]);
  });
}

static Value lowerTranspose(CallContext &context, const Arguments &arguments) {
  std::optional<Pair> pair = pairOf(context, arguments);
  if (!pair)
    return Value::poison();
  auto &[dst, src] = *pair;
  constexpr int64_t tile = 16;
  if (src.sizes.size() != 2 || dst.sizes.size() != 2 || src.sizes[0] != dst.sizes[1] ||
      src.sizes[1] != dst.sizes[0])
    return wrongShape(context, arguments, dst,
                      "the sizes of [" + shapeText(src.sizes) + "] the other way round");
  int64_t rows = src.sizes[0], columns = src.sizes[1];
  if (src.elementBytes() != 2 || rows % tile || columns % tile ||
      rows / tile * (columns / tile) > kMostPieces)
    return context.error("a transpose of " + describe(arguments[1]) +
                         " is not there yet at the level of instructions, which transpose 16 x 16 "
                         "elements of 16 bits");
  for (View *view : {&dst, &src}) {
    View square = *view;
    square.sizes = {tile, tile};
    if (forEachWindow(context, arguments, {square}, [](Parts) {}).isPoison())
      return Value::poison();
  }
  auto square = [&](const View &view, int64_t row, int64_t column) {
    return windowOf(context, view, {tile, tile}, view.strides,
                    (row * view.strides[0] + column) * view.elementBytes());
  };
  for (int64_t row = 0; row < rows; row += tile)
    for (int64_t column = 0; column < columns; column += tile)
      context.create<npu::VTransOp>(square(src, row, column), square(dst, column, row));
  return Value::none();
}

//===----------------------------------------------------------------------------------------===//
// Forms with repeats and strides
//===----------------------------------------------------------------------------------------===//

/// An int of a form with repeats, which has to have the one value that is there.
static bool expectInt(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                      int64_t wanted) {
  std::optional<int64_t> given = context.intConst(arguments, name);
  if (given && *given != wanted)
    triton::wrongArgument(context, arguments, name, Twine(*given),
                          Twine(wanted) + "; other strides and masks are not there yet");
  return given == wanted;
}

/// So many lanes from the start of an argument, which has as many.
static std::optional<View> lanesOf(CallContext &context, const Arguments &arguments,
                                   const View &view, int64_t lanes) {
  std::optional<View> result = firstLanes(context, arguments, view, lanes);
  if (result && forEachWindow(context, arguments, {*result}, [](Parts) {}).isPoison())
    return std::nullopt;
  return result;
}

/// One result per 32-byte block of `repeat` times 256 bytes.
template <Opcode op>
static Value lowerBlockReduce(CallContext &context, const Arguments &arguments) {
  std::optional<Pair> pair = pairOf(context, arguments);
  std::optional<int64_t> repeat = context.intConst(arguments, "repeat");
  if (!pair || !repeat ||
      !expectElement(context, arguments, nameOf(arguments, 0), op, pair->dst.dtype))
    return Value::poison();
  auto &[dst, src] = *pair;
  int64_t perRepeat = kRepeatBytes / src.elementBytes();
  if (*repeat < 1)
    return triton::wrongArgument(context, arguments, "repeat", Twine(*repeat), "at least 1");
  if (!expectInt(context, arguments, "mask", perRepeat) ||
      !expectInt(context, arguments, "dst_rep_stride", 1) ||
      !expectInt(context, arguments, "src_blk_stride", 1) ||
      !expectInt(context, arguments, "src_rep_stride", 8))
    return Value::poison();
  std::optional<View> from = lanesOf(context, arguments, src, *repeat * perRepeat);
  std::optional<View> to = lanesOf(context, arguments, dst, *repeat * 8);
  if (!from || !to)
    return Value::poison();
  context.create<npu::VReduceOp>(op, windowOf(context, *from, {from->count()}, {1}),
                                 windowOf(context, *to, {to->count()}, {1}));
  return Value::none();
}

/// One result per row: the first `mask` lanes of each of `repeat` rows.
template <Opcode op>
static Value lowerWholeReduce(CallContext &context, const Arguments &arguments) {
  std::optional<Pair> pair = pairOf(context, arguments);
  std::optional<int64_t> mask = context.intConst(arguments, "mask");
  std::optional<int64_t> repeat = context.intConst(arguments, "repeat");
  std::optional<int64_t> pitch = context.intConst(arguments, "src_rep_stride");
  if (!pair || !mask || !repeat || !pitch ||
      !expectElement(context, arguments, nameOf(arguments, 0), op, pair->dst.dtype))
    return Value::poison();
  auto &[dst, src] = *pair;
  int64_t block = kBlockBytes / src.elementBytes(), most = kRepeatBytes / src.elementBytes();
  if (*mask < 1 || *mask > most)
    return triton::wrongArgument(context, arguments, "mask", Twine(*mask),
                                 "from 1 to " + Twine(most));
  if (*repeat < 1 || *pitch < 1)
    return triton::wrongArgument(context, arguments, *repeat < 1 ? "repeat" : "src_rep_stride",
                                 Twine(*repeat < 1 ? *repeat : *pitch), "at least 1");
  if (!expectInt(context, arguments, "dst_rep_stride", 1) ||
      !expectInt(context, arguments, "src_blk_stride", 1))
    return Value::poison();
  // Without an order each value is followed by its position.
  if (arguments.find("order") &&
      !(arguments["order"].asString() && *arguments["order"].asString() == "ORDER_ONLY_VALUE"))
    return triton::wrongArgument(context, arguments, "order", arguments["order"],
                                 "ORDER_ONLY_VALUE; positions of extrema are not there yet");
  std::optional<View> from =
      lanesOf(context, arguments, src, (*repeat - 1) * *pitch * block + *mask);
  std::optional<View> to = lanesOf(context, arguments, dst, *repeat);
  if (!from || !to)
    return Value::poison();
  context.create<npu::VReduceOp>(op,
                                 windowOf(context, *from, {*repeat, *mask}, {*pitch * block, 1}),
                                 windowOf(context, *to, {*repeat}, {1}));
  return Value::none();
}

/// Each of 8 · `repeat` elements fills a 32-byte block.
static Value lowerBrcb(CallContext &context, const Arguments &arguments) {
  std::optional<Pair> pair = pairOf(context, arguments);
  std::optional<int64_t> repeat = context.intConst(arguments, "repeat");
  if (!pair || !repeat)
    return Value::poison();
  auto &[dst, src] = *pair;
  std::optional<DType> moved = spreadType(src.dtype);
  if (!moved)
    return triton::wrongArgument(context, arguments, dst.argument, info(dst.dtype).languageName,
                                 "elements of 16 or 32 bits");
  if (*repeat < 1)
    return triton::wrongArgument(context, arguments, "repeat", Twine(*repeat), "at least 1");
  if (!expectInt(context, arguments, "dst_blk_stride", 1) ||
      !expectInt(context, arguments, "dst_rep_stride", 8))
    return Value::poison();
  int64_t block = kBlockBytes / src.elementBytes(), lanes = *repeat * 8;
  std::optional<View> from = lanesOf(context, arguments, src, lanes);
  std::optional<View> to = lanesOf(context, arguments, dst, lanes * block);
  if (!from || !to)
    return Value::poison();
  from->element = to->element = mlirType(*moved, context.mlirContext());
  context.create<npu::VBroadcastOp>(windowOf(context, *from, {lanes}, {1}),
                                    windowOf(context, *to, {lanes, block}, {block, 1}));
  return Value::none();
}

llvm::ArrayRef<Row> shapeRows() {
  static constexpr Row kRows[] = {
      {"T.tile.broadcast", lowerBroadcast},
      {"T.tile.gather", lowerGather},
      {"T.tile.transpose", lowerTranspose},
      {"T.tile.block_reduce_sum", lowerBlockReduce<Opcode::VCgadd>},
      {"T.tile.block_reduce_max", lowerBlockReduce<Opcode::VCgmax>},
      {"T.tile.block_reduce_min", lowerBlockReduce<Opcode::VCgmin>},
      {"T.tile.wholereducesum", lowerWholeReduce<Opcode::VCadd>},
      {"T.tile.wholereducemax", lowerWholeReduce<Opcode::VCmax>},
      {"T.tile.wholereducemin", lowerWholeReduce<Opcode::VCmin>},
      {"T.tile.brcb", lowerBrcb},
  };
  return kRows;
}

} // namespace kiln::frontend::tilelang::expert
