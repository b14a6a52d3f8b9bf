//===- Casts.cpp - conversions between element types -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// What the machine's table of conversions has stays. i8 comes and goes through f16, which holds it
// exactly; a longer integer is cut to its low bits before, by two shifts. Conversions round once:
// where the way leads through a wider float, the integer is made odd in its last kept bit if
// anything below it is lost, which the second rounding cannot mistake for a tie.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalizer.h"

using namespace mlir;

namespace kiln::npu::legal {

using machine::Rounding;

namespace {

Num resized(Num x, Type element) {
  unsigned to = element.getIntOrFloatBitWidth();
  if (x.width() == to)
    return x;
  return x.width() < to ? x.to<arith::ExtSIOp>(element) : x.to<arith::TruncIOp>(element);
}

/// What a truncation cut x from, if that is an integer the unit computes in.
Num uncut(Num x) {
  auto truncation = x.v.getDefiningOp<arith::TruncIOp>();
  if (!truncation || isI1(x.element()))
    return {};
  Num source = x.make(truncation.getIn());
  return source.width() <= 32 ? source : Num();
}

} // namespace

Num signExtend(Num x, Type element) {
  Num source = uncut(x);
  if (!source.v)
    return resized(x, element);
  unsigned excess = source.width() - x.width();
  return resized(sar(shl(source, excess), excess), element);
}

Num zeroExtend(Num x, Type element) {
  Num source = uncut(x);
  if (!source.v)
    return x.to<arith::ExtUIOp>(element);
  return resized(source & ((int64_t(1) << x.width()) - 1), element);
}

Num anyExtend(Num x, Type element) {
  Num source = uncut(x);
  return resized(source.v ? source : x, element);
}

Num cut(Num x, Type element) { return x.to<arith::TruncIOp>(element); }

Num inRange(Legalizer &legalizer, Num x, Type element) {
  Num number = x.isFloat() ? x : x.to<arith::SIToFPOp>(x.b->getF16Type());
  Value result = arith::FPToSIOp::create(*x.b, x.shaped(element), number.v);
  legalizer.inRange.insert(result.getDefiningOp());
  return x.make(result);
}

namespace {

/// i8 as f16, and from there as i16 or i32.
Num fromByte(Legalizer &legalizer, Num number, Type element) {
  return element.isInteger(16) ? inRange(legalizer, number, element)
                               : number.to<arith::FPToSIOp>(element);
}

//===----------------------------------------------------------------------------------------===//
// Integers to integers
//===----------------------------------------------------------------------------------------===//

/// A mask as the integers `on` and 0.
Num maskToInteger(Legalizer &legalizer, Num mask, Type element, int on) {
  unsigned width = element.getIntOrFloatBitWidth();
  FloatType f16 = mask.b->getF16Type();
  if (width == 8)
    return inRange(legalizer, select(mask, mask.realOf(f16, on), mask.realOf(f16, 0)), element);
  Type narrow = width == 64 ? mask.b->getI32Type() : element;
  Num number = select(mask, mask.integerOf(narrow, on), mask.integerOf(narrow, 0));
  return resized(number, element);
}

Value legalizeExtSI(Legalizer &legalizer, Operation *op) {
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0));
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (isI1(x.element()))
    return maskToInteger(legalizer, x, to, -1).v;
  if (uncut(x).v)
    return signExtend(x, to).v;
  if (to.isInteger(64) && x.width() < 32)
    return x.to<arith::ExtSIOp>(b.getI32Type()).next<arith::ExtSIOp>(to).v;
  if (x.width() == 8)
    return fromByte(legalizer, x.to<arith::SIToFPOp>(b.getF16Type()), to).v;
  return nullptr;
}

Value legalizeExtUI(Legalizer &legalizer, Operation *op) {
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0));
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (isI1(x.element()))
    return maskToInteger(legalizer, x, to, 1).v;
  if (uncut(x).v)
    return zeroExtend(x, to).v;
  if (to.isInteger(64) && x.width() < 32)
    return x.to<arith::ExtUIOp>(b.getI32Type()).next<arith::ExtSIOp>(to).v;
  if (x.width() == 8)
    return fromByte(legalizer, x.to<arith::UIToFPOp>(b.getF16Type()), to).v;
  return (x.to<arith::ExtSIOp>(to) & ((int64_t(1) << x.width()) - 1)).v;
}

