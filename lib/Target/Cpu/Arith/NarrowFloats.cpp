//===- NarrowFloats.cpp - conversions of f16 and bf16 ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// f32 <-> f16 are instructions (F16C). bf16 is the upper half of an f32: widening shifts, rounding
// adds in integers. The bf16 instructions of newer CPUs flush denormals and are not used: every
// machine gives the same bits.
//
// Rounding f64 or a long integer through f32 would round twice. Instead the step to f32 rounds *to
// odd*: a result that is not exact gets its last bit set, which the second rounding cannot mistake
// for a tie.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalize.h"

using namespace mlir;

namespace kiln::cpu {
namespace {

Num extend(Num x, Type element) {
  return x.make(arith::ExtUIOp::create(*x.b, x.shaped(element), x.v));
}
Num truncate(Num x, Type element) {
  return x.make(arith::TruncIOp::create(*x.b, x.shaped(element), x.v));
}
Num bitcast(Num x, Type element) {
  return x.make(arith::BitcastOp::create(*x.b, x.shaped(element), x.v));
}
Num convert(Num x, Type element) {
  return x.make(arith::TruncFOp::create(*x.b, x.shaped(element), x.v));
}

/// f64 to f32 with the last bit set if the result is not exact.
Num roundToOdd(Num x) {
  Num nearest = convert(x, x.b->getF32Type());
  Num back = x.make(arith::ExtFOp::create(*x.b, x.shaped(x.b->getF64Type()), nearest.v));
  Num bits = nearest.bits();
  Num inexact = compare(arith::CmpFPredicate::ONE, back, x);
  Num tooLarge = abs(x) < abs(back);
  // An even neighbour moves to the odd one on the other side of x; an odd one is right already.
  Num even = compare(arith::CmpIPredicate::eq, bits & 1, bits.integer(0));
  Num step = select(tooLarge, bits.integer(-1), bits.integer(1));
  Num move = inexact.make(arith::AndIOp::create(*x.b, inexact.v, even.v));
  return select(move, bits + step, bits).asFloat();
}

Num singleToBf16(Num x, bool towardZero) {
  ImplicitLocOpBuilder &b = *x.b;
  Num bits = x.bits();
  Num high = shr(bits, 16);
  Num rounded = towardZero ? high : shr(bits + (high & 1) + 0x7fff, 16);
  Num isNan = compare(arith::CmpFPredicate::UNO, x, x);
  Num result = select(isNan, high | 0x40, rounded);
  return bitcast(truncate(result, b.getI16Type()), b.getBF16Type());
}

/// Toward zero, from the nearest one: where that lies further out, one step back.
Num stepTowardZero(Num x, Num nearest) {
  Num wide = isNarrow(nearest.element()) ? widen(nearest) : nearest;
  if (wide.element() != x.element())
    wide = x.make(arith::ExtFOp::create(*x.b, x.v.getType(), wide.v));
  Num bits = nearest.bits();
  return bitcast(select(abs(x) < abs(wide), bits - 1, bits), nearest.element());
}

} // namespace

Num widen(Num x) {
  ImplicitLocOpBuilder &b = *x.b;
  if (x.element().isF16())
    return x.make(arith::ExtFOp::create(b, x.shaped(b.getF32Type()), x.v));
  return bitcast(shl(extend(x.bits(), b.getI32Type()), 16), b.getF32Type());
}

Num roundTo(Num x, FloatType element, bool towardZero) {
  if (x.isDouble() && isNarrow(element))
    x = roundToOdd(x);
  if (element.isBF16())
    return singleToBf16(x, towardZero);
  Num nearest = convert(x, element);
  return towardZero ? stepTowardZero(x, nearest) : nearest;
}

Num integerToNarrow(Num x, bool isSigned, FloatType element) {
  ImplicitLocOpBuilder &b = *x.b;
  unsigned width = x.element().isIndex() ? 64 : x.element().getIntOrFloatBitWidth();
  if (width > 32) {
    // 53 bits that round as the whole number does: the last stands for all bits below it. Only
    // numbers that need more are cut, so that small ones stay exact.
    Num low = x & 0xfff;
    Num sticky = select(compare(arith::CmpIPredicate::ne, low, x.integer(0)), x.integer(0x800),
                        x.integer(0));
    Num cut = (x & ~int64_t(0xfff)) | sticky;
    int64_t exact = int64_t(1) << 53;
    Num fits = compare(arith::CmpIPredicate::ult, isSigned ? x + exact : x,
                       x.integer(isSigned ? 2 * exact : exact));
    x = select(fits, x, cut);
  }
  Type wide = width <= 16 ? Type(b.getF32Type()) : Type(b.getF64Type());
  Value value = isSigned ? Value(arith::SIToFPOp::create(b, x.shaped(wide), x.v))
                         : Value(arith::UIToFPOp::create(b, x.shaped(wide), x.v));
  return roundTo(x.make(value), element);
}

} // namespace kiln::cpu
