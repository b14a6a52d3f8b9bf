//===- Engine.cpp - runs the cores of a launch -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/core/Engine.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace kiln::sim {

using machine::Core;
using machine::Pipe;

Engine::Engine(const Launch &launch, Checker *checker, L2 *l2)
    : launch(launch), machine(launch.machine), options(launch.options), checker(checker), l2(l2),
      timed(options.mode != Mode::Functional), values(options.mode != Mode::TimingOnly),
      track(values && options.check), depth(std::max(1u, machine.control.queueDepth)),
      cross(machine, launch.cores[0], launch.cores[1]),
      pools(machine, (launch.cores[0] + launch.cores[1]) * machine::pipeCount,
            std::max(1u, machine.aiCores)) {
  const size_t count = launch.cores[0] + launch.cores[1];
  cores.resize(count);
  work.resize(count);
  makeCores(Core::AIC);
  makeCores(Core::AIV);
  makeQueues();
}

void Engine::makeQueues() {
  // Only pipes that the program uses get a queue: they are most of what a launch allocates.
  std::array<unsigned, machine::coreKinds> used{};
  size_t count = 0;
  for (unsigned kind = 0; kind < machine::coreKinds; ++kind)
    if (const DecodedProgram *program = launch.programs[kind]) {
      for (const Tile &tile : program->tiles)
        used[kind] |= 1u << unsigned(tile.pipe);
      count += launch.cores[kind] * unsigned(std::popcount(used[kind]));
    }
  slots.resize(count * depth);
  Slot *next = slots.data();
  for (CoreState &core : cores)
    for (unsigned pipe = 0; pipe < machine::pipeCount; ++pipe)
      if (used[size_t(core.kind)] >> pipe & 1) {
        core.pipes[pipe].slots = next;
        next += depth;
      }
}

void Engine::makeCores(Core kind) {
  const unsigned first = kind == Core::AIC ? 0 : launch.cores[0];
  const DecodedProgram *program = launch.programs[size_t(kind)];
  const unsigned perAiCore = kind == Core::AIC ? 1 : std::max(1u, machine.vectorsPerCore);
  for (unsigned index = 0; index < launch.cores[size_t(kind)]; ++index) {
    CoreState &core = cores[first + index];
    core.id = first + index;
    core.kind = kind;
    core.index = index;
    core.aiCore = index / perAiCore;
    core.program = program;
    if (values || std::any_of(program->tiles.begin(), program->tiles.end(),
                              [](const Tile &tile) { return tile.feedsControl; }))
      core.memories = std::make_unique<Memories>(machine, kind, launch.memory);
    core.frames.resize(program->frames);
    core.flags.resize(size_t(machine::pipeCount) * machine::pipeCount * machine.limits.flagIds);
    bindRegisters(core);
  }
}

void Engine::bindRegisters(CoreState &core) {
  const image::Image &image = launch.image;
  const DecodedProgram &program = *core.program;
  core.registers.assign(program.registers, 0);
  for (int64_t constant : program.constants)
    core.registers.push_back(uint64_t(constant));
  core.undefined.assign(core.registers.size(), 0);
  for (size_t i = 0; i < image.parameters.size(); ++i)
    core.registers[i] = launch.arguments[i];
  for (size_t i = 0; i < image.workspaces.size(); ++i)
    core.registers[image.parameters.size() + i] = launch.memory.workspace(unsigned(i), core.id);
  using image::FirstRegister;
  core.registers[image.launchRegister(FirstRegister::GridX)] = launch.grid.x;
  core.registers[image.launchRegister(FirstRegister::GridY)] = launch.grid.y;
  core.registers[image.launchRegister(FirstRegister::GridZ)] = launch.grid.z;
  core.registers[image.launchRegister(FirstRegister::CoreIndex)] = core.index;
  core.registers[image.launchRegister(FirstRegister::CoreCount)] = launch.cores[size_t(core.kind)];
}

