//===- TileOpsCast.cpp - T.tile.cast: conversions with a rounding ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A mode says how a value is rounded that the destination cannot hold:
//
//   float to integer          to a whole number by the mode, which is then converted
//   float to itself           to a whole number by the mode; CAST_NONE changes nothing
//   float to a narrower one   to a neighbour by the mode, found from the nearest one
//   integer to float          to the nearest; other modes only where every value fits
//   the rest                  exact, whatever the mode
//
// CAST_NONE rounds like CAST_RINT where it has to.
//
//===-----------------------------------------------------------------------------------------===//

#include "TileOps.h"

namespace kiln::frontend::tilelang {

using namespace triton;

namespace {
enum class Rounding { None, Rint, Floor, Ceil, Round, Trunc, Odd };
struct Mode {
  llvm::StringLiteral name;
  Rounding rounding;
};
} // namespace

static constexpr Mode kModes[] = {
    {"CAST_NONE", Rounding::None}, {"CAST_RINT", Rounding::Rint},   {"CAST_FLOOR", Rounding::Floor},
    {"CAST_CEIL", Rounding::Ceil}, {"CAST_ROUND", Rounding::Round}, {"CAST_TRUNC", Rounding::Trunc},
    {"CAST_ODD", Rounding::Odd},
};

static std::optional<Rounding> modeArgument(CallContext &context, const Arguments &arguments) {
  std::optional<std::string> text = context.stringConst(arguments, "mode");
  if (!text)
    return std::nullopt;
  for (const Mode &mode : kModes)
    if (mode.name == *text && mode.rounding != Rounding::Odd)
      return mode.rounding;
    else if (mode.name == *text)
      return context.errorAt(arguments, "mode", "the mode " + *text + " is not there yet"),
             std::nullopt;
  wrongArgument(context, arguments, "mode", "'" + *text + "'",
                "CAST_NONE, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND or CAST_TRUNC");
  return std::nullopt;
}

/// To a whole number of the same type; narrow floats in f32, which holds them.
static Value toWhole(CallContext &context, const Value &value, Rounding rounding) {
  Value wide = castTo(context, value, widenedFloat(value.type().dtype()));
  if (wide.isPoison())
    return wide;
  auto make = [&]<typename Op>() { return elementwise<Op>(context, wide.type(), wide.ir()); };
  switch (rounding) {
  case Rounding::Floor:
    return make.operator()<mlir::math::FloorOp>();
  case Rounding::Ceil:
    return make.operator()<mlir::math::CeilOp>();
  case Rounding::Round:
    return make.operator()<mlir::math::RoundOp>();
  case Rounding::Trunc:
    return make.operator()<mlir::math::TruncOp>();
  default:
    return make.operator()<mlir::math::RoundEvenOp>();
  }
}

/// Conversion to a narrower float type. Rounding to nearest gives one of the two neighbours; where
/// the mode wants the other, it is one step away, which is ±1 on the bits: up in magnitude is +1.
static Value toNarrower(CallContext &context, const Value &value, DType to, Rounding rounding) {
  Value nearest = castTo(context, value, to);
  if (rounding == Rounding::None || rounding == Rounding::Rint || nearest.isPoison())
    return nearest;
  DType from = value.type().dtype(), bits = bitWidth(to) == 16 ? DType::I16 : DType::I32;
  auto call = [&](llvm::StringRef name, llvm::ArrayRef<Value> values) {
    return context.callLanguage(name, values);
  };
  auto compare = [&](CompareOperator op, const Value &a, const Value &b) {
    return compareOperator(context, op, a, b);
  };
  auto reinterpreted = [&](const Value &x, DType dtype) {
    return call("tl.cast", {x, Value::type(dtype), Value::none(), Value::boolean(true)});
  };
  Value number = reinterpreted(nearest, bits), back = castTo(context, nearest, from);
  auto step = [&](const Value &amount) {
    return reinterpreted(binaryOperator(context, BinaryOperator::Add, number, amount), to);
  };
  Value one = context.materializeAs(Value::integer(1), bits);
  Value minusOne = context.materializeAs(Value::integer(-1), bits);
  Value isNegative = compare(CompareOperator::Lt, number, Value::integer(0));
  switch (rounding) {
  case Rounding::Floor: {
    Value isAbove = compare(CompareOperator::Gt, back, value);
    return select(context, isAbove, step(select(context, isNegative, one, minusOne)), nearest);
  }
  case Rounding::Ceil: {
    Value isBelow = compare(CompareOperator::Lt, back, value);
    return select(context, isBelow, step(select(context, isNegative, minusOne, one)), nearest);
  }
  case Rounding::Trunc: {
    Value grew = compare(CompareOperator::Gt, call("tl.abs", {back}), call("tl.abs", {value}));
    return select(context, grew, step(minusOne), nearest);
  }
  default: { // half away from zero: a tie that went the other way is as far from the next one
    Value next = step(one), size = call("tl.abs", {value});
    auto distance = [&](const Value &a, const Value &b) {
      return binaryOperator(context, BinaryOperator::Sub, a, b);
    };
    Value below = distance(size, call("tl.abs", {back}));
    Value above = distance(call("tl.abs", {castTo(context, next, from)}), size);
    return select(context, compare(CompareOperator::Eq, below, above), next, nearest);
  }
  }
}

/// Whether the float type holds every value of the integer type.
static bool holds(DType floating, DType integer) {
  return bitWidth(integer) - (isSigned(integer) ? 1u : 0u) <= info(floating).mantissaBits + 1u;
}

static Value convert(CallContext &context, const Arguments &arguments, const Value &value, DType to,
                     Rounding rounding) {
  DType from = value.type().dtype();
  bool isNearest = rounding == Rounding::None || rounding == Rounding::Rint;
  if (isFloat(from) && (isInteger(to) || from == to)) {
    if (from == to && rounding == Rounding::None)
      return value;
    // The conversion to an integer itself cuts off.
    bool cuts = isInteger(to) && rounding == Rounding::Trunc;
    return castTo(context, cuts ? value : toWhole(context, value, rounding), to);
  }
  if (isFloat(from) && bitWidth(to) == bitWidth(from)) // f16 and bf16: exact in f32
    return toNarrower(context, castTo(context, value, DType::F32), to, rounding);
  if (isFloat(from) && bitWidth(to) < bitWidth(from))
    return toNarrower(context, value, to, rounding);
  if (isInteger(from) && isFloat(to) && !isNearest && !holds(to, from))
    return context.errorAt(arguments, "mode",
                           "a conversion of " + info(from).languageName + " to " +
                               info(to).languageName +
                               " rounds to the nearest: other modes are not there yet");
  return castTo(context, value, to);
}

Value castToNearest(CallContext &context, const Value &value, DType to) {
  bool rounds = isFloat(value.type().dtype()) && isInteger(to) && !isBool(to);
  return castTo(context, rounds ? toWhole(context, value, Rounding::Rint) : value, to);
}

static Value lowerCast(CallContext &context, const Arguments &arguments) {
  std::optional<Rounding> rounding = modeArgument(context, arguments);
  std::optional<Tile> dst = tileArgument(context, arguments, "dst", "count");
  std::optional<Tile> src = tileArgument(context, arguments, "src");
  if (!rounding || !dst || !src ||
      !expectElements(context, arguments, "dst", *dst, Elements::Any) ||
      !expectElements(context, arguments, "src", *src, Elements::Any))
    return Value::poison();
  Value value = loadLike(context, arguments, "src", *src, *dst);
  if (value.isPoison())
    return value;
  value = convert(context, arguments, value, dst->dtype(), *rounding);
  return value.isPoison() ? value : storeRegion(context, dst->region, value);
}

void addTileCasts(Vocabulary &vocabulary) {
  vocabulary.add({{"T.tile.cast", "dst, src, mode='CAST_NONE', count=None", byLevel<lowerCast>}});
}

} // namespace kiln::frontend::tilelang
