//===- Integers.cpp - arithmetic of integers -------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// i16 and i32 are native in sums, products, extremes, shifts by one amount and bit operations. i8
// computes in i16, where sums, products and bit operations leave the high bits as they come: what
// was just cut is taken up again without a conversion. Unsigned extremes are signed ones between
// two flips of the sign bit. A shift by different amounts is five (four) selections of shifts by a
// power of two, one for each bit of the amount.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalizer.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::npu::legal {

using machine::Opcode;

/// From four products of halves that wrap.
Num highProduct(Num x, Num y) {
  unsigned half = x.width() / 2;
  int64_t mask = (int64_t(1) << half) - 1;
  Num xLow = x & mask, xHigh = shr(x, half), yLow = y & mask, yHigh = shr(y, half);
  Num middle = xHigh * yLow + shr(xLow * yLow, half);
  Num other = xLow * yHigh + (middle & mask);
  return (xHigh * yHigh + shr(middle, half) + shr(other, half));
}

namespace {

enum class Extend { Any, Sign, Zero };

Num extended(Num x, Type element, Extend how) {
  return how == Extend::Any    ? anyExtend(x, element)
         : how == Extend::Sign ? signExtend(x, element)
                               : zeroExtend(x, element);
}

/// The op on operands of i16, cut to i8 again.
Value throughI16(Legalizer &legalizer, Operation *op, Extend how) {
  ImplicitLocOpBuilder &b = legalizer.at(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(extended(legalizer.num(operand), b.getI16Type(), how).v);
  Num wide = legalizer.num(rebuilt(legalizer, op, operands, b.getI16Type()));
  // An extreme of two that fit, fits.
  bool fits = isa<arith::MaxSIOp, arith::MinSIOp>(op);
  return fits ? inRange(legalizer, wide, b.getI8Type()).v : cut(wide, b.getI8Type()).v;
}

bool isIndex(Operation *op) { return getElementTypeOrSelf(op->getResult(0).getType()).isIndex(); }
unsigned widthOf(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth();
}

/// One op of the unit on i16 and i32; on masks the bit operations are legal as they are.
template <Opcode opcode, Extend how> Value native(Legalizer &legalizer, Operation *op) {
  if (isIndex(op))
    return nullptr;
  Type type = op->getResult(0).getType();
  switch (widthOf(op)) {
  case 8:
    return throughI16(legalizer, op, how);
  case 64:
    return legalizeLong(legalizer, op);
  case 1:
    return nullptr;
  }
  // Bit operations look at 16 bits at a time, whatever the element.
  bool onBits = opcode == Opcode::VAnd || opcode == Opcode::VOr || opcode == Opcode::VNot;
  Type asked = onBits ? Type(legalizer.b.getI16Type()) : type;
  if (!legalizer.has(opcode, asked))
    legalizer.refuse(op, "found " + op->getName().getStringRef() + ", but " +
                             legalizer.machine.name + " has no " +
                             StringRef(machine::name(opcode)) + " of " + Twine(widthOf(op)) +
                             "-bit integers");
  return nullptr;
}

/// Sums and products of masks count modulo 2.
template <Opcode opcode, typename OnMasks> Value arithmetic(Legalizer &legalizer, Operation *op) {
  if (isIndex(op) || !isI1(op->getResult(0).getType()))
    return native<opcode, Extend::Any>(legalizer, op);
  legalizer.at(op);
  return binary<OnMasks>(legalizer.num(op->getOperand(0)), legalizer.num(op->getOperand(1))).v;
}

template <Opcode opcode, typename OnMasks> Value extreme(Legalizer &legalizer, Operation *op) {
  if (isIndex(op) || !isI1(op->getResult(0).getType()))
    return native<opcode, Extend::Sign>(legalizer, op);
  legalizer.at(op);
  return binary<OnMasks>(legalizer.num(op->getOperand(0)), legalizer.num(op->getOperand(1))).v;
}

template <typename Signed, typename OnMasks>
Value unsignedExtreme(Legalizer &legalizer, Operation *op) {
  if (isIndex(op))
    return nullptr;
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0)), y = legalizer.num(op->getOperand(1));
  if (isI1(x.element()))
    return binary<OnMasks>(x, y).v;
  if (x.width() == 8)
    return cut(binary<Signed>(zeroExtend(x, b.getI16Type()), zeroExtend(y, b.getI16Type())),
               x.element())
        .v;
  if (x.width() == 64)
    return legalizeLong(legalizer, op);
  // Adding the sign bit flips it, and is one instruction.
  int64_t signBit = int64_t(1) << (x.width() - 1);
  return (binary<Signed>(x + signBit, y + signBit) + signBit).v;
}

