//===- VerifyProgram.cpp - what the machine demands ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Target/Npu/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace kiln::npu {
#define GEN_PASS_DEF_VERIFYPROGRAMPASS
#include "kiln/Target/Npu/Passes.h.inc"

namespace {

struct VerifyProgramPass : impl::VerifyProgramPassBase<VerifyProgramPass> {
  using VerifyProgramPassBase::VerifyProgramPassBase;
  void runOnOperation() override {
    getOperation().emitError("this pass is not there yet");
    signalPassFailure();
  }
};

} // namespace
} // namespace kiln::npu
