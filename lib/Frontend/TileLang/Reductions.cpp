//===- Reductions.cpp - T.reduce_…: folding a dimension of a tile away ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A slice is reduced as the slice, `dim` counted over the dimensions it has: `x[i, :]` has one.
// Elements below 32 bits are widened, reduced by Triton's operation and rounded once, together with
// what the output held where `clear` is False. `real_shape` says how much of the tile counts; the
// output's other elements stay as they were.
//
//===-----------------------------------------------------------------------------------------===//

#include "Tables.h"
#include "TileOps.h"

namespace kiln::frontend::tilelang {

using namespace triton;

namespace {
struct Kind {
  llvm::StringLiteral name; ///< of `T.reduce`'s argument, and after `T.reduce_`
  llvm::StringLiteral function;
  bool ofMagnitudes = false;
  bool ofBits = false;
  /// The function is applied to the complements, and complemented.
  bool complemented = false;
};
} // namespace

static constexpr Kind kKinds[] = {
    {"sum", "tl.sum"},
    {"max", "tl.max"},
    {"min", "tl.min"},
    {"abssum", "tl.sum", /*ofMagnitudes=*/true},
    {"absmax", "tl.max", /*ofMagnitudes=*/true},
    {"bitand", "tl.reduce_or", false, /*ofBits=*/true, /*complemented=*/true},
    {"bitor", "tl.reduce_or", false, /*ofBits=*/true},
    {"bitxor", "tl.xor_sum", false, /*ofBits=*/true},
};

static const Kind *kindOf(llvm::StringRef name) {
  const Kind *found = llvm::find_if(kKinds, [&](const Kind &kind) { return kind.name == name; });
  return found == std::end(kKinds) ? nullptr : found;
}

/// The tile with other extents in the dimensions that were not given by an index.
static Tile withSliced(const Tile &tile, ShapeRef sliced) {
  Shape shape;
  for (bool isIndex : tile.region.isIndex) {
    shape.push_back(isIndex ? 1 : sliced.front());
    sliced = isIndex ? sliced : sliced.drop_front();
  }
  return resized(tile, shape);
}

/// Published kernels give `clear` and `real_shape` in either order: the name of the argument that
/// has what is asked for, a shape or a switch.
static llvm::StringRef optionName(const Arguments &arguments, bool isShape) {
  if (!arguments.find("real_shape"))
    return isShape ? "" : "clear";
  bool areSwapped = arguments["clear"].isTuple() || arguments["real_shape"].asBool();
  return isShape == areSwapped ? "clear" : "real_shape";
}

/// Whether what is reduced is only a part of the tile.
static bool hasRealShape(const Arguments &arguments) {
  llvm::StringRef name = optionName(arguments, /*isShape=*/true);
  return !name.empty() && !arguments[name].isNone();
}

/// Whether the output is written, rather than accumulated into.
static std::optional<bool> clearOption(CallContext &context, const Arguments &arguments) {
  llvm::StringRef name = optionName(arguments, /*isShape=*/false);
  bool isAbsent = name != "clear" && arguments[name].isNone();
  return isAbsent ? true : context.boolConst(arguments, name);
}

/// `real_shape`: extents of the last dimensions, each at most what the tile has.
static std::optional<Shape> realShape(CallContext &context, const Arguments &arguments,
                                      ShapeRef shape) {
  Shape result(shape);
  if (!hasRealShape(arguments))
    return result;
  llvm::StringRef name = optionName(arguments, /*isShape=*/true);
  std::optional<Shape> given = context.shapeConst(arguments, name);
  if (!given)
    return std::nullopt;
  bool fits = !given->empty() && given->size() <= shape.size();
  for (size_t i = 0; fits && i < given->size(); ++i) {
    int64_t &size = result[result.size() - given->size() + i];
    fits = (*given)[i] <= size;
    size = (*given)[i];
  }
  if (fits)
    return result;
  wrongArgument(context, arguments, name, "[" + shapeText(*given) + "]",
                "at most the extents [" + shapeText(shape) + "]");
  return std::nullopt;
}

/// The part of `out` that gets the result: with the reduced dimension or without it; and cut to
/// what counts, where that is less.
static std::optional<Tile> resultTile(CallContext &context, const Arguments &arguments,
                                      const Tile &out, ShapeRef full, ShapeRef real, int64_t axis) {
  auto without = [&](ShapeRef shape) {
    Shape result(shape);
    result.erase(result.begin() + axis);
    return result;
  };
  auto kept = [&](ShapeRef shape) {
    Shape result(shape);
    result[axis] = 1;
    return result;
  };
  Shape sliced = slicedShape(out);
  if (ShapeRef(sliced) == ShapeRef(kept(full)))
    return withSliced(out, kept(real));
  if (ShapeRef(sliced) == ShapeRef(without(full)))
    return withSliced(out, without(real));
  // Dimensions of 1 do not count, if nothing has to be cut.
  if (squeezedShape(sliced) == squeezedShape(kept(full)) && real == full)
    return out;
  // A row that is longer than what counts, as rows of 32 bytes may be: its first elements.
  Shape results = squeezedShape(without(real)), row = squeezedShape(sliced);
  if (hasRealShape(arguments) && results.size() == 1 && row.size() == 1 && results[0] <= row[0])
    return firstOf(context, out, results[0]);
  Shape expected = without(full);
  wrongTile(context, arguments, "out", out,
            "the extents [" + (expected.empty() ? "1" : shapeText(expected)) + "] or [" +
                shapeText(kept(full)) + "]");
  return std::nullopt;
}

/// What the output held and the result, in the result's type.
static Value combine(CallContext &context, const Kind &kind, const Value &before,
                     const Value &result) {
  if (kind.function == "tl.sum")
    return binaryOperator(context, BinaryOperator::Add, before, result);
  if (kind.function == "tl.xor_sum")
    return binaryOperator(context, BinaryOperator::Xor, before, result);
  if (kind.function == "tl.reduce_or")
    return binaryOperator(context, kind.complemented ? BinaryOperator::And : BinaryOperator::Or,
                          before, result);
  return extremum(context, kind.function == "tl.max", /*nan=*/false, before, result);
}

static Value reduceBlock(CallContext &context, const Kind &kind, const Value &block, int64_t axis) {
  DType dtype = block.type().dtype();
  DType wide = isFloat(dtype)          ? widenedFloat(dtype)
               : bitWidth(dtype) >= 32 ? dtype
               : isSigned(dtype)       ? DType::I32
                                       : DType::U32;
  auto complement = [&](const Value &x) {
    return kind.complemented ? unaryOperator(context, UnaryOperator::Invert, x) : x;
  };
  Value x = complement(castTo(context, block, wide));
  if (kind.ofMagnitudes && !x.isPoison())
    x = context.callLanguage("tl.abs", {x});
  return x.isPoison() ? x
                      : complement(context.callLanguage(kind.function, {x, Value::integer(axis)}));
}

/// A buffer, a slice, or one element for a result that is one.
static std::optional<Tile> outArgument(CallContext &context, const Arguments &arguments) {
  const RegionData *region = arguments["out"].asRegion();
  if (!region || !region->isElement() || region->buffer->isGlobal)
    return tileArgument(context, arguments, "out");
  return Tile{*region, Shape(region->extents.size(), 1)};
}

static Value reduceTile(CallContext &context, const Arguments &arguments, const Kind &kind) {
  std::optional<Tile> src = tileArgument(context, arguments, "buffer");
  std::optional<Tile> out = outArgument(context, arguments);
  std::optional<bool> clear = clearOption(context, arguments);
  Elements elements = kind.ofBits ? Elements::Integers : Elements::Any;
  if (!src || !out || !clear || !expectElements(context, arguments, "buffer", *src, elements))
    return Value::poison();
  if (src->dtype() != out->dtype())
    return wrongTile(context, arguments, "out", *out,
                     "elements of " + info(src->dtype()).languageName + ", as " +
                         describe(src->value()) + " has");
  Shape full = slicedShape(*src);
  std::optional<int64_t> axis = context.axisConst(arguments, "dim", full.size());
  std::optional<Shape> real = realShape(context, arguments, full);
  if (!axis || !real)
    return Value::poison();
  std::optional<Tile> result = resultTile(context, arguments, *out, full, *real, *axis);
  if (!result)
    return Value::poison();

  Value block = load(context, withSliced(*src, *real));
  Value reduced = reduceBlock(context, kind, reshapeTo(context, block, *real), *axis);
  if (reduced.isPoison())
    return reduced;
  if (!*clear) {
    Value before = castTo(context, load(context, *result), reduced.type().dtype());
    reduced = combine(context, kind, before, reshapeTo(context, reduced, result->shape));
  }
  return reduced.isPoison() ? reduced : storeRegion(context, result->region, reduced);
}

/// `T.reduce_sum` and so on: the kind is in the name.
static Value lowerNamed(CallContext &context, const Arguments &arguments) {
  llvm::StringRef name = context.callee();
  name.consume_front("T.reduce_");
  return reduceTile(context, arguments, *kindOf(name));
}

static Value lowerReduce(CallContext &context, const Arguments &arguments) {
  std::optional<std::string> type = context.stringConst(arguments, "type");
  if (!type)
    return Value::poison();
  if (const Kind *kind = kindOf(*type))
    return reduceTile(context, arguments, *kind);
  return wrongArgument(context, arguments, "type", "'" + *type + "'",
                       "sum, max, min, abssum, absmax, bitand, bitor or bitxor");
}

void addReductions(Vocabulary &vocabulary) {
  static constexpr llvm::StringLiteral kNamed = "buffer, out, dim=-1, clear=True, real_shape=None";
  static constexpr LanguageEntry kEntries[] = {
      {"T.reduce", "buffer, out, type, dim=-1, clear=True", byLevel<lowerReduce>},
      {"T.reduce_sum", kNamed, byLevel<lowerNamed>},
      {"T.reduce_max", kNamed, byLevel<lowerNamed>},
      {"T.reduce_min", kNamed, byLevel<lowerNamed>},
      {"T.reduce_abssum", kNamed, byLevel<lowerNamed>},
      {"T.reduce_absmax", kNamed, byLevel<lowerNamed>},
      {"T.reduce_bitand", kNamed, byLevel<lowerNamed>},
      {"T.reduce_bitor", kNamed, byLevel<lowerNamed>},
      {"T.reduce_bitxor", kNamed, byLevel<lowerNamed>},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::tilelang
