//===- Deadlock.cpp - who waits for whom -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// When nothing can move any more and something has not ended, every unit that has not ended waits
// for one other unit, or for something that nobody will do. Following the waits from the first such
// unit leads round a cycle or to that end.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/core/Engine.h"

#include <algorithm>

namespace kiln::sim {

using machine::OpClass;
using machine::Opcode;

namespace {

struct Unit {
  CoreId core;
  machine::Pipe pipe;
  bool operator==(const Unit &) const = default;
};

/// Why a unit does not go on, and who could change that.
struct Wait {
  std::string text;
  Place place;
  std::optional<Unit> on;
};

} // namespace

void Engine::findDeadlock() {
  auto unfinished = [&](const CoreState &core) { return core.stall != Stall::Finished; };
  auto flagText = [&](const Tile &tile, int64_t id) {
    return "flag " + std::to_string(id) + " from " + std::string(name(tile.source)) + " to " +
           std::string(name(tile.destination));
  };
  // Who may still set a flag of this core: the source pipe if a set stands in its queue, otherwise
  // the scalar unit that may hand one over.
  auto setter = [&](CoreState &core, const Tile &tile, int64_t id) -> std::optional<Unit> {
    PipeState &source = core.pipe(tile.source);
    if (tile.source != Pipe::S)
      for (uint64_t i = source.taken; i < source.issued; ++i) {
        const Slot &slot = source.slots[i % depth];
        if (slot.tile->opcode == Opcode::SetFlag && slot.tile->destination == tile.destination &&
            int64_t(slot.resolved.scalars[0]) == id)
          return Unit{core.id, tile.source};
      }
    if (unfinished(core))
      return Unit{core.id, Pipe::S};
    return std::nullopt;
  };
  auto crossSetter = [&](CoreState &core, const Tile &tile, int64_t id) -> std::optional<Unit> {
    std::optional<CoreId> partner = cross.missing(core.id, tile.mode, id);
    if (!partner)
      return std::nullopt;
    CoreState &other = cores[*partner];
    for (PipeState &pipe : other.pipes)
      for (uint64_t i = pipe.taken; i < pipe.issued; ++i) {
        const Slot &slot = pipe.slots[i % depth];
        if (slot.tile->opcode == Opcode::CrossSet && slot.tile->mode == tile.mode &&
            int64_t(slot.resolved.scalars[0]) == id)
          return Unit{other.id, slot.tile->pipe};
      }
    if (unfinished(other))
      return Unit{other.id, Pipe::S};
    return std::nullopt;
  };
  auto flagWait = [&](CoreState &core, const Tile &tile, int64_t id) -> Wait {
    if (tile.opClass == OpClass::CrossFlag)
      return {"waits for cross-core flag " + std::to_string(id) + " of mode " +
                  std::string(name(tile.mode)),
              place(core, tile), crossSetter(core, tile, id)};
    return {"waits for " + flagText(tile, id), place(core, tile), setter(core, tile, id)};
  };
  auto waitOf = [&](Unit unit) -> Wait {
    CoreState &core = cores[unit.core];
    if (unit.pipe != Pipe::S) {
      PipeState &pipe = core.pipe(unit.pipe);
      const Slot &slot = pipe.slots[pipe.taken % depth];
      return flagWait(core, *slot.tile, int64_t(slot.resolved.scalars[0]));
    }
    Place here = place(core, core.pc, Pipe::S);
    const Tile &tile = core.program->tiles[core.program->code[core.pc].target];
    switch (core.stall) {
    case Stall::QueueFull:
      return {"waits for a place in the queue of " + std::string(name(core.stalledOn)), here,
              Unit{core.id, core.stalledOn}};
    case Stall::Wait:
      return flagWait(core, tile, int64_t(scratchOf(core, tile)));
    case Stall::Drain:
      for (unsigned i = 1; i < machine::pipeCount; ++i)
        if (!core.pipes[i].idle())
          return {"waits for " + std::string(name(Pipe(i))) + " to drain", here,
                  Unit{core.id, Pipe(i)}};
      break;
    case Stall::Sync:
      for (const CoreState &other : cores)
        if (other.stall != Stall::Sync)
          return {"waits in a sync_all for a core", here,
                  unfinished(other) ? std::optional(Unit{other.id, Pipe::S}) : std::nullopt};
      break;
    default:
      break;
    }
    return {"waits", here, std::nullopt};
  };

  // The first unit that has something left to do.
  std::optional<Unit> first;
  for (CoreState &core : cores) {
    for (unsigned i = 1; i < machine::pipeCount && !first; ++i)
      if (!core.pipes[i].idle())
        first = Unit{core.id, Pipe(i)};
    if (!first && unfinished(core))
      first = Unit{core.id, Pipe::S};
    if (first)
      break;
  }
  if (!first)
    return;

  std::vector<Unit> path;
  std::vector<Wait> waits;
  std::optional<Unit> at = first;
  while (at && std::find(path.begin(), path.end(), *at) == path.end()) {
    path.push_back(*at);
    waits.push_back(waitOf(*at));
    at = waits.back().on;
  }
  Finding finding{FindingKind::Deadlock, {}, {}, {}};
  size_t begin = at ? size_t(std::find(path.begin(), path.end(), *at) - path.begin()) : 0;
  if (at) {
    const size_t units = waits.size() - begin;
    finding.place = waits[begin].place;
    finding.message =
        units == 1
            ? waits[begin].text + ", and only what stands behind it could end that"
            : std::to_string(units) + " units wait for one another: this one " + waits[begin].text;
  } else {
    finding.place = waits.back().place;
    finding.message = waits.back().text + ", but nobody is left to end that";
    begin = 0;
  }
  for (size_t i = begin; i < waits.size(); ++i)
    if (at ? i != begin : i + 1 != waits.size())
      finding.notes.emplace_back(waits[i].text, waits[i].place);
  fatal(std::move(finding));
}

uint64_t Engine::scratchOf(const CoreState &core, const Tile &tile) const {
  uint64_t id = tile.model.scalars[0];
  for (uint32_t i = 0; i < tile.patches; ++i) {
    const Patch &patch = core.program->patches[tile.firstPatch + i];
    if (patch.offset == offsetof(Resolved, scalars))
      id = core.registers[patch.reg];
  }
  return id;
}

} // namespace kiln::sim