Value legalizeTruncI(Legalizer &legalizer, Operation *op) {
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0));
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (x.width() == 64 && !to.isInteger(32))
    return x.to<arith::TruncIOp>(b.getI32Type()).next<arith::TruncIOp>(to).v;
  if (isI1(to)) {
    Num wide = x.width() < 32 ? anyExtend(x, b.getI32Type()) : x;
    return differInt(wide & 1, 0).v;
  }
  if (!to.isInteger(8))
    return nullptr;
  unsigned excess = x.width() - 8;
  return inRange(legalizer, sar(shl(x, excess), excess), to).v;
}

//===----------------------------------------------------------------------------------------===//
// Integers to floats
//===----------------------------------------------------------------------------------------===//

Value maskToFloat(Num mask, Type to, double on) {
  auto type = cast<FloatType>(to);
  if (type.isBF16()) {
    FloatType f32 = mask.b->getF32Type();
    Num number = select(mask, mask.realOf(f32, on), mask.realOf(f32, 0));
    return number.to<arith::TruncFOp>(to).v;
  }
  return select(mask, mask.realOf(type, on), mask.realOf(type, 0)).v;
}

/// A non-negative or signed i32 as bf16, rounded once. Where f32 cannot hold the integer, its low 9
/// bits become one sticky bit above them: 24 bits are left, 16 more than bf16 keeps.
Num integerToBf16(Num x) {
  Num low = x & 0x1ff;
  Num sticky = select(differInt(low, 0), x.integer(0x100), x.integer(0));
  Num odd = (x & ~int64_t(0x1ff)) | sticky;
  Num wide = toFloat(x);
  Num isLarge = wide.real(0x1p24) < abs(wide);
  return select(isLarge, toFloat(odd), wide).to<arith::TruncFOp>(x.b->getBF16Type());
}

/// Rounds f32 to `to`. The mode is spelled out: canonicalization would join a conversion from an
/// integer with a rounding that has none.
Value rounded(Num x, Type to) {
  auto mode = arith::RoundingModeAttr::get(x.b->getContext(), arith::RoundingMode::to_nearest_even);
  return arith::TruncFOp::create(*x.b, x.shaped(to), x.v, mode, nullptr);
}

Value legalizeSIToFP(Legalizer &legalizer, Operation *op) {
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0));
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (isI1(x.element()))
    return maskToFloat(x, to, -1);
  if (auto extension = x.v.getDefiningOp<arith::ExtSIOp>(); extension && x.width() == 64)
    return x.make(extension.getIn()).to<arith::SIToFPOp>(to).v;
  // What was made i8 from f16 just now is still there.
  if (auto made = x.v.getDefiningOp<arith::FPToSIOp>();
      made && x.width() == 8 && to.isF16() && legalizer.inRange.contains(made))
    return made.getIn();
  Rounding rounding = legalizer.converts(x.element(), false, to, false, Rounding::None)
                          ? Rounding::None
                          : Rounding::Rint;
  if (legalizer.converts(x.element(), false, to, false, rounding))
    return nullptr;
  if (x.width() == 8)
    return to.isF32() ? x.to<arith::SIToFPOp>(b.getF16Type()).to<arith::ExtFOp>(to).v
                      : rounded(x.to<arith::SIToFPOp>(b.getF32Type()), to);
  if (to.isBF16() && x.width() == 32)
    return integerToBf16(x).v;
  if (to.isBF16() && x.width() == 64) {
    legalizer.slowPath(op, "i64 to bf16 runs element by element on the scalar unit");
    return nullptr;
  }
  // Exact in f32, or so large that f16 overflows either way.
  return rounded(x.to<arith::SIToFPOp>(b.getF32Type()), to);
}

Value legalizeUIToFP(Legalizer &legalizer, Operation *op) {
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0));
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (isI1(x.element()))
    return maskToFloat(x, to, 1);
  switch (x.width()) {
  case 8:
    if (to.isF16())
      return nullptr;
    return to.isF32() ? x.to<arith::UIToFPOp>(b.getF16Type()).to<arith::ExtFOp>(to).v
                      : rounded(x.to<arith::UIToFPOp>(b.getF32Type()), to);
  case 16:
    return zeroExtend(x, b.getI32Type()).to<arith::SIToFPOp>(to).v;
  case 64:
    legalizer.slowPath(op, "u64 to a float runs element by element on the scalar unit");
    return nullptr;
  }
  if (to.isBF16()) {
    // Halved, with the lost bit kept as a sticky one, the number is a signed one.
    Num sign = differInt(binary<arith::MinSIOp>(x, x.integer(0)), 0);
    Num half = integerToBf16(shr(x, 1) | (x & 1)).to<arith::ExtFOp>(b.getF32Type());
    Num plain = integerToBf16(x).to<arith::ExtFOp>(b.getF32Type());
    return select(sign, half + half, plain).to<arith::TruncFOp>(to).v;
  }
  // Both halves are exact, and so is the product: the sum rounds once.
  Num wide = fma(toFloat(shr(x, 16)), 0x1p16, toFloat(x & 0xffff));
  return to.isF32() ? wide.v : wide.to<arith::TruncFOp>(to).v;
}

