//===- KernelToLLVM.cpp - a kernel of loops and vectors becomes the LLVM dialect --------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The pass `kiln-cpu-kernel-to-llvm`: the steps of Kernel.h in order. It expects what
// kiln-cpu-vector-loops leaves (scalars, rank-1 vectors, scf) and arithmetic that the machine has
// (kiln-cpu-expand-math, kiln-cpu-legalize-arith). A module without a kernel is just converted.
//
//===-----------------------------------------------------------------------------------------===//

#include "Kernel.h"

#include "kiln/Dialect/Tile/IR/Tile.h"
#include "kiln/Target/Cpu/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace kiln::cpu {

#define GEN_PASS_DEF_KERNELTOLLVMPASS
#include "kiln/Target/Cpu/Passes.h.inc"

namespace {

LogicalResult lowerRegionsToBlocks(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.addIllegalOp<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp, scf::ParallelOp,
                      scf::ExecuteRegionOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

LogicalResult convertToLLVM(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter converter(context, options);
  converter.addConversion(
      [](tile::PtrType type) { return LLVM::LLVMPointerType::get(type.getContext()); });

  RewritePatternSet patterns(context);
  populateTileToLLVMPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  vector::populateVectorMaskMaterializationPatterns(patterns, /*force32BitVectorIndices=*/true);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);

  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    return failure();

  SmallVector<UnrealizedConversionCastOp> casts, left;
  module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts, &left);
  if (left.empty())
    return success();
  return left.front().emitError("found a cast from ")
         << left.front().getOperandTypes() << " to " << left.front().getResultTypes()
         << " that no conversion takes away";
}

/// Masked accesses to bf16 become accesses to i16: where the CPU has no bf16, LLVM takes such
/// vectors apart and converts each lane with a library function, though only bits move.
void accessBf16AsIntegers(ModuleOp module) {
  module.walk([](Operation *op) {
    if (!isa<LLVM::MaskedLoadOp, LLVM::MaskedStoreOp, LLVM::masked_gather, LLVM::masked_scatter>(
            op))
      return;
    OpBuilder b(op);
    auto asInteger = [&](Type type) -> Type {
      auto vector = dyn_cast<VectorType>(type);
      return vector && vector.getElementType().isBF16() ? vector.clone(b.getI16Type()) : Type();
    };
    for (OpOperand &operand : op->getOpOperands())
      if (Type type = asInteger(operand.get().getType()))
        operand.set(LLVM::BitcastOp::create(b, op->getLoc(), type, operand.get()));
    b.setInsertionPointAfter(op);
    for (OpResult result : op->getResults()) {
      Type type = result.getType(), integers = asInteger(type);
      if (!integers)
        continue;
      result.setType(integers);
      auto back = LLVM::BitcastOp::create(b, op->getLoc(), type, result);
      result.replaceAllUsesExcept(back, back);
    }
  });
}

struct KernelToLLVM : impl::KernelToLLVMPassBase<KernelToLLVM> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp kernel;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function->hasAttr(tile::kKernelAttr))
        continue;
      if (kernel) {
        function.emitError("found a second kernel, expected one in a module");
        return signalPassFailure();
      }
      kernel = function;
    }

    FailureOr<KernelLayout> layout = KernelLayout();
    if (kernel && failed(layout = prepareKernelBody(kernel)))
      return signalPassFailure();
    if (failed(lowerRegionsToBlocks(module)))
      return signalPassFailure();
    if (kernel)
      lowerAssertions(kernel);
    if (failed(convertToLLVM(module)))
      return signalPassFailure();
    accessBf16AsIntegers(module);
    if (kernel)
      buildKernelEntry(module.lookupSymbol<LLVM::LLVMFuncOp>(layout->name), *layout);
  }
};

} // namespace
} // namespace kiln::cpu
