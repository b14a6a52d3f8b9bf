//===- LegalizeArith.cpp - arithmetic in terms of what every supported CPU has ---------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The pass `kiln-cpu-legalize-arith`:
//   %c = arith.addf %a, %b : vector<32xbf16>   ->   both widened to f32, added, rounded to bf16
// and likewise every float op on f16 and bf16: each rounds to its type, as the language says.
// Conversions that LLVM would turn into library calls are written out, integer division is made
// safe, the float remainder is expanded.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalize.h"

#include "kiln/Target/Cpu/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::cpu {

#define GEN_PASS_DEF_LEGALIZEARITHPASS
#define GEN_PASS_DEF_ALLOWCONTRACTIONPASS
#include "kiln/Target/Cpu/Passes.h.inc"

namespace {

bool isNarrowValue(Value value) { return isNarrow(getElementTypeOrSelf(value.getType())); }

Value legalizeTruncF(arith::TruncFOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto element = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  bool towardZero = op.getRoundingmode() == arith::RoundingMode::toward_zero;
  Num x{&b, op.getIn()};
  if (!isNarrow(element) && !towardZero)
    return nullptr;
  if (element.isF16() && !x.isDouble() && !towardZero)
    return nullptr;
  return roundTo(x, element, towardZero).v;
}

Value legalizeExtF(arith::ExtFOp op) {
  if (!isNarrowValue(op.getIn()))
    return nullptr;
  Type element = getElementTypeOrSelf(op.getType());
  if (element.isF32() && getElementTypeOrSelf(op.getIn().getType()).isF16())
    return nullptr;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Num wide = widen({&b, op.getIn()});
  return element.isF32() ? wide.v : Value(arith::ExtFOp::create(b, op.getType(), wide.v));
}

Value legalizeIntToFloat(Operation *op) {
  if (!isNarrowValue(op->getResult(0)))
    return nullptr;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto element = cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  return integerToNarrow({&b, op->getOperand(0)}, isa<arith::SIToFPOp>(op), element).v;
}

/// Narrow floats go through f32; integers of up to 16 bits through i32, so that what fits those
/// wraps as in C.
Value legalizeFloatToInt(Operation *op) {
  Value from = op->getOperand(0);
  Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
  bool small = element.getIntOrFloatBitWidth() < 32;
  if (!isNarrowValue(from) && !small)
    return nullptr;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Num x{&b, from};
  if (isNarrowValue(from))
    x = widen(x);
  if (small) {
    Value wide = arith::FPToSIOp::create(b, x.shaped(b.getI32Type()), x.v);
    return arith::TruncIOp::create(b, type, wide);
  }
  return isa<arith::FPToSIOp>(op) ? Value(arith::FPToSIOp::create(b, type, x.v))
                                  : Value(arith::FPToUIOp::create(b, type, x.v));
}

/// Sign operations are exact on the bits.
Value legalizeSign(Operation *op) {
  if (!isNarrowValue(op->getOperand(0)))
    return nullptr;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Num bits = Num{&b, op->getOperand(0)}.bits();
  bits = isa<arith::NegFOp>(op) ? bits ^ bits.integer(0x8000) : bits & 0x7fff;
  return arith::BitcastOp::create(b, op->getResult(0).getType(), bits.v);
}

/// The operand that is not NaN, if one is: LLVM would call fmaxf. One comparison and selection (an
/// instruction of its own on x86), which gives the right operand if any is NaN, and a second for a
/// right operand that is NaN.
Value legalizeNumberMinMax(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Num x{&b, op->getOperand(0)}, y{&b, op->getOperand(1)};
  Num first = isa<arith::MaxNumFOp>(op) ? y < x : x < y;
  Num yIsNan = compare(arith::CmpFPredicate::UNO, y, y);
  return select(yIsNan, x, select(first, x, y)).v;
}

/// Ops that LLVM has no instructions for, on f32 or f64.
Value legalizeOnWide(Operation *op) {
  if (auto remainder = dyn_cast<arith::RemFOp>(op)) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    return floatRemainder({&b, remainder.getLhs()}, {&b, remainder.getRhs()}).v;
  }
  return isa<arith::MaxNumFOp, arith::MinNumFOp>(op) ? legalizeNumberMinMax(op) : nullptr;
}

/// Any other op with narrow floats: the same op on f32.
Value computeWide(Operation *op) {
  auto hasNarrow = [](ValueRange values) { return llvm::any_of(values, isNarrowValue); };
  if (!hasNarrow(op->getOperands()) && !hasNarrow(op->getResults()))
    return nullptr;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.operands.push_back(isNarrowValue(operand) ? widen({&b, operand}).v : operand);
  Value result = op->getResult(0);
  Num like{&b, result};
  state.types.push_back(isNarrowValue(result) ? like.shaped(b.getF32Type()) : result.getType());
  state.attributes.append(op->getAttrs());
  Value wide = b.create(state)->getResult(0);
  Operation *made = wide.getDefiningOp();
  b.setInsertionPoint(op);
  if (Value better = legalizeOnWide(made)) {
    wide = better;
    made->erase();
  }
  if (!isNarrowValue(result))
    return wide;
  return roundTo({&b, wide}, cast<FloatType>(like.element())).v;
}

/// The value that replaces the op's result; null if the op may stay.
Value legalized(Operation *op) {
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    return legalizeTruncF(truncate);
  if (auto extend = dyn_cast<arith::ExtFOp>(op))
    return legalizeExtF(extend);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return legalizeIntToFloat(op);
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return legalizeFloatToInt(op);
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return safeDivision(op);
  if (isa<arith::NegFOp, math::AbsFOp>(op))
    return legalizeSign(op);
  if (isa<arith::RemFOp, arith::MaxNumFOp, arith::MinNumFOp>(op) &&
      !isNarrowValue(op->getResult(0)))
    return legalizeOnWide(op);
  if (isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op))
    return nullptr;
  return computeWide(op);
}

struct LegalizeArith : impl::LegalizeArithPassBase<LegalizeArith> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() == 1 &&
          isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (Value value = legalized(op)) {
        op->getResult(0).replaceAllUsesWith(value);
        op->erase();
      }
    }
  }
};

struct AllowContraction : impl::AllowContractionPassBase<AllowContraction> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
        return;
      auto flags = cast<arith::ArithFastMathInterface>(op);
      auto old = flags.getFastMathFlagsAttr();
      auto value =
          (old ? old.getValue() : arith::FastMathFlags::none) | arith::FastMathFlags::contract;
      op->setAttr(flags.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(op->getContext(), value));
    });
  }
};

} // namespace
} // namespace kiln::cpu
