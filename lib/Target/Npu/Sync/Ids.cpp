//===- Ids.cpp - flag ids, of which there are few --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Ids.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using kiln::machine::Pipe;

namespace kiln::npu {
namespace {

/// The flags from one pipe to another, which share ids.
class PairOfPipes {
public:
  PairOfPipes(PlanState &state, Pipe from, Pipe to, unsigned ids, uint64_t reserved)
      : state(state), from(from), to(to), ids(ids), reserved(reserved) {}

  void assign() {
    while (!tryAssign())
      if (!mergeTwo())
        replaceByBarrier();
  }

private:
  bool mine(const Flag &flag) const { return flag.from == from && flag.to == to; }

  /// First fit, in the order of the sources.
  bool tryAssign() {
    std::vector<Flag *> given;
    std::vector<Flag *> flags;
    for (Flag &flag : state.plan.flags)
      if (mine(flag))
        flags.push_back(&flag);
    // Those of loops first: they keep their ids for the whole run.
    llvm::sort(flags, [&](const Flag *a, const Flag *b) {
      auto key = [&](const Flag *flag) {
        return std::tuple(once(*flag), state.program.position.at(flag->cause),
                          state.program.position.at(flag->effect), flag->token);
      };
      return key(a) < key(b);
    });
    for (Flag *flag : flags) {
      if (!fit(*flag, given))
        return false;
      given.push_back(flag);
    }
    return true;
  }

  bool fit(Flag &flag, ArrayRef<Flag *> given) {
    std::vector<bool> taken(ids, false);
    for (unsigned id = 0; id < ids; ++id)
      taken[id] = reserved >> id & 1;
    for (const Flag *other : given)
      if (!after(*other, flag))
        for (int64_t id = 0; id < other->ids(); ++id)
          taken[other->firstId + id] = true;
    int64_t run = 0;
    for (unsigned id = 0; id < ids; ++id) {
      run = taken[id] ? 0 : run + 1;
      if (run == flag.ids()) {
        flag.firstId = unsigned(id + 1 - run);
        return true;
      }
    }
    return false;
  }

  /// A flag that is raised once in a run of the kernel.
  static bool once(const Flag &flag) { return !flag.token && !loopAround(flag.source->getBlock()); }

  /// Whether `later` is raised only when it is known that `earlier`, which is raised once, was
  /// waited for.
  bool after(const Flag &earlier, const Flag &later) const {
    return once(earlier) && once(later) && earlier.source->getBlock() == later.source->getBlock() &&
           state.order.at(earlier.destination) <= state.order.at(later.source) &&
           state.knowsWait(later.source, later.from, earlier.destination, earlier.to);
  }

  /// One flag for two of a block and kind: set behind the later source, waited for before the
  /// earlier destination. The two that lose least by it.
  bool mergeTwo() {
    std::optional<std::pair<size_t, size_t>> best;
    int64_t bestLoss = 0;
    std::vector<Flag> &flags = state.plan.flags;
    for (size_t i = 0; i < flags.size(); ++i)
      for (size_t j = i + 1; j < flags.size(); ++j) {
        std::optional<int64_t> loss = lossOfMerging(flags[i], flags[j]);
        if (loss && (!best || *loss < bestLoss)) {
          best = {i, j};
          bestLoss = *loss;
        }
      }
    if (!best)
      return false;
    Flag &kept = flags[best->first];
    const Flag &gone = flags[best->second];
    if (state.order.at(gone.source) > state.order.at(kept.source)) {
      kept.source = gone.source;
      kept.cause = gone.cause;
    }
    kept.causePosition = std::max(kept.causePosition, gone.causePosition);
    if (state.order.at(gone.destination) < state.order.at(kept.destination)) {
      kept.destination = gone.destination;
      kept.effect = gone.effect;
    }
    flags.erase(flags.begin() + int64_t(best->second));
    return true;
  }

  std::optional<int64_t> lossOfMerging(const Flag &a, const Flag &b) const {
    if (!mine(a) || !mine(b) || a.token != b.token || a.slots != b.slots ||
        a.source->getBlock() != b.source->getBlock())
      return std::nullopt;
    int64_t source = std::max(state.order.at(a.source), state.order.at(b.source));
    int64_t destination = std::min(state.order.at(a.destination), state.order.at(b.destination));
    if (!a.token && source >= destination)
      return std::nullopt;
    return std::abs(state.order.at(a.source) - state.order.at(b.source)) +
           std::abs(state.order.at(a.destination) - state.order.at(b.destination));
  }

  /// The flag with the most ids goes: a barrier before its destination keeps its order and that of
  /// the flags that only made it alternate.
  void replaceByBarrier() {
    std::vector<Flag> &flags = state.plan.flags;
    auto worst = flags.end();
    for (auto flag = flags.begin(); flag != flags.end(); ++flag)
      if (mine(*flag) && (worst == flags.end() || flag->ids() > worst->ids()))
        worst = flag;
    assert(worst != flags.end() && "flags do not fit, so there is one");
    state.plan.barriers.push_back({worst->destination, std::nullopt,
                                   "more than " + std::to_string(ids) + " flags are up from " +
                                       std::string(machine::name(from)) + " to " +
                                       std::string(machine::name(to))});
    flags.erase(worst);
    state.dropBehindStops();
  }

  PlanState &state;
  Pipe from, to;
  unsigned ids;
  uint64_t reserved;
};

} // namespace

TakenIds takenIds(func::FuncOp function) {
  TakenIds taken;
  auto take = [&](auto op) {
    std::optional<int64_t> id = getConstantIntValue(op.getId());
    taken[{op.getSource().getValue(), op.getDestination().getValue()}] |=
        id && *id >= 0 && *id < 64 ? uint64_t(1) << *id : ~uint64_t(0);
  };
  function.walk([&](Operation *op) {
    if (auto set = dyn_cast<SetOp>(op))
      take(set);
    else if (auto wait = dyn_cast<WaitOp>(op))
      take(wait);
  });
  return taken;
}

void assignIds(PlanState &state, unsigned ids, const TakenIds &taken) {
  auto lookup = [&](std::pair<Pipe, Pipe> pair) {
    auto found = taken.find(pair);
    return found == taken.end() ? uint64_t(0) : found->second;
  };
  for (unsigned from = 0; from < machine::pipeCount; ++from)
    for (unsigned to = 0; to < machine::pipeCount; ++to)
      if (from != to)
        PairOfPipes(state, Pipe(from), Pipe(to), ids, lookup({Pipe(from), Pipe(to)})).assign();
}

} // namespace kiln::npu
