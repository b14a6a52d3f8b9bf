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

/// Writes a plan into the program. Ops that stand at one place keep the order: waits, then
/// barriers, then the op, then sets.
class Emitter {
public:
  explicit Emitter(func::FuncOp function) : builder(function.getContext()) {}

  void emit(const SyncPlan &plan) {
    // Sets directly behind an op come out in reverse; nothing depends on their order.
    for (const PlannedBarrier &barrier : plan.barriers) {
      builder.setInsertionPoint(barrier.before);
      PipeAttr pipe =
          barrier.pipe ? PipeAttr::get(builder.getContext(), *barrier.pipe) : PipeAttr();
      StringAttr reason =
          barrier.reason.empty() ? StringAttr() : builder.getStringAttr(barrier.reason);
      BarrierOp::create(builder, barrier.before->getLoc(), pipe, reason);
      if (!barrier.pipe)
        barrier.before->emitRemark("slow path: all pipes of the core stop here: ")
            << barrier.reason;
    }
    for (const Flag &flag : plan.flags) {
      builder.setInsertionPoint(flag.destination);
      create<WaitOp>(flag, flag.effect->getLoc(), idOf(flag, flag.effect->getLoc()));
      builder.setInsertionPointAfter(flag.source);
      create<SetOp>(flag, flag.cause->getLoc(), idOf(flag, flag.cause->getLoc()));
      if (flag.token)
        primeAndDrain(flag);
    }
  }

private:
  template <typename Op> void create(const Flag &flag, Location loc, Value id) {
    Op::create(builder, loc, PipeAttr::get(builder.getContext(), flag.from),
               PipeAttr::get(builder.getContext(), flag.to), id);
  }

  Value constant(Location loc, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  /// The id in one execution: by slot, number mod depth.
  Value idOf(const Flag &flag, Location loc) {
    if (!flag.slot)
      return constant(loc, flag.firstId);
    Value slot =
        arith::RemUIOp::create(builder, loc, flag.slot->number, constant(loc, flag.slot->depth));
    if (!flag.firstId)
      return slot;
    return arith::AddIOp::create(builder, loc, slot, constant(loc, flag.firstId));
  }

  /// Tokens are raised before, and taken down after, the outermost loop: pipes overlap across
  /// iterations of all of them.
  void primeAndDrain(const Flag &flag) {
    Operation *outermost = flag.source;
    for (Operation *op = flag.source->getParentOp(); !isa<func::FuncOp>(op); op = op->getParentOp())
      outermost = op;
    Location loc = flag.cause->getLoc();
    for (int64_t id = 0; id < flag.ids(); ++id) {
      builder.setInsertionPoint(outermost);
      create<SetOp>(flag, loc, constant(loc, flag.firstId + id));
      builder.setInsertionPointAfter(outermost);
      create<WaitOp>(flag, loc, constant(loc, flag.firstId + id));
    }
  }

  OpBuilder builder;
};

struct InsertSyncPass : impl::InsertSyncPassBase<InsertSyncPass> {
  using InsertSyncPassBase::InsertSyncPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || failed(check(function)))
      return;
    std::shared_ptr<const machine::Machine> machine = machineOf(chip, function);
    if (!machine)
      return signalPassFailure();
    SyncPlan plan = planSync(function, machine->limits.flagIds);
    if (explain)
      describe(function, plan);
    Emitter(function).emit(plan);
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
      if (flag.slot)
        remark << ", by slot of " << flag.slot->depth;
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
