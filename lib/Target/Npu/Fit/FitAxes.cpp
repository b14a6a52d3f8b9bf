//===- FitAxes.cpp - cut tiles into pieces that fit on chip ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "../ChipOption.h"
#include "Search.h"

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Target/Npu/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln::npu::fit;

namespace kiln::npu {
#define GEN_PASS_DEF_FITAXESPASS
#include "kiln/Target/Npu/Passes.h.inc"

namespace {

/// Small temporaries of lowering: masks, spread rows, steps of reductions.
constexpr int64_t kLoweringBytes = 6 << 10;
/// Larger tiles than these are not worth a line each in an error.
constexpr size_t kShownTenants = 8;

void reportOverflow(func::FuncOp function, const Outcome &outcome, int64_t budget,
                    const machine::Machine &machine) {
  const Footprint &footprint = outcome.footprint;
  Operation *at = footprint.fullest ? footprint.fullest : function.getOperation();
  InFlightDiagnostic error = at->emitError("tiles need ")
                             << footprint.live << " bytes of UB at once here, expected at most "
                             << budget << " of " << machine.name;
  for (const Outcome::Stop &stop : outcome.stops) {
    const Refusal &refusal = stop.refusal;
    if (!refusal.op) {
      error.attachNote() << "pieces of the dimension of " << stop.size << " do not fit either";
      continue;
    }
    error.attachNote(refusal.op->getLoc())
        << "the dimension of " << stop.size
        << " cannot be cut at this operation: " << refusal.reason;
    if (refusal.other)
      error.attachNote(refusal.other->getLoc()) << "the other access is here";
  }
  for (const Tenant &tenant : ArrayRef(footprint.tenants).take_front(kShownTenants))
    error.attachNote(Value(tenant.tensor).getLoc())
        << tenant.bytes << " bytes for " << tenant.tensor.getType();
}

struct FitAxesPass : impl::FitAxesPassBase<FitAxesPass> {
  using FitAxesPassBase::FitAxesPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto machine = machineOf(chip, function);
    if (!machine)
      return signalPassFailure();
    int64_t budget =
        int64_t(machine->memory(machine::Memory::UB).usableBytes) - kLoweringBytes - reserve;
    Outcome outcome = cutToFit(function, *machine, budget);
    if (!outcome.fits) {
      reportOverflow(function, outcome, budget, *machine);
      return signalPassFailure();
    }
  }
};

} // namespace
} // namespace kiln::npu
