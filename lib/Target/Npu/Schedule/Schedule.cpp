//===- Schedule.cpp - rings for loads and stores in loops --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Multi-buffering: what a loop loads or stores passes through a ring, so that the next load runs
// while this one's values are used.
//
//   scf.for … {                              %r = tile.ring_create : !tile.ring<4096xf32, 2>
//     %x = tile.load %v …                    scf.for … iter_args(%n = %c0) {
//     … %x …                        ==>        %l = tile.load %v …
//   }                                          %x = tile.ring_put %l, %r[%n] …
//                                              … %x …
//                                              scf.yield %n + 1
//
// The depth is chosen per loop by the modelled pace of its pipes (Steady.h): the smallest memory
// within 1 % of the best pace wins.
//
//===-----------------------------------------------------------------------------------------===//

#include "../ChipOption.h"
#include "../Memory/Trial.h"
#include "Counters.h"
#include "Prefetch.h"
#include "Steady.h"

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Target/Npu/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "kiln/Target/Npu/Passes.h.inc"

namespace {

/// On `scf.for`: into how many slots its loads and stores go in turn, where the author says so.
constexpr llvm::StringLiteral stagesAttr = "tile.num_stages";
constexpr int64_t deepest = 3; ///< more slots help only if iterations differ much in length

/// A value that is to pass through a ring, and the op that makes it.
SmallVector<Value> ringValues(scf::ForOp loop) {
  llvm::SetVector<Value> values;
  for (Operation &op : loop.getBody()->without_terminator()) {
    // The first load of an inner loop's ring goes into that ring.
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load && llvm::none_of(load->getUsers(), llvm::IsaPred<tile::RingPutOp>))
      values.insert(load.getResult());
    // What is stored was made in this iteration, or it stays where it is, as what a buffer of the
    // author's holds does. A constant is made again each time.
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      Operation *maker = store.getValue().getDefiningOp();
      if (maker && maker->getBlock() == loop.getBody() &&
          !isa<tile::RingPutOp, tile::LocalLoadOp>(maker))
        values.insert(store.getValue());
    }
  }
  return values.takeVector();
}

/// Puts values of one loop into rings of one depth; loads an iteration ahead, if `ahead` says so
/// and they may be.
void makeRings(scf::ForOp loop, ArrayRef<Value> values, int64_t depth, bool ahead) {
  loop = addCounter(loop);
  Value number = loop.getRegionIterArgs().back();
  OpBuilder builder(loop.getContext());
  for (Value value : values) {
    auto type = cast<RankedTensorType>(value.getType());
    builder.setInsertionPoint(outermostOf(loop));
    auto ringType = tile::RingType::get(type.getShape(), type.getElementType(), depth);
    Value ring = tile::RingCreateOp::create(builder, value.getLoc(), ringType);
    if (auto load = value.getDefiningOp<tile::LoadOp>();
        ahead && load && load->getBlock() == loop.getBody() && canPrefetch(load, loop)) {
      prefetch(load, loop, ring, number);
      continue;
    }
    builder.setInsertionPointAfterValue(value);
    auto put = tile::RingPutOp::create(builder, value.getLoc(), type, value, ring, number);
    value.replaceAllUsesExcept(put.getResult(), put);
  }
}

/// What the author asks for: 1 is no buffering.
std::optional<int64_t> stagesOf(scf::ForOp loop) {
  auto stages = loop->getAttrOfType<IntegerAttr>(stagesAttr);
  return stages && stages.getInt() > 0 ? std::optional(stages.getInt()) : std::nullopt;
}

struct SchedulePass : impl::SchedulePassBase<SchedulePass> {
  using SchedulePassBase::SchedulePassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    // What the author placed by hand stays as it is.
    if (function.isDeclaration() || function->hasAttr(tile::kAsynchronousAttr))
      return;
    std::shared_ptr<const machine::Machine> machine = machineOf(chip, function);
    if (!machine)
      return signalPassFailure();
    if (depth < 0) {
      function.emitError("option 'depth' is ") << int64_t(depth) << ", expected 0 or more";
      return signalPassFailure();
    }
    // As deep as it pays, or as authors say, and the rest of the way finds room for.
    int64_t asked = deepest;
    function.walk([&](scf::ForOp loop) { asked = std::max(asked, stagesOf(loop).value_or(0)); });
    for (int64_t most = depth ? int64_t(depth) : asked; most > 1; --most) {
      if (!depth && !hasRoom(function, *machine, most))
        continue;
      scheduleAll(function, *machine, most, explain);
      return;
    }
  }

