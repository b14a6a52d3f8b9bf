//===- VerifyProgram.cpp - what the machine demands ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The last look before a program is assembled: what passes the pass, the chip can run. It changes
// nothing. Order between instructions is not checked here (the simulator does), but that flags
// are raised and taken down in turn is.
//
//===-----------------------------------------------------------------------------------------===//

#include "../ChipOption.h"
#include "Elements.h"
#include "FlagBalance.h"
#include "Legality.h"

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
    mlir::func::FuncOp function = getOperation();
    std::shared_ptr<const machine::Machine> machine = machineOf(chip, function);
    if (!machine)
      return signalPassFailure();
    mlir::FailureOr<machine::Core> core = coreOf(function);
    if (mlir::failed(core))
      return signalPassFailure();
    // All faults of the same sort are worth seeing at once.
    Legality legality(*machine, *core);
    bool isLegal = true;
    function.walk([&](mlir::Operation *op) { isLegal &= mlir::succeeded(legality.check(op)); });
    if (!isLegal || mlir::failed(checkFlagBalance(function, machine->limits.flagIds)))
      signalPassFailure();
  }
};

} // namespace
} // namespace kiln::npu