//===----------------------------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------------------------===//

bool isUniform(Value amount) {
  if (!isa<RankedTensorType>(amount.getType()))
    return matchPattern(amount, m_Constant()); // in a combine region a scalar stands for a tensor
  return amount.getDefiningOp<tensor::SplatOp>() || matchPattern(amount, m_Constant());
}

template <typename Shift, Extend how> Value shift(Legalizer &legalizer, Operation *op) {
  if (isIndex(op))
    return nullptr;
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0)), amount = legalizer.num(op->getOperand(1));
  if (x.width() == 1) // by 0, or without meaning
    return x.v;
  if (x.width() == 64)
    return legalizeLong(legalizer, op);
  if (x.width() == 8) {
    Num wide = extended(x, b.getI16Type(), how);
    Num by = zeroExtend(amount, b.getI16Type());
    APInt known;
    if (matchPattern(amount.v, m_ConstantInt(&known)))
      by = wide.integer(known.getZExtValue());
    return cut(binary<Shift>(wide, by), x.element()).v;
  }
  if (isUniform(amount.v))
    return nullptr;
  for (int64_t bit = 1; bit < x.width(); bit *= 2)
    x = select(differInt(amount & bit, 0), binary<Shift>(x, x.integer(bit)), x);
  return x.v;
}

//===----------------------------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------------------------===//

Value legalizeAbs(Legalizer &legalizer, Operation *op) {
  legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0));
  return isI1(x.element()) ? x.v : binary<arith::MaxSIOp>(x, x.integer(0) - x).v;
}

/// The op has two results: the low half is the product that wraps.
Value legalizeExtended(Legalizer &legalizer, Operation *op) {
  auto product = cast<arith::MulUIExtendedOp>(op);
  legalizer.at(op);
  Num x = legalizer.num(product.getLhs()), y = legalizer.num(product.getRhs());
  product.getHigh().replaceAllUsesWith(highProduct(x, y).v);
  return (x * y).v;
}

constexpr RuleEntry kRules[] = {
    {"arith.addi", arithmetic<Opcode::VAdd, arith::XOrIOp>},
    {"arith.subi", arithmetic<Opcode::VSub, arith::XOrIOp>},
    {"arith.muli", arithmetic<Opcode::VMul, arith::AndIOp>},
    {"arith.andi", native<Opcode::VAnd, Extend::Any>},
    {"arith.ori", native<Opcode::VOr, Extend::Any>},
    {"arith.xori", native<Opcode::VNot, Extend::Any>},
    {"arith.maxsi", extreme<Opcode::VMax, arith::AndIOp>},
    {"arith.minsi", extreme<Opcode::VMin, arith::OrIOp>},
    {"arith.maxui", unsignedExtreme<arith::MaxSIOp, arith::OrIOp>},
    {"arith.minui", unsignedExtreme<arith::MinSIOp, arith::AndIOp>},
    {"arith.shli", shift<arith::ShLIOp, Extend::Any>},
    {"arith.shrsi", shift<arith::ShRSIOp, Extend::Sign>},
    {"arith.shrui", shift<arith::ShRUIOp, Extend::Zero>},
    {"arith.mului_extended", legalizeExtended},
    {"math.absi", legalizeAbs},
};

} // namespace

ArrayRef<RuleEntry> integerRules() { return kRules; }

} // namespace kiln::npu::legal
