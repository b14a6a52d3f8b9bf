//===- CrossFlags.cpp - flags between cores --------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/core/CrossFlags.h"

#include <algorithm>

namespace kiln::sim {

using machine::CrossMode;

CrossFlags::CrossFlags(const machine::Machine &machine, unsigned aics, unsigned aivs)
    : aics(aics), aivs(aivs), vectorsPerCore(std::max(1u, machine.vectorsPerCore)),
      depth(std::max(1u, machine.limits.crossFlagDepth)), ids(machine.limits.crossFlagIds),
      channels(size_t(aics + aivs) * machine::crossModeCount * size_t(ids)) {}

std::vector<CoreId> CrossFlags::partners(CoreId core, CrossMode mode) const {
  std::vector<CoreId> found;
  auto add = [&](unsigned first, unsigned count, unsigned end) {
    for (unsigned i = first; i < std::min(first + count, end); ++i)
      found.push_back(i);
  };
  const bool cube = core < aics;
  const unsigned all = aics + aivs;
  const unsigned aiCore = cube ? core : (core - aics) / vectorsPerCore;
  switch (mode) {
  case CrossMode::AllCores:
    cube ? add(0, aics, aics) : add(aics, aivs, all);
    break;
  case CrossMode::VectorPair:
    cube ? add(core, 1, all) : add(aics + aiCore * vectorsPerCore, vectorsPerCore, all);
    break;
  case CrossMode::CubeVector:
    cube ? add(aics + aiCore * vectorsPerCore, vectorsPerCore, all) : add(aiCore, 1, aics);
    break;
  }
  return found;
}

bool CrossFlags::set(CoreId core, CrossMode mode, int64_t id, double seenFrom) {
  Channel &own = channel(core, mode, id);
  for (CoreId partner : partners(core, mode))
    if (own.sets >= channel(partner, mode, id).waits + depth)
      return false;
  // One more than may be unmatched: the slowest partner may still look at the oldest.
  own.times.resize(depth + 1);
  own.times[own.sets++ % own.times.size()] = seenFrom;
  return true;
}

std::optional<double> CrossFlags::waitEnd(CoreId core, CrossMode mode, int64_t id) const {
  uint64_t number = channel(core, mode, id).waits;
  double end = 0;
  for (CoreId partner : partners(core, mode)) {
    const Channel &other = channel(partner, mode, id);
    if (other.sets <= number)
      return std::nullopt;
    end = std::max(end, other.times[number % other.times.size()]);
  }
  return end;
}

std::optional<CoreId> CrossFlags::missing(CoreId core, CrossMode mode, int64_t id) const {
  uint64_t number = channel(core, mode, id).waits;
  for (CoreId partner : partners(core, mode))
    if (channel(partner, mode, id).sets <= number)
      return partner;
  return std::nullopt;
}

} // namespace kiln::sim
