//===- LongIntegers.cpp - 64-bit integers ----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The unit has no 64-bit arithmetic. Where analysis has shown that operands and result fit i32, an
// op computes there; what was widened for it is taken as it was. Otherwise it stays an op on i64,
// which the scalar unit runs element by element: a reported slow path.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalizer.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::npu::legal {
namespace {

/// x as i32, if it is known to fit.
Num asNarrow(Legalizer &legalizer, Num x) {
  Type i32 = legalizer.b.getI32Type();
  if (auto extension = x.v.getDefiningOp<arith::ExtSIOp>())
    return x.make(extension.getIn()).width() == 32
               ? x.make(extension.getIn())
               : x.make(extension.getIn()).to<arith::ExtSIOp>(i32);
  return legalizer.narrow.contains(x.v) ? x.to<arith::TruncIOp>(i32) : Num();
}

/// Whether the op gives the same on the low halves of operands and result that fit. A sign bit that
/// is read as a digit has another weight there, and a longer shift another meaning.
bool isSameInHalf(Legalizer &legalizer, Operation *op) {
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::ShRUIOp>(op) &&
      llvm::any_of(op->getOperands(),
                   [&](Value operand) { return !legalizer.nonNegative.contains(operand); }))
    return false;
  APInt amount;
  return !isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op) ||
         (matchPattern(op->getOperand(1), m_ConstantInt(&amount)) && amount.ult(32));
}

} // namespace

Value legalizeLong(Legalizer &legalizer, Operation *op) {
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Value result = op->getResult(0);
  bool fits =
      (isI1(result.getType()) || legalizer.narrow.contains(result)) && isSameInHalf(legalizer, op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Num x = legalizer.num(operand);
    if (fits && x.element().isInteger(64)) {
      Num narrow = asNarrow(legalizer, x);
      fits = bool(narrow.v);
      operand = narrow.v;
    }
    operands.push_back(operand);
  }
  if (fits) {
    Value narrow = rebuilt(legalizer, op, operands, b.getI32Type());
    if (isI1(result.getType()))
      return narrow;
    Value wide = legalizer.num(narrow).to<arith::ExtSIOp>(b.getI64Type()).v;
    if (legalizer.nonNegative.contains(result))
      legalizer.nonNegative.insert(wide);
    return wide;
  }
  legalizer.slowPath(op, "64-bit integers run element by element on the scalar unit: the vector "
                         "unit of " +
                             legalizer.machine.name + " has none");
  return nullptr;
}

} // namespace kiln::npu::legal
