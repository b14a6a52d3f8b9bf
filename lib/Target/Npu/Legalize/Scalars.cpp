//===- Scalars.cpp - what the scalar unit lacks ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Scalars outside combine regions run on the scalar unit: integers of all widths, sums, products,
// quotients, roots and comparisons of floats (image/ScalarOp.def). Other functions run on the
// vector unit, as tensors of one element:
//   %y = math.exp %x : f32   ->   tensor.splat %x : tensor<1xf32>; math.exp; tensor.extract
// which assign-cores joins with what else lies there.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalizer.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::npu::legal {
namespace {

using F = arith::CmpFPredicate;

Value onVectorUnit(Legalizer &legalizer, Operation *op) {
  ImplicitLocOpBuilder &b = legalizer.at(op);
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(tensor::SplatOp::create(b, operand, ArrayRef<int64_t>{1}).getResult());
  state.addAttributes(op->getAttrs());
  state.addTypes(RankedTensorType::get({1}, op->getResult(0).getType()));
  Value result = b.create(state)->getResult(0);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return tensor::ExtractOp::create(b, result, zero);
}

/// The scalar unit rounds to bf16 as the language does, but what the vector unit may take over has
/// to be in f32.
Value widenBf16(Legalizer &legalizer, Operation *op) {
  return op->getResult(0).getType().isBF16() ? throughF32(legalizer, op) : Value();
}

Value legalizeCmpF(Legalizer &legalizer, Operation *op) {
  auto compareOp = cast<arith::CmpFOp>(op);
  legalizer.at(op);
  if (compareOp.getLhs().getType().isBF16())
    return throughF32(legalizer, op);
  Num x = legalizer.num(compareOp.getLhs()), y = legalizer.num(compareOp.getRhs());
  return composedComparison(compareOp.getPredicate(), x, y).v;
}

template <typename Plain> Value propagateNan(Legalizer &legalizer, Operation *op) {
  if (op->getResult(0).getType().isBF16())
    return throughF32(legalizer, op);
  legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0)), y = legalizer.num(op->getOperand(1));
  Num plain = binary<Plain>(x, y);
  return select(isNan(x), x, select(isNan(y), y, plain)).v;
}

/// Dividing by 1 instead of 0 gives what the language says.
Value legalizeDivision(Legalizer &legalizer, Operation *op) {
  Value divisor = op->getOperand(1);
  APInt known;
  if (divisor.getType().isIndex() || matchPattern(divisor, m_ConstantInt(&known)))
    return nullptr;
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num y = legalizer.num(divisor);
  auto choice = arith::SelectOp::create(b, equalInt(y, y.integer(0)).v, y.integer(1).v, divisor);
  op->setOperand(1, choice);
  return nullptr;
}

Value legalizeAbsI(Legalizer &legalizer, Operation *op) {
  legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0));
  return binary<arith::MaxSIOp>(x, x.integer(0) - x).v;
}

/// Results of 8 and 16 bits are cut from 32.
Value legalizeToInteger(Legalizer &legalizer, Operation *op) {
  Type to = op->getResult(0).getType();
  if (!to.isInteger() || to.getIntOrFloatBitWidth() >= 32)
    return nullptr;
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0));
  return x.to<arith::FPToSIOp>(b.getI32Type()).to<arith::TruncIOp>(to).v;
}

Value legalizeExtended(Legalizer &legalizer, Operation *op) {
  auto product = cast<arith::MulUIExtendedOp>(op);
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num x = legalizer.num(product.getLhs()), y = legalizer.num(product.getRhs());
  Num high;
  if (x.width() <= 32) {
    Type wide = b.getI64Type();
    Num both = x.to<arith::ExtUIOp>(wide) * y.to<arith::ExtUIOp>(wide);
    high = shr(both, x.width()).to<arith::TruncIOp>(x.element());
  } else {
    high = highProduct(x, y);
  }
  product.getHigh().replaceAllUsesWith(high.v);
  return (x * y).v;
}

constexpr RuleEntry kRules[] = {
    {"arith.addf", widenBf16},
    {"arith.subf", widenBf16},
    {"arith.mulf", widenBf16},
    {"arith.divf", widenBf16},
    {"arith.negf", widenBf16},
    {"arith.maxnumf", widenBf16},
    {"arith.minnumf", widenBf16},
    {"arith.maximumf", propagateNan<arith::MaxNumFOp>},
    {"arith.minimumf", propagateNan<arith::MinNumFOp>},
    {"arith.cmpf", legalizeCmpF},
    {"arith.divsi", legalizeDivision},
    {"arith.divui", legalizeDivision},
    {"arith.remsi", legalizeDivision},
    {"arith.remui", legalizeDivision},
    {"arith.fptosi", legalizeToInteger},
    {"arith.fptoui", legalizeToInteger},
    {"arith.mului_extended", legalizeExtended},
    {"arith.remf", onVectorUnit},
    {"math.absi", legalizeAbsI},
    {"math.absf", widenBf16},
    {"math.sqrt", widenBf16},
    {"math.ceil", onVectorUnit},
    {"math.copysign", onVectorUnit},
    {"math.cos", onVectorUnit},
    {"math.cosh", onVectorUnit},
    {"math.erf", onVectorUnit},
    {"math.exp", onVectorUnit},
    {"math.exp2", onVectorUnit},
    {"math.expm1", onVectorUnit},
    {"math.floor", onVectorUnit},
    {"math.fma", onVectorUnit},
    {"math.log", onVectorUnit},
    {"math.log10", onVectorUnit},
    {"math.log1p", onVectorUnit},
    {"math.log2", onVectorUnit},
    {"math.round", onVectorUnit},
    {"math.roundeven", onVectorUnit},
    {"math.rsqrt", onVectorUnit},
    {"math.sin", onVectorUnit},
    {"math.sinh", onVectorUnit},
    {"math.tan", onVectorUnit},
    {"math.tanh", onVectorUnit},
    {"math.trunc", onVectorUnit},
};

} // namespace

ArrayRef<RuleEntry> scalarRules() { return kRules; }

} // namespace kiln::npu::legal
