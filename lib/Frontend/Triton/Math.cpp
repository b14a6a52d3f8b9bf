//===- Math.cpp - mathematical functions -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Functions take float32 and float64, as Triton's do: f16 and bf16 are converted by the author,
// who then sees where precision goes.
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"
#include "Tables.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace kiln::frontend::triton {

namespace arith = mlir::arith;
namespace math = mlir::math;

static constexpr DType kFloats[] = {DType::F32, DType::F64};

/// The one argument, float32 or float64.
static Value floatArgument(CallContext &context, const Arguments &arguments) {
  Value value = context.runtime(arguments, "x");
  return expectDType(context, value, "x", kFloats) ? value : Value::poison();
}

template <typename Op> static Value lowerUnary(CallContext &context, const Arguments &arguments) {
  Value value = floatArgument(context, arguments);
  return value.isPoison() ? value : elementwise<Op>(context, value.type(), value.ir());
}

static Value lowerSqrtRn(CallContext &context, const Arguments &arguments) {
  Value value = context.runtime(arguments, "x");
  if (!expectDType(context, value, "x", {DType::F32}))
    return Value::poison();
  return elementwise<math::SqrtOp>(context, value.type(), value.ir());
}

template <typename Op> static Value lowerTwo(CallContext &context, const Arguments &arguments) {
  Value operands[] = {arguments["x"], arguments["y"]};
  if (!promote(context, operands) || !expectDType(context, operands[0], "x", kFloats))
    return Value::poison();
  return elementwise<Op>(context, operands[0].type(), operands[0].ir(), operands[1].ir());
}

//===----------------------------------------------------------------------------------------===//
// Classification
//===----------------------------------------------------------------------------------------===//

static Value lowerIsNan(CallContext &context, const Arguments &arguments) {
  Value value = floatArgument(context, arguments);
  return value.isPoison() ? value : compareOperator(context, CompareOperator::Ne, value, value);
}

template <CompareOperator op>
static Value compareMagnitude(CallContext &context, const Arguments &arguments) {
  Value value = floatArgument(context, arguments);
  if (value.isPoison())
    return value;
  Value magnitude = elementwise<math::AbsFOp>(context, value.type(), value.ir());
  return compareOperator(context, op, magnitude,
                         Value::number(std::numeric_limits<double>::infinity()));
}

//===----------------------------------------------------------------------------------------===//
// Composed functions
//===----------------------------------------------------------------------------------------===//

/// 1 / (1 + exp(-x))
static Value lowerSigmoid(CallContext &context, const Arguments &arguments) {
  Value value = floatArgument(context, arguments);
  Value exponential = unaryOperator(context, UnaryOperator::Minus, value);
  if (exponential.isPoison())
    return exponential;
  exponential = elementwise<math::ExpOp>(context, value.type(), exponential.ir());
  Value sum = binaryOperator(context, BinaryOperator::Add, Value::number(1.0), exponential);
  return binaryOperator(context, BinaryOperator::Div, Value::number(1.0), sum);
}

/// exp(x - max) / sum along `dim` (the first dimension where it is absent); the shape is kept.
static Value lowerSoftmax(CallContext &context, const Arguments &arguments) {
  Value value = floatArgument(context, arguments);
  std::optional<bool> ieee = context.boolConst(arguments, "ieee_rounding");
  if (value.isPoison() || !ieee)
    return Value::poison();
  if (!arguments["keep_dims"].isNone())
    context.warning("keep_dims of tl.softmax has no effect: the shape is always kept");
  Value axis = arguments["dim"].isNone() ? Value::integer(0) : arguments["dim"];
  std::pair<std::string, Value> keep[] = {{"keep_dims", Value::boolean(true)}};
  Value largest = context.callLanguage("tl.max", {value, axis}, keep);
  Value shifted = binaryOperator(context, BinaryOperator::Sub, value, largest);
  if (shifted.isPoison())
    return shifted;
  Value terms = elementwise<math::ExpOp>(context, shifted.type(), shifted.ir());
  Value sum = context.callLanguage("tl.sum", {terms, axis}, keep);
  return binaryOperator(context, BinaryOperator::Div, terms, sum);
}

//===----------------------------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------------------------===//

