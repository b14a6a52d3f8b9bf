//===- Casts.cpp - conversions between element types -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"
#include "Tables.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

namespace kiln::frontend::triton {

using llvm::Twine;
namespace arith = mlir::arith;

template <typename Op>
static Value convert(CallContext &context, const Value &value, const Type &type) {
  return Value::runtime(context.fold<Op>(type.mlir(context.mlirContext()), value.ir()), type);
}

static mlir::Value zeroOf(CallContext &context, const Type &type) {
  return type.isFloatLike() ? context.constant(type, 0.0) : context.constant(type, Integer(0));
}

Value toBool(CallContext &context, const Value &value) {
  if (value.isPoison())
    return value;
  const Type &type = value.type();
  if (type.isPointer())
    return toBool(context, convert<tile::PtrToIntOp>(context, value, type.withDType(DType::I64)));
  if (isBool(type.dtype()))
    return value;
  Type result = type.withDType(DType::I1);
  mlir::Value zero = zeroOf(context, type);
  if (type.isFloatLike())
    return elementwise<arith::CmpFOp>(context, result, arith::CmpFPredicate::UNE, value.ir(), zero);
  return elementwise<arith::CmpIOp>(context, result, arith::CmpIPredicate::ne, value.ir(), zero);
}

static Value castFloat(CallContext &context, const Value &value, DType to) {
  DType from = value.type().dtype();
  Type type = value.type().withDType(to);
  if (bitWidth(from) < bitWidth(to))
    return convert<arith::ExtFOp>(context, value, type);
  if (bitWidth(from) > bitWidth(to))
    return convert<arith::TruncFOp>(context, value, type);
  // f16 ↔ bf16: exact in f32, so this rounds once.
  return castFloat(context, castFloat(context, value, DType::F32), to);
}

static Value castInteger(CallContext &context, const Value &value, DType to) {
  DType from = value.type().dtype();
  Type type = value.type().withDType(to);
  if (bitWidth(from) == bitWidth(to)) // signedness is not in the IR
    return Value::runtime(value.ir(), type);
  if (bitWidth(from) > bitWidth(to))
    return convert<arith::TruncIOp>(context, value, type);
  return isSigned(from) ? convert<arith::ExtSIOp>(context, value, type)
                        : convert<arith::ExtUIOp>(context, value, type);
}

Value castTo(CallContext &context, const Value &value, DType to) {
  if (value.isPoison())
    return value;
  DType from = value.type().dtype();
  if (!info(to).isSupported)
    return context.error("conversion to " + info(to).languageName + " is not there yet");
  Type type = value.type().isPointer() ? Type(to).withShape(value.type().shape())
                                       : value.type().withDType(to);
  if (value.type().isPointer()) {
    if (isBool(to))
      return toBool(context, value);
    if (isInteger(to) && bitWidth(to) == 64)
      return convert<tile::PtrToIntOp>(context, value, type);
    return context.error("cannot convert " + describe(value) + " to " + info(to).languageName +
                         ", expected int64 or uint64");
  }
  if (from == to)
    return value;
  if (isBool(to))
    return toBool(context, value);
  if (isFloat(from) && isFloat(to))
    return castFloat(context, value, to);
  if (isInteger(from) && isInteger(to))
    return castInteger(context, value, to);
  if (isFloat(from))
    return isSigned(to) ? convert<arith::FPToSIOp>(context, value, type)
                        : convert<arith::FPToUIOp>(context, value, type);
  return isSigned(from) ? convert<arith::SIToFPOp>(context, value, type)
                        : convert<arith::UIToFPOp>(context, value, type);
}

//===----------------------------------------------------------------------------------------===//
// Rounding towards zero, bit casts, pointers
//===----------------------------------------------------------------------------------------===//

/// The same bits as `to`; equal widths.
static Value reinterpret(CallContext &context, const Value &value, DType to) {
  Type type = value.type().withDType(to);
  if (isInteger(value.type().dtype()) && isInteger(to))
    return Value::runtime(value.ir(), type);
  return convert<arith::BitcastOp>(context, value, type);
}

/// Rounds to nearest, and where that grew the magnitude steps one back: bits as an integer,
/// minus 1.
static Value truncateTowardsZero(CallContext &context, const Value &value, DType to) {
  Value rounded = castFloat(context, value, to);
  DType bits = bitWidth(to) == 16 ? DType::I16 : DType::I32;
  auto magnitude = [&](const Value &x) {
    return context.callLanguage("tl.abs", {castTo(context, x, value.type().dtype())});
  };
  Value grew = compareOperator(context, CompareOperator::Gt, magnitude(rounded), magnitude(value));
  Value asBits = reinterpret(context, rounded, bits);
  Value stepped = binaryOperator(context, BinaryOperator::Sub, asBits, Value::integer(1));
  return reinterpret(context, select(context, grew, stepped, asBits), to);
}

static Value bitcast(CallContext &context, const Value &value, const Type &to) {
  const Type &from = value.type();
  if (from.isPointer() && to.isPointer()) {
    Type type = to.withShape(from.shape());
    return convert<tile::PtrCastOp>(context, value, type);
  }
  if (from.isPointer() || to.isPointer() || bitWidth(from.dtype()) != bitWidth(to.dtype()))
    return context.error("cannot bitcast " + describe(value) + " to " + to.str() +
                         ", expected a type of the same width");
  if (!info(to.dtype()).isSupported)
    return context.error("conversion to " + to.str() + " is not there yet");
  return reinterpret(context, value, to.dtype());
}

/// Conversion from or to pointers.
static Value castPointer(CallContext &context, const Value &value, const Type &to) {
  if (value.type().isPointer())
    return to.isPointer() ? bitcast(context, value, to) : castTo(context, value, to.dtype());
  if (!value.type().isIntegerLike() || bitWidth(value.type().dtype()) != 64)
    return context.error("cannot convert " + describe(value) + " to " + to.str() +
                         ", expected int64 or uint64");
  return convert<tile::IntToPtrOp>(context, value, to.withShape(value.type().shape()));
}

static Value lowerCast(CallContext &context, const Arguments &arguments) {
  std::optional<Type> to = context.typeConst(arguments, "dtype");
  std::optional<bool> isBitcast = context.boolConst(arguments, "bitcast");
  Value value = context.runtime(arguments, "input");
  if (!to || !isBitcast || value.isPoison())
    return Value::poison();
  bool towardsZero = false;
  if (!arguments["fp_downcast_rounding"].isNone()) {
    std::optional<std::string> mode = context.stringConst(arguments, "fp_downcast_rounding");
    if (!mode)
      return Value::poison();
    if (*mode != "rtne" && *mode != "rtz")
      return wrongArgument(context, arguments, "fp_downcast_rounding", "'" + *mode + "'",
                           "'rtne' or 'rtz'");
    if (!value.type().isFloatLike() || !to->isFloatLike() ||
        bitWidth(to->dtype()) >= bitWidth(value.type().dtype()))
      return wrongArgument(context, arguments, "fp_downcast_rounding",
                           "a conversion of " + value.type().scalar().str() + " to " + to->str(),
                           "one to a narrower float type");
    towardsZero = *mode == "rtz";
  }
  if (*isBitcast)
    return bitcast(context, value, *to);
  if (value.type().isPointer() || to->isPointer())
    return castPointer(context, value, *to);
  if (towardsZero && info(to->dtype()).isSupported)
    return truncateTowardsZero(context, value, to->dtype());
  return castTo(context, value, to->dtype());
}

void addCasts(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"tl.cast", "input, dtype, fp_downcast_rounding=None, bitcast=False", lowerCast},
      {"tensor.to", "self, dtype, fp_downcast_rounding=None, bitcast=False",
       [](CallContext &context, const Arguments &arguments) {
         return context.callLanguage("tl.cast",
                                     {arguments["self"], arguments["dtype"],
                                      arguments["fp_downcast_rounding"], arguments["bitcast"]});
       }},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::triton
