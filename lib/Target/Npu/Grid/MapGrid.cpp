//===- MapGrid.cpp - programs of the grid to physical cores ----------------------------------===//
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
#define GEN_PASS_DEF_MAPGRIDPASS
#include "kiln/Target/Npu/Passes.h.inc"

namespace {

struct MapGridPass : impl::MapGridPassBase<MapGridPass> {
  using MapGridPassBase::MapGridPassBase;
  void runOnOperation() override {
    getOperation().emitError("this pass is not there yet");
    signalPassFailure();
  }
};

} // namespace
} // namespace kiln::npu
