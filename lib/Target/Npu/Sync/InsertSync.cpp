//===- InsertSync.cpp - flags and barriers ---------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Asynchronous pipes keep program order where bytes meet (docs/design/insert-sync.md):
//
//   scf.for … {                                    npu.set <v> to <mte2>[%c0]            // primed
//     npu.load %x[%o] …, %b                        scf.for … {
//     npu.vunary <vexp> %b, %c           ==>         npu.wait <v> to <mte2>[%c0]
//   }                                                npu.load %x[%o] …, %b
//                                                    npu.set <mte2> to <v>[%c0]
//                                                    npu.wait <mte2> to <v>[%c0]
//                                                    npu.vunary <vexp> %b, %c
//                                                    npu.set <v> to <mte2>[%c0]
//                                                  }
//                                                  npu.wait <v> to <mte2>[%c0]           // drained
//
//===-----------------------------------------------------------------------------------------===//

#include "../ChipOption.h"
#include "Emit.h"
#include "Planner.h"

#include "kiln/Target/Npu/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_INSERTSYNCPASS
#include "kiln/Target/Npu/Passes.h.inc"

namespace {

struct InsertSyncPass : impl::InsertSyncPassBase<InsertSyncPass> {
  using InsertSyncPassBase::InsertSyncPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || failed(check(function)))
      return;
    std::shared_ptr<const machine::Machine> machine = machineOf(chip, function);
    if (!machine)
      return signalPassFailure();
    // Where the author placed all flags, what lowering put between is still ordered here: nobody
    // else can see its buffers.
    SyncPlan plan = planSync(function, machine->limits.flagIds, function->hasAttr(kAuthorSyncAttr));
    if (explain)
      describe(function, plan);
    emitSync(function, plan);
  }

private:
  /// What the planner takes for granted.
  LogicalResult check(func::FuncOp function) {
    WalkResult result = function.walk([](Operation *op) {
      if (auto alloc = dyn_cast<AllocOp>(op); alloc && !alloc.getAddress()) {
        op->emitError("the buffer has no address, expected kiln-npu-plan-memory before");
        return WalkResult::interrupt();
      }
      if (op->getNumRegions() && !isa<func::FuncOp, scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
        op->emitError("found '") << op->getName() << "', expected no control flow but scf.for, "
                                 << "scf.if and scf.while";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
    return failure(result.wasInterrupted());
  }

  static void describe(func::FuncOp function, const SyncPlan &plan) {
    function.emitRemark() << plan.edges << " pairs of accesses need an order: " << plan.flags.size()
                          << " flags, " << plan.barriers.size() << " barriers";
    for (const Flag &flag : plan.flags) {
      auto remark = flag.effect->emitRemark()
                    << machine::name(flag.to) << " waits for " << machine::name(flag.from)
                    << (flag.token ? " of the iteration before" : "");
      if (flag.slots)
        remark << ", by slot of " << flag.ids();
      remark.attachNote(flag.cause->getLoc()) << "what it waits for";
    }
    for (const PlannedBarrier &barrier : plan.barriers)
      barrier.before->emitRemark()
          << "barrier on "
          << (barrier.pipe ? machine::name(*barrier.pipe) : std::string_view("all pipes"));
  }
};

} // namespace
} // namespace kiln::npu
