//===- Clocks.h - what each pipe is known to be behind ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// An event of a pipe is numbered from 1. The clock of a pipe says, for each pipe, up to which event
// all is over before what the pipe executes next. Within a core that is a number per pipe; of other
// cores something is known only through cross-core flags, so those numbers are kept by core, and in
// a vector kernel there are none.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_CHECK_CLOCKS_H
#define KILN_SIM_CHECK_CLOCKS_H

#include "sim/check/Checker.h"

#include <algorithm>
#include <array>
#include <map>

namespace kiln::sim {

/// A number of events per pipe of one core.
struct CoreClock {
  std::array<uint64_t, machine::pipeCount> events{};

  uint64_t &operator[](machine::Pipe pipe) { return events[size_t(pipe)]; }
  uint64_t operator[](machine::Pipe pipe) const { return events[size_t(pipe)]; }
  void join(const CoreClock &other) {
    for (size_t i = 0; i < events.size(); ++i)
      events[i] = std::max(events[i], other.events[i]);
  }
};

/// What a pipe, or a flag that is up, is behind.
struct Clock {
  CoreClock own;
  std::map<CoreId, CoreClock> others;

  /// Takes in what a clock of the same core knows.
  void join(const Clock &other) {
    own.join(other.own);
    for (const auto &[core, clock] : other.others)
      others[core].join(clock);
  }
  /// Takes in what a clock of another core (`from`) knows; `self` is this clock's core.
  void joinFrom(const Clock &other, CoreId from, CoreId self) {
    others[from].join(other.own);
    for (const auto &[core, clock] : other.others)
      core == self ? own.join(clock) : others[core].join(clock);
  }
};

/// One event, to be looked up in a clock.
struct Epoch {
  CoreId core = 0;
  machine::Pipe pipe = machine::Pipe::S;
  uint64_t event = 0;
};

/// Whether the event is over before what a pipe of `core` with this clock does next.
inline bool isBehind(const Clock &clock, CoreId core, const Epoch &epoch) {
  if (epoch.core == core)
    return clock.own[epoch.pipe] >= epoch.event;
  auto known = clock.others.find(epoch.core);
  return known != clock.others.end() && known->second[epoch.pipe] >= epoch.event;
}

} // namespace kiln::sim

#endif // KILN_SIM_CHECK_CLOCKS_H
