//===- TileOpsOperands.cpp - operands of operations on whole tiles ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "TileOps.h"

namespace kiln::frontend::tilelang {

using llvm::Twine;
using namespace triton;

static int64_t productOf(ShapeRef shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

int64_t Tile::count() const { return productOf(shape); }

Value Tile::value() const {
  auto isZero = [](const Value &offset) { return offset.asInt() && offset.asInt()->isZero(); };
  bool isWhole = llvm::all_of(region.offsets, isZero) &&
                 llvm::all_of(llvm::zip(region.extents, region.buffer->shape), [](auto pair) {
                   return identical(std::get<0>(pair), std::get<1>(pair));
                 });
  return isWhole ? Value::buffer(region.buffer) : Value::region(region);
}

bool expectTiles(CallContext &context) {
  if (!stateOf(context).lanes)
    return true;
  context.error(context.callee() + " works on whole tiles: found it inside T.Parallel, expected an "
                                   "expression of elements there");
  return false;
}

Value wrongTile(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                const Tile &tile, const Twine &expected) {
  return wrongArgument(context, arguments, name, tile.value(), expected);
}

std::optional<Tile> tileArgument(CallContext &context, const Arguments &arguments,
                                 llvm::StringRef name) {
  if (!expectTiles(context))
    return std::nullopt;
  std::optional<RegionData> region = localArgument(context, arguments, name);
  if (!region)
    return std::nullopt;
  if (region->isElement()) {
    wrongArgument(context, arguments, name, arguments[name], "a buffer or a slice such as x[0:n]");
    return std::nullopt;
  }
  std::optional<Shape> shape = staticExtents(context, *region);
  return shape ? std::optional(Tile{*region, *shape}) : std::nullopt;
}

std::optional<Tile> tileArgument(CallContext &context, const Arguments &arguments,
                                 llvm::StringRef name, llvm::StringRef countName) {
  std::optional<Tile> tile = tileArgument(context, arguments, name);
  if (!tile || arguments[countName].isNone())
    return tile;
  std::optional<int64_t> count = context.intConst(arguments, countName);
  if (!count)
    return std::nullopt;
  if (*count < 1 || *count > tile->count()) {
    wrongArgument(context, arguments, countName, Twine(*count),
                  "1 to " + Twine(tile->count()) + ", the elements of " + describe(tile->value()));
    return std::nullopt;
  }
  std::optional<Tile> first = firstOf(context, *tile, *count);
  if (first)
    first->isCut = true;
  return first;
}

Tile resized(const Tile &tile, ShapeRef shape) {
  Tile result = tile;
  result.shape.assign(shape.begin(), shape.end());
  for (auto [extent, size] : llvm::zip(result.region.extents, shape))
    extent = Value::integer(size);
  return result;
}

/// A row-major prefix is a region if it is some of the entries of one dimension, with all that is
/// inside of them and one entry of each dimension outside.
std::optional<Tile> firstOf(CallContext &context, const Tile &tile, int64_t count) {
  Shape shape = tile.shape;
  int64_t inside = tile.count();
  for (int64_t &size : shape) {
    inside /= size;
    if (count % inside == 0 && count / inside <= size) {
      size = count / inside;
      break;
    }
    if (count > inside) {
      context.error("the first " + Twine(count) + " elements of " + describe(tile.value()) +
                    " are no region of it, expected a multiple of " + Twine(inside));
      return std::nullopt;
    }
    size = 1;
  }
  return resized(tile, shape);
}

Shape slicedShape(const Tile &tile) {
  Shape shape;
  for (auto [size, isIndex] : llvm::zip(tile.shape, tile.region.isIndex))
    if (!isIndex)
      shape.push_back(size);
  if (shape.empty())
    shape.push_back(1);
  return shape;
}

Value load(CallContext &context, const Tile &tile) { return loadRegion(context, tile.region); }

Value loadLike(CallContext &context, const Arguments &arguments, llvm::StringRef name,
               const Tile &tile, const Tile &like) {
  std::optional<Tile> part = tile;
  if (like.isCut && tile.count() > like.count())
    part = firstOf(context, tile, like.count());
  if (!part)
    return Value::poison();
  if (part->count() != like.count())
    return wrongTile(context, arguments, name, tile,
                     Twine(like.count()) + " elements, as many as " + describe(like.value()) +
                         " has");
  return reshapeTo(context, load(context, *part), like.shape);
}

Value tensorOperand(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                    const Tile &like) {
  std::optional<Tile> tile = tileArgument(context, arguments, name);
  if (!tile)
    return Value::poison();
  if (tile->dtype() != like.dtype())
    return wrongTile(context, arguments, name, *tile,
                     "elements of " + info(like.dtype()).languageName + ", as " +
                         describe(like.value()) + " has");
  return loadLike(context, arguments, name, *tile, like);
}

Value oneElement(const Value &value) {
  if (!value.asBuffer() && !value.asRegion())
    return value;
  RegionData region = value.asBuffer() ? wholeOf(value.asBuffer()) : *value.asRegion();
  bool isOne = llvm::all_of(region.extents, [](const Value &size) { return knownInt(size) == 1; });
  if (region.buffer->isGlobal || !isOne)
    return value;
  region.isIndex.assign(region.isIndex.size(), true);
  return Value::region(std::move(region));
}

Value asWhole(const Value &value) {
  std::optional<Integer> whole =
      value.asFloat() ? Integer::fromDouble(*value.asFloat()) : std::nullopt;
  return whole && whole->asDouble() == *value.asFloat() ? Value::integer(*whole) : value;
}

Value scalarOperand(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                    DType dtype) {
  Value given = oneElement(arguments[name]);
  if (isInteger(dtype))
    given = asWhole(given);
  auto wrong = [&](const Twine &expected) {
    return wrongArgument(context, arguments, name, given, expected);
  };
  const RegionData *element = given.asRegion();
  if (element && element->isElement() && element->buffer->dtype != dtype)
    return wrong("an element of " + info(dtype).languageName);
  if (given.asFloat() && isInteger(dtype))
    return wrong("an int, for elements of " + info(dtype).languageName);
  if (given.isNumber())
    return context.materializeAs(given, dtype);
  bool isElement = element && element->isElement();
  Value value = isElement ? context.read(given) : context.runtime(arguments, name);
  if (value.isPoison())
    return value;
  if (value.type().isBlock() || value.type().isPointer())
    return wrong("a scalar");
  if (value.type().isFloatLike() && isInteger(dtype))
    return wrong("an integer, for elements of " + info(dtype).languageName);
  return castTo(context, value, dtype);
}

Value anyOperand(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                 const Tile &like) {
  const Value &given = arguments[name];
  bool isElement = given.asRegion() && given.asRegion()->isElement();
  if ((!given.asBuffer() && !given.asRegion()) || isElement)
    return expectTiles(context) ? scalarOperand(context, arguments, name, like.dtype())
                                : Value::poison();
  std::optional<Tile> tile = tileArgument(context, arguments, name);
  if (!tile)
    return Value::poison();
  if (tile->count() != 1 || tile->dtype() != like.dtype())
    return tensorOperand(context, arguments, name, like);
  Value one = reshapeTo(context, load(context, *tile), Shape(like.shape.size(), 1));
  return broadcastTo(context, one, like.shape);
}

bool expectElements(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                    const Tile &tile, Elements elements) {
  DType dtype = tile.dtype();
  bool fits = elements == Elements::Any      ? !isBool(dtype)
              : elements == Elements::Floats ? isFloat(dtype)
                                             : isInteger(dtype) && !isBool(dtype);
  if (fits)
    return true;
  wrongTile(context, arguments, name, tile,
            elements == Elements::Any      ? "numbers"
            : elements == Elements::Floats ? "floats"
                                           : "integers");
  return false;
}

//===----------------------------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------------------------===//

Value floatFunction(CallContext &context, llvm::StringRef function, const Value &x) {
  return x.isPoison()
             ? x
             : context.callLanguage(function, {castTo(context, x, widenedFloat(x.type().dtype()))});
}

std::optional<int64_t> productExponent(const Value &exponent) {
  constexpr int64_t kMost = 64;
  std::optional<int64_t> whole = knownInt(asWhole(exponent));
  return whole && *whole >= -kMost && *whole <= kMost ? whole : std::nullopt;
}

Value power(CallContext &context, const Value &base, int64_t exponent) {
  uint64_t left = exponent < 0 ? -uint64_t(exponent) : uint64_t(exponent);
  Value one = splat(context, context.materializeAs(Value::number(1.0), base.type().dtype()),
                    base.type().shape());
  Value result, square = base;
  for (; left != 0; left >>= 1) {
    if (left & 1)
      result =
          result.isPoison() ? square : binaryOperator(context, BinaryOperator::Mul, result, square);
    if (left > 1)
      square = binaryOperator(context, BinaryOperator::Mul, square, square);
  }
  if (result.isPoison())
    return one;
  return exponent < 0 ? binaryOperator(context, BinaryOperator::Div, one, result) : result;
}

/// exp2(y log2 |x|) with the sign of x where y is odd. Its relative error grows with |y log2 x|, to
/// about 1e-5 in f32 where the result is near the limits of the type.
Value power(CallContext &context, const Value &base, const Value &exponent) {
  Value operands[] = {base, exponent};
  if (!promote(context, operands))
    return Value::poison();
  const auto &[x, y] = operands;
  auto call = [&](llvm::StringRef name, llvm::ArrayRef<Value> values) {
    return context.callLanguage(name, values);
  };
  auto compare = [&](CompareOperator op, const Value &a, const Value &b) {
    return compareOperator(context, op, a, b);
  };
  auto binary = [&](BinaryOperator op, const Value &a, const Value &b) {
    return binaryOperator(context, op, a, b);
  };
  Value logarithm = call("tl.log2", {call("tl.abs", {x})});
  Value magnitude = call("tl.exp2", {binary(BinaryOperator::Mul, y, logarithm)});
  Value half = binary(BinaryOperator::Mul, y, Value::number(0.5));
  Value isWhole = compare(CompareOperator::Eq, call("tl.floor", {y}), y);
  Value isOdd = binary(BinaryOperator::And, isWhole,
                       compare(CompareOperator::Ne, call("tl.floor", {half}), half));
  Value isBelow = compare(CompareOperator::Lt, x, Value::number(0.0));
  Value signedPower =
      select(context, isOdd, unaryOperator(context, UnaryOperator::Minus, magnitude),
             select(context, isWhole, magnitude, Value::number(std::nan(""))));
  Value result = select(context, isBelow, signedPower, magnitude);
  // 1 to any power, and any base to the power of 0.
  Value isOne = binary(BinaryOperator::Or, compare(CompareOperator::Eq, x, Value::number(1.0)),
                       compare(CompareOperator::Eq, y, Value::number(0.0)));
  return select(context, isOne, Value::number(1.0), result);
}

} // namespace kiln::frontend::tilelang
