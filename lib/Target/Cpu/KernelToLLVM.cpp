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
#include "mlir/IR/AttrTypeSubElements.h"
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

/// What is left of bf16 becomes i16. Its arithmetic is gone by now (kiln-cpu-legalize-arith): only
/// bits move. Where the CPU has no bf16, LLVM would take loads, splats, selections and constants of
/// it apart and convert every lane with a library function that kernels do not link.
void moveBf16AsIntegers(ModuleOp module) {
  AttrTypeReplacer replacer;
  Type integer = IntegerType::get(module.getContext(), 16);
  replacer.addReplacement([=](BFloat16Type) { return integer; });
  replacer.addReplacement([=](FloatAttr value) -> std::optional<Attribute> {
    if (!value.getType().isBF16())
      return std::nullopt;
    return IntegerAttr::get(integer, value.getValue().bitcastToAPInt());
  });
  replacer.addReplacement([=](DenseElementsAttr values) -> std::optional<Attribute> {
    if (!values.getElementType().isBF16())
      return std::nullopt;
    return values.bitcast(integer);
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
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
    moveBf16AsIntegers(module);
    if (kernel)
      buildKernelEntry(module.lookupSymbol<LLVM::LLVMFuncOp>(layout->name), *layout);
  }
};

} // namespace
} // namespace kiln::cpu
