//===- Pools.cpp - bandwidth that transfers share --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/timing/Pools.h"

#include "machine/Cost.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace kiln::sim {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Bytes that count as nothing: far above the rounding of sums, far below a byte.
constexpr double littleBytes = 1e-6;

/// A pool of 0 in the machine file is none.
double orUnbounded(double rate) { return rate > 0 ? rate : infinity; }

} // namespace

Pools::Pools(const machine::Machine &machine, unsigned flows, unsigned aiCores)
    : flows(flows), byCore(aiCores), coreDraw(aiCores) {
  const machine::SharedFacts &shared = machine.shared;
  auto perCycle = [&](double perSecond) {
    return orUnbounded(machine::bytesPerCycle(machine, perSecond));
  };
  readPool = perCycle(shared.l2ReadBytesPerSecond);
  writePool = perCycle(shared.l2WriteBytesPerSecond);
  combinedPool = perCycle(shared.l2CombinedBytesPerSecond);
  hbmPool = perCycle(shared.hbmBytesPerSecond);
  corePool = orUnbounded(shared.hbmBytesPerCyclePerCore);
  linePool = orUnbounded(shared.sameLineBytesPerCycle);
}

double Pools::capOf(const Flow &flow) const {
  const Transfer &transfer = flow.transfer;
  double cap = transfer.peak;
  if (transfer.missPerByte > 0)
    cap = std::min(cap, corePool / coreDraw[transfer.aiCore]);
  if (!transfer.write && transfer.peak * double(reading.size()) > linePool) {
    unsigned readers = 0;
    for (uint32_t other : reading)
      readers += flows[other].transfer.firstLine == transfer.firstLine;
    cap = std::min(cap, linePool / readers);
  }
  return cap;
}

void Pools::enter(uint32_t number) {
  Flow &flow = flows[number];
  const double cap = capOf(flow), hbm = flow.transfer.hbmPerByte;
  const bool write = flow.transfer.write;
  size_t index = 0;
  while (index < classes.size() &&
         !(classes[index].cap == cap && classes[index].hbm == hbm && classes[index].write == write))
    ++index;
  if (index == classes.size()) {
    // An empty one is as good as a new one.
    for (index = 0; index < classes.size() && !classes[index].members.empty();)
      ++index;
    if (index == classes.size())
      classes.emplace_back();
    Class &fresh = classes[index];
    fresh.cap = cap;
    fresh.hbm = hbm;
    fresh.write = write;
  }
  Class &into = classes[index];
  if (into.members.empty())
    into.clock = 0;
  std::pair<double, uint32_t> member(into.clock + flow.left, number);
  into.members.insert(
      std::upper_bound(into.members.begin(), into.members.end(), member, std::greater<>()), member);
  flow.inClass = uint32_t(index);
  changed = true;
}

void Pools::leave(uint32_t number) {
  Flow &flow = flows[number];
  Class &from = classes[flow.inClass];
  auto member = std::find_if(from.members.begin(), from.members.end(),
                             [&](const auto &m) { return m.second == number; });
  assert(member != from.members.end() && "a flow stands in its class");
  flow.left = member->first - from.clock;
  from.members.erase(member);
  flow.inClass = noFlow;
  changed = true;
}

void Pools::reclassifyCore(uint32_t aiCore, uint32_t but) {
  for (uint32_t other : byCore[aiCore])
    if (other != but && flows[other].transfer.missPerByte > 0) {
      leave(other);
      enter(other);
    }
}

void Pools::reclassifyReaders(uint64_t line, uint32_t but) {
  for (uint32_t other : reading)
    if (other != but && flows[other].transfer.firstLine == line) {
      leave(other);
      enter(other);
    }
}

void Pools::begin(uint32_t number, const Transfer &transfer) {
  Flow &flow = flows[number];
  assert(flow.inClass == noFlow && transfer.bytes > 0 && "one transfer at a time, of some bytes");
  flow.transfer = transfer;
  flow.left = transfer.bytes;
  byCore[transfer.aiCore].push_back(number);
  if (!transfer.write)
    reading.push_back(number);
  if (transfer.missPerByte > 0) {
    coreDraw[transfer.aiCore] += transfer.missPerByte;
    reclassifyCore(transfer.aiCore, number);
  }
  enter(number);
  if (!transfer.write)
    reclassifyReaders(transfer.firstLine, number);
}

