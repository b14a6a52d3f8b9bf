//===- Arithmetic.cpp - arithmetic by name ---------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"
#include "Tables.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace kiln::frontend::triton {

using llvm::Twine;
namespace arith = mlir::arith;

Value wrongArgument(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                    const Twine &found, const Twine &expected) {
  return context.errorAt(arguments, name,
                         "argument '" + name + "' of " + context.callee() + ": found " + found +
                             ", expected " + expected);
}

Value wrongArgument(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                    const Value &found, const Twine &expected) {
  return found.isPoison() ? found
                          : wrongArgument(context, arguments, name, describe(found), expected);
}

bool expectDType(CallContext &context, const Value &value, llvm::StringRef name, DTypes dtypes) {
  if (value.isPoison())
    return false;
  const Type &type = value.type();
  if (!type.isPointer() && llvm::is_contained(dtypes, type.dtype()))
    return true;
  std::string expected;
  for (auto [index, dtype] : llvm::enumerate(dtypes)) {
    llvm::StringRef separator = index == 0 ? "" : index + 1 == dtypes.size() ? " or " : ", ";
    expected += (separator + info(dtype).languageName).str();
  }
  context.error("argument '" + name + "' of " + context.callee() + ": found " + describe(value) +
                ", expected " + expected);
  return false;
}

//===----------------------------------------------------------------------------------------===//
// Operators by name
//===----------------------------------------------------------------------------------------===//

template <BinaryOperator op> static Value lowerBinary(CallContext &context, const Arguments &args) {
  return binaryOperator(context, op, args[0], args[1]);
}

/// Operands of a float division in their common type, below 32 bits in f32.
static bool floatOperands(CallContext &context, const Arguments &arguments,
                          llvm::MutableArrayRef<Value> operands) {
  if (!promote(context, operands, {.division = true}))
    return false;
  if (operands[0].type().isFloatLike())
    return true;
  context.error("operands of " + context.callee() + " are " + describe(arguments["x"]) + " and " +
                describe(arguments["y"]) + ", expected at least one float");
  return false;
}

/// Division is IEEE's in every form: that is within the bounds of the approximate one too.
static Value lowerFdiv(CallContext &context, const Arguments &arguments) {
  Value operands[] = {arguments["x"], arguments["y"]};
  std::optional<bool> ieee = context.boolConst(arguments, "ieee_rounding");
  std::optional<bool> approximate = context.boolConst(arguments, "approx");
  if (!ieee || !approximate || !floatOperands(context, arguments, operands))
    return Value::poison();
  if (*ieee && *approximate)
    return wrongArgument(context, arguments, "approx", "True together with ieee_rounding",
                         "at most one of them");
  if (*approximate && !expectDType(context, operands[0], "x", {DType::F32}))
    return Value::poison();
  return elementwise<arith::DivFOp>(context, operands[0].type(), operands[0].ir(),
                                    operands[1].ir());
}

static Value lowerDivRn(CallContext &context, const Arguments &arguments) {
  Value operands[] = {arguments["x"], arguments["y"]};
  if (!floatOperands(context, arguments, operands))
    return Value::poison();
  return elementwise<arith::DivFOp>(context, operands[0].type(), operands[0].ir(),
                                    operands[1].ir());
}

static Value lowerFma(CallContext &context, const Arguments &arguments) {
  Value operands[] = {arguments["x"], arguments["y"], arguments["z"]};
  if (!promote(context, operands) ||
      !expectDType(context, operands[0], "x", {DType::F16, DType::BF16, DType::F32, DType::F64}))
    return Value::poison();
  return elementwise<mlir::math::FmaOp>(context, operands[0].type(), operands[0].ir(),
                                        operands[1].ir(), operands[2].ir());
}

/// `(x + div - 1) // div`; of two constants a constant.
static Value lowerCdiv(CallContext &context, const Arguments &arguments) {
  const Value &x = arguments["x"], &div = arguments["div"];
  Value sum = context.binary(BinaryOperator::Add, x, div);
  if (!sum.isPoison())
    sum = context.binary(BinaryOperator::Sub, sum, Value::integer(1));
  return sum.isPoison() ? sum : context.binary(BinaryOperator::FloorDiv, sum, div);
}

/// The high half of the unsigned product.
static Value lowerUmulhi(CallContext &context, const Arguments &arguments) {
  Value operands[] = {arguments["x"], arguments["y"]};
  if (!promote(context, operands) ||
      !expectDType(context, operands[0], "x", {DType::I32, DType::I64, DType::U32, DType::U64}))
    return Value::poison();
  auto op = context.create<arith::MulUIExtendedOp>(operands[0].ir(), operands[1].ir());
  return Value::runtime(op.getHigh(), operands[0].type());
}

