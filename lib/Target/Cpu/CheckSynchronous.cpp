//===- CheckSynchronous.cpp - refuse kernels that place flags by hand ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Dialect/Tile/IR/Tile.h"
#include "kiln/Target/Cpu/Passes.h"

using namespace mlir;

namespace kiln::cpu {

#define GEN_PASS_DEF_CHECKSYNCHRONOUSPASS
#include "kiln/Target/Cpu/Passes.h.inc"

namespace {

struct CheckSynchronousPass : impl::CheckSynchronousPassBase<CheckSynchronousPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function->hasAttr(tile::kAsynchronousAttr)) {
      markAllAnalysesPreserved();
      return;
    }
    // The first flag or barrier tells where; without any, the first instruction of a pipe.
    Operation *place = function;
    function.walk([&](Operation *op) {
      if (isa<npu::SetOp, npu::WaitOp, npu::BarrierOp>(op)) {
        place = op;
        return WalkResult::interrupt();
      }
      if (place == function && isa_and_nonnull<npu::NpuDialect>(op->getDialect()))
        place = op;
      return WalkResult::advance();
    });
    place->emitError("kernel '")
        << function.getName()
        << "' orders its instructions by hand, expected a device with such "
           "pipes (a simulated NPU)";
    signalPassFailure();
  }
};

} // namespace
} // namespace kiln::cpu
