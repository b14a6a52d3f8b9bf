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
#include <set>

namespace kiln::sim {

using machine::CrossMode;
using machine::Pipe;

namespace {

/// A flag of one pair of pipes.
struct FlagState {
  bool up = false;
  Clock raisedWith;
  Place raisedAt;
};

struct PipeState {
  Clock clock;
  uint64_t events = 0; ///< executed so far
  std::deque<Clock>
      handedOver; ///< what S was behind when it handed over what is still to be executed
};

struct CoreState {
  std::array<PipeState, machine::pipeCount> pipes;
  std::map<std::tuple<Pipe, Pipe, int64_t>, FlagState> flags;
  std::array<Shadow, machine::memoryCount> local;

  PipeState &pipe(Pipe which) { return pipes[size_t(which)]; }
};

/// Sets of a cross-core flag that were not waited for, per core that waits and core that set.
using CrossKey = std::tuple<CoreId, CoreId, CrossMode, int64_t>;

} // namespace

struct Checker::State {
  State(const image::Image &image, const machine::Machine &machine, unsigned aics, unsigned aivs,
        std::function<void(Finding)> report)
      : machine(machine), image(image), aics(aics), cores(aics + aivs), report(std::move(report)) {}

  /// The pipe takes the next thing that was handed to it; from then on it is behind what S was.
  PipeState &take(CoreId core, Pipe which) {
    PipeState &pipe = cores[core].pipe(which);
    if (which != Pipe::S && !pipe.handedOver.empty()) {
      pipe.clock.join(pipe.handedOver.front());
      pipe.handedOver.pop_front();
    }
    return pipe;
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

  void race(const Place &place, const PastAccess &past, const Touch &touch) {
    // One pair of instructions is told once.
    if (!told.insert({past.place.core, past.place.instruction, place.instruction}).second)
      return;
    std::string what = std::string(past.write ? "writes" : "reads") + " the same bytes of " +
                       std::string(name(touch.memory));
    std::string kind =
        touch.write ? (past.write ? "write after write" : "write after read") : "read after write";
    std::string order;
    if (past.epoch.core != coreOf(place))
      order = "nothing orders the two cores";
    else if (past.place.pipe == place.pipe)
      order = "no barrier on " + std::string(name(place.pipe)) + " lies between";
    else
      order = "no flag orders " + std::string(name(place.pipe)) + " behind " +
              std::string(name(past.place.pipe));
    report({FindingKind::Race,
            kind + " in " + std::string(name(touch.memory)) + ": " + order,
            place,
            {{"this " + what, past.place}}});
  }

  CoreId coreOf(const Place &place) const {
    return place.core == machine::Core::AIC ? place.coreIndex : aics + place.coreIndex;
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
  const image::Image &image;
  unsigned aics;
  std::vector<CoreState> cores;
  Shadow global;
  std::map<CrossKey, std::deque<Clock>> crossSets;
  std::vector<std::pair<CoreId, Clock>> arrived; ///< at the sync_all that goes on
  size_t left = 0;                               ///< cores that went on from it
  std::set<std::tuple<machine::Core, uint32_t, uint32_t>> told;
  std::function<void(Finding)> report;
};

Checker::Checker(const image::Image &image, const machine::Machine &machine, unsigned aics,
                 unsigned aivs, std::function<void(Finding)> report)
    : state(std::make_unique<State>(image, machine, aics, aivs, std::move(report))) {}

Checker::~Checker() = default;

void Checker::issue(CoreId core, Pipe pipe) {
  if (pipe == Pipe::S)
    return;
  PipeState &scalar = state->cores[core].pipe(Pipe::S);
  state->cores[core].pipe(pipe).handedOver.push_back(State::whenDone(scalar, Pipe::S));
}

void Checker::execute(CoreId core, const Place &place, std::span<const Touch> touches) {
  PipeState &pipe = state->take(core, place.pipe);
  Epoch epoch = State::next(core, pipe, place.pipe);
  for (const Touch &touch : touches) {
    Shadow &shadow = touch.memory == machine::Memory::GM
                         ? state->global
                         : state->cores[core].local[size_t(touch.memory)];
    PastAccess now{epoch, touch.write, touch.atomic, place};
    auto collide = [&](const PastAccess &past) {
      bool itself = past.epoch.core == core && past.epoch.pipe == place.pipe &&
                    past.epoch.event == epoch.event;
      if (!itself && !isBehind(pipe.clock, core, past.epoch))
        state->race(place, past, touch);
    };
    for (int64_t i = 0; i < touch.count[0]; ++i)
      for (int64_t j = 0; j < touch.count[1]; ++j) {
        uint64_t begin =
            touch.address + uint64_t(i * touch.stride[0]) + uint64_t(j * touch.stride[1]);
        shadow.access(begin, begin + touch.runBytes, now, collide);
      }
  }
}

void Checker::set(CoreId core, const Place &place, Pipe source, Pipe destination, int64_t id) {
  PipeState &pipe = state->take(core, source);
  FlagState &flag = state->cores[core].flags[{source, destination, id}];
  if (flag.up)
    state->report({FindingKind::FlagMisuse,
                   "flag " + std::to_string(id) + " from " + std::string(name(source)) + " to " +
                       std::string(name(destination)) + " is set again before its wait",
                   place,
                   {{"set here before", flag.raisedAt}}});
  flag = {true, State::whenDone(pipe, source), place};
}

void Checker::wait(CoreId core, const Place &place, Pipe source, Pipe destination, int64_t id) {
  PipeState &pipe = state->take(core, destination);
  FlagState &flag = state->cores[core].flags[{source, destination, id}];
  flag.up = false;
  pipe.clock.join(flag.raisedWith);
  (void)place;
}

void Checker::barrier(CoreId core, const Place &, Pipe which) {
  PipeState &pipe = state->take(core, which);
  pipe.clock.own[which] = pipe.events;
}

void Checker::barrierAll(CoreId core, const Place &) {
  Clock all;
  CoreState &owner = state->cores[core];
  for (unsigned i = 0; i < machine::pipeCount; ++i)
    all.join(State::whenDone(owner.pipes[i], Pipe(i)));
  for (PipeState &pipe : owner.pipes)
    pipe.clock.join(all);
}

void Checker::crossSet(CoreId core, const Place &, Pipe which, CrossMode mode, int64_t id) {
  PipeState &pipe = state->take(core, which);
  Clock clock = State::whenDone(pipe, which);
  for (CoreId partner : state->partners(core, mode))
    state->crossSets[{partner, core, mode, id}].push_back(clock);
}

void Checker::crossWait(CoreId core, const Place &, Pipe which, CrossMode mode, int64_t id) {
  PipeState &pipe = state->take(core, which);
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
}

void Checker::finish(CoreId core) {
  for (const auto &[key, flag] : state->cores[core].flags) {
    const auto &[source, destination, id] = key;
    if (flag.up)
      state->report({FindingKind::FlagMisuse,
                     "flag " + std::to_string(id) + " from " + std::string(name(source)) + " to " +
                         std::string(name(destination)) + " is still set at the end",
                     flag.raisedAt,
                     {}});
  }
}

} // namespace kiln::sim
