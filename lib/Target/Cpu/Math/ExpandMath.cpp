//===- ExpandMath.cpp - math functions become polynomials ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The pass `kiln-cpu-expand-math`: each op of the table is replaced by its formula, on scalars and
// vectors alike.
//   %y = math.exp %x : vector<32xbf16>   ->   arith.extf to f32, about 16 operations, arith.truncf
// Ops that are instructions (sqrt, floor, fma, absf, …) stay. An op that is neither has no lowering
// without a math library, which a kernel object may not call: an error.
//
//===-----------------------------------------------------------------------------------------===//

#include "Functions.h"

#include "kiln/Target/Cpu/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::cpu {

#define GEN_PASS_DEF_EXPANDMATHPASS
#include "kiln/Target/Cpu/Passes.h.inc"

namespace {

struct Expansion {
  StringLiteral op;
  Num (*expand)(Num x);
};

constexpr Expansion kExpansions[] = {
    {"math.cos", expandCos},   {"math.cosh", expandCosh},   {"math.erf", expandErf},
    {"math.exp", expandExp},   {"math.exp2", expandExp2},   {"math.expm1", expandExpm1},
    {"math.log", expandLog},   {"math.log10", expandLog10}, {"math.log1p", expandLog1p},
    {"math.log2", expandLog2}, {"math.rsqrt", expandRsqrt}, {"math.sin", expandSin},
    {"math.sinh", expandSinh}, {"math.tan", expandTan},     {"math.tanh", expandTanh},
};

/// What LLVM turns into instructions on every CPU that the target supports.
constexpr StringLiteral kInstructions[] = {
    "math.absf",     "math.absi",  "math.ceil",      "math.copysign", "math.ctlz",  "math.ctpop",
    "math.cttz",     "math.floor", "math.fma",       "math.isfinite", "math.isinf", "math.isnan",
    "math.isnormal", "math.round", "math.roundeven", "math.sqrt",     "math.trunc"};

/// The op's result by `expand`, in f32 where the type is narrower, and on a rank-1 vector.
Value expandOp(Operation *op, Num (*expand)(Num)) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value x = op->getOperand(0);
  Type type = x.getType();
  auto vector = dyn_cast<VectorType>(type);
  if (vector && vector.getRank() != 1)
    x = vector::ShapeCastOp::create(
        b, VectorType::get({vector.getNumElements()}, vector.getElementType()), x);
  Num value{&b, x};
  bool narrow = value.element().getIntOrFloatBitWidth() < 32;
  Type flat = x.getType();
  if (narrow)
    value.v = arith::ExtFOp::create(b, value.shaped(b.getF32Type()), x);
  Value y = expand(value).v;
  if (narrow)
    y = arith::TruncFOp::create(b, flat, y);
  return flat == type ? y : vector::ShapeCastOp::create(b, type, y);
}

struct ExpandMath : impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
        ops.push_back(op);
    });
    bool failed = false;
    for (Operation *op : ops) {
      StringRef name = op->getName().getStringRef();
      auto *entry = llvm::find_if(kExpansions, [&](auto &known) { return known.op == name; });
      if (entry != std::end(kExpansions)) {
        op->getResult(0).replaceAllUsesWith(expandOp(op, entry->expand));
        op->erase();
      } else if (!llvm::is_contained(kInstructions, name)) {
        op->emitError("found ") << name << ", which has no lowering on the CPU yet";
        failed = true;
      }
    }
    addTwoOverPi(getOperation());
    if (failed)
      signalPassFailure();
  }
};

} // namespace
} // namespace kiln::cpu