void Engine::mark(CoreState &core, Pipe unit) {
  const uint8_t bit = uint8_t(1u << unsigned(unit));
  if (random) {
    if (!(core.work & bit))
      choices.push_back(core.id * machine::pipeCount + unsigned(unit));
  } else if (!core.queued) {
    core.queued = true;
    work[(workFirst + workCount++) % work.size()] = core.id;
  }
  core.work |= bit;
}

void Engine::runWork() {
  while (workCount && !stopped) {
    CoreState &core = cores[work[workFirst]];
    workFirst = (workFirst + 1) % work.size();
    --workCount;
    // A turn: each unit goes as far as it can. What that makes possible comes in the next turn.
    for (uint8_t turn = std::exchange(core.work, 0); turn && !stopped; turn &= uint8_t(turn - 1)) {
      Pipe unit = Pipe(std::countr_zero(turn));
      if (unit == Pipe::S)
        stepScalar(core, /*burst=*/true);
      else
        while (stepPipe(core, unit) && !stopped)
          continue;
    }
    core.queued = core.work != 0;
    if (core.queued)
      work[(workFirst + workCount++) % work.size()] = core.id;
  }
}

void Engine::runRandom(uint64_t seed) {
  // Not distributions of the library: those differ between libraries.
  std::mt19937_64 generator(seed);
  // Some seeds let a unit go on for long, so that it gets far ahead of the others.
  constexpr unsigned persistence[] = {0, 128, 224, 248}; // of 256
  const unsigned stays = persistence[generator() % std::size(persistence)];
  while (!choices.empty() && !stopped) {
    const uint64_t drawn = generator();
    // The last one is the unit that stepped last or what it made possible.
    size_t chosen =
        drawn % 256 < stays ? choices.size() - 1 : size_t((drawn >> 8) % choices.size());
    uint32_t unit = choices[chosen];
    choices[chosen] = choices.back();
    choices.pop_back();
    CoreState &core = cores[unit / machine::pipeCount];
    Pipe pipe = Pipe(unit % machine::pipeCount);
    core.work &= uint8_t(~(1u << unsigned(pipe)));
    if (step(core, pipe, /*burst=*/false))
      mark(core, pipe);
  }
}

void Engine::runTimed() {
  constexpr double never = std::numeric_limits<double>::infinity();
  runWork();
  while (!stopped) {
    double nextEvent = events.empty() ? never : events.top().time;
    double nextEnd = pools.nextEnd();
    double next = std::min(nextEvent, nextEnd);
    if (next == never)
      return;
    now = next;
    pools.advance(now);
    for (uint32_t flow = pools.takeEnded(); flow != Pools::noFlow; flow = pools.takeEnded())
      endTransfer(cores[flow / machine::pipeCount], Pipe(flow % machine::pipeCount), now);
    if (nextEvent <= nextEnd) {
      Event event = events.top();
      events.pop();
      happen(event);
    }
    runWork();
  }
}

void Engine::happen(const Event &event) {
  CoreState &core = cores[event.core];
  if (event.pipe == Pipe::S) {
    core.stall = Stall::None;
  } else if (event.begins) {
    beginFlow(core, event.pipe);
    return;
  } else {
    startTransfer(core, event.pipe);
  }
  mark(core, event.pipe);
}

Result<void> Engine::run() {
  random = options.mode == Mode::Functional && options.order;
  for (CoreState &core : cores)
    mark(core, Pipe::S);
  if (timed)
    runTimed();
  else if (random)
    runRandom(*options.order);
  else
    runWork();
  if (cancelled)
    return makeError(ErrorKind::Cancelled, "simulation of '" + launch.image.kernel + "'",
                     "the caller asked for an end");
  if (!stopped)
    findDeadlock();
  if (!stopped && checker)
    for (CoreState &core : cores)
      checker->finish(core.id);
  if (checker)
    checker->reportOrder();
  finish();
  return {};
}

} // namespace kiln::sim
