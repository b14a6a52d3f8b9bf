//===- VectorLoops.cpp - tensor ops become loops over vectors --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   %x = tile.load …  : tensor<1024xf32>        scf.for %i = 0 to 1024 step 64 {
//   %y = linalg.generic … (exp) %x                %x = llvm.load … : vector<64xf32>
//   tile.store %y, …                              %y = math.exp %x : vector<64xf32>
//                                                 llvm.store %y, …
//                                               }
//
// Block by block: nodes (Graph.h), clusters (Schedule.h), what is kept (Residence.h), code
// (Emission.h, Blocks.h). Tensors are gone afterwards; memory is reached through `!llvm.ptr`.
//
//===-----------------------------------------------------------------------------------------===//

#include "Blocks.h"

#include "kiln/Dialect/Tile/IR/Tile.h"
#include "kiln/Target/Cpu/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace kiln::cpu {

#define GEN_PASS_DEF_LOWERTOVECTORLOOPSPASS
#include "kiln/Target/Cpu/Passes.h.inc"

namespace {

/// The pointer arguments that the function reads through.
llvm::DenseSet<Value> findReadBases(func::FuncOp function) {
  llvm::DenseSet<Value> result;
  SmallVector<Value> written;
  function.walk([&](Operation *op) {
    if (auto view = dyn_cast<tile::ViewOp>(op)) {
      for (Operation *user : view->getUsers())
        if (isa<tile::LoadOp>(user))
          result.insert(view.getBase());
    } else if (auto gather = dyn_cast<tile::GatherOp>(op)) {
      result.insert(gather.getBase());
    }
  });
  // What may alias such a pointer is read, too.
  for (Value base : SmallVector<Value>(result.begin(), result.end()))
    for (BlockArgument argument : function.getArguments())
      if (isa<tile::PtrType>(argument.getType()) && MemoryOrder::mayAlias(base, argument))
        result.insert(argument);
  return result;
}

struct LowerToVectorLoopsPass : impl::LowerToVectorLoopsPassBase<LowerToVectorLoopsPass> {
  using LowerToVectorLoopsPassBase::LowerToVectorLoopsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !llvm::any_of(function.getBody(), [](Block &block) {
          return llvm::any_of(block, [](Operation &op) { return touchesTensors(&op); });
        }))
      return;
    FunctionContext context;
    context.options = {vectorBits, maskedTails, streaming, longestLoop};
    context.readBases = findReadBases(function);
    context.scratch = std::make_unique<Scratch>(function);
    if (failed(lowerBlock(context, function.front())))
      return signalPassFailure();
    context.scratch->finish();
    for (Operation *op : context.dead)
      op->dropAllUses();
    for (Operation *op : context.dead)
      op->erase();
  }
};

} // namespace
} // namespace kiln::cpu
