//===- InsertSync.cpp - flags and barriers ---------------------------------------------------===//
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
#define GEN_PASS_DEF_INSERTSYNCPASS
#include "kiln/Target/Npu/Passes.h.inc"

namespace {

struct InsertSyncPass : impl::InsertSyncPassBase<InsertSyncPass> {
  using InsertSyncPassBase::InsertSyncPassBase;
  void runOnOperation() override {
    getOperation().emitError("this pass is not there yet");
    signalPassFailure();
  }
};

} // namespace
} // namespace kiln::npu
