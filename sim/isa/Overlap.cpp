//===- Overlap.cpp - whether two regions share bytes -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Overlap.h"

#include "sim/isa/Operands.h"

#include <algorithm>
#include <vector>

namespace kiln::sim {

namespace {

/// Calls `visit(first, end)` for each run of bytes; stops when it returns true.
template <typename Visit> bool anyRun(const ResolvedRegion &region, Visit visit) {
  const int64_t start = int64_t(region.address);
  if (region.element == Element::I1)
    return visit(start, start + (region.size[2] + 7) / 8);
  const int64_t bytes = elementBytes(region.element);
  const bool adjacent = region.size[2] == 1 || region.stride[2] == bytes;
  auto extent = [&](unsigned d) { return region.stride[d] == 0 ? 1 : region.size[d]; };
  for (int64_t i = 0; i < extent(0); ++i)
    for (int64_t j = 0; j < extent(1); ++j) {
      const int64_t row = start + i * region.stride[0] + j * region.stride[1];
      if (adjacent) {
        if (visit(row, row + region.size[2] * bytes))
          return true;
        continue;
      }
      for (int64_t k = 0; k < extent(2); ++k)
        if (visit(row + k * region.stride[2], row + k * region.stride[2] + bytes))
          return true;
    }
  return false;
}

} // namespace

bool isSame(const ResolvedRegion &a, const ResolvedRegion &b) {
  if (a.memory != b.memory || a.address != b.address || a.size != b.size ||
      machine::bits(a.element) != machine::bits(b.element))
    return false;
  for (unsigned d = 0; d < 3; ++d)
    if (a.size[d] > 1 && a.stride[d] != b.stride[d])
      return false;
  return true;
}

bool overlap(const ResolvedRegion &a, const ResolvedRegion &b) {
  if (a.memory != b.memory)
    return false;
  const Extent reachA = extent(a), reachB = extent(b);
  const __int128 low = std::max(a.address + reachA.low, b.address + reachB.low);
  const __int128 high = std::min(a.address + reachA.high, b.address + reachB.high);
  if (low >= high)
    return false;
  // Rare: mark the bytes of one in the common extent, and look for them.
  const int64_t first = int64_t(low), last = int64_t(high);
  std::vector<uint8_t> marks(size_t(last - first));
  auto clip = [&](int64_t position) { return std::clamp(position, first, last) - first; };
  anyRun(a, [&](int64_t begin, int64_t end) {
    std::fill(marks.begin() + clip(begin), marks.begin() + clip(end), uint8_t(1));
    return false;
  });
  return anyRun(b, [&](int64_t begin, int64_t end) {
    const auto stop = marks.begin() + clip(end);
    return std::find(marks.begin() + clip(begin), stop, uint8_t(1)) != stop;
  });
}

} // namespace kiln::sim
