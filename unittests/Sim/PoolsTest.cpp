//===- PoolsTest.cpp - how bandwidth is divided ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "SimTest.h"

#include "sim/timing/Pools.h"

#include <map>
#include <random>

using namespace kiln;
using namespace kiln::sim;
using namespace kiln::sim::test;

namespace {

/// A machine whose pools are these numbers of bytes per cycle.
machine::Machine poolsOf(double read, double write, double combined, double hbm, double core) {
  machine::Machine machine = chip();
  machine.clockGhz = 1;
  machine.shared.l2ReadBytesPerSecond = read * 1e9;
  machine.shared.l2WriteBytesPerSecond = write * 1e9;
  machine.shared.l2CombinedBytesPerSecond = combined * 1e9;
  machine.shared.hbmBytesPerSecond = hbm * 1e9;
  machine.shared.hbmBytesPerCyclePerCore = core;
  return machine;
}

/// Runs until all have ended: flow -> when.
std::map<uint32_t, double> ends(Pools &pools) {
  std::map<uint32_t, double> found;
  while (pools.nextEnd() < 1e18) {
    double time = pools.nextEnd();
    pools.advance(time);
    for (uint32_t flow = pools.takeEnded(); flow != Pools::noFlow; flow = pools.takeEnded())
      found[flow] = time;
  }
  return found;
}

Pools::Transfer read(uint32_t core, double bytes, double peak, double miss = 0) {
  return {.aiCore = core,
          .bytes = bytes,
          .peak = peak,
          .missPerByte = miss,
          .hbmPerByte = miss,
          .firstLine = core * 1000 + uint64_t(bytes)};
}

TEST(Pools, AFullPoolIsDividedAndWhatIsLeftGoesToTheOthers) {
  machine::Machine machine = poolsOf(30, 100, 100, 100, 100);
  Pools pools(machine, 4, 4);
  pools.begin(0, read(0, 40, 4)); // stops at its peak: 10 cycles
  pools.begin(1, read(1, 130, 50));
  pools.begin(2, read(2, 260, 50));
  auto end = ends(pools);
  EXPECT_NEAR(end[0], 10, 1e-6);
  EXPECT_NEAR(end[1], 10, 1e-6); // (30 - 4) / 2 each
  EXPECT_NEAR(end[2], 10 + 130 / 30.0, 1e-6);
}

TEST(Pools, ReadsAndWritesMeetInTheCombinedOne) {
  machine::Machine machine = poolsOf(30, 30, 40, 100, 100);
  Pools pools(machine, 4, 4);
  pools.begin(0, read(0, 200, 50));
  Pools::Transfer write = read(1, 200, 50);
  write.write = true;
  pools.begin(1, write);
  auto end = ends(pools);
  EXPECT_NEAR(end[0], 10, 1e-6);
  EXPECT_NEAR(end[1], 10, 1e-6);
}

TEST(Pools, HbmHoldsUpOnlyWhatDrawsOnIt) {
  machine::Machine machine = poolsOf(100, 100, 200, 10, 100);
  Pools pools(machine, 4, 4);
  pools.begin(0, read(0, 100, 50, 1));
  pools.begin(1, read(1, 100, 50, 0.25));
  pools.begin(2, read(2, 100, 50, 0));
  auto end = ends(pools);
  EXPECT_NEAR(end[2], 2, 1e-6);
  EXPECT_NEAR(end[1], 12.5, 1e-6); // both at 8: 8 + 0.25 · 8 is all of HBM
  EXPECT_NEAR(end[0], 12.5, 1e-6);
}

TEST(Pools, TransfersOfOneCoreShareItsAccess) {
  machine::Machine machine = poolsOf(1000, 1000, 1000, 1000, 36);
  Pools pools(machine, 4, 4);
  pools.begin(0, read(0, 360, 50, 1));
  pools.advance(5);
  pools.begin(1, read(0, 90, 60, 1));
  pools.begin(2, read(1, 360, 50, 1));
  auto end = ends(pools);
  EXPECT_NEAR(end[1], 10, 1e-6);
  EXPECT_NEAR(end[0], 12.5, 1e-6); // 180 alone, 90 at half the rate, 90 alone
  EXPECT_NEAR(end[2], 15, 1e-6);
}

TEST(Pools, ReadersOfOneLineShareIt) {
  machine::Machine machine = poolsOf(1000, 1000, 1000, 1000, 36);
  machine.shared.sameLineBytesPerCycle = 60;
  Pools pools(machine, 4, 4);
  for (uint32_t flow = 0; flow < 3; ++flow) {
    Pools::Transfer transfer = read(flow, flow == 2 ? 200 : 100, 50);
    transfer.firstLine = 7;
    pools.begin(flow, transfer);
  }
  pools.begin(3, read(3, 100, 50));
  auto end = ends(pools);
  EXPECT_NEAR(end[3], 2, 1e-6);
  EXPECT_NEAR(end[0], 5, 1e-6);
  EXPECT_NEAR(end[1], 5, 1e-6);
  EXPECT_NEAR(end[2], 7, 1e-6);
}

/// No pool is ever overdrawn and none is idle while all that waits for it could go faster: over a
/// random history, the bytes moved between two events are those that a plain solver of the same
/// rules gives.
TEST(Pools, RandomHistoriesAgreeWithAPlainSolver) {
  machine::Machine machine = poolsOf(70, 50, 90, 40, 18);
  machine.shared.sameLineBytesPerCycle = 1e9;
  std::mt19937_64 random(3);
  struct Plain {
    Pools::Transfer transfer;
    double left;
  };
  for (int round = 0; round < 50; ++round) {
    Pools pools(machine, 12, 3);
    std::map<uint32_t, Plain> active;
    double now = 0;
    auto rates = [&] {
      std::map<uint32_t, double> rate;
      double draw[3] = {};
      for (auto &[flow, one] : active)
        draw[one.transfer.aiCore] += one.transfer.missPerByte;
      double left[4] = {70, 50, 90, 40};
      // Raises all rates in small steps until each hits something.
      std::map<uint32_t, bool> fixed;
      constexpr double little = 1e-3;
      while (fixed.size() < active.size())
        for (auto &[flow, one] : active) {
          if (fixed.count(flow))
            continue;
          double cap = one.transfer.peak;
          if (one.transfer.missPerByte > 0)
            cap = std::min(cap, 18 / draw[one.transfer.aiCore]);
          unsigned own = one.transfer.write;
          double hbm = one.transfer.hbmPerByte;
          if (rate[flow] + little > cap || left[own] < little || left[2] < little ||
              (hbm > 0 && left[3] < little * hbm)) {
            fixed[flow] = true;
            continue;
          }
          rate[flow] += little;
          left[own] -= little;
          left[2] -= little;
          left[3] -= little * hbm;
        }
      return rate;
    };
    for (int event = 0; event < 12; ++event) {
      uint32_t flow = uint32_t(random() % 12);
      if (!active.count(flow)) {
        Pools::Transfer transfer = read(uint32_t(random() % 3), 50 + double(random() % 500),
                                        5 + double(random() % 30), double(random() % 3) / 2);
        transfer.write = random() % 2;
        if (transfer.write)
          transfer.missPerByte = 0;
        pools.begin(flow, transfer);
        active[flow] = {transfer, transfer.bytes};
      }
      auto rate = rates();
      double next = 1e18;
      for (auto &[number, one] : active)
        next = std::min(next, now + one.left / rate[number]);
      double end = pools.nextEnd();
      ASSERT_NEAR(end - now, next - now, 0.01 * (next - now) + 0.05) << round << " " << event;
      // Now and then something starts before that.
      double time = random() % 2 ? end : now + (end - now) / 2;
      for (auto &[number, one] : active)
        one.left -= (time - now) * rate[number];
      pools.advance(time);
      now = time;
      for (uint32_t ended = pools.takeEnded(); ended != Pools::noFlow; ended = pools.takeEnded()) {
        EXPECT_NEAR(active[ended].left, 0, 0.02 * active[ended].transfer.bytes + 1);
        active.erase(ended);
      }
    }
  }
}

} // namespace