private:
  /// What is done to one loop.
  struct Plan {
    SmallVector<Value> values; ///< that pass through rings
    IterationCost cost;
    int64_t depth = 1;

    int64_t bytes() const { return cost.otherBytes + (depth - 1) * cost.ringBytes; }
  };

  Plan planOf(scf::ForOp loop, const machine::Machine &machine, int64_t most, bool say) {
    Plan plan{ringValues(loop), {}, 1};
    if (plan.values.empty())
      return plan;
    plan.cost = costOf(loop, machine);
    std::optional<int64_t> stages = stagesOf(loop);
    if (depth)
      plan.depth = depth;
    else if (stages)
      plan.depth = std::min(*stages, most);
    else
      plan.depth = choose(loop, plan.cost, machine, most, say);
    if (say && !depth && stages)
      loop.emitRemark("slots of this loop's loads and stores: ")
          << plan.depth << ", the author asks for " << *stages;
    return plan;
  }

  /// Whether memory planning will find room for rings of at most so many slots. It is asked only
  /// where that is not plain.
  bool hasRoom(func::FuncOp function, const machine::Machine &machine, int64_t most) {
    int64_t bytes = 0;
    function.walk([&](scf::ForOp loop) { bytes += planOf(loop, machine, most, false).bytes(); });
    if (bytes <= int64_t(machine.memory(machine::Memory::UB).usableBytes) / 2)
      return true;
    OwningOpRef<func::FuncOp> trial = function.clone();
    scheduleAll(*trial, machine, most, false);
    return !memory::overflowOf(*trial, Part::Buffers, chip, machine);
  }

  /// Schedules every loop, with at most so many slots per ring.
  void scheduleAll(func::FuncOp function, const machine::Machine &machine, int64_t most, bool say) {
    // Inner loops first; those around them are replaced on the way, so none is kept.
    size_t count = 0;
    function.walk([&](scf::ForOp) { ++count; });
    for (size_t i = 0; i < count; ++i) {
      SmallVector<scf::ForOp> now; // the same walk, over the loops of now
      function.walk([&](scf::ForOp loop) { now.push_back(loop); });
      Plan plan = planOf(now[i], machine, most, say);
      // The scalar unit hands over the next load only when all but a queue's length of this
      // iteration's vector work is under way; work that is longer hides the load only if that goes
      // first.
      bool ahead = plan.cost.vectorInstructions > machine.control.queueDepth;
      if (plan.depth > 1)
        makeRings(now[i], plan.values, plan.depth, ahead);
    }
  }

  int64_t choose(scf::ForOp loop, const IterationCost &cost, const machine::Machine &machine,
                 int64_t most, bool say) {
    auto usable = int64_t(machine.memory(machine::Memory::UB).usableBytes);
    auto bytes = [&](int64_t slots) { return cost.otherBytes + (slots - 1) * cost.ringBytes; };
    double best = steadyCycles(cost, 1);
    for (int64_t slots = 2; slots <= most && bytes(slots) <= usable; ++slots)
      best = std::min(best, steadyCycles(cost, slots));
    int64_t chosen = 1;
    while (chosen < most && bytes(chosen + 1) <= usable && steadyCycles(cost, chosen) > best * 1.01)
      ++chosen;
    if (say) {
      auto remark = loop.emitRemark("slots of this loop's loads and stores: ") << chosen;
      for (int64_t slots = 1; slots <= deepest; ++slots)
        remark.attachNote() << slots << ": " << int64_t(steadyCycles(cost, slots))
                            << " cycles an iteration (modelled), " << bytes(slots) << " of "
                            << usable << " bytes of UB";
    }
    return chosen;
  }
};

} // namespace
} // namespace kiln::npu
