//===- Results.cpp - what a launch has used --------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/core/Engine.h"

#include <algorithm>
#include <cstdio>

namespace kiln::sim {

void Engine::finish() {
  out.clockGHz = machine.clockGhz;
  out.launchMicroseconds = machine.control.launchMicroseconds;
  // One block per core that takes part, all at the same time.
  out.dispatchCycles = timed && !cores.empty() ? machine.control.dispatchCycles : 0;
  for (CoreState &core : cores) {
    CoreUse &use = out.use[size_t(core.kind)];
    ++use.cores;
    out.instructions += core.instructions;
    out.kernelCycles = std::max(out.kernelCycles, core.time);
    uint64_t handedOver = 0;
    for (unsigned i = 0; i < machine::pipeCount; ++i) {
      const PipeState &pipe = core.pipes[i];
      use.busyCycles[i] += pipe.busy;
      use.instructions[i] += i ? pipe.instructions : 0;
      handedOver += pipe.issued;
      out.kernelCycles = std::max({out.kernelCycles, pipe.free, pipe.drain});
    }
    use.instructions[0] += core.instructions - handedOver;
    out.controlHash = (out.controlHash ^ core.controlHash) * 0x9E3779B97F4A7C15u;
  }
  if (!timed)
    return;
  out.dirtyBytes = l2->dirtyBytes();
  out.writeBackCycles =
      double(out.dirtyBytes) / machine::bytesPerCycle(machine, machine.shared.hbmBytesPerSecond);
  findBusiest();
}

/// Pipes count without what sharing added: a pipe that waits for HBM is not what binds.
void Engine::findBusiest() {
  if (out.kernelCycles <= 0)
    return;
  std::string busiest;
  double share = 0;
  auto consider = [&](const std::string &name, double candidate) {
    if (candidate > share) {
      share = candidate;
      busiest = name;
    }
  };
  const machine::SharedFacts &shared = machine.shared;
  auto pool = [&](const char *name, double bytes, double perCycle) {
    if (perCycle > 0)
      consider(name, bytes / perCycle / out.kernelCycles);
  };
  auto perCycle = [&](double perSecond) { return machine::bytesPerCycle(machine, perSecond); };
  std::vector<bool> seen(std::max(1u, machine.aiCores));
  std::array<std::array<double, machine::pipeCount>, machine::coreKinds> own{};
  for (const CoreState &core : cores) {
    seen[core.aiCore] = true;
    for (unsigned i = 0; i < machine::pipeCount; ++i)
      own[size_t(core.kind)][i] += i ? core.pipes[i].ownCycles : core.pipes[i].busy;
  }
  pool("HBM", double(out.hbmReadBytes + out.hbmWriteBytes), perCycle(shared.hbmBytesPerSecond));
  pool("HBM access of the AI cores", double(out.hbmReadBytes),
       shared.hbmBytesPerCyclePerCore * double(std::count(seen.begin(), seen.end(), true)));
  pool("L2 reads", double(out.l2ReadBytes), perCycle(shared.l2ReadBytesPerSecond));
  pool("L2 writes", double(out.l2WriteBytes), perCycle(shared.l2WriteBytesPerSecond));
  pool("L2", double(out.l2ReadBytes + out.l2WriteBytes), perCycle(shared.l2CombinedBytesPerSecond));
  for (unsigned kind = 0; kind < machine::coreKinds; ++kind)
    for (unsigned i = 0; i < machine::pipeCount; ++i)
      if (out.use[kind].cores)
        consider(std::string(name(machine::Pipe(i))) + " of " +
                     std::string(name(machine::Core(kind))),
                 own[kind][i] / out.use[kind].cores / out.kernelCycles);
  if (busiest.empty())
    return;
  char text[16];
  std::snprintf(text, sizeof text, ", %.0f %%", share * 100);
  out.busiest = busiest + text;
  out.busiestShare = share;
}

Report Engine::takeReport() { return std::move(out); }

} // namespace kiln::sim
