//===- Num.h - arithmetic on SSA values, written as expressions ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// `Num` is a value (f32, f64 or an integer; a scalar or a vector) and the builder that makes
// operations on it, so that the expansions read as formulas: `fma(t, r, 1.0) * s`. Constants take
// the shape of what they meet. No fast math flag is ever set: the formulas count on each rounding.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_CPU_MATH_NUM_H
#define KILN_LIB_TARGET_CPU_MATH_NUM_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace kiln::cpu {

/// What a binary float format is made of.
struct FloatFormat {
  unsigned width;    // bits in all
  unsigned mantissa; // stored fraction bits
  int bias;
};

struct Num {
  mlir::ImplicitLocOpBuilder *b = nullptr;
  mlir::Value v;

  mlir::Type element() const { return mlir::getElementTypeOrSelf(v.getType()); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(element()); }
  bool isDouble() const { return element().isF64(); }
  FloatFormat format() const {
    return isDouble() ? FloatFormat{64, 52, 1023} : FloatFormat{32, 23, 127};
  }
  /// This value's shape with another element type.
  mlir::Type shaped(mlir::Type element) const {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(v.getType()))
      return vector.clone(element);
    return element;
  }
  mlir::Type intType() const {
    return shaped(b->getIntegerType(element().getIntOrFloatBitWidth()));
  }

  Num make(mlir::Value value) const { return {b, value}; }
  /// A constant of this value's type.
  Num real(double value) const { return constant(b->getFloatAttr(element(), value)); }
  Num integer(int64_t value) const {
    unsigned width = element().getIntOrFloatBitWidth();
    return constant(b->getIntegerAttr(element(), llvm::APInt(width, value, /*isSigned=*/true,
                                                             /*implicitTrunc=*/true)));
  }
  /// One of two constants, by the format: formulas differ between f32 and f64 in their limits.
  Num real(double single, double wide) const { return real(isDouble() ? wide : single); }

  Num bits() const { return make(mlir::arith::BitcastOp::create(*b, intType(), v)); }
  Num asFloat() const {
    mlir::Type type = element().isInteger(64) ? mlir::Type(b->getF64Type()) : b->getF32Type();
    return make(mlir::arith::BitcastOp::create(*b, shaped(type), v));
  }
  /// A signed integer as a float of the same width.
  Num toFloat() const {
    mlir::Type type = element().isInteger(64) ? mlir::Type(b->getF64Type()) : b->getF32Type();
    return make(mlir::arith::SIToFPOp::create(*b, shaped(type), v));
  }

private:
  Num constant(mlir::TypedAttr scalar) const {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(v.getType()))
      return make(
          mlir::arith::ConstantOp::create(*b, mlir::DenseElementsAttr::get(vector, scalar)));
    return make(mlir::arith::ConstantOp::create(*b, scalar));
  }
};

inline Num operator+(Num x, Num y) {
  return x.isFloat() ? x.make(mlir::arith::AddFOp::create(*x.b, x.v, y.v))
                     : x.make(mlir::arith::AddIOp::create(*x.b, x.v, y.v));
}
inline Num operator-(Num x, Num y) {
  return x.isFloat() ? x.make(mlir::arith::SubFOp::create(*x.b, x.v, y.v))
                     : x.make(mlir::arith::SubIOp::create(*x.b, x.v, y.v));
}
inline Num operator*(Num x, Num y) {
  return x.isFloat() ? x.make(mlir::arith::MulFOp::create(*x.b, x.v, y.v))
                     : x.make(mlir::arith::MulIOp::create(*x.b, x.v, y.v));
}
inline Num operator/(Num x, Num y) { return x.make(mlir::arith::DivFOp::create(*x.b, x.v, y.v)); }
inline Num operator+(Num x, double y) { return x + x.real(y); }
inline Num operator-(Num x, double y) { return x - x.real(y); }
inline Num operator*(Num x, double y) { return x * x.real(y); }
inline Num operator-(Num x) { return x.make(mlir::arith::NegFOp::create(*x.b, x.v)); }

