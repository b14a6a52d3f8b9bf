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
#include <cstddef>

namespace kiln::sim {

using machine::OpClass;
using machine::Opcode;

class DeadlockSearch {
public:
  explicit DeadlockSearch(Engine &engine) : engine(engine) {}

  std::optional<Finding> run();

private:
  using Pipe = machine::Pipe;
  struct Unit {
    CoreId core;
    Pipe pipe;
    bool operator==(const Unit &) const = default;
  };
  /// Why a unit does not go on, and who could change that.
  struct Wait {
    std::string text;
    Place place;
    std::optional<Unit> on;
  };

  static bool unfinished(const CoreState &core) { return core.stall != Stall::Finished; }
  std::optional<Unit> firstUnfinished() const;
  template <typename Test> bool isQueued(const PipeState &pipe, Test test) const;
  std::optional<Unit> setter(CoreState &core, const Tile &tile, int64_t id) const;
  std::optional<Unit> crossSetter(CoreState &core, const Tile &tile, int64_t id) const;
  Wait flagWait(CoreState &core, const Tile &tile, int64_t id) const;
  Wait scalarWait(CoreState &core) const;
  Wait waitOf(Unit unit) const;
  int64_t idOf(const CoreState &core, const Tile &tile) const;

  Engine &engine;
};

/// The first unit that has something left to do.
std::optional<DeadlockSearch::Unit> DeadlockSearch::firstUnfinished() const {
  for (CoreState &core : engine.cores) {
    for (unsigned i = 1; i < machine::pipeCount; ++i)
      if (!core.pipes[i].idle())
        return Unit{core.id, Pipe(i)};
    if (unfinished(core))
      return Unit{core.id, Pipe::S};
  }
  return std::nullopt;
}

template <typename Test> bool DeadlockSearch::isQueued(const PipeState &pipe, Test test) const {
  for (uint64_t i = pipe.taken; i < pipe.issued; ++i)
    if (test(pipe.slots[i % engine.depth]))
      return true;
  return false;
}

/// Who may still set a flag: the source pipe if a set stands in its queue, otherwise the scalar
/// unit that may hand one over.
std::optional<DeadlockSearch::Unit> DeadlockSearch::setter(CoreState &core, const Tile &tile,
                                                           int64_t id) const {
  if (tile.source != Pipe::S && isQueued(core.pipe(tile.source), [&](const Slot &slot) {
        return slot.tile->opcode == Opcode::SetFlag && slot.tile->destination == tile.destination &&
               int64_t(slot.resolved.scalars[0]) == id;
      }))
    return Unit{core.id, tile.source};
  if (unfinished(core))
    return Unit{core.id, Pipe::S};
  return std::nullopt;
}

std::optional<DeadlockSearch::Unit> DeadlockSearch::crossSetter(CoreState &core, const Tile &tile,
                                                                int64_t id) const {
  std::optional<CoreId> partner = engine.cross.missing(core.id, tile.mode, id);
  if (!partner)
    return std::nullopt;
  CoreState &other = engine.cores[*partner];
  for (unsigned i = 1; i < machine::pipeCount; ++i)
    if (isQueued(other.pipes[i], [&](const Slot &slot) {
          return slot.tile->opcode == Opcode::CrossSet && slot.tile->mode == tile.mode &&
                 int64_t(slot.resolved.scalars[0]) == id;
        }))
      return Unit{other.id, Pipe(i)};
  if (unfinished(other))
    return Unit{other.id, Pipe::S};
  return std::nullopt;
}

DeadlockSearch::Wait DeadlockSearch::flagWait(CoreState &core, const Tile &tile, int64_t id) const {
  const std::string number = std::to_string(id);
  if (tile.opClass == OpClass::CrossFlag)
    return {"waits for cross-core flag " + number + " of mode " + std::string(name(tile.mode)),
            engine.place(core, tile), crossSetter(core, tile, id)};
  return {"waits for flag " + number + " from " + std::string(name(tile.source)) + " to " +
              std::string(name(tile.destination)),
          engine.place(core, tile), setter(core, tile, id)};
}

/// The id of a flag instruction at which the scalar unit stands.
int64_t DeadlockSearch::idOf(const CoreState &core, const Tile &tile) const {
  uint64_t id = tile.model.scalars[0];
  for (uint32_t i = 0; i < tile.patches; ++i) {
    const Patch &patch = core.program->patches[tile.firstPatch + i];
    if (patch.offset == offsetof(Resolved, scalars))
      id = core.registers[patch.reg];
  }
  return int64_t(id);
}

DeadlockSearch::Wait DeadlockSearch::scalarWait(CoreState &core) const {
  const Tile &tile = core.program->tiles[core.program->code[core.pc].target];
  const Place here = engine.place(core, core.pc, Pipe::S);
  switch (core.stall) {
  case Stall::QueueFull:
    return {"waits for a place in the queue of " + std::string(name(core.stalledOn)), here,
            Unit{core.id, core.stalledOn}};
  case Stall::Wait:
    return flagWait(core, tile, idOf(core, tile));
  case Stall::Drain:
    for (unsigned i = 1; i < machine::pipeCount; ++i)
      if (!core.pipes[i].idle())
        return {"waits for " + std::string(name(Pipe(i))) + " to drain", here,
                Unit{core.id, Pipe(i)}};
    break;
  case Stall::Sync:
    for (const CoreState &other : engine.cores)
      if (other.stall != Stall::Sync)
        return {"waits in a sync_all for " + std::string(name(other.kind)) + " " +
                    std::to_string(other.index),
                here, unfinished(other) ? std::optional(Unit{other.id, Pipe::S}) : std::nullopt};
    break;
  case Stall::None:
  case Stall::Flights:
  case Stall::Clock:
  case Stall::Finished:
    break;
  }
  return {"waits", here, std::nullopt};
}

DeadlockSearch::Wait DeadlockSearch::waitOf(Unit unit) const {
  CoreState &core = engine.cores[unit.core];
  if (unit.pipe == Pipe::S)
    return scalarWait(core);
  // Whatever is not a wait can go on.
  const PipeState &pipe = core.pipe(unit.pipe);
  const Slot &slot = pipe.slots[pipe.taken % engine.depth];
  return flagWait(core, *slot.tile, int64_t(slot.resolved.scalars[0]));
}

std::optional<Finding> DeadlockSearch::run() {
  std::vector<Unit> path;
  std::vector<Wait> waits;
  std::optional<Unit> at = firstUnfinished();
  if (!at)
    return std::nullopt;
  while (at && std::find(path.begin(), path.end(), *at) == path.end()) {
    path.push_back(*at);
    waits.push_back(waitOf(*at));
    at = waits.back().on;
  }
  Finding finding{FindingKind::Deadlock, {}, {}, {}};
  // The unit that the finding is about: where a cycle closes, or the end of the chain.
  size_t begin = 0, about = waits.size() - 1;
  if (at) {
    begin = about = size_t(std::find(path.begin(), path.end(), *at) - path.begin());
    const size_t units = waits.size() - begin;
    finding.message =
        units == 1
            ? waits[about].text + ", and only what stands behind it could end that"
            : std::to_string(units) + " units wait for one another: this one " + waits[about].text;
  } else {
    finding.message = waits[about].text + ", but nobody is left to end that";
  }
  finding.place = waits[about].place;
  for (size_t i = begin; i < waits.size(); ++i)
    if (i != about)
      finding.notes.emplace_back(waits[i].text, waits[i].place);
  return finding;
}

void Engine::findDeadlock() {
  if (std::optional<Finding> finding = DeadlockSearch(*this).run())
    fatal(std::move(*finding));
}

} // namespace kiln::sim
