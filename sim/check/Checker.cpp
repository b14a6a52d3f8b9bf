//===- Checker.cpp - judges the order of a program's accesses --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/check/Checker.h"

#include "sim/check/Clocks.h"
#include "sim/check/Shadow.h"

#include <deque>
#include <map>
#include <optional>

namespace kiln::sim {

using machine::CrossMode;
using machine::Pipe;

namespace {

/// A flag of one pair of pipes. The n-th wait is behind the n-th set.
struct FlagState {
  std::deque<Clock> raisedWith; ///< of sets that were not waited for
  Place raisedAt;               ///< the last set
  uint64_t lastWait = 0;        ///< event of the destination pipe
};

/// Something that S has handed over.
struct HandedOver {
  uint64_t sequence;
  uint64_t scalarEvents; ///< what S had done
  uint64_t version;      ///< of what S knew
};

struct PipeState {
  Clock clock;
  uint64_t events = 0;               ///< executed so far
  uint64_t version = 0;              ///< of what S knew, that is taken in
  std::deque<HandedOver> handedOver; ///< still to be executed
};

struct CoreState {
  std::array<PipeState, machine::pipeCount> pipes;
  std::map<std::tuple<Pipe, Pipe, int64_t>, FlagState> flags;
  std::array<Shadow, machine::memoryCount> local;
  uint64_t sequence = 0; ///< what S has come to
  /// What S knew, by version: it changes only where S waits. The first is version `firstKnown`.
  std::deque<Clock> known{Clock{}};
  uint64_t firstKnown = 0;
  uint64_t touching = 0; ///< pipes whose instructions touch memory, a bit each
  Horizon horizon;
  bool clocksChanged = true;

  PipeState &pipe(Pipe which) { return pipes[size_t(which)]; }
  uint64_t lastVersion() const { return firstKnown + known.size() - 1; }
};

/// Two instructions, the earlier first. Between cores neither is: the lower index is first.
using RaceKey = std::tuple<machine::Core, uint32_t, machine::Core, uint32_t, machine::Memory, int>;
struct Race {
  PastAccess first, second;
};

/// Sets of a cross-core flag that were not waited for, per core that waits and core that set.
using CrossKey = std::tuple<CoreId, CoreId, CrossMode, int64_t>;

} // namespace

struct Checker::State {
  State(const image::Image &image, const machine::Machine &machine, unsigned aics, unsigned aivs,
        std::function<void(Finding)> report)
      : machine(machine), aics(aics), cores(aics + aivs), report(std::move(report)) {
    for (const image::Program &program : image.programs) {
      const uint64_t touching = touchingPipes(program);
      for (CoreId core = 0; core < cores.size(); ++core)
        if ((core < aics) == (program.core == machine::Core::AIC))
          cores[core].touching = touching;
    }
    for (CoreId core = 0; core < cores.size(); ++core)
      cores[core].horizon.core = core;
  }

  uint64_t touchingPipes(const image::Program &program) const {
    uint64_t pipes = 0;
    for (const image::Instruction &instruction : program.body) {
      if (instruction.op != image::Op::Tile || instruction.regions.empty())
        continue;
      std::optional<Pipe> pipe = machine::info(instruction.opcode).pipe;
      if (!pipe)
        if (const machine::Path *path =
                machine.path(instruction.regions[1].memory, instruction.regions[0].memory))
          pipe = path->pipe;
      if (pipe)
        pipes |= uint64_t(1) << unsigned(*pipe);
    }
    return pipes;
  }

  /// The pipe takes the next thing that was handed to it; from then on it is behind what S was.
  PipeState &take(CoreId core, Pipe which, uint64_t *sequence = nullptr) {
    CoreState &owner = cores[core];
    PipeState &pipe = owner.pipe(which);
    uint64_t number = 0;
    if (which == Pipe::S) {
      number = ++owner.sequence;
    } else if (!pipe.handedOver.empty()) {
      const HandedOver &next = pipe.handedOver.front();
      number = next.sequence;
      if (next.version != pipe.version) {
        pipe.clock.join(owner.known[next.version - owner.firstKnown]);
        pipe.version = next.version;
        owner.clocksChanged = true;
      }
      uint64_t &scalar = pipe.clock.own[Pipe::S];
      scalar = std::max(scalar, next.scalarEvents);
      pipe.handedOver.pop_front();
    }
    if (sequence)
      *sequence = number;
    return pipe;
  }

