//===- L2.cpp - which lines of global memory lie in the shared cache -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/timing/L2.h"

#include <algorithm>
#include <bit>

namespace kiln::sim {
namespace {

constexpr uint64_t pageLines = 64;
/// More runs than this count as all that lies between the first and the last: no kernel moves so
/// many in one transfer, and a broken one must not hold up the simulator.
constexpr int64_t maxRuns = int64_t(1) << 20;

/// A region as runs of bytes: strides are positive, dimensions without gaps of a line are one.
struct Runs {
  uint64_t address, bytes;
  int64_t count[2] = {1, 1};
  int64_t stride[2] = {0, 0};
};

Runs runsOf(const ResolvedRegion &region, uint64_t lineBytes) {
  Runs runs{region.address, std::max<uint64_t>(1, machine::bits(region.element) / 8)};
  if (region.element == machine::Element::I1)
    return {region.address, region.bytes()};
  unsigned kept = 0;
  for (int d = 2; d >= 0; --d) {
    int64_t count = region.size[d], stride = region.stride[d];
    if (count <= 1 || stride == 0)
      continue;
    if (stride < 0) {
      runs.address -= uint64_t(count - 1) * (uint64_t(0) - uint64_t(stride));
      stride = -stride;
    }
    bool dense = uint64_t(stride) <= runs.bytes + lineBytes;
    // The dimension just kept decides whether a further one can be part of the run: it cannot.
    if (kept == 0 && (dense || count > maxRuns)) {
      runs.bytes += uint64_t(count - 1) * uint64_t(stride);
    } else if (kept < 2) {
      runs.count[kept] = count;
      runs.stride[kept++] = stride;
    } else {
      runs.count[1] = std::max(runs.count[1], count); // three far dimensions of single elements
    }
  }
  return runs;
}

} // namespace

L2::L2(uint64_t capacityBytes, uint64_t lineBytes, std::span<const Extent> extents)
    : capacityLines(capacityBytes / lineBytes), lineBytes(lineBytes) {
  const uint64_t pageBytes = pageLines * lineBytes;
  uint64_t count = 0;
  for (const Extent &extent : extents) {
    if (!extent.bytes)
      continue;
    uint64_t end = extent.address + extent.bytes;
    uint64_t origin = extent.address / lineBytes * lineBytes;
    known.push_back({extent.address, end, origin, uint32_t(count)});
    count += (end - origin + pageBytes - 1) / pageBytes;
  }
  std::sort(known.begin(), known.end(),
            [](const Known &a, const Known &b) { return a.address < b.address; });
  pages.resize(count);
}

const L2::Known *L2::find(uint64_t address) {
  if (recent < known.size() && address >= known[recent].address && address < known[recent].end)
    return &known[recent];
  for (size_t i = 0; i < known.size(); ++i)
    if (address >= known[i].address && address < known[i].end)
      return &known[recent = i];
  return nullptr;
}

L2::Traffic L2::access(uint64_t address, uint64_t bytes, bool write) {
  Traffic traffic;
  if (const Known *extent = bytes ? find(address) : nullptr)
    touch(*extent, address, address + bytes, write, traffic);
  return traffic;
}

L2::Traffic L2::access(const ResolvedRegion &region, bool write) {
  Traffic traffic;
  if (!region.elements())
    return traffic;
  Runs runs = runsOf(region, lineBytes);
  const Known *extent = find(runs.address);
  if (!extent)
    return traffic;
  if (runs.count[0] > maxRuns / runs.count[1])
    runs.count[0] = runs.count[1] = 1;
  for (int64_t i = 0; i < runs.count[1]; ++i)
    for (int64_t j = 0; j < runs.count[0]; ++j) {
      uint64_t from = runs.address + uint64_t(i) * uint64_t(runs.stride[1]) +
                      uint64_t(j) * uint64_t(runs.stride[0]);
      touch(*extent, from, from + runs.bytes, write, traffic);
    }
  return traffic;
}

void L2::touch(const Known &extent, uint64_t from, uint64_t to, bool write, Traffic &traffic) {
  to = std::min(to, extent.end);
  if (from < extent.address || from >= to)
    return;
  const uint64_t offset = uint64_t(extent.firstPage) * pageLines;
  touchLines(offset + (from - extent.origin) / lineBytes,
             offset + (to - 1 - extent.origin) / lineBytes, write, traffic);
}

void L2::touchLines(uint64_t firstLine, uint64_t lastLine, bool write, Traffic &traffic) {
  for (uint64_t page = firstLine / pageLines; page <= lastLine / pageLines; ++page) {
    uint64_t from = page == firstLine / pageLines ? firstLine % pageLines : 0;
    uint64_t to = page == lastLine / pageLines ? lastLine % pageLines : pageLines - 1;
    uint64_t mask = (~uint64_t(0) >> (pageLines - 1 - (to - from))) << from;
    touchPage(uint32_t(page), mask, write, traffic);
  }
}

void L2::touchPage(uint32_t index, uint64_t mask, bool write, Traffic &traffic) {
  // To the front first: this page is the last to give victims.
  moveToFront(index);
  Page &page = pages[index];
  const uint64_t added = uint64_t(std::popcount(mask & ~page.present));
  if (!write)
    traffic.fetchedBytes += added * lineBytes;
  page.present |= mask;
  presentLines += added;
  if (write) {
    dirtyLines += uint64_t(std::popcount(mask & ~page.dirty));
    page.dirty |= mask;
  }
  if (presentLines > capacityLines)
    evict(presentLines - capacityLines, traffic);
}

void L2::moveToFront(uint32_t index) {
  if (newest == index)
    return;
  unlink(index);
  Page &page = pages[index];
  page.older = newest;
  if (newest != none)
    pages[newest].newer = index;
  newest = index;
  if (oldest == none)
    oldest = index;
}

void L2::unlink(uint32_t index) {
  Page &page = pages[index];
  if (page.newer != none)
    pages[page.newer].older = page.older;
  if (page.older != none)
    pages[page.older].newer = page.newer;
  if (newest == index)
    newest = page.older;
  if (oldest == index)
    oldest = page.newer;
  page.newer = page.older = none;
}

void L2::evict(uint64_t lines, Traffic &traffic) {
  while (lines && oldest != none) {
    uint32_t index = oldest;
    Page &page = pages[index];
    uint64_t victims = 0;
    for (uint64_t rest = page.present; rest && lines; rest &= rest - 1, --lines)
      victims |= rest & (~rest + 1);
    uint64_t dirty = victims & page.dirty;
    traffic.writtenBackBytes += uint64_t(std::popcount(dirty)) * lineBytes;
    dirtyLines -= uint64_t(std::popcount(dirty));
    presentLines -= uint64_t(std::popcount(victims));
    page.present &= ~victims;
    page.dirty &= ~victims;
    if (!page.present)
      unlink(index);
  }
}

} // namespace kiln::sim