//===----------------------------------------------------------------------------------------===//
// Floats to integers: truncated; 8 and 16 bits are cut from 32
//===----------------------------------------------------------------------------------------===//

Value legalizeFPToSI(Legalizer &legalizer, Operation *op) {
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0));
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  bool isSmall = to.getIntOrFloatBitWidth() < 32 && !legalizer.inRange.contains(op);
  if (!isSmall && legalizer.converts(x.element(), false, to, false, Rounding::Trunc))
    return nullptr;
  if (x.width() < 32 && !legalizer.converts(x.element(), false, isSmall ? b.getI32Type() : to,
                                            false, Rounding::Trunc))
    return x.to<arith::ExtFOp>(b.getF32Type()).to<arith::FPToSIOp>(to).v;
  return cut(x.to<arith::FPToSIOp>(b.getI32Type()), to).v;
}

Value legalizeFPToUI(Legalizer &legalizer, Operation *op) {
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0));
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  unsigned width = to.getIntOrFloatBitWidth();
  if (width < 32)
    return cut(x.to<arith::FPToSIOp>(b.getI32Type()), to).v;
  if (x.element().isF16())
    return x.to<arith::FPToSIOp>(to).v;
  if (x.element().isBF16())
    x = x.to<arith::ExtFOp>(b.getF32Type());
  // The upper half of the range as what it has beyond the middle.
  double middle = width == 32 ? 0x1p31 : 0x1p63;
  Num isUpper = compare(arith::CmpFPredicate::OGE, x, x.real(middle));
  Num number = select(isUpper, x - middle, x).to<arith::FPToSIOp>(to);
  Num high =
      select(isUpper, x.integerOf(b.getI32Type(), INT32_MIN), x.integerOf(b.getI32Type(), 0));
  if (width == 64)
    high = shl(high.to<arith::ExtSIOp>(to), 32);
  return (number ^ high).v;
}

//===----------------------------------------------------------------------------------------===//
// Floats to floats
//===----------------------------------------------------------------------------------------===//

Rounding roundingOf(std::optional<arith::RoundingMode> mode) {
  switch (mode.value_or(arith::RoundingMode::to_nearest_even)) {
  case arith::RoundingMode::downward:
    return Rounding::Floor;
  case arith::RoundingMode::upward:
    return Rounding::Ceil;
  case arith::RoundingMode::toward_zero:
    return Rounding::Trunc;
  case arith::RoundingMode::to_nearest_away:
    return Rounding::Round;
  default:
    return Rounding::Rint;
  }
}

Value legalizeTruncF(Legalizer &legalizer, Operation *op) {
  auto truncation = cast<arith::TruncFOp>(op);
  Type from = truncation.getIn().getType(), to = op->getResult(0).getType();
  if (!legalizer.converts(from, false, to, false, roundingOf(truncation.getRoundingmode())))
    legalizer.refuse(op, "found a conversion of " +
                             Twine(getElementTypeOrSelf(from).getIntOrFloatBitWidth()) +
                             "-bit floats that " + legalizer.machine.name + " does not have");
  return nullptr;
}

constexpr RuleEntry kRules[] = {
    {"arith.extsi", legalizeExtSI},   {"arith.extui", legalizeExtUI},
    {"arith.trunci", legalizeTruncI}, {"arith.sitofp", legalizeSIToFP},
    {"arith.uitofp", legalizeUIToFP}, {"arith.fptosi", legalizeFPToSI},
    {"arith.fptoui", legalizeFPToUI}, {"arith.truncf", legalizeTruncF},
};

} // namespace

ArrayRef<RuleEntry> castRules() { return kRules; }

} // namespace kiln::npu::legal
