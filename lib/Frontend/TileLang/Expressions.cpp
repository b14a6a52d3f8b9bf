//===- Expressions.cpp - functions of scalars, and of elements in T.Parallel ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Arguments are scalars, blocks (in `T.Parallel`) or numbers; ints stay ints known at compile time
// where Python's would. Functions of f16 and bf16 are computed in f32 and rounded to the argument's
// type. Both sides of a selection are evaluated: reads are guarded by the bounds of tensor
// arguments, not by the condition.
//
//===-----------------------------------------------------------------------------------------===//

#include "Tables.h"
#include "TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APFloat.h"

#include <cmath>

namespace kiln::frontend::tilelang {

using namespace triton;

/// The argument as a float: ints that are known become float32.
static Value floatArgument(CallContext &context, const Arguments &arguments, llvm::StringRef name) {
  const Value &given = arguments[name];
  if (given.isNumber()) {
    Value number = context.materialize(given);
    return number.isPoison() || number.type().isFloatLike() ? number
                                                            : castTo(context, number, DType::F32);
  }
  Value value = context.runtime(arguments, name);
  if (!value.isPoison() && !value.type().isFloatLike())
    return wrongArgument(context, arguments, name, value, "a float");
  return value;
}

/// The argument, numbers as they are.
static Value operand(CallContext &context, const Arguments &arguments, llvm::StringRef name) {
  const Value &given = arguments[name];
  return given.isNumber() ? given : context.runtime(arguments, name);
}

//===----------------------------------------------------------------------------------------===//
// Functions of a float
//===----------------------------------------------------------------------------------------===//

static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kFloatFunctions[] = {
    {"T.exp", "tl.exp"},          {"T.exp2", "tl.exp2"},           {"T.log", "tl.log"},
    {"T.log2", "tl.log2"},        {"T.log10", "tl.math.log10"},    {"T.log1p", "tl.math.log1p"},
    {"T.sqrt", "tl.sqrt"},        {"T.rsqrt", "tl.rsqrt"},         {"T.sin", "tl.sin"},
    {"T.cos", "tl.cos"},          {"T.tan", "tl.math.tan"},        {"T.sinh", "tl.math.sinh"},
    {"T.cosh", "tl.math.cosh"},   {"T.tanh", "tl.math.tanh"},      {"T.erf", "tl.erf"},
    {"T.sigmoid", "tl.sigmoid"},  {"T.floor", "tl.floor"},         {"T.ceil", "tl.ceil"},
    {"T.trunc", "tl.math.trunc"}, {"T.nearbyint", "tl.math.rint"},
};

static Value lowerFloatFunction(CallContext &context, const Arguments &arguments) {
  const auto *row = llvm::find_if(
      kFloatFunctions, [&](const auto &entry) { return entry.first == context.callee(); });
  Value x = floatArgument(context, arguments, "x");
  return x.isPoison() ? x
                      : castTo(context, floatFunction(context, row->second, x), x.type().dtype());
}

/// Half away from zero, as C's.
static Value lowerRound(CallContext &context, const Arguments &arguments) {
  Value x = floatArgument(context, arguments, "x");
  if (x.isPoison())
    return x;
  Value wide = castTo(context, x, widenedFloat(x.type().dtype()));
  return castTo(context, elementwise<mlir::math::RoundOp>(context, wide.type(), wide.ir()),
                x.type().dtype());
}

template <CompareOperator op, bool ofMagnitude>
static Value lowerClassify(CallContext &context, const Arguments &arguments) {
  Value x = floatArgument(context, arguments, "x");
  if (x.isPoison())
    return x;
  if (!ofMagnitude)
    return compareOperator(context, op, x, x);
  return compareOperator(context, op, context.callLanguage("tl.abs", {x}),
                         Value::number(std::numeric_limits<double>::infinity()));
}

static Value lowerPow(CallContext &context, const Arguments &arguments) {
  Value operands[] = {floatArgument(context, arguments, "x"), operand(context, arguments, "y")};
  if (operands[0].isPoison() || operands[1].isPoison())
    return Value::poison();
  DType dtype = operands[0].type().dtype();
  operands[0] = castTo(context, operands[0], widenedFloat(dtype));
  if (std::optional<int64_t> exponent = productExponent(operands[1]))
    return castTo(context, power(context, operands[0], *exponent), dtype);
  operands[1] = castTo(context, context.materialize(operands[1]), operands[0].type().dtype());
  return castTo(context, power(context, operands[0], operands[1]), dtype);
}

static Value lowerFma(CallContext &context, const Arguments &arguments) {
  Value operands[] = {floatArgument(context, arguments, "x"), operand(context, arguments, "y"),
                      operand(context, arguments, "z")};
  return promote(context, operands) ? context.callLanguage("tl.fma", operands) : Value::poison();
}

//===----------------------------------------------------------------------------------------===//
// Smaller, larger, chosen
//===----------------------------------------------------------------------------------------===//

static Value lowerAbs(CallContext &context, const Arguments &arguments) {
  const Value &given = arguments["x"];
  if (const Integer *number = given.asInt())
    return Value::integer(number->isNegative() ? -*number : *number);
  if (const double *number = given.asFloat())
    return Value::number(std::fabs(*number));
  Value x = context.runtime(arguments, "x");
  return x.isPoison() ? x : context.callLanguage("tl.abs", {x});
}

template <bool isMax> static Value lowerExtremum(CallContext &context, const Arguments &arguments) {
  Value operands[] = {operand(context, arguments, "a"), operand(context, arguments, "b")};
  if (operands[0].isNumber() && operands[1].isNumber()) {
    Value isFirst = context.compare(isMax ? CompareOperator::Ge : CompareOperator::Le, operands[0],
                                    operands[1]);
    return isFirst.asBool() ? operands[*isFirst.asBool() ? 0 : 1] : Value::poison();
  }
  return promote(context, operands)
             ? extremum(context, isMax, /*nan=*/false, operands[0], operands[1])
             : Value::poison();
}

/// Keeps a NaN.
static Value lowerClamp(CallContext &context, const Arguments &arguments) {
  Value operands[] = {operand(context, arguments, "x"), operand(context, arguments, "min_val"),
                      operand(context, arguments, "max_val")};
  if (!promote(context, operands))
    return Value::poison();
  Value atLeast = extremum(context, /*isMax=*/true, /*nan=*/true, operands[0], operands[1]);
  return extremum(context, /*isMax=*/false, /*nan=*/true, atLeast, operands[2]);
}

static Value lowerChoice(CallContext &context, const Arguments &arguments) {
  const Value &condition = arguments["condition"];
  if (condition.isNumber())
    return context.read(
        arguments[context.boolConst(arguments, "condition").value_or(false) ? "true_value"
                                                                            : "false_value"]);
  Value mask = context.runtime(arguments, "condition");
  Value yes = operand(context, arguments, "true_value");
  Value no = operand(context, arguments, "false_value");
  if (mask.isPoison() || yes.isPoison() || no.isPoison())
    return Value::poison();
  return select(context, mask, yes, no);
}

//===----------------------------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------------------------===//

template <BinaryOperator op> static Value lowerBinary(CallContext &context, const Arguments &args) {
  return context.binary(op, operand(context, args, "a"), operand(context, args, "b"));
}

static Value lowerNot(CallContext &context, const Arguments &arguments) {
  return context.unary(UnaryOperator::Invert, operand(context, arguments, "x"));
}

/// For divisors above 0.
static Value lowerCeilDiv(CallContext &context, const Arguments &arguments) {
  return context.callLanguage("tl.cdiv",
                              {operand(context, arguments, "a"), operand(context, arguments, "b")});
}

/// Towards zero: of two ints by way of their magnitudes.
template <bool isQuotient> static Value lowerTrunc(CallContext &context, const Arguments &args) {
  constexpr BinaryOperator op = isQuotient ? BinaryOperator::FloorDiv : BinaryOperator::Mod;
  Value a = operand(context, args, "a"), b = operand(context, args, "b");
  const Integer *x = a.asInt(), *y = b.asInt();
  if (!x || !y)
    return binaryOperator(context, op, a, b);
  auto magnitude = [](const Integer &number) {
    return Value::integer(number.isNegative() ? -number : number);
  };
  Value result = context.binary(op, magnitude(*x), magnitude(*y));
  bool isBelow = isQuotient ? x->isNegative() != y->isNegative() : x->isNegative();
  return result.asInt() && isBelow ? Value::integer(-*result.asInt()) : result;
}

//===----------------------------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------------------------===//

static Value convert(CallContext &context, const Arguments &arguments, DType to) {
  const Value &given = arguments["value"];
  if (given.isNumber() && (isFloat(to) || !given.asFloat()))
    return context.materializeAs(given, to);
  Value value = context.runtime(arguments, "value");
  return value.isPoison() ? value : castTo(context, value, to);
}

static Value lowerCast(CallContext &context, const Arguments &arguments) {
  std::optional<DType> dtype = dtypeArgument(context, arguments, "dtype");
  return dtype ? convert(context, arguments, *dtype) : Value::poison();
}

/// `T.float32(x)`
static Value lowerTypeCall(CallContext &context, const Arguments &arguments) {
  const Type &type = *arguments["self"].asType();
  return convert(context, arguments, type.dtype());
}

/// The same bits; the type may stand first or last.
static Value lowerReinterpret(CallContext &context, const Arguments &arguments) {
  bool typeFirst = arguments[0].asString() || arguments[0].asType();
  const std::string &typeName = arguments.bound[typeFirst ? 0 : 1].name;
  std::optional<DType> dtype = dtypeArgument(context, arguments, typeName);
  Value value = context.runtime(arguments, arguments.bound[typeFirst ? 1 : 0].name);
  if (!dtype || value.isPoison())
    return Value::poison();
  return context.callLanguage("tl.cast",
                              {value, Value::type(*dtype), Value::none(), Value::boolean(true)});
}

/// The limits of a type as numbers, which take the type of what they meet.
template <bool isMax> static Value lowerLimit(CallContext &context, const Arguments &arguments) {
  std::optional<DType> dtype = dtypeArgument(context, arguments, "dtype");
  if (!dtype)
    return Value::poison();
  if (isFloat(*dtype)) {
    auto type = mlir::cast<mlir::FloatType>(mlirType(*dtype, context.mlirContext()));
    return Value::number(
        llvm::APFloat::getLargest(type.getFloatSemantics(), !isMax).convertToDouble());
  }
  unsigned bits = bitWidth(*dtype) - (isSigned(*dtype) ? 1 : 0);
  Value power = context.binary(BinaryOperator::Shl, Value::integer(1), Value::integer(bits));
  if (isMax)
    return context.binary(BinaryOperator::Sub, power, Value::integer(1));
  return isSigned(*dtype) ? context.unary(UnaryOperator::Minus, power) : Value::integer(0);
}

static Value lowerInfinity(CallContext &context, const Arguments &arguments) {
  std::optional<DType> dtype = dtypeArgument(context, arguments, "dtype");
  if (!dtype)
    return Value::poison();
  if (isFloat(*dtype))
    return Value::number(std::numeric_limits<double>::infinity());
  return wrongArgument(context, arguments, "dtype", info(*dtype).languageName, "a float type");
}

static Value lowerIdentity(CallContext &context, const Arguments &arguments) {
  return operand(context, arguments, "x");
}

void addExpressions(Vocabulary &vocabulary) {
  for (const auto &[name, function] : kFloatFunctions)
    vocabulary.add({{name, "x", lowerFloatFunction}});
  static constexpr llvm::StringLiteral kChoice = "condition, true_value, false_value";
  static constexpr LanguageEntry kEntries[] = {
      {"T.round", "x", lowerRound},
      {"T.isnan", "x", lowerClassify<CompareOperator::Ne, false>},
      {"T.isinf", "x", lowerClassify<CompareOperator::Eq, true>},
      {"T.isfinite", "x", lowerClassify<CompareOperator::Lt, true>},
      {"T.pow", "x, y", lowerPow},
      {"T.fma", "x, y, z", lowerFma},
      {"T.abs", "x", lowerAbs},
      {"T.max", "a, b", lowerExtremum<true>},
      {"T.min", "a, b", lowerExtremum<false>},
      {"T.clamp", "x, min_val, max_val", lowerClamp},
      {"T.if_then_else", kChoice, lowerChoice},
      {"T.Select", kChoice, lowerChoice},
      {"T.where", kChoice, lowerChoice},
      {"T.ceildiv", "a, b", lowerCeilDiv},
      {"T.floordiv", "a, b", lowerBinary<BinaryOperator::FloorDiv>},
      {"T.floormod", "a, b", lowerBinary<BinaryOperator::Mod>},
      {"T.truncdiv", "a, b", lowerTrunc<true>},
      {"T.truncmod", "a, b", lowerTrunc<false>},
      {"T.shift_left", "a, b", lowerBinary<BinaryOperator::Shl>},
      {"T.shift_right", "a, b", lowerBinary<BinaryOperator::Shr>},
      {"T.bitwise_and", "a, b", lowerBinary<BinaryOperator::And>},
      {"T.bitwise_or", "a, b", lowerBinary<BinaryOperator::Or>},
      {"T.bitwise_xor", "a, b", lowerBinary<BinaryOperator::Xor>},
      {"T.bitwise_not", "x", lowerNot},
      {"T.cast", "value, dtype", lowerCast},
      {"T.Cast", "dtype, value", lowerCast},
      {"dtype.__call__", "self, value", lowerTypeCall},
      {"T.reinterpret", "value, dtype", lowerReinterpret},
      {"T.infinity", "dtype", lowerInfinity},
      {"T.max_value", "dtype", lowerLimit<true>},
      {"T.min_value", "dtype", lowerLimit<false>},
      {"T.likely", "x", lowerIdentity},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::tilelang
