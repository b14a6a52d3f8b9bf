//===- Division.cpp - integer division that does not trap ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A lane that is masked off still divides, by whatever is there: x86's division would raise SIGFPE
// on a zero. So the divisor is replaced where it would trap. Vectors of up to 32 bits divide as
// floats that hold the quotient exactly (f32 for 8 and 16 bits, f64 for 32): there is no vector
// instruction for integers. Truncating the rounded quotient is right because a quotient of w-bit
// integers that is not whole is at least 2^-w away from the next whole number relative to the
// divisor, far more than the format's rounding error. Divisors that are known and neither 0 nor -1
// stay, LLVM multiplies by their reciprocal.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalize.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::cpu {
namespace {

bool isHarmless(Value divisor) {
  APInt value;
  return matchPattern(divisor, m_ConstantInt(&value)) && !value.isZero() && !value.isAllOnes();
}

Num divideAsFloats(Num x, Num y, bool isSigned) {
  ImplicitLocOpBuilder &b = *x.b;
  bool small = x.element().getIntOrFloatBitWidth() <= 16;
  Type wide = small ? Type(b.getF32Type()) : Type(b.getF64Type());
  auto toFloat = [&](Num value) {
    return isSigned ? x.make(arith::SIToFPOp::create(b, x.shaped(wide), value.v))
                    : x.make(arith::UIToFPOp::create(b, x.shaped(wide), value.v));
  };
  Num quotient = toFloat(x) / toFloat(y);
  if (small) {
    Value wider = arith::FPToSIOp::create(b, x.shaped(b.getI32Type()), quotient.v);
    return x.make(arith::TruncIOp::create(b, x.v.getType(), wider));
  }
  return isSigned ? x.make(arith::FPToSIOp::create(b, x.v.getType(), quotient.v))
                  : x.make(arith::FPToUIOp::create(b, x.v.getType(), quotient.v));
}

} // namespace

Value safeDivision(Operation *op) {
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  bool isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  if (isHarmless(op->getOperand(1)))
    return nullptr;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Num x{&b, op->getOperand(0)}, y{&b, op->getOperand(1)};
  if (x.element().isInteger(1))
    return isRemainder ? (x ^ x).v : x.v; // the only divisor that does not trap is 1

  // Dividing by 1 instead gives the stated results: x / 0 = x, x % 0 = 0, least / -1 = least, least
  // % -1 = 0.
  auto equal = [&](Num value, Num other) {
    return compare(arith::CmpIPredicate::eq, value, other);
  };
  Num traps = equal(y, y.integer(0));
  if (isSigned) {
    bool isIndex = x.element().isIndex();
    unsigned width = isIndex ? 64 : x.element().getIntOrFloatBitWidth();
    Num least = x.integer(APInt::getSignedMinValue(width).getSExtValue());
    traps = traps | Num{&b, arith::AndIOp::create(b, equal(y, y.integer(-1)).v, equal(x, least).v)};
  }
  y = select(traps, y.integer(1), y);

  bool asFloats = isa<VectorType>(x.v.getType()) && x.element().isInteger() &&
                  x.element().getIntOrFloatBitWidth() <= 32;
  if (isa<VectorType>(x.v.getType()) && !asFloats)
    op->emitRemark("64-bit integer division by a divisor unknown at compile time runs lane by "
                   "lane: no CPU has it "
                   "for vectors");
  Num quotient = x;
  if (asFloats)
    quotient = divideAsFloats(x, y, isSigned);
  else if (isRemainder)
    return isSigned ? Value(arith::RemSIOp::create(b, x.v, y.v))
                    : Value(arith::RemUIOp::create(b, x.v, y.v));
  else
    return isSigned ? Value(arith::DivSIOp::create(b, x.v, y.v))
                    : Value(arith::DivUIOp::create(b, x.v, y.v));
  return isRemainder ? (x - quotient * y).v : quotient.v;
}

} // namespace kiln::cpu
