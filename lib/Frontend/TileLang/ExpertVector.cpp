//===- ExpertVector.cpp - arithmetic of the vector unit, call by call -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Tables say which instruction a call is. Arguments are taken by position: the destination, then
// the sources.
//
//===-----------------------------------------------------------------------------------------===//

#include "ExpertVector.h"

#include <cmath>

namespace kiln::frontend::tilelang::expert {

using llvm::StringLiteral;
using llvm::Twine;
using machine::Opcode;
namespace arith = mlir::arith;

//===----------------------------------------------------------------------------------------===//
// Arguments by position
//===----------------------------------------------------------------------------------------===//

std::optional<Operands> operandsOf(CallContext &context, const Arguments &arguments,
                                   size_t sources) {
  Operands operands;
  std::optional<View> dst = viewArgument(context, arguments, nameOf(arguments, 0));
  if (!dst)
    return std::nullopt;
  operands.dst = *dst;
  for (size_t index = 1; index <= sources; ++index) {
    std::optional<View> source = viewArgument(context, arguments, nameOf(arguments, index));
    if (!source)
      return std::nullopt;
    if (!expectTypeOf(context, arguments, *source, *dst))
      return std::nullopt;
    operands.sources.push_back(*source);
  }
  llvm::SmallVector<View *> views = {&operands.dst};
  for (View &source : operands.sources)
    views.push_back(&source);
  bool fits = cutToCount(context, arguments, views) && alike(context, arguments, views);
  return fits ? std::optional(operands) : std::nullopt;
}

//===----------------------------------------------------------------------------------------===//
// Single instructions
//===----------------------------------------------------------------------------------------===//

Value emitBinary(CallContext &context, const Arguments &arguments, Opcode op, const View &lhs,
                 const View &rhs, const View &dst) {
  return forEachWindow(context, arguments, {dst, lhs, rhs}, [&](Parts part) {
    context.create<npu::VBinaryOp>(op, part[1], part[2], part[0]);
  });
}

Value emitUnary(CallContext &context, const Arguments &arguments, Opcode op, const View &src,
                const View &dst) {
  return forEachWindow(context, arguments, {dst, src},
                       [&](Parts part) { context.create<npu::VUnaryOp>(op, part[1], part[0]); });
}

Value emitScalar(CallContext &context, const Arguments &arguments, Opcode op, const View &src,
                 mlir::Value scalar, const View &dst) {
  bool isLogical = op == Opcode::VShr && !isSigned(dst.dtype);
  return forEachWindow(context, arguments, {dst, src}, [&](Parts part) {
    context.create<npu::VScalarOp>(op, part[1], scalar, part[0], isLogical);
  });
}

Value emitFill(CallContext &context, const Arguments &arguments, mlir::Value scalar,
               const View &dst) {
  return forEachWindow(context, arguments, {dst},
                       [&](Parts part) { context.create<npu::VDupOp>(scalar, part[0]); });
}

//===----------------------------------------------------------------------------------------===//
// Two operands
//===----------------------------------------------------------------------------------------===//

namespace {
struct BinaryRow {
  StringLiteral name;
  Opcode buffers;
  std::optional<Opcode> scalar;
};
} // namespace

static constexpr BinaryRow kBinary[] = {
    {"T.tile.add", Opcode::VAdd, Opcode::VAdds}, {"T.tile.sub", Opcode::VSub, Opcode::VAdds},
    {"T.tile.mul", Opcode::VMul, Opcode::VMuls}, {"T.tile.div", Opcode::VDiv, std::nullopt},
    {"T.tile.max", Opcode::VMax, Opcode::VMaxs}, {"T.tile.min", Opcode::VMin, Opcode::VMins},
};

/// 1 / s, where that is exact: s is a power of two.
static std::optional<double> exactReciprocal(const Value &value) {
  double number = value.asFloat() ? *value.asFloat()
                  : value.asInt() ? value.asInt()->asDouble()
                                  : 0;
  int exponent = 0;
  bool isPower = number != 0 && std::isfinite(number) &&
                 std::abs(std::frexp(number, &exponent)) == 0.5 && std::abs(exponent) < 14;
  return isPower ? std::optional(1 / number) : std::nullopt;
}

static Value lowerBinary(CallContext &context, const Arguments &arguments) {
  const BinaryRow &row =
      *llvm::find_if(kBinary, [&](const BinaryRow &each) { return each.name == context.callee(); });
  llvm::StringRef last = nameOf(arguments, 2);
  bool isScalar = isScalarOperand(arguments[last]);
  std::optional<Operands> operands = operandsOf(context, arguments, isScalar ? 1 : 2);
  if (!operands)
    return Value::poison();
  const View &dst = operands->dst, &lhs = operands->sources[0];
  if (!expectElement(context, arguments, nameOf(arguments, 0), row.buffers, dst.dtype))
    return Value::poison();
  if (!isScalar)
    return emitBinary(context, arguments, row.buffers, lhs, operands->sources[1], dst);
  mlir::Value scalar = scalarArgument(context, arguments, last, dst.dtype);
  if (!scalar)
    return Value::poison();
  if (row.buffers == Opcode::VSub)
    scalar = isFloat(dst.dtype)
                 ? context.fold<arith::NegFOp>(scalar)
                 : context.fold<arith::SubIOp>(constantOf(context, dst.dtype, 0), scalar);
  if (row.scalar)
    return emitScalar(context, arguments, *row.scalar, lhs, scalar, dst);
  if (std::optional<double> reciprocal = exactReciprocal(arguments[last]))
    return emitScalar(context, arguments, Opcode::VMuls, lhs,
                      constantOf(context, dst.dtype, *reciprocal), dst);
  return emitWithBlock(context, arguments, row.buffers, lhs, scalar, dst);
}

//===----------------------------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------------------------===//

template <Opcode op> static Value lowerUnary(CallContext &context, const Arguments &arguments) {
  std::optional<Operands> operands = operandsOf(context, arguments, 1);
  if (!operands ||
      !expectElement(context, arguments, nameOf(arguments, 0), op, operands->dst.dtype))
    return Value::poison();
  return emitUnary(context, arguments, op, operands->sources[0], operands->dst);
}

//===----------------------------------------------------------------------------------------===//
// One operand and a scalar; three operands
//===----------------------------------------------------------------------------------------===//

template <Opcode op> static Value lowerScalar(CallContext &context, const Arguments &arguments) {
  std::optional<Operands> operands = operandsOf(context, arguments, 1);
  if (!operands ||
      !expectElement(context, arguments, nameOf(arguments, 0), op, operands->dst.dtype))
    return Value::poison();
  llvm::StringRef last = nameOf(arguments, 2);
  bool isShift = op == Opcode::VShl || op == Opcode::VShr;
  if (const Integer *amount = arguments[last].asInt();
      isShift && amount &&
      (amount->isNegative() || !(*amount < Integer(bitWidth(operands->dst.dtype)))))
    return triton::wrongArgument(context, arguments, last, amount->str(),
                                 "from 0 to " + Twine(bitWidth(operands->dst.dtype) - 1));
  mlir::Value scalar = scalarArgument(context, arguments, last, operands->dst.dtype);
  if (!scalar)
    return Value::poison();
  return emitScalar(context, arguments, op, operands->sources[0], scalar, operands->dst);
}

static Value lowerMulAdd(CallContext &context, const Arguments &arguments) {
  std::optional<Operands> operands = operandsOf(context, arguments, 2);
  if (!operands || !expectElement(context, arguments, nameOf(arguments, 0), Opcode::VMulAdd,
                                  operands->dst.dtype))
    return Value::poison();
  return forEachWindow(
      context, arguments, {operands->dst, operands->sources[0], operands->sources[1]},
      [&](Parts part) {
        context.create<npu::VTernaryOp>(Opcode::VMulAdd, part[1], part[2], part[0]);
      });
}

//===----------------------------------------------------------------------------------------===//
// From scalars
//===----------------------------------------------------------------------------------------===//

static Value lowerFill(CallContext &context, const Arguments &arguments) {
  std::optional<Operands> operands = operandsOf(context, arguments, 0);
  if (!operands ||
      !expectElement(context, arguments, nameOf(arguments, 0), Opcode::VDup, operands->dst.dtype))
    return Value::poison();
  bool isClear = arguments.size() < 2 || context.callee().ends_with("clear");
  mlir::Value scalar =
      isClear ? constantOf(context, operands->dst.dtype, 0)
              : scalarArgument(context, arguments, nameOf(arguments, 1), operands->dst.dtype);
  return scalar ? emitFill(context, arguments, scalar, operands->dst) : Value::poison();
}

Value emitIota(CallContext &context, const Arguments &arguments, mlir::Value start,
               const View &dst) {
  return forEachWindow(context, arguments, {dst},
                       [&](Parts part) { context.create<npu::VIotaOp>(start, part[0]); });
}

static Value lowerIota(CallContext &context, const Arguments &arguments) {
  std::optional<Operands> operands = operandsOf(context, arguments, 0);
  if (!operands ||
      !expectElement(context, arguments, nameOf(arguments, 0), Opcode::VIota, operands->dst.dtype))
    return Value::poison();
  mlir::Value first = scalarArgument(context, arguments, nameOf(arguments, 1), operands->dst.dtype);
  return first ? emitIota(context, arguments, first, operands->dst) : Value::poison();
}

llvm::ArrayRef<Row> vectorRows() {
  static constexpr Row kRows[] = {
      {"T.tile.add", lowerBinary},
      {"T.tile.sub", lowerBinary},
      {"T.tile.mul", lowerBinary},
      {"T.tile.div", lowerBinary},
      {"T.tile.max", lowerBinary},
      {"T.tile.min", lowerBinary},
      {"T.tile.exp", lowerUnary<Opcode::VExp>},
      {"T.tile.ln", lowerUnary<Opcode::VLn>},
      {"T.tile.abs", lowerUnary<Opcode::VAbs>},
      {"T.tile.reciprocal", lowerUnary<Opcode::VRec>},
      {"T.tile.sqrt", lowerUnary<Opcode::VSqrt>},
      {"T.tile.rsqrt", lowerUnary<Opcode::VRsqrt>},
      {"T.tile.relu", lowerUnary<Opcode::VRelu>},
      {"T.tile.leaky_relu", lowerScalar<Opcode::VLrelu>},
      {"T.tile.axpy", lowerScalar<Opcode::VAxpy>},
      {"T.tile.bitwise_lshift", lowerScalar<Opcode::VShl>},
      {"T.tile.bitwise_rshift", lowerScalar<Opcode::VShr>},
      {"T.tile.clamp_max", lowerScalar<Opcode::VMins>},
      {"T.tile.clamp_min", lowerScalar<Opcode::VMaxs>},
      {"T.tile.mul_add_dst", lowerMulAdd},
      {"T.tile.fill", lowerFill},
      {"T.tile.clear", lowerFill},
      {"T.fill", lowerFill},
      {"T.clear", lowerFill},
      {"T.tile.createvecindex", lowerIota},
  };
  return kRows;
}

} // namespace kiln::frontend::tilelang::expert