inline Num operator&(Num x, Num y) { return x.make(mlir::arith::AndIOp::create(*x.b, x.v, y.v)); }
inline Num operator|(Num x, Num y) { return x.make(mlir::arith::OrIOp::create(*x.b, x.v, y.v)); }
inline Num operator^(Num x, Num y) { return x.make(mlir::arith::XOrIOp::create(*x.b, x.v, y.v)); }
inline Num operator&(Num x, int64_t y) { return x & x.integer(y); }
inline Num operator|(Num x, int64_t y) { return x | x.integer(y); }
inline Num operator+(Num x, int64_t y) { return x + x.integer(y); }
inline Num operator-(Num x, int64_t y) { return x - x.integer(y); }
inline Num operator+(Num x, int y) { return x + x.integer(y); }
inline Num operator-(Num x, int y) { return x - x.integer(y); }
inline Num shl(Num x, Num by) { return x.make(mlir::arith::ShLIOp::create(*x.b, x.v, by.v)); }
inline Num shl(Num x, int64_t by) { return shl(x, x.integer(by)); }
inline Num shr(Num x, Num by) { return x.make(mlir::arith::ShRUIOp::create(*x.b, x.v, by.v)); }
inline Num shr(Num x, int64_t by) { return shr(x, x.integer(by)); }
/// Arithmetic shift right.
inline Num sar(Num x, int64_t by) {
  return x.make(mlir::arith::ShRSIOp::create(*x.b, x.v, x.integer(by).v));
}

/// x * y + z, rounded once.
inline Num fma(Num x, Num y, Num z) {
  return x.make(mlir::math::FmaOp::create(*x.b, x.v, y.v, z.v));
}
inline Num fma(Num x, Num y, double z) { return fma(x, y, x.real(z)); }
inline Num fma(Num x, double y, Num z) { return fma(x, x.real(y), z); }
inline Num fma(Num x, double y, double z) { return fma(x, x.real(y), x.real(z)); }
inline Num abs(Num x) { return x.make(mlir::math::AbsFOp::create(*x.b, x.v)); }
inline Num copySign(Num x, Num sign) {
  return x.make(mlir::math::CopySignOp::create(*x.b, x.v, sign.v));
}
inline Num squareRoot(Num x) { return x.make(mlir::math::SqrtOp::create(*x.b, x.v)); }

inline Num compare(mlir::arith::CmpFPredicate predicate, Num x, Num y) {
  return x.make(mlir::arith::CmpFOp::create(*x.b, predicate, x.v, y.v));
}
inline Num compare(mlir::arith::CmpIPredicate predicate, Num x, Num y) {
  return x.make(mlir::arith::CmpIOp::create(*x.b, predicate, x.v, y.v));
}
/// Ordered comparisons of floats: false on NaN.
inline Num operator<(Num x, Num y) { return compare(mlir::arith::CmpFPredicate::OLT, x, y); }
inline Num operator<(Num x, double y) { return x < x.real(y); }
inline Num operator==(Num x, Num y) { return compare(mlir::arith::CmpFPredicate::OEQ, x, y); }
inline Num operator==(Num x, double y) { return x == x.real(y); }
inline Num select(Num condition, Num x, Num y) {
  return x.make(mlir::arith::SelectOp::create(*x.b, condition.v, x.v, y.v));
}

/// The smaller of x and a constant, NaN kept; one instruction.
inline Num atMost(Num x, Num limit) { return select(limit < x, limit, x); }
inline Num atLeast(Num x, Num limit) { return select(x < limit, limit, x); }

/// c[0] + c[1] x + …, by Horner's rule.
template <size_t S, size_t D>
Num polynomial(Num x, const float (&single)[S], const double (&wide)[D]) {
  llvm::SmallVector<double, 32> c;
  if (x.isDouble())
    c.assign(std::begin(wide), std::end(wide));
  else
    c.assign(std::begin(single), std::end(single));
  Num sum = x.real(c.back());
  for (double coefficient : llvm::reverse(llvm::ArrayRef(c).drop_back()))
    sum = fma(sum, x, coefficient);
  return sum;
}

} // namespace kiln::cpu

#endif // KILN_LIB_TARGET_CPU_MATH_NUM_H
