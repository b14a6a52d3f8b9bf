//===- FitAxes.cpp - cut tiles into pieces that fit on chip ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "../ChipOption.h"
#include "../Memory/Trial.h"
#include "../Tiles.h"
#include "Search.h"

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Target/Npu/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace kiln::npu::fit;

namespace kiln::npu {
#define GEN_PASS_DEF_FITAXESPASS
#include "kiln/Target/Npu/Passes.h.inc"

namespace {

/// Small temporaries of lowering: masks, spread rows, steps of reductions.
constexpr int64_t kLoweringBytes = 6 << 10;
/// How often the room for pieces shrinks if there is none for what lowering makes of them, and by
/// how much more than what is missing.
constexpr int kAttempts = 4;
constexpr double kMargin = 0.95;
/// Smaller tiles are not worth a line each in an error.
constexpr size_t kShownTenants = 8;

void reportOverflow(func::FuncOp function, const Outcome &outcome, int64_t budget,
                    const machine::Machine &machine) {
  const Footprint &footprint = outcome.footprint;
  Operation *at = footprint.fullest ? footprint.fullest : function.getOperation();
  InFlightDiagnostic error = emitError(at->getLoc())
                             << "tiles need " << footprint.live
                             << " bytes of UB at once here, expected at most " << budget << " of "
                             << machine.name;
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
        << tenant.bytes << " bytes for " << tileText(cast<ShapedType>(tenant.tensor.getType()));
}

struct FitAxesPass : impl::FitAxesPassBase<FitAxesPass> {
  using FitAxesPassBase::FitAxesPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    FitAxesPassBase::getDependentDialects(registry);
    // Of the passes that the verdict runs.
    registry.insert<bufferization::BufferizationDialect>();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto machine = machineOf(chip, function);
    if (!machine)
      return signalPassFailure();
    // Buffers have the size that their author gave them, and what goes into them too:
    // kiln-npu-plan-memory says if that is too much.
    if (function.isDeclaration() || function->hasAttr(tile::kAsynchronousAttr) ||
        !function.front().getOps<tile::LocalAllocOp>().empty())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError("found a kernel of several blocks, expected structured control flow");
      return signalPassFailure();
    }
    if (reserve < 0) {
      function.emitError("option 'reserve-bytes' is ") << reserve << ", expected 0 or more";
      return signalPassFailure();
    }
    int64_t usable = machine->memory(machine::Memory::UB).usableBytes;
    int64_t budget = std::max<int64_t>(usable - kLoweringBytes - reserve, 0);
    OwningOpRef<func::FuncOp> original = function.clone();
    Outcome outcome = cutToFit(function, *machine, budget);
    if (!outcome.fits) {
      reportOverflow(function, outcome, budget, *machine);
      return signalPassFailure();
    }
    // An estimate near the limit is checked by what it estimates.
    bool isNear = !outcome.cuts.empty() || outcome.footprint.live * 2 > usable;
    for (int attempt = 0; isNear && attempt != kAttempts; ++attempt) {
      OwningOpRef<func::FuncOp> trial = function.clone();
      int64_t needed = memory::overflowOf(*trial, Part::Grid, chip, *machine);
      if (!needed)
        break;
      budget = int64_t(double(budget) * usable / needed * kMargin);
      OwningOpRef<func::FuncOp> copy = original->clone();
      Outcome next = cutToFit(*copy, *machine, budget);
      // The attempt before stays, and kiln-npu-plan-memory says what is too large.
      if (!next.fits)
        break;
      if (explain)
        emitRemark(function.getLoc()) << "after lowering this would need " << needed
                                      << " bytes; pieces are made for " << budget;
      function.getBody().takeBody(copy->getBody());
      outcome = next;
    }
    if (explain)
      for (const Made &cut : outcome.cuts)
        emitRemark(cut.loc) << "the dimension of " << cut.size << " is cut into pieces of "
                            << cut.piece << ", in " << cut.phases
                            << (cut.phases == 1 ? " pass" : " passes");
  }
};

} // namespace
} // namespace kiln::npu
