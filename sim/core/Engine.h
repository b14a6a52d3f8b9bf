//===- Engine.h - runs the cores of a launch -------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A core has units: its scalar unit (pipe S) and its other pipes. `step…` lets one unit do one
// thing if it can. What differs between the modes is who steps next:
//   - without time: cores in turn, each until it cannot go on; or a unit chosen at random among all
//   that may step;
//   - with time: the same, but transfers of global memory and scalar accesses to it happen in the
//   order of simulated time
//     (then core, then pipe), taken from a list of events.
//
// **Time runs per unit.** A scalar unit, and a pipe that touches only its own core's memories, may
// run ahead of the events: all that they tell one another carries its time (when an instruction was
// issued, from when a flag or a queue's place is seen), so the result does not depend on who steps
// first. In an image without races values do not either.
//
// **Cycles of a pipe.** A vector instruction starts its body when the pipe is free and its head has
// passed since it could enter the pipe (after its issue and the last wait or barrier): so the head
// is paid where the pipe was empty and hidden where it was not. The pipe is free after the body; a
// set, a barrier and the end of the program wait for the tail too. A barrier lasts until what is in
// flight has drained, at least barrier_min_cycles from where the pipe reaches it. Transfers hold
// the pipe for their start and stream; their latency runs after that like a tail.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_CORE_ENGINE_H
#define KILN_SIM_CORE_ENGINE_H

#include "sim/core/CrossFlags.h"
#include "sim/core/State.h"
#include "sim/isa/Execute.h"
#include "sim/timing/L2.h"
#include "sim/timing/Pools.h"

#include <queue>
#include <random>

namespace kiln::sim {

/// What one launch consists of; all must outlive the engine.
struct Launch {
  const image::Image &image;
  const machine::Machine &machine;
  const Options &options;
  GlobalMemory &memory;
  Grid grid;
  std::vector<uint64_t> arguments; ///< the register of each parameter
  /// Programs per kind of core, null if the image has none, and how many cores run them.
  std::array<const DecodedProgram *, machine::coreKinds> programs{};
  std::array<unsigned, machine::coreKinds> cores{};
};

class Engine {
public:
  Engine(const Launch &launch, Checker *checker, L2 *l2);

  /// Runs to the end, or until something ends the launch. An error is a cancelled run.
  Result<void> run();

  /// Takes a finding, from here or from the checker.
  void report(Finding finding);

  /// What has come out; once, after run().
  Report takeReport();

private:
  using Pipe = machine::Pipe;

  struct Event {
    double time;
    CoreId core;
    Pipe pipe;
    bool begins; ///< a transfer begins to move data (else: starts, or it is the scalar unit's turn)
    bool operator>(const Event &other) const {
      if (time != other.time)
        return time > other.time;
      return core != other.core ? core > other.core : pipe > other.pipe;
    }
  };

  // Engine.cpp: who steps next
  void makeCores(machine::Core kind);
  void mark(CoreState &core, Pipe unit);
  bool step(CoreState &core, Pipe unit, bool burst) {
    return unit == Pipe::S ? stepScalar(core, burst) : stepPipe(core, unit);
  }
  void runWork();
  void runRandom(uint64_t seed);
  void runTimed();
  void happen(const Event &event);
  void finish();
  void makeQueues();
  void bindRegisters(CoreState &core);

  // Scalar.cpp: the scalar unit
  bool stepScalar(CoreState &core, bool burst);
  bool issue(CoreState &core, const Tile &tile);
  void resolve(CoreState &core, const Tile &tile, Resolved &to);
  void propagateUndefined(CoreState &core, const Code &code);
  void spend(CoreState &core, double cycles) {
    core.time += cycles;
    core.pipes[0].busy += cycles;
  }
  void trace(CoreState &core, uint64_t value) {
    core.controlHash = (core.controlHash ^ value) * 0x9E3779B97F4A7C15u;
    core.controlHash ^= core.controlHash >> 29;
  }

  // ScalarTile.cpp: tile instructions of pipe S
  bool scalarTile(CoreState &core, const Tile &tile);
  bool scalarAccess(CoreState &core, const Tile &tile);
  bool scalarFlag(CoreState &core, const Tile &tile);
  bool scalarSync(CoreState &core, const Tile &tile);
  bool drained(CoreState &core);

  // Pipe.cpp: the other pipes
  bool stepPipe(CoreState &core, Pipe pipe);
  void take(CoreState &core, Pipe pipe, double start, double end);
  bool pipeFlag(CoreState &core, Pipe pipe, Slot &slot, double start);
  bool crossFlag(CoreState &core, Pipe pipe, const Tile &tile, int64_t id, double &time,
                 double drain);
  Flag *flag(CoreState &core, const Tile &tile, int64_t id);
  void raise(CoreState &core, const Tile &tile, int64_t id, double seenFrom);
  void vector(CoreState &core, Slot &slot, double start);
  void localTransfer(CoreState &core, Pipe pipe, Slot &slot, double start);

  // Transfer.cpp: transfers of global memory
  bool globalTransfer(CoreState &core, Pipe pipe, Slot &slot, double start);
  void startTransfer(CoreState &core, Pipe pipe);
  void beginFlow(CoreState &core, Pipe pipe);
  void endTransfer(CoreState &core, Pipe pipe, double end);
  uint32_t flowOf(const CoreState &core, Pipe pipe) const {
    return core.id * machine::pipeCount + uint32_t(pipe);
  }

  // Effects.cpp: values, checks, findings, traces
  Place place(const CoreState &core, const Tile &tile) const;
  Place place(const CoreState &core, uint32_t instruction, Pipe pipe) const;
  bool executes(const Tile &tile) const { return values || tile.feedsControl; }
  void perform(CoreState &core, const Tile &tile, const Resolved &resolved);
  void record(const CoreState &core, const Tile &tile, double issued, double start, double end,
              uint64_t bytes, int64_t flagId = -1);
  void fatal(Finding finding);
  void reportUndefined(CoreState &core, uint32_t instruction, const std::string &what);
  bool tooLong(CoreState &core, double time, uint32_t instruction, Pipe pipe);

  // Deadlock.cpp
  void findDeadlock();
  friend class DeadlockSearch;

  // Results.cpp
  void findBusiest();

  const Launch launch;
  const machine::Machine &machine;
  const Options &options;
  Checker *checker;
  L2 *l2;
  const bool timed, values, track;
  bool stopped = false, cancelled = false;
  unsigned polls = 0;
  Outcome outcome;
  Resolved scratch; ///< of instructions on S
  std::vector<CoreState> cores;
  std::vector<Slot> slots;
  unsigned depth;
  CrossFlags cross;
  unsigned arrived = 0; ///< at a sync_all
  double arrivedTime = 0;

  double now = 0;
  Pools pools;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<CoreId> work; ///< cores with work, in turn: a ring, in which each stands at most once
  size_t workFirst = 0, workCount = 0;
  std::vector<uint32_t> choices; ///< random order: units with work
  bool random = false;
  Report out;
};

} // namespace kiln::sim

#endif // KILN_SIM_CORE_ENGINE_H