void Pools::share() {
  changed = false;
  enum { Read, Write, Combined, Hbm, poolCount };
  double left[poolCount] = {readPool, writePool, combinedPool, hbmPool};
  double draw[poolCount] = {};
  size_t open = 0;
  for (Class &one : classes) {
    one.rate = -1;
    if (one.members.empty()) {
      one.rate = 0;
      continue;
    }
    double count = double(one.members.size());
    draw[one.write ? Write : Read] += count;
    draw[Combined] += count;
    draw[Hbm] += count * one.hbm;
    ++open;
  }
  while (open) {
    double level = infinity;
    unsigned tightest = poolCount;
    for (unsigned pool = 0; pool < poolCount; ++pool)
      if (draw[pool] > littleBytes && std::max(0.0, left[pool]) / draw[pool] < level) {
        level = std::max(0.0, left[pool]) / draw[pool];
        tightest = pool;
      }
    auto fix = [&](Class &one, double rate) {
      double count = double(one.members.size());
      one.rate = rate;
      unsigned own = one.write ? Write : Read;
      left[own] -= count * rate;
      left[Combined] -= count * rate;
      left[Hbm] -= count * one.hbm * rate;
      draw[own] -= count;
      draw[Combined] -= count;
      draw[Hbm] -= count * one.hbm;
      --open;
    };
    // First those that stop at their caps below the level; only then the level is final.
    bool capped = false;
    for (Class &one : classes)
      if (one.rate < 0 && one.cap <= level) {
        fix(one, one.cap);
        capped = true;
      }
    if (capped)
      continue;
    for (Class &one : classes) {
      bool draws = tightest == Combined || (tightest == Hbm && one.hbm > 0) ||
                   (tightest == Write && one.write) || (tightest == Read && !one.write);
      if (one.rate < 0 && draws)
        fix(one, level);
    }
  }
}

double Pools::nextEnd() {
  if (!ended.empty())
    return now;
  if (changed)
    share();
  double next = infinity;
  for (const Class &one : classes)
    if (!one.members.empty() && one.rate > 0)
      next = std::min(next, now + (one.members.back().first - one.clock) / one.rate);
  return std::max(next, now);
}

void Pools::advance(double time) {
  assert(ended.empty() && "those that ended before are taken first");
  if (changed)
    share();
  double passed = time - now;
  now = time;
  for (Class &one : classes) {
    if (one.members.empty())
      continue;
    one.clock += one.rate * passed;
    // What is left takes less than any event is apart: both bytes and time are rounded.
    double tolerance = littleBytes + one.clock * 1e-12;
    while (!one.members.empty() && one.members.back().first <= one.clock + tolerance) {
      ended.push_back(one.members.back().second);
      one.members.pop_back();
      flows[ended.back()].inClass = noFlow;
      changed = true;
    }
  }
  if (ended.empty())
    return;
  // The core's and the readers' parts grow only when all that end now are gone.
  std::sort(ended.begin(), ended.end(), std::greater<>());
  for (uint32_t number : ended) {
    const Transfer &transfer = flows[number].transfer;
    auto drop = [&](std::vector<uint32_t> &list) {
      list.erase(std::find(list.begin(), list.end(), number));
    };
    drop(byCore[transfer.aiCore]);
    if (!transfer.write)
      drop(reading);
    if (transfer.missPerByte > 0) {
      double sum = 0; // anew, so that rounding does not add up
      for (uint32_t other : byCore[transfer.aiCore])
        sum += flows[other].transfer.missPerByte;
      coreDraw[transfer.aiCore] = sum;
    }
  }
  for (uint32_t number : ended) {
    const Transfer &transfer = flows[number].transfer;
    if (transfer.missPerByte > 0)
      reclassifyCore(transfer.aiCore, number);
    if (!transfer.write)
      reclassifyReaders(transfer.firstLine, number);
  }
}

uint32_t Pools::takeEnded() {
  if (ended.empty())
    return noFlow;
  uint32_t number = ended.back();
  ended.pop_back();
  return number;
}

} // namespace kiln::sim
