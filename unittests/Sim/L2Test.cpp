//===- L2Test.cpp - hits, misses and write-backs ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "SimTest.h"

#include "sim/timing/L2.h"

#include <list>
#include <map>
#include <random>

using namespace kiln;
using namespace kiln::sim;
using namespace kiln::sim::test;

namespace {

constexpr uint64_t base = uint64_t(1) << 36;
constexpr uint64_t kiB = 1024;

L2 cache(uint64_t bytes, uint64_t span = uint64_t(1) << 20) {
  L2::Extent extents[] = {{base, span}, {base + 2 * span, span}};
  return L2(bytes, 512, extents);
}

ResolvedRegion region(uint64_t address, std::array<int64_t, 3> size,
                      std::array<int64_t, 3> stride) {
  return {machine::Memory::GM, machine::Element::F32, address, size, stride};
}

TEST(L2, WhatWasReadIsThere) {
  L2 l2 = cache(64 * kiB);
  EXPECT_EQ(l2.access(base, 4096, false).fetchedBytes, 4096u);
  EXPECT_EQ(l2.access(base, 4096, false).fetchedBytes, 0u);
  EXPECT_EQ(l2.access(base + 4095, 2, false).fetchedBytes, 512u);
  EXPECT_EQ(l2.dirtyBytes(), 0u);
}

TEST(L2, WritesFetchNothingAndAreDirtyOnce) {
  L2 l2 = cache(64 * kiB);
  EXPECT_EQ(l2.access(base + 100, 1000, true).fetchedBytes, 0u);
  EXPECT_EQ(l2.dirtyBytes(), 3 * 512u);
  l2.access(base + 100, 1000, true);
  EXPECT_EQ(l2.dirtyBytes(), 3 * 512u);
  EXPECT_EQ(l2.access(base, 512, false).fetchedBytes, 0u);
}

TEST(L2, VictimsAreTheOldestAndDirtyOnesAreWrittenBack) {
  L2 l2 = cache(64 * kiB);
  l2.access(base, 32 * kiB, true);
  l2.access(base + 32 * kiB, 32 * kiB, false);
  EXPECT_EQ(l2.access(base, 512, false).fetchedBytes, 0u); // used again: the clean page is older
  L2::Traffic traffic = l2.access(base + 64 * kiB, 16 * kiB, false);
  EXPECT_EQ(traffic.fetchedBytes, 16 * kiB);
  EXPECT_EQ(traffic.writtenBackBytes, 0u);
  traffic = l2.access(base + 96 * kiB, 32 * kiB, false);
  EXPECT_EQ(traffic.writtenBackBytes, 16 * kiB); // the rest of the clean page, then dirty lines
  EXPECT_EQ(l2.dirtyBytes(), 16 * kiB);
}

TEST(L2, RowsTouchTheirLines) {
  // Eight rows of 256 bytes, one line each, 4 KiB apart.
  L2 l2 = cache(64 * kiB);
  EXPECT_EQ(l2.access(region(base, {1, 8, 64}, {0, 4096, 4}), false).fetchedBytes, 8 * 512u);
  // From the last one back: the same lines.
  EXPECT_EQ(l2.access(region(base + 7 * 4096, {1, 8, 64}, {0, -4096, 4}), false).fetchedBytes, 0u);
  // Repeated by a stride of 0; and a column, whose elements are runs of their own.
  EXPECT_EQ(l2.access(region(base + 40 * kiB, {1000, 1, 128}, {0, 0, 4}), false).fetchedBytes,
            512u);
  EXPECT_EQ(l2.access(region(base + 80 * kiB, {1, 1, 4}, {0, 0, 2048}), false).fetchedBytes,
            4 * 512u);
}

TEST(L2, OutsideOfMemoryNothingHappens) {
  L2 l2 = cache(64 * kiB);
  EXPECT_EQ(l2.access(base - 4096, 4096, false).fetchedBytes, 0u);
  EXPECT_EQ(l2.access(base + (uint64_t(1) << 20) - 512, 4096, false).fetchedBytes, 512u);
  EXPECT_EQ(l2.access(region(base, {int64_t(1) << 40, int64_t(1) << 40, 64}, {1, 4096, 4}), true)
                .fetchedBytes,
            0u);
}

/// Lines one by one, and pages of 64 of them in the order of their use.
TEST(L2, RandomRegionsAgreeWithAPlainCache) {
  std::mt19937_64 random(11);
  const uint64_t capacity = 300;
  L2 l2 = cache(capacity * 512);
  struct Page {
    std::map<unsigned, bool> lines; // line -> dirty
  };
  std::map<uint64_t, Page> pages;
  std::list<uint64_t> order; // newest first
  uint64_t present = 0, dirty = 0;
  for (int i = 0; i < 3000; ++i) {
    uint64_t offset = random() % 500000, bytes = 1 + random() % 60000;
    bool write = random() % 3 == 0;
    bytes = std::min(bytes, (uint64_t(1) << 20) - offset);
    L2::Traffic expected;
    for (uint64_t page = offset / 32768; page <= (offset + bytes - 1) / 32768; ++page) {
      uint64_t first = std::max(offset, page * 32768) / 512;
      uint64_t last = std::min(offset + bytes - 1, page * 32768 + 32767) / 512;
      order.remove(page);
      order.push_front(page);
      for (uint64_t line = first; line <= last; ++line) {
        auto [entry, isNew] = pages[page].lines.try_emplace(unsigned(line % 64), false);
        present += isNew;
        expected.fetchedBytes += isNew && !write ? 512 : 0;
        dirty += write && !entry->second;
        entry->second |= write;
      }
      while (present > capacity) {
        Page &victim = pages[order.back()];
        expected.writtenBackBytes += victim.lines.begin()->second * 512;
        dirty -= victim.lines.begin()->second;
        victim.lines.erase(victim.lines.begin());
        --present;
        if (victim.lines.empty())
          order.pop_back();
      }
    }
    L2::Traffic traffic = l2.access(base + offset, bytes, write);
    ASSERT_EQ(traffic.fetchedBytes, expected.fetchedBytes) << i;
    ASSERT_EQ(traffic.writtenBackBytes, expected.writtenBackBytes) << i;
    ASSERT_EQ(l2.dirtyBytes(), dirty * 512) << i;
  }
}

TEST(L2, OfALaunch) {
  const size_t count = 1 << 16; // 256 KiB each
  Arrays arrays(count);
  auto bindings = arrays.bindings();
  auto image = vectorAdd(4096);
  Report cold = run(image, bindings, 16, timingOnly());
  EXPECT_EQ(cold.hbmReadBytes, 2 * count * 4);
  EXPECT_EQ(cold.hbmWriteBytes, 0u);
  EXPECT_EQ(cold.dirtyBytes, count * 4);
  EXPECT_NEAR(cold.writeBackCycles,
              double(count * 4) / (chip().shared.hbmBytesPerSecond / (chip().clockGhz * 1e9)), 1);
  Options options = timingOnly();
  options.warmL2 = true;
  Report warm = run(image, bindings, 16, options);
  EXPECT_EQ(warm.hbmReadBytes, 0u);
  EXPECT_LT(warm.kernelCycles, cold.kernelCycles);
  // A cache too small for it: some of what is written leaves during the kernel.
  const size_t more = 1 << 19;
  Arrays large(more);
  auto largeBindings = large.bindings();
  auto small = chipWith({{"shared.l2_bytes", 262144}});
  Report tight = run(image, largeBindings, 128, timingOnly(), small);
  EXPECT_EQ(tight.hbmReadBytes, 2 * more * 4);
  EXPECT_EQ(tight.hbmWriteBytes + tight.dirtyBytes, more * 4);
  EXPECT_GE(tight.hbmWriteBytes, (more * 4) - 262144);
}

} // namespace
