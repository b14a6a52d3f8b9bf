//===- ScalarTile.cpp - tile instructions that the scalar unit runs itself -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Accesses to single elements, flags from and to S, barriers of the core and of all cores. Each
// returns false if it has to wait; it is tried again when somebody marks the unit.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/core/Engine.h"

#include <algorithm>

namespace kiln::sim {

using machine::Memory;
using machine::OpClass;
using machine::Opcode;

bool Engine::drained(CoreState &core) {
  for (PipeState &pipe : core.pipes)
    if (!pipe.idle()) {
      core.stall = Stall::Drain;
      return false;
    }
  double end = core.time;
  for (const PipeState &pipe : core.pipes)
    end = std::max(end, pipe.drain);
  core.time = end;
  return true;
}

bool Engine::scalarTile(CoreState &core, const Tile &tile) {
  PipeState &pipe = core.pipe(Pipe::S);
  double before = core.time;
  bool done;
  switch (tile.opClass) {
  case OpClass::SMemory:
  case OpClass::SAtomic:
    done = scalarAccess(core, tile);
    break;
  case OpClass::Flag:
  case OpClass::CrossFlag:
    done = scalarFlag(core, tile);
    break;
  default:
    done = scalarSync(core, tile);
    break;
  }
  pipe.instructions += done;
  if (done && options.trace && !stopped)
    record(core, tile, before, before, core.time, 0,
           tile.opClass == OpClass::Flag ? int64_t(scratch.scalars[0]) : -1);
  return done;
}

/// Of the value that a store takes from a register.
static uint64_t undefinedValue(const CoreState &core, const Tile &tile) {
  if (!core.anyUndefined)
    return 0;
  for (uint32_t i = 0; i < tile.patches; ++i)
    if (const Patch &patch = core.program->patches[tile.firstPatch + i]; !patch.control)
      return core.undefined[patch.reg];
  return 0;
}

bool Engine::scalarAccess(CoreState &core, const Tile &tile) {
  const machine::ControlFacts &control = machine.control;
  const bool global = tile.model.regions[0].memory == Memory::GM;
  if (timed && global && core.time > now) {
    // Other cores see it: it takes its turn.
    core.stall = Stall::Clock;
    events.push({core.time, core.id, Pipe::S, false});
    return false;
  }
  if (timed && !global) {
    // On chip the vector unit and the transfers have to drain first.
    double end = core.time;
    for (PipeState &pipe : core.pipes) {
      if (pipe.flying) {
        core.stall = Stall::Flights;
        return false;
      }
      end = std::max(end, pipe.drain);
    }
    core.time = end;
  }
  resolve(core, tile, scratch);
  if (timed) {
    spend(core, tile.opClass == OpClass::SAtomic ? control.gmAtomicCycles
                : global                         ? control.gmElementCycles
                                                 : control.ubElementCycles);
    if (global && tile.opcode != Opcode::SLoad) {
      auto traffic = l2->access(scratch.regions[0], true);
      out.hbmWriteBytes += traffic.writtenBackBytes;
      PipeState &pipe = core.pipe(Pipe::S);
      pipe.drain = std::max(pipe.drain, core.time);
    }
  }
  scratch.undefinedBits = global ? 0 : undefinedValue(core, tile);
  outcome.clear();
  if (executes(tile))
    perform(core, tile, scratch);
  if (tile.opcode != Opcode::SStore) {
    core.registers[tile.result] = outcome.value;
    core.undefined[tile.result] = outcome.undefinedBits;
    core.anyUndefined |= !outcome.defined;
  }
  return true;
}

bool Engine::scalarFlag(CoreState &core, const Tile &tile) {
  resolve(core, tile, scratch);
  const int64_t id = int64_t(scratch.scalars[0]);
  const double cycles = timed ? machine.control.flagCycles : 0;
  if (tile.opClass == OpClass::CrossFlag) {
    double time = core.time;
    if (!crossFlag(core, Pipe::S, tile, id, time, core.time)) {
      core.stall = Stall::Wait;
      return false;
    }
    core.time = time;
    return true;
  }
  Flag *known = flag(core, tile, id);
  if (!known)
    return true; // reported, and the run ends
  if (tile.opcode == Opcode::SetFlag) {
    spend(core, cycles);
    raise(core, tile, id, core.time);
    return true;
  }
  if (!known->set) {
    core.stall = Stall::Wait;
    return false;
  }
  --known->set;
  core.time = std::max(core.time, known->seenFrom);
  spend(core, cycles);
  if (checker)
    checker->wait(core.id, place(core, tile), tile.source, tile.destination, id);
  return true;
}

bool Engine::scalarSync(CoreState &core, const Tile &tile) {
  if (tile.opClass == OpClass::Barrier && !tile.allPipes) {
    if (checker)
      checker->barrier(core.id, place(core, tile), Pipe::S);
    return true; // S runs in order and finishes what it runs
  }
  if (core.released) {
    core.released = false;
    if (checker)
      checker->syncLeave(core.id, place(core, tile));
    return true;
  }
  const double earliest = core.time + (timed ? machine.control.barrierMinCycles : 0);
  if (!drained(core))
    return false;
  core.time = std::max(core.time, earliest);
  if (tile.opClass == OpClass::Barrier) {
    if (checker)
      checker->barrierAll(core.id, place(core, tile));
    return true;
  }
  if (checker)
    checker->syncArrive(core.id, place(core, tile));
  core.stall = Stall::Sync;
  arrivedTime = std::max(arrivedTime, core.time);
  if (++arrived < cores.size())
    return false;
  for (CoreState &other : cores) {
    other.released = true;
    other.stall = Stall::None;
    other.time = arrivedTime + (timed ? machine.control.crossCoreCycles : 0);
    mark(other, Pipe::S);
  }
  arrived = 0;
  return false;
}

} // namespace kiln::sim
