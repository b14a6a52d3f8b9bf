//===- State.h - cores, pipes and flags while an image runs ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_CORE_STATE_H
#define KILN_SIM_CORE_STATE_H

#include "machine/Cost.h"
#include "sim/check/Checker.h"
#include "sim/core/Code.h"
#include "sim/mem/Memories.h"

#include <array>
#include <memory>
#include <vector>

namespace kiln::sim {

/// One place of a pipe's queue.
struct Slot {
  const Tile *tile = nullptr;
  double issued = 0;
  double started = 0;       ///< when its last instruction left it: the next one cannot come sooner
  machine::VectorCost cost; ///< of an instruction of V
  Resolved resolved;
};

/// A transfer of global memory that runs.
struct Flight {
  const Tile *tile = nullptr;
  double issued = 0, start = 0;
  uint64_t bytes = 0, fetchedBytes = 0, writtenBackBytes = 0;
  uint64_t firstLine = 0;
  double ownCycles = 0; ///< what it would hold the pipe if nothing else moved
  double latency = 0;
};

struct PipeState {
  Slot *slots = nullptr;
  uint64_t issued = 0, taken = 0; ///< instructions so far
  double free = 0;                ///< the pipe may start the next one
  double ready = 0;     ///< end of the last wait or barrier: nothing behind it has started before
  double drain = 0;     ///< all results so far can be seen
  bool planned = false; ///< a transfer of global memory waits for its time to start
  bool flying = false;  ///< one runs
  Flight flight;
  double busy = 0;      ///< cycles in which it was held
  double ownCycles = 0; ///< the same without what sharing cost
  uint64_t instructions = 0;

  bool idle() const { return issued == taken && !flying; }
};

/// Why a scalar unit does not go on.
enum class Stall : uint8_t {
  None,
  QueueFull, ///< of `stalledOn`
  Wait,      ///< for a flag or cross-core flag
  Drain,     ///< for its core's pipes to be empty
  Flights,   ///< for its core's transfers in flight
  Sync,      ///< for the other cores
  Clock,     ///< for its turn in simulated time
  Finished,
};

struct LoopFrame {
  int64_t current = 0, upper = 0, step = 1;
};

/// A flag between two pipes.
struct Flag {
  uint32_t set = 0; ///< sets without a wait; more than one is misuse
  double seenFrom = 0;
};

struct CoreState {
  CoreId id = 0;
  machine::Core kind{};
  uint32_t index = 0; ///< among the cores of its kind
  uint32_t aiCore = 0;
  const DecodedProgram *program = nullptr;
  std::unique_ptr<Memories> memories; ///< none if nothing is executed

  uint32_t pc = 0;
  double time = 0; ///< of the scalar unit
  Stall stall = Stall::None;
  machine::Pipe stalledOn{};
  bool released = false;           ///< sync_all: all have arrived
  std::vector<uint64_t> registers; ///< with the constants behind
  std::vector<uint64_t> undefined; ///< per register, its bits; only looked at if anyUndefined
  bool anyUndefined = false;
  std::vector<LoopFrame> frames;
  uint64_t instructions = 0;
  uint64_t controlHash = 0;

  std::array<PipeState, machine::pipeCount> pipes;
  std::vector<Flag> flags; ///< by source, destination, id
  uint8_t work = 0;        ///< units that may be able to do something, a bit each
  bool queued = false;     ///< stands in the engine's list of cores with work

  PipeState &pipe(machine::Pipe which) { return pipes[size_t(which)]; }
};

} // namespace kiln::sim

#endif // KILN_SIM_CORE_STATE_H