  /// S has waited: what it hands over from now on is behind more.
  void scalarKnowsMore(CoreState &owner) {
    owner.known.push_back(owner.pipe(Pipe::S).clock);
    uint64_t oldest = owner.lastVersion();
    for (unsigned i = 1; i < machine::pipeCount; ++i)
      if (!owner.pipes[i].handedOver.empty())
        oldest = std::min(oldest, owner.pipes[i].handedOver.front().version);
    for (; owner.firstKnown < oldest; ++owner.firstKnown)
      owner.known.pop_front();
    owner.clocksChanged = true;
  }

  /// What the core still has to do, beside what it does now.
  const Horizon &horizon(CoreState &owner) {
    Horizon &horizon = owner.horizon;
    horizon.sequence = UINT64_MAX;
    for (const PipeState &pipe : owner.pipes)
      if (!pipe.handedOver.empty())
        horizon.sequence = std::min(horizon.sequence, pipe.handedOver.front().sequence);
    if (owner.clocksChanged) {
      owner.clocksChanged = false;
      horizon.known.events.fill(UINT64_MAX);
      for (unsigned i = 0; i < machine::pipeCount; ++i)
        if (owner.touching >> i & 1)
          for (unsigned j = 0; j < machine::pipeCount; ++j)
            horizon.known.events[j] =
                std::min(horizon.known.events[j], owner.pipes[i].clock.own.events[j]);
    }
    return horizon;
  }

  /// Scalar code is done when the next thing happens.
  static Epoch next(CoreId core, PipeState &pipe, Pipe which) {
    ++pipe.events;
    if (which == Pipe::S)
      pipe.clock.own[Pipe::S] = pipe.events;
    return {core, which, pipe.events};
  }

  /// The clock of the pipe once all it was given before is done.
  static Clock whenDone(const PipeState &pipe, Pipe which) {
    Clock clock = pipe.clock;
    clock.own[which] = pipe.events;
    return clock;
  }

  /// Keeps one race per pair of instructions, that of the lowest cores.
  void race(const PastAccess &past, const PastAccess &now, machine::Memory memory) {
    const bool same = past.epoch.core == now.epoch.core;
    auto rank = [&](const PastAccess &access) {
      return same ? std::pair<uint64_t, uint64_t>(access.sequence, 0)
                  : std::pair<uint64_t, uint64_t>(access.place.instruction, access.epoch.core);
    };
    const bool inOrder = rank(past) < rank(now);
    const PastAccess &first = inOrder ? past : now, &second = inOrder ? now : past;
    const int kind = (same ? 4 : 0) + 2 * first.write + second.write;
    const RaceKey key{first.place.core,
                      first.place.instruction,
                      second.place.core,
                      second.place.instruction,
                      memory,
                      kind};
    auto [found, isNew] = races.try_emplace(key, Race{first, second});
    auto order = [](const Race &race) {
      return std::pair(race.first.epoch.core, race.second.epoch.core);
    };
    if (Race race{first, second}; !isNew && order(race) < order(found->second))
      found->second = race;
  }

  void reportRace(const Race &race, machine::Memory where) const {
    const PastAccess &first = race.first, &second = race.second;
    const std::string memory(name(where)), pipe(name(second.place.pipe));
    std::string text;
    if (first.epoch.core != second.epoch.core)
      text = (first.write && second.write ? "two writes" : "a read and a write") +
             std::string(" of the same bytes of ") + memory + ": nothing orders the cores";
    else
      text = (second.write ? (first.write ? "write after write" : "write after read")
                           : "read after write") +
             (" in " + memory + ": ") +
             (first.place.pipe == second.place.pipe
                  ? "no barrier on " + pipe + " lies between"
                  : "no flag orders " + pipe + " behind " + std::string(name(first.place.pipe)));
    report(
        {FindingKind::Race,
         text,
         second.place,
         {{std::string(first.write ? "this writes" : "this reads") + " the same bytes of " + memory,
           first.place}}});
  }

