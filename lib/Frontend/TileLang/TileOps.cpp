//===- TileOps.cpp - T.tile: arithmetic on whole tiles ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Rows say what a function computes on blocks; what its operands have to be is the same for all of
// them. Values are Triton's: functions of f16 and bf16 are computed in f32 and rounded once, sums
// and products in the element type.
//
//===-----------------------------------------------------------------------------------------===//

#include "TileOps.h"
#include "Tables.h"

namespace kiln::frontend::tilelang {

using llvm::Twine;
using namespace triton;

template <typename Row> static const Row &rowOf(CallContext &context, llvm::ArrayRef<Row> rows) {
  return *llvm::find_if(rows, [&](const Row &row) { return row.name == context.callee(); });
}

static Value store(CallContext &context, const Tile &dst, const Value &value) {
  return value.isPoison() ? value : storeRegion(context, dst.region, value);
}

/// `src`, however the call names it.
static llvm::StringRef sourceName(const Arguments &arguments) {
  return arguments.find("src") ? "src" : "src0";
}

//===----------------------------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------------------------===//

namespace {
struct Binary {
  llvm::StringLiteral name;
  Elements elements;
  Value (*compute)(CallContext &, const Value &, const Value &);
};
} // namespace

template <BinaryOperator op>
static Value apply(CallContext &context, const Value &x, const Value &y) {
  return binaryOperator(context, op, x, y);
}

template <bool isMax>
static Value applyExtremum(CallContext &context, const Value &x, const Value &y) {
  return extremum(context, isMax, /*nan=*/false, x,
                  y.type().isScalar() ? splat(context, y, x.type().shape()) : y);
}

/// IEEE's quotient in the element type: of narrow floats the one in f32, rounded.
static Value divide(CallContext &context, const Value &x, const Value &y) {
  return binaryOperator(context, BinaryOperator::Div, x, y);
}

static constexpr Binary kBinary[] = {
    {"T.tile.add", Elements::Any, apply<BinaryOperator::Add>},
    {"T.tile.sub", Elements::Any, apply<BinaryOperator::Sub>},
    {"T.tile.mul", Elements::Any, apply<BinaryOperator::Mul>},
    {"T.tile.div", Elements::Floats, divide},
    {"T.tile.max", Elements::Any, applyExtremum<true>},
    {"T.tile.min", Elements::Any, applyExtremum<false>},
    {"T.tile.bitwise_and", Elements::Integers, apply<BinaryOperator::And>},
    {"T.tile.bitwise_or", Elements::Integers, apply<BinaryOperator::Or>},
    {"T.tile.bitwise_xor", Elements::Integers, apply<BinaryOperator::Xor>},
};

static Value lowerBinary(CallContext &context, const Arguments &arguments) {
  const Binary &row = rowOf(context, llvm::ArrayRef(kBinary));
  std::optional<Tile> dst = tileArgument(context, arguments, "dst");
  if (!dst || !expectElements(context, arguments, "dst", *dst, row.elements))
    return Value::poison();
  Value x = tensorOperand(context, arguments, "src0", *dst);
  Value y = anyOperand(context, arguments, "src1", *dst);
  if (x.isPoison() || y.isPoison())
    return Value::poison();
  return store(context, *dst, row.compute(context, x, y));
}

static Value lowerPow(CallContext &context, const Arguments &arguments) {
  std::optional<Tile> dst = tileArgument(context, arguments, "dst");
  if (!dst || !expectElements(context, arguments, "dst", *dst, Elements::Floats))
    return Value::poison();
  Value base = tensorOperand(context, arguments, "base", *dst);
  Value wide = base.isPoison() ? base : castTo(context, base, widenedFloat(dst->dtype()));
  if (std::optional<int64_t> exponent = productExponent(arguments["exp"]))
    return wide.isPoison() ? wide : store(context, *dst, power(context, wide, *exponent));
  Value y = anyOperand(context, arguments, "exp", *dst);
  if (wide.isPoison() || y.isPoison())
    return Value::poison();
  return store(context, *dst, power(context, wide, castTo(context, y, wide.type().dtype())));
}

//===----------------------------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------------------------===//

namespace {
struct Unary {
  llvm::StringLiteral name;
  Elements elements;
  Value (*compute)(CallContext &, const Value &);
  /// Of `tl`, where `compute` is null.
  llvm::StringLiteral function = "";
};
} // namespace

static Value reciprocal(CallContext &context, const Value &x) {
  return binaryOperator(context, BinaryOperator::Div, Value::number(1.0), x);
}

static Value relu(CallContext &context, const Value &x) {
  Value zero = context.materializeAs(Value::integer(0), x.type().dtype());
  return applyExtremum<true>(context, x, zero);
}

/// x / (1 + exp(-x))
static Value silu(CallContext &context, const Value &x) {
  Value wide = castTo(context, x, widenedFloat(x.type().dtype()));
  Value falling =
      floatFunction(context, "tl.exp", unaryOperator(context, UnaryOperator::Minus, wide));
  Value sum = binaryOperator(context, BinaryOperator::Add, Value::number(1.0), falling);
  return binaryOperator(context, BinaryOperator::Div, wide, sum);
}

static Value magnitude(CallContext &context, const Value &x) {
  return context.callLanguage("tl.abs", {x});
}

static Value invert(CallContext &context, const Value &x) {
  return unaryOperator(context, UnaryOperator::Invert, x);
}

static constexpr Unary kUnary[] = {
    {"T.tile.exp", Elements::Floats, nullptr, "tl.exp"},
    {"T.tile.ln", Elements::Floats, nullptr, "tl.log"},
    {"T.tile.sqrt", Elements::Floats, nullptr, "tl.sqrt"},
    {"T.tile.rsqrt", Elements::Floats, nullptr, "tl.rsqrt"},
    {"T.tile.sin", Elements::Floats, nullptr, "tl.sin"},
    {"T.tile.cos", Elements::Floats, nullptr, "tl.cos"},
    {"T.tile.sigmoid", Elements::Floats, nullptr, "tl.sigmoid"},
    {"T.tile.abs", Elements::Any, magnitude},
    {"T.tile.reciprocal", Elements::Floats, reciprocal},
    {"T.tile.relu", Elements::Any, relu},
    {"T.tile.silu", Elements::Floats, silu},
    {"T.tile.bitwise_not", Elements::Integers, invert},
};

static Value lowerUnary(CallContext &context, const Arguments &arguments) {
  const Unary &row = rowOf(context, llvm::ArrayRef(kUnary));
  std::optional<Tile> dst = tileArgument(context, arguments, "dst");
  if (!dst || !expectElements(context, arguments, "dst", *dst, row.elements))
    return Value::poison();
  Value x = tensorOperand(context, arguments, sourceName(arguments), *dst);
  if (x.isPoison())
    return x;
  return store(context, *dst,
               row.compute ? row.compute(context, x) : floatFunction(context, row.function, x));
}

/// To the nearest whole number, of two the even one.
static Value lowerRound(CallContext &context, const Arguments &arguments) {
  std::optional<Tile> out = tileArgument(context, arguments, "out", "count");
  if (!out || !expectElements(context, arguments, "out", *out, Elements::Floats))
    return Value::poison();
  Value x = tensorOperand(context, arguments, "buffer", *out);
  return x.isPoison() ? x : store(context, *out, floatFunction(context, "tl.math.rint", x));
}

//===----------------------------------------------------------------------------------------===//
// A scalar, or what the destination holds, besides
//===----------------------------------------------------------------------------------------===//

/// dst += a·b
static Value accumulate(CallContext &context, const Tile &dst, const Value &a, const Value &b) {
  if (a.isPoison() || b.isPoison())
    return Value::poison();
  Value product = binaryOperator(context, BinaryOperator::Mul, a, b);
  return store(context, dst,
               binaryOperator(context, BinaryOperator::Add, load(context, dst), product));
}

static Value lowerAxpy(CallContext &context, const Arguments &arguments) {
  std::optional<Tile> dst = tileArgument(context, arguments, "dst");
  if (!dst || !expectElements(context, arguments, "dst", *dst, Elements::Any))
    return Value::poison();
  Value x = tensorOperand(context, arguments, sourceName(arguments), *dst);
  return accumulate(context, *dst, x,
                    scalarOperand(context, arguments, "scalar_value", dst->dtype()));
}

static Value lowerMulAddDst(CallContext &context, const Arguments &arguments) {
  std::optional<Tile> dst = tileArgument(context, arguments, "dst");
  if (!dst || !expectElements(context, arguments, "dst", *dst, Elements::Any))
    return Value::poison();
  Value a = tensorOperand(context, arguments, "src0", *dst);
  return accumulate(context, *dst, a, tensorOperand(context, arguments, "src1", *dst));
}

static Value lowerLeakyRelu(CallContext &context, const Arguments &arguments) {
  std::optional<Tile> dst = tileArgument(context, arguments, "dst");
  if (!dst || !expectElements(context, arguments, "dst", *dst, Elements::Floats))
    return Value::poison();
  Value x = tensorOperand(context, arguments, sourceName(arguments), *dst);
  Value slope = scalarOperand(context, arguments, "scalar_value", dst->dtype());
  if (x.isPoison() || slope.isPoison())
    return Value::poison();
  Value isAbove = compareOperator(context, CompareOperator::Ge, x, Value::number(0.0));
  Value below = binaryOperator(context, BinaryOperator::Mul, x, slope);
  return store(context, *dst, select(context, isAbove, x, below));
}

/// The amount is the same in all lanes; shifts right follow the signedness of the elements.
template <BinaryOperator op>
static Value lowerShift(CallContext &context, const Arguments &arguments) {
  std::optional<Tile> dst = tileArgument(context, arguments, "dst");
  if (!dst || !expectElements(context, arguments, "dst", *dst, Elements::Integers))
    return Value::poison();
  const Integer *known = arguments["scalar_value"].asInt();
  int64_t bits = bitWidth(dst->dtype());
  if (known && (known->isNegative() || !(*known < Integer(bits))))
    return wrongArgument(context, arguments, "scalar_value", known->str(),
                         "a shift by 0 to " + Twine(bits - 1) + " bits");
  Value x = tensorOperand(context, arguments, sourceName(arguments), *dst);
  Value amount = scalarOperand(context, arguments, "scalar_value", dst->dtype());
  if (x.isPoison() || amount.isPoison())
    return Value::poison();
  return store(context, *dst, binaryOperator(context, op, x, amount));
}

/// One bound or both, whichever the call has.
static Value lowerClamp(CallContext &context, const Arguments &arguments) {
  std::optional<Tile> out = tileArgument(context, arguments, "out", "count");
  if (!out || !expectElements(context, arguments, "out", *out, Elements::Any))
    return Value::poison();
  Value x = tensorOperand(context, arguments, "buffer", *out);
  for (auto [name, isMax] : {std::pair("min_value", true), std::pair("max_value", false)}) {
    if (!arguments.find(name))
      continue;
    Value bound = scalarOperand(context, arguments, name, out->dtype());
    if (x.isPoison() || bound.isPoison())
      return Value::poison();
    x = isMax ? applyExtremum<true>(context, x, bound) : applyExtremum<false>(context, x, bound);
  }
  return store(context, *out, x);
}

void addTileOps(Vocabulary &vocabulary) {
  static constexpr llvm::StringLiteral kTwo = "dst, src0, src1", kOne = "dst, src | dst, src0";
  static constexpr llvm::StringLiteral kScalar = "dst, src, scalar_value | dst, src0, scalar_value";
  for (const Binary &row : kBinary)
    vocabulary.add({{row.name, kTwo, byLevel<lowerBinary>}});
  for (const Unary &row : kUnary)
    vocabulary.add({{row.name, kOne, byLevel<lowerUnary>}});
  static constexpr LanguageEntry kEntries[] = {
      {"T.tile.pow", "dst, base, exp", byLevel<lowerPow>},
      {"T.tile.round", "out, buffer, count=None", byLevel<lowerRound>},
      {"T.tile.axpy", kScalar, byLevel<lowerAxpy>},
      {"T.tile.mul_add_dst", kTwo, byLevel<lowerMulAddDst>},
      {"T.tile.leaky_relu", kScalar, byLevel<lowerLeakyRelu>},
      {"T.tile.bitwise_lshift", kScalar, byLevel<lowerShift<BinaryOperator::Shl>>},
      {"T.tile.bitwise_rshift", kScalar, byLevel<lowerShift<BinaryOperator::Shr>>},
      {"T.tile.clamp", "out, buffer, min_value, max_value, count=None", byLevel<lowerClamp>},
      {"T.tile.clamp_max", "out, buffer, max_value, count=None", byLevel<lowerClamp>},
      {"T.tile.clamp_min", "out, buffer, min_value, count=None", byLevel<lowerClamp>},
  };
  vocabulary.add(kEntries);
  addTileCasts(vocabulary);
  addTileMasks(vocabulary);
  addTileShapes(vocabulary);
}

} // namespace kiln::frontend::tilelang
