//===- Pools.h - bandwidth that transfers share ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Transfers between cores and global memory draw on pools: reads through L2, writes into L2, both
// together, and HBM. A transfer draws one byte of the L2 pools per byte that it moves, and
// `hbmPerByte` of HBM (what it misses and the victims it drives out). Its rate never exceeds its
// own cap, the least of
//   - the peak of its path,
//   - its part of what its AI core draws from HBM (the AIC and both AIVs share that; the part is
//     cap / Σ missPerByte of the core's active transfers, so transfers of one core run at one
//     rate),
//   - its part of what all cores reading the same lines get (same_line_bytes_per_cycle / readers).
// Below the caps, the pools are divided max-min fairly: all rates rise together, a transfer stops
// at its cap, and a full pool stops all that draw on it.
//
// Rates change only when a transfer starts or ends. To make that cheap, transfers with equal cap
// and equal draw form a class: they have one rate at every moment, so a class has one clock of
// bytes per transfer, and a transfer ends when that clock reaches the value it had at its start
// plus the transfer's bytes. A change costs a few operations per class, not per transfer. Kernels
// have few classes. Readers of the same lines are those whose regions begin with the same line:
// tiles that cores share have one start.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_TIMING_POOLS_H
#define KILN_SIM_TIMING_POOLS_H

#include "machine/Machine.h"

#include <array>
#include <cstdint>
#include <vector>

namespace kiln::sim {

class Pools {
public:
  Pools(const machine::Machine &machine, unsigned flows, unsigned aiCores);

  struct Transfer {
    uint32_t aiCore = 0;
    bool write = false;
    double bytes = 0;
    double peak = 0;        ///< bytes per cycle of its path
    double missPerByte = 0; ///< bytes that it fetches from HBM, per byte
    double hbmPerByte = 0;  ///< the same plus written-back victims
    uint64_t firstLine = 0; ///< of a read
  };
  /// Starts transfer number `flow` now. It has some bytes.
  void begin(uint32_t flow, const Transfer &transfer);
  /// When the next one ends; infinity if none is active.
  double nextEnd();
  /// Moves time on to `time`, at most nextEnd().
  void advance(double time);
  /// One transfer that has ended by now, or noFlow. The lowest number first.
  uint32_t takeEnded();
  static constexpr uint32_t noFlow = ~uint32_t(0);

private:
  struct Class {
    double cap = 0, hbm = 0;
    bool write = false;
    double clock = 0; ///< bytes that a transfer has moved that is here since the clock was 0
    double rate = 0;
    std::vector<std::pair<double, uint32_t>> members; ///< end on the clock, flow; soonest last
  };
  struct Flow {
    Transfer transfer;
    uint32_t inClass = noFlow;
    double left = 0; ///< while it is in no class
  };

  double capOf(const Flow &flow) const;
  void enter(uint32_t number);
  void leave(uint32_t number);
  void reclassifyCore(uint32_t aiCore, uint32_t but);
  void reclassifyReaders(uint64_t line, uint32_t but);
  void share();

  double readPool, writePool, combinedPool, hbmPool, corePool, linePool;
  double now = 0;
  bool changed = false;
  std::vector<Flow> flows;
  std::vector<Class> classes;                ///< with members: the first `live`
  std::vector<std::vector<uint32_t>> byCore; ///< active flows of an AI core
  std::vector<double> coreDraw;              ///< Σ missPerByte of an AI core's active flows
  std::vector<uint32_t> reading;             ///< active reads
  std::vector<uint32_t> ended;               ///< in descending order
};

} // namespace kiln::sim

#endif // KILN_SIM_TIMING_POOLS_H