  /// Cores that a cross-core flag of `core` goes to.
  std::vector<CoreId> partners(CoreId core, CrossMode mode) const {
    std::vector<CoreId> result;
    bool cube = core < aics;
    unsigned perCore = machine.vectorsPerCore;
    switch (mode) {
    case CrossMode::AllCores:
      for (CoreId other = cube ? 0 : aics; other < (cube ? aics : cores.size()); ++other)
        result.push_back(other);
      break;
    case CrossMode::VectorPair:
      for (unsigned i = 0; !cube && i < perCore; ++i)
        result.push_back(aics + (core - aics) / perCore * perCore + i);
      break;
    case CrossMode::CubeVector:
      if (!cube)
        result.push_back((core - aics) / perCore);
      for (unsigned i = 0; cube && i < perCore; ++i)
        result.push_back(aics + core * perCore + i);
      break;
    }
    std::erase_if(result, [&](CoreId other) { return other >= cores.size(); });
    return result;
  }

  const machine::Machine &machine;
  unsigned aics;
  std::vector<CoreState> cores;
  Shadow global;
  std::map<CrossKey, std::deque<Clock>> crossSets;
  std::vector<std::pair<CoreId, Clock>> arrived; ///< at the sync_all that goes on
  size_t left = 0;                               ///< cores that went on from it
  std::map<RaceKey, Race> races;
  /// Sets that are not behind the wait before, by the two sets; the lowest core's.
  std::map<std::tuple<machine::Core, uint32_t, uint32_t>, Finding> setTwice;
  std::function<void(Finding)> report;
};

Checker::Checker(const image::Image &image, const machine::Machine &machine, unsigned aics,
                 unsigned aivs, std::function<void(Finding)> report)
    : state(std::make_unique<State>(image, machine, aics, aivs, std::move(report))) {}

Checker::~Checker() = default;

void Checker::issue(CoreId core, Pipe pipe) {
  if (pipe == Pipe::S)
    return;
  CoreState &owner = state->cores[core];
  owner.pipe(pipe).handedOver.push_back(
      {++owner.sequence, owner.pipe(Pipe::S).events, owner.lastVersion()});
}

void Checker::execute(CoreId core, const Place &place, std::span<const Touch> touches) {
  CoreState &owner = state->cores[core];
  PastAccess now;
  PipeState &pipe = state->take(core, place.pipe, &now.sequence);
  now.epoch = State::next(core, pipe, place.pipe);
  now.place = place;
  const Horizon &horizon = state->horizon(owner);
  for (const Touch &touch : touches) {
    Shadow &shadow =
        touch.memory == machine::Memory::GM ? state->global : owner.local[size_t(touch.memory)];
    now.write = touch.write;
    now.atomic = touch.atomic;
    auto collide = [&](const PastAccess &past) {
      bool itself = past.epoch.core == core && past.sequence == now.sequence;
      if (!itself && !isBehind(pipe.clock, core, past.epoch))
        state->race(past, now, touch.memory);
    };
    for (int64_t i = 0; i < touch.count[0]; ++i)
      for (int64_t j = 0; j < touch.count[1]; ++j) {
        uint64_t begin =
            touch.address + uint64_t(i * touch.stride[0]) + uint64_t(j * touch.stride[1]);
        shadow.access(begin, begin + touch.runBytes, now, horizon, collide);
      }
  }
}

void Checker::set(CoreId core, const Place &place, Pipe source, Pipe destination, int64_t id) {
  PipeState &pipe = state->take(core, source);
  FlagState &flag = state->cores[core].flags[{source, destination, id}];
  if (!flag.raisedWith.empty() || pipe.clock.own[destination] < flag.lastWait) {
    Finding finding{FindingKind::FlagMisuse,
                    "flag " + std::to_string(id) + " from " + std::string(name(source)) + " to " +
                        std::string(name(destination)) +
                        " is set again, and nothing orders that behind the wait before",
                    place,
                    {{"set here before", flag.raisedAt}}};
    auto [found, isNew] = state->setTwice.try_emplace(
        {place.core, flag.raisedAt.instruction, place.instruction}, finding);
    if (!isNew && place.coreIndex < found->second.place.coreIndex)
      found->second = std::move(finding);
  }
  flag.raisedWith.push_back(State::whenDone(pipe, source));
  flag.raisedAt = place;
}

void Checker::wait(CoreId core, const Place &, Pipe source, Pipe destination, int64_t id) {
  CoreState &owner = state->cores[core];
  PipeState &pipe = state->take(core, destination);
  FlagState &flag = owner.flags[{source, destination, id}];
  flag.lastWait = State::next(core, pipe, destination).event;
  if (!flag.raisedWith.empty()) {
    pipe.clock.join(flag.raisedWith.front());
    flag.raisedWith.pop_front();
  }
  owner.clocksChanged = true;
  if (destination == Pipe::S)
    state->scalarKnowsMore(owner);
}

void Checker::barrier(CoreId core, const Place &, Pipe which) {
  PipeState &pipe = state->take(core, which);
  pipe.clock.own[which] = pipe.events;
  state->cores[core].clocksChanged = true;
}

void Checker::barrierAll(CoreId core, const Place &) {
  Clock all;
  CoreState &owner = state->cores[core];
  for (unsigned i = 0; i < machine::pipeCount; ++i)
    all.join(State::whenDone(owner.pipes[i], Pipe(i)));
  for (PipeState &pipe : owner.pipes)
    pipe.clock.join(all);
  state->scalarKnowsMore(owner);
}

void Checker::crossSet(CoreId core, const Place &, Pipe which, CrossMode mode, int64_t id) {
  PipeState &pipe = state->take(core, which);
  Clock clock = State::whenDone(pipe, which);
  for (CoreId partner : state->partners(core, mode))
    state->crossSets[{partner, core, mode, id}].push_back(clock);
}

void Checker::crossWait(CoreId core, const Place &, Pipe which, CrossMode mode, int64_t id) {
  PipeState &pipe = state->take(core, which);
  state->cores[core].clocksChanged = true;
  for (CoreId partner : state->partners(core, mode)) {
    std::deque<Clock> &sets = state->crossSets[{core, partner, mode, id}];
    if (sets.empty())
      continue;
    if (partner == core)
      pipe.clock.join(sets.front());
    else
      pipe.clock.joinFrom(sets.front(), partner, core);
    sets.pop_front();
  }
  if (which == Pipe::S)
    state->scalarKnowsMore(state->cores[core]);
}

void Checker::syncArrive(CoreId core, const Place &place) {
  if (state->left && state->left == state->arrived.size()) { // a new one begins
    state->arrived.clear();
    state->left = 0;
  }
  barrierAll(core, place);
  state->arrived.push_back({core, state->cores[core].pipe(Pipe::S).clock});
}

void Checker::syncLeave(CoreId core, const Place &) {
  ++state->left;
  for (PipeState &pipe : state->cores[core].pipes)
    for (const auto &[other, clock] : state->arrived)
      if (other != core)
        pipe.clock.joinFrom(clock, other, core);
  state->scalarKnowsMore(state->cores[core]);
}

void Checker::finish(CoreId core) {
  for (const auto &[key, flag] : state->cores[core].flags) {
    const auto &[source, destination, id] = key;
    if (!flag.raisedWith.empty())
      state->report({FindingKind::FlagMisuse,
                     "flag " + std::to_string(id) + " from " + std::string(name(source)) + " to " +
                         std::string(name(destination)) + " is still set at the end",
                     flag.raisedAt,
                     {}});
  }
}

void Checker::reportOrder() {
  for (const auto &[key, race] : state->races)
    state->reportRace(race, std::get<machine::Memory>(key));
  for (const auto &[key, finding] : state->setTwice)
    state->report(finding);
}

} // namespace kiln::sim