//===----------------------------------------------------------------------------------------===//
// Minimum, maximum, clamp
//===----------------------------------------------------------------------------------------===//

/// `propagate_nan`; nothing after an error.
static std::optional<bool> propagatesNan(CallContext &context, const Arguments &arguments) {
  const Value &value = arguments["propagate_nan"];
  std::string word = value.asString()     ? *value.asString()
                     : value.asLanguage() ? value.asLanguage()->name
                                          : std::string();
  if (word == "all" || word == "tl.PropagateNan.ALL")
    return true;
  if (word == "none" || word == "tl.PropagateNan.NONE")
    return false;
  wrongArgument(context, arguments, "propagate_nan", value,
                "tl.PropagateNan.ALL or tl.PropagateNan.NONE");
  return std::nullopt;
}

Value extremum(CallContext &context, bool isMax, bool nan, const Value &a, const Value &b) {
  const Type &type = a.type();
  auto make = [&]<typename Op>() { return elementwise<Op>(context, type, a.ir(), b.ir()); };
  if (type.isFloatLike()) {
    if (nan)
      return isMax ? make.operator()<arith::MaximumFOp>() : make.operator()<arith::MinimumFOp>();
    return isMax ? make.operator()<arith::MaxNumFOp>() : make.operator()<arith::MinNumFOp>();
  }
  if (isSigned(type.dtype()))
    return isMax ? make.operator()<arith::MaxSIOp>() : make.operator()<arith::MinSIOp>();
  return isMax ? make.operator()<arith::MaxUIOp>() : make.operator()<arith::MinUIOp>();
}

template <bool isMax> static Value lowerExtremum(CallContext &context, const Arguments &arguments) {
  Value operands[] = {arguments["x"], arguments["y"]};
  std::optional<bool> nan = propagatesNan(context, arguments);
  if (!nan || !promote(context, operands))
    return Value::poison();
  return extremum(context, isMax, *nan, operands[0], operands[1]);
}

/// max, then min: a NaN of x becomes `min` unless it is propagated.
static Value lowerClamp(CallContext &context, const Arguments &arguments) {
  Value operands[] = {arguments["x"], arguments["min"], arguments["max"]};
  std::optional<bool> nan = propagatesNan(context, arguments);
  if (!nan || !promote(context, operands))
    return Value::poison();
  Value atLeast = extremum(context, true, *nan, operands[0], operands[1]);
  return extremum(context, false, *nan, atLeast, operands[2]);
}

static Value lowerWhere(CallContext &context, const Arguments &arguments) {
  Value condition = context.runtime(arguments, "condition");
  for (llvm::StringRef name : {"x", "y"})
    if (!isOperand(arguments[name]))
      return wrongArgument(context, arguments, name, arguments[name], "a tensor or a number");
  return select(context, condition, arguments["x"], arguments["y"]);
}

/// What `abs` keeps is the type: unsigned integers are their own.
static Value lowerAbs(CallContext &context, const Arguments &arguments) {
  Value value = context.runtime(arguments, "x");
  if (value.isPoison())
    return value;
  const Type &type = value.type();
  if (type.isPointer())
    return wrongArgument(context, arguments, "x", value, "a number");
  if (type.isFloatLike())
    return elementwise<mlir::math::AbsFOp>(context, type, value.ir());
  return isSigned(type.dtype()) ? elementwise<mlir::math::AbsIOp>(context, type, value.ir())
                                : value;
}

void addArithmetic(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"tl.add", "x, y, sanitize_overflow=True", lowerBinary<BinaryOperator::Add>},
      {"tl.sub", "x, y, sanitize_overflow=True", lowerBinary<BinaryOperator::Sub>},
      {"tl.mul", "x, y, sanitize_overflow=True", lowerBinary<BinaryOperator::Mul>},
      {"tl.fdiv", "x, y, ieee_rounding=False, approx=False", lowerFdiv},
      {"tl.div_rn", "x, y", lowerDivRn},
      {"tl.fma", "x, y, z", lowerFma},
      {"tl.cdiv", "x, div", lowerCdiv},
      {"tl.umulhi", "x, y", lowerUmulhi},
      {"tl.minimum", "x, y, propagate_nan='none'", lowerExtremum<false>},
      {"tl.maximum", "x, y, propagate_nan='none'", lowerExtremum<true>},
      {"tl.clamp", "x, min, max, propagate_nan='none'", lowerClamp},
      {"tl.where", "condition, x, y", lowerWhere},
      {"tl.abs", "x", lowerAbs},
      {"tensor.logical_and", "self, other", lowerBinary<BinaryOperator::LogicalAnd>},
      {"tensor.logical_or", "self, other", lowerBinary<BinaryOperator::LogicalOr>},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::triton