static constexpr LanguageEntry kEntries[] = {
    {"tl.exp", "x", lowerUnary<math::ExpOp>},
    {"tl.exp2", "x", lowerUnary<math::Exp2Op>},
    {"tl.log", "x", lowerUnary<math::LogOp>},
    {"tl.log2", "x", lowerUnary<math::Log2Op>},
    {"tl.sin", "x", lowerUnary<math::SinOp>},
    {"tl.cos", "x", lowerUnary<math::CosOp>},
    {"tl.sqrt", "x", lowerUnary<math::SqrtOp>},
    {"tl.sqrt_rn", "x", lowerSqrtRn},
    {"tl.rsqrt", "x", lowerUnary<math::RsqrtOp>},
    {"tl.erf", "x", lowerUnary<math::ErfOp>},
    {"tl.floor", "x", lowerUnary<math::FloorOp>},
    {"tl.ceil", "x", lowerUnary<math::CeilOp>},
    {"tl.sigmoid", "x", lowerSigmoid},
    {"tl.softmax", "x, dim=None, keep_dims=None, ieee_rounding=False", lowerSoftmax},
    {"tl.math.tanh", "x", lowerUnary<math::TanhOp>},
    {"tl.math.tan", "x", lowerUnary<math::TanOp>},
    {"tl.math.sinh", "x", lowerUnary<math::SinhOp>},
    {"tl.math.cosh", "x", lowerUnary<math::CoshOp>},
    {"tl.math.log10", "x", lowerUnary<math::Log10Op>},
    {"tl.math.log1p", "x", lowerUnary<math::Log1pOp>},
    {"tl.math.expm1", "x", lowerUnary<math::ExpM1Op>},
    {"tl.math.isnan", "x", lowerIsNan},
    {"tl.math.isinf", "x", compareMagnitude<CompareOperator::Eq>},
    {"tl.math.isfinited", "x", compareMagnitude<CompareOperator::Lt>},
    {"tl.math.finitef", "x", compareMagnitude<CompareOperator::Lt>},
    {"tl.math.rint", "x", lowerUnary<math::RoundEvenOp>},
    {"tl.math.trunc", "x", lowerUnary<math::TruncOp>},
    {"tl.math.copysign", "x, y", lowerTwo<math::CopySignOp>},
};

/// Functions that `tl.math` has as well; `libdevice` names all of both.
static constexpr llvm::StringLiteral kShared[] = {
    "abs", "add",   "ceil", "clamp", "cos",   "div_rn", "erf",  "exp",     "exp2",   "fdiv",
    "fma", "floor", "log",  "log2",  "rsqrt", "sin",    "sqrt", "sqrt_rn", "umulhi",
};

/// libdevice's fast variants and other spellings: the accurate function is within their bounds.
static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kOtherSpellings[] = {
    {"div_full_range", "tl.fdiv"},     {"fast_cosf", "tl.cos"},        {"fast_dividef", "tl.fdiv"},
    {"fast_expf", "tl.exp"},           {"fast_log2f", "tl.log2"},      {"fast_logf", "tl.log"},
    {"fast_sinf", "tl.sin"},           {"fast_tanhf", "tl.math.tanh"}, {"fma_rn", "tl.fma"},
    {"isfinite", "tl.math.isfinited"}, {"nearbyint", "tl.math.rint"},  {"rsqrt_rn", "tl.rsqrt"},
};

void addMath(Vocabulary &vocabulary) {
  vocabulary.add(kEntries);
  auto also = [&](llvm::StringRef space, llvm::StringRef name, llvm::StringRef canonical) {
    vocabulary.addAlias((space + "." + name).str(), canonical);
  };
  for (llvm::StringRef name : kShared) {
    std::string canonical = ("tl." + name).str();
    also("tl.math", name, canonical);
    also("tl.extra.libdevice", name, canonical);
  }
  for (const LanguageEntry &entry : kEntries) {
    llvm::StringRef name = entry.name;
    if (name.consume_front("tl.math."))
      also("tl.extra.libdevice", name, entry.name);
  }
  for (const auto &[name, canonical] : kOtherSpellings)
    also("tl.extra.libdevice", name, canonical);
  vocabulary.addAlias("tl.extra.cuda.libdevice", "tl.extra.libdevice");
}

} // namespace kiln::frontend::triton
