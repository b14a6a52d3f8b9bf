//===- Emit.cpp - a plan becomes flags and barriers --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Emit.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln::npu {
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
      create<WaitOp>(flag, flag.effect->getLoc(), waitId(flag, flag.effect->getLoc()));
      builder.setInsertionPointAfter(flag.source);
      create<SetOp>(flag, flag.cause->getLoc(), setId(flag, flag.cause->getLoc()));
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

  /// The id of a slot: its number mod depth.
  Value idOf(const Flag &flag, const Slot &slot, Value base, Location loc) {
    Value number = base;
    if (slot.offset)
      number = arith::AddIOp::create(builder, loc, base, constant(loc, slot.offset));
    Value id = arith::RemUIOp::create(builder, loc, number, constant(loc, slot.depth));
    if (!flag.firstId)
      return id;
    return arith::AddIOp::create(builder, loc, id, constant(loc, flag.firstId));
  }
  Value setId(const Flag &flag, Location loc) {
    return flag.slots ? idOf(flag, flag.slots->cause, flag.slots->cause.base, loc)
                      : constant(loc, flag.firstId);
  }
  Value waitId(const Flag &flag, Location loc) {
    return flag.slots ? idOf(flag, flag.slots->effect, flag.slots->effect.base, loc)
                      : constant(loc, flag.firstId);
  }

  /// Tokens are raised before, and taken down after, the outermost loop: pipes overlap across
  /// iterations of all of them. So many ids are up between two executions as lie between set and
  /// wait.
  void primeAndDrain(const Flag &flag) {
    Operation *outermost = flag.source;
    std::optional<std::pair<Value, Value>> ends; // the counter before and after all loops
    if (flag.slots && flag.slots->counted && flag.distance() < flag.ids())
      ends = {flag.slots->effect.base, Value()};
    for (Operation *op = flag.source->getParentOp(); !isa<func::FuncOp>(op);
         op = op->getParentOp()) {
      outermost = op;
      if (!ends)
        continue;
      auto loop = cast<scf::ForOp>(op); // or the counter would not count
      unsigned carried = cast<BlockArgument>(ends->first).getArgNumber() - 1;
      ends = {loop.getInitArgs()[carried], loop.getResult(carried)};
    }
    Location loc = flag.cause->getLoc();
    for (int64_t id = 0; id < (ends ? flag.distance() : flag.ids()); ++id) {
      auto number = [&](Value base) {
        if (!ends)
          return constant(loc, flag.firstId + id);
        Slot slot = flag.slots->effect;
        slot.offset += id;
        return idOf(flag, slot, base, loc);
      };
      builder.setInsertionPoint(outermost);
      create<SetOp>(flag, loc, number(ends ? ends->first : Value()));
      builder.setInsertionPointAfter(outermost);
      create<WaitOp>(flag, loc, number(ends ? ends->second : Value()));
    }
  }

  OpBuilder builder;
};

} // namespace

void emitSync(func::FuncOp function, const SyncPlan &plan) { Emitter(function).emit(plan); }

} // namespace kiln::npu
