//===- Lower.cpp - tensors with buffers to instructions --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   %s = arith.addf %x, %y : tensor<1024xf32>         npu.vbinary <vadd> %b0, %b1, %b2
//   materialize_in_destination %s in %b2          =>
//
// Operations are visited in program order; each becomes instructions at its place, and `Lowering`
// remembers as which view its tensor is to be read. Broadcasts and reshapes are views only. What
// the vector unit cannot do at all is done element by element by the scalar unit, with a remark.
//
//===-----------------------------------------------------------------------------------------===//

#include "../ChipOption.h"
#include "Levels.h"
#include "Lowering.h"

#include "kiln/Target/Npu/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_LOWERPASS
#include "kiln/Target/Npu/Passes.h.inc"

namespace {

struct LowerPass : impl::LowerPassBase<LowerPass> {
  using LowerPassBase::LowerPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    LowerPassBase::getDependentDialects(registry);
    registry.insert<bufferization::BufferizationDialect>();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto machine = machineOf(chip, function);
    if (!machine || failed(lower::Lowering(function, *machine).run()))
      return signalPassFailure();
    // The same windows and constants were asked for again and again.
    DominanceInfo dominance(function);
    IRRewriter rewriter(&getContext());
    eliminateCommonSubExpressions(rewriter, dominance, function);
    lower::orderByLevel(function, *machine);
    // Buffers of tensors that are read as views, or not at all.
    for (auto alloc : llvm::make_early_inc_range(function.front().getOps<AllocOp>()))
      if (alloc->use_empty())
        alloc.erase();
  }
};

} // namespace
} // namespace kiln::npu
