//===- Pipe.cpp - the pipes of a core --------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/core/Engine.h"
#include "sim/timing/Shapes.h"

#include <algorithm>

namespace kiln::sim {

using machine::OpClass;
using machine::Opcode;

bool Engine::stepPipe(CoreState &core, Pipe which) {
  PipeState &pipe = core.pipe(which);
  if (pipe.issued == pipe.taken || pipe.planned || pipe.flying)
    return false;
  Slot &slot = pipe.slots[pipe.taken % depth];
  const Tile &tile = *slot.tile;
  const double start = std::max(pipe.free, slot.issued);
  switch (tile.opClass) {
  case OpClass::Flag:
  case OpClass::CrossFlag:
    return pipeFlag(core, which, slot, start);
  case OpClass::Barrier:
    if (timed)
      pipe.free = std::max(start + machine.control.barrierMinCycles, pipe.drain);
    pipe.ready = pipe.drain = pipe.free;
    if (checker)
      checker->barrier(core.id, place(core, tile), which);
    take(core, which, start, pipe.free);
    return true;
  case OpClass::Load:
  case OpClass::Store:
  case OpClass::Extract:
  case OpClass::Fixpipe:
    if (tile.local)
      localTransfer(core, which, slot, start);
    else
      return globalTransfer(core, which, slot, start);
    return true;
  default:
    vector(core, slot, start);
    return true;
  }
}

void Engine::take(CoreState &core, Pipe which, double start, double end) {
  PipeState &pipe = core.pipe(which);
  Slot &slot = pipe.slots[pipe.taken % depth];
  slot.started = start;
  ++pipe.taken;
  ++pipe.instructions;
  if (core.stall == Stall::QueueFull ? core.stalledOn == which
                                     : core.stall == Stall::Drain && pipe.idle())
    mark(core, Pipe::S);
  if (options.trace && !pipe.flying)
    record(core, *slot.tile, slot.issued, start, end, 0,
           slot.tile->opClass == OpClass::Flag ? int64_t(slot.resolved.scalars[0]) : -1);
  if (timed)
    tooLong(core, end, slot.tile->model.index, which);
}

void Engine::vector(CoreState &core, Slot &slot, double start) {
  const Tile &tile = *slot.tile;
  const Pipe which = tile.pipe;
  PipeState &pipe = core.pipe(which);
  if (executes(tile))
    perform(core, tile, slot.resolved);
  if (timed) {
    const machine::VectorCost &cost = slot.cost;
    // An empty region costs nothing, not even a head.
    double body = start;
    if (cost.body > 0)
      body = std::max(pipe.free, std::max(slot.issued, pipe.ready) + cost.head);
    double end = body + cost.body;
    pipe.busy += end - start;
    pipe.ownCycles += end - start;
    pipe.free = end;
    pipe.drain = std::max(pipe.drain, end + cost.tail);
  }
  take(core, which, start, pipe.free);
}

void Engine::localTransfer(CoreState &core, Pipe which, Slot &slot, double start) {
  PipeState &pipe = core.pipe(which);
  const Tile &tile = *slot.tile;
  if (executes(tile))
    perform(core, tile, slot.resolved);
  if (timed) {
    auto cost = machine::transferCost(machine, *tile.path, transferBytes(machine, slot.resolved));
    pipe.free = start + cost.pipe();
    pipe.drain = std::max(pipe.drain, pipe.free + cost.latency);
    pipe.busy += cost.pipe();
    pipe.ownCycles += cost.pipe();
  }
  take(core, which, start, pipe.free);
}

Flag *Engine::flag(CoreState &core, const Tile &tile, int64_t id) {
  const unsigned ids = machine.limits.flagIds;
  if (id < 0 || id >= int64_t(ids)) {
    fatal({FindingKind::FlagMisuse,
           "flag " + std::to_string(id) + ", expected an id from 0 to " + std::to_string(ids - 1),
           place(core, tile),
           {}});
    return nullptr;
  }
  return &core.flags[(size_t(tile.source) * machine::pipeCount + size_t(tile.destination)) * ids +
                     size_t(id)];
}

void Engine::raise(CoreState &core, const Tile &tile, int64_t id, double seenFrom) {
  Flag &raised = *flag(core, tile, id);
  if (checker)
    checker->set(core.id, place(core, tile), tile.source, tile.destination, id);
  else if (raised.set)
    report({FindingKind::FlagMisuse,
            "flag " + std::to_string(id) + " from " + std::string(name(tile.source)) + " to " +
                std::string(name(tile.destination)) + " is set again before its wait",
            place(core, tile),
            {}});
  // A second set is misuse, but counts, so that one order of the pipes shows no more than another.
  raised.seenFrom = std::max(raised.seenFrom, seenFrom);
  ++raised.set;
  mark(core, tile.destination);
}

bool Engine::pipeFlag(CoreState &core, Pipe which, Slot &slot, double start) {
  PipeState &pipe = core.pipe(which);
  const Tile &tile = *slot.tile;
  const int64_t id = int64_t(slot.resolved.scalars[0]);
  const double cycles = timed ? machine.control.flagCycles : 0;
  double end = start + cycles;
  if (tile.opClass == OpClass::CrossFlag) {
    end = start;
    if (!crossFlag(core, which, tile, id, end, std::max(start, pipe.drain)))
      return false;
  } else {
    Flag *known = flag(core, tile, id);
    if (!known)
      return true;
    if (tile.opcode == Opcode::SetFlag) {
      raise(core, tile, id, std::max(end, pipe.drain));
    } else {
      if (!known->set)
        return false;
      --known->set;
      end = std::max(start, known->seenFrom) + cycles;
      if (checker)
        checker->wait(core.id, place(core, tile), tile.source, tile.destination, id);
    }
  }
  pipe.free = end;
  if (tile.opcode == Opcode::WaitFlag || tile.opcode == Opcode::CrossWait)
    pipe.ready = end;
  take(core, which, start, end);
  // A wait keeps its place in the queue until it is over: nobody knows sooner that it is.
  if (pipe.ready == end)
    slot.started = end;
  return true;
}

bool Engine::crossFlag(CoreState &core, Pipe which, const Tile &tile, int64_t id, double &time,
                       double drain) {
  const double cycles = timed ? machine.control.flagCycles : 0;
  if (!cross.isId(id)) {
    fatal({FindingKind::FlagMisuse,
           "cross-core flag " + std::to_string(id) + ", expected an id from 0 to " +
               std::to_string(int64_t(machine.limits.crossFlagIds) - 1),
           place(core, tile),
           {}});
    return true;
  }
  if (tile.opcode == Opcode::CrossSet) {
    time += cycles;
    double seenFrom = std::max(time, drain) + (timed ? machine.control.crossCoreCycles : 0);
    if (!cross.set(core.id, tile.mode, id, seenFrom)) {
      fatal({FindingKind::FlagMisuse,
             "more than " + std::to_string(machine.limits.crossFlagDepth) +
                 " sets of cross-core flag " + std::to_string(id) + " without a wait",
             place(core, tile),
             {}});
      return true;
    }
    if (checker)
      checker->crossSet(core.id, place(core, tile), which, tile.mode, id);
    for (CoreId partner : cross.partners(core.id, tile.mode))
      for (unsigned unit = 0; unit < machine::pipeCount; ++unit)
        mark(cores[partner], Pipe(unit));
    return true;
  }
  std::optional<double> seen = cross.waitEnd(core.id, tile.mode, id);
  if (!seen)
    return false;
  cross.wait(core.id, tile.mode, id);
  time = std::max(time, *seen) + cycles;
  if (checker)
    checker->crossWait(core.id, place(core, tile), which, tile.mode, id);
  return true;
}

} // namespace kiln::sim
