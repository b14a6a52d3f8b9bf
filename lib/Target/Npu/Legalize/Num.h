//===- Num.h - arithmetic on SSA values, written as expressions ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// `Num` is a value (a tensor, or a scalar in a combine region) and the builder that makes
// operations on it, so that compositions read as formulas: `fma(t, r, 1.0) * s`. Constants take the
// shape of what they meet. No fast math flag is ever set: the formulas count on each rounding.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_LEGALIZE_NUM_H
#define KILN_LIB_TARGET_NPU_LEGALIZE_NUM_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace kiln::npu::legal {

struct Num {
  mlir::ImplicitLocOpBuilder *b = nullptr;
  mlir::Value v;

  mlir::Type element() const { return mlir::getElementTypeOrSelf(v.getType()); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(element()); }
  unsigned width() const { return element().getIntOrFloatBitWidth(); }
  /// This value's shape with another element type.
  mlir::Type shaped(mlir::Type element) const {
    if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(v.getType()))
      return tensor.clone(element);
    return element;
  }

  Num make(mlir::Value value) const { return {b, value}; }
  /// Constants of this value's shape and type, or of another float type.
  Num real(double value) const { return realOf(mlir::cast<mlir::FloatType>(element()), value); }
  Num realOf(mlir::FloatType type, double value) const {
    llvm::APFloat number(value);
    bool losesInfo;
    number.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return constant(type, b->getFloatAttr(type, number));
  }
  Num integer(int64_t value) const { return integerOf(element(), value); }
  Num integerOf(mlir::Type type, int64_t value) const {
    llvm::APInt number(type.getIntOrFloatBitWidth(), value, /*isSigned=*/true,
                       /*implicitTrunc=*/true);
    return constant(type, b->getIntegerAttr(type, number));
  }

  /// The result of a conversion op; folds what is constant.
  template <typename Op> Num to(mlir::Type element) const {
    return make(b->createOrFold<Op>(shaped(element), v));
  }
  /// The same where folding would undo a step on the way.
  template <typename Op> Num next(mlir::Type element) const {
    return make(Op::create(*b, shaped(element), v));
  }
  Num bitcast(mlir::Type type) const { return to<mlir::arith::BitcastOp>(type); }
  Num bits() const { return bitcast(b->getIntegerType(width())); }

private:
  Num constant(mlir::Type type, mlir::TypedAttr scalar) const {
    if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(shaped(type)))
      return make(
          mlir::arith::ConstantOp::create(*b, mlir::DenseElementsAttr::get(tensor, scalar)));
    return make(mlir::arith::ConstantOp::create(*b, scalar));
  }
};

template <typename Op> Num binary(Num x, Num y) { return x.make(x.b->createOrFold<Op>(x.v, y.v)); }

inline Num operator+(Num x, Num y) {
  return x.isFloat() ? binary<mlir::arith::AddFOp>(x, y) : binary<mlir::arith::AddIOp>(x, y);
}
inline Num operator-(Num x, Num y) {
  return x.isFloat() ? binary<mlir::arith::SubFOp>(x, y) : binary<mlir::arith::SubIOp>(x, y);
}
inline Num operator*(Num x, Num y) {
  return x.isFloat() ? binary<mlir::arith::MulFOp>(x, y) : binary<mlir::arith::MulIOp>(x, y);
}
inline Num operator/(Num x, Num y) { return binary<mlir::arith::DivFOp>(x, y); }
inline Num operator+(Num x, double y) { return x + x.real(y); }
inline Num operator-(Num x, double y) { return x - x.real(y); }
inline Num operator*(Num x, double y) { return x * x.real(y); }
inline Num operator+(Num x, int64_t y) { return x + x.integer(y); }
inline Num operator-(Num x, int64_t y) { return x - x.integer(y); }
inline Num operator-(Num x) { return x.make(x.b->createOrFold<mlir::arith::NegFOp>(x.v)); }

inline Num operator&(Num x, Num y) { return binary<mlir::arith::AndIOp>(x, y); }
inline Num operator|(Num x, Num y) { return binary<mlir::arith::OrIOp>(x, y); }
inline Num operator^(Num x, Num y) { return binary<mlir::arith::XOrIOp>(x, y); }
inline Num operator&(Num x, int64_t y) { return x & x.integer(y); }
inline Num shl(Num x, int64_t by) { return binary<mlir::arith::ShLIOp>(x, x.integer(by)); }
inline Num shr(Num x, int64_t by) { return binary<mlir::arith::ShRUIOp>(x, x.integer(by)); }
/// Arithmetic shift right.
inline Num sar(Num x, int64_t by) { return binary<mlir::arith::ShRSIOp>(x, x.integer(by)); }

/// x * y + z, rounded once.
inline Num fma(Num x, Num y, Num z) {
  return x.make(mlir::math::FmaOp::create(*x.b, x.v, y.v, z.v));
}
inline Num fma(Num x, Num y, double z) { return fma(x, y, x.real(z)); }
inline Num fma(Num x, double y, Num z) { return fma(x, x.real(y), z); }
inline Num abs(Num x) { return x.make(mlir::math::AbsFOp::create(*x.b, x.v)); }
inline Num exponential(Num x) { return x.make(mlir::math::ExpOp::create(*x.b, x.v)); }
inline Num logarithm(Num x) { return x.make(mlir::math::LogOp::create(*x.b, x.v)); }
inline Num roundEven(Num x) { return x.make(mlir::math::RoundEvenOp::create(*x.b, x.v)); }
inline Num truncate(Num x) { return x.make(mlir::math::TruncOp::create(*x.b, x.v)); }
inline Num copySign(Num x, Num sign) {
  return x.make(mlir::math::CopySignOp::create(*x.b, x.v, sign.v));
}
/// f32 to i32 toward zero, i32 to f32.
inline Num toInteger(Num x) { return x.to<mlir::arith::FPToSIOp>(x.b->getI32Type()); }
inline Num toFloat(Num x) { return x.to<mlir::arith::SIToFPOp>(x.b->getF32Type()); }

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
inline Num isNan(Num x) { return compare(mlir::arith::CmpFPredicate::UNE, x, x); }
inline Num equalInt(Num x, Num y) { return compare(mlir::arith::CmpIPredicate::eq, x, y); }
inline Num differInt(Num x, Num y) { return compare(mlir::arith::CmpIPredicate::ne, x, y); }
inline Num differInt(Num x, int64_t y) { return differInt(x, x.integer(y)); }
inline Num operator!(Num mask) { return mask ^ mask.integer(1); }
inline Num select(Num condition, Num x, Num y) {
  return x.make(mlir::arith::SelectOp::create(*x.b, condition.v, x.v, y.v));
}

/// The smaller (greater) of x and a constant, NaN kept.
inline Num atMost(Num x, double limit) { return select(x.real(limit) < x, x.real(limit), x); }
inline Num atLeast(Num x, double limit) { return select(x < limit, x.real(limit), x); }

/// c[0] + c[1] x + …, by Horner's rule.
inline Num polynomial(Num x, llvm::ArrayRef<float> c) {
  Num sum = x.real(c.back());
  for (float coefficient : llvm::reverse(c.drop_back()))
    sum = fma(sum, x, double(coefficient));
  return sum;
}

} // namespace kiln::npu::legal

#endif // KILN_LIB_TARGET_NPU_LEGALIZE_NUM_H
