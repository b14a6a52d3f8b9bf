//===- L2.h - which lines of global memory lie in the shared cache ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The cache is asked once per transfer, at its start, for the whole region. Lines are kept as bit
// masks of pages of 64 lines, and the pages in the order of their last use: a transfer costs a few
// operations per page that it touches. A victim is the lowest lines of the page that was used
// longest ago, as many as are needed.
//
// Reads of absent lines fetch them from HBM. Writes put lines in without fetching them (the memory
// has byte masks); they leave for HBM when they become victims, or after the kernel. A line counts
// as present from the start of the transfer that brings it.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_TIMING_L2_H
#define KILN_SIM_TIMING_L2_H

#include "sim/isa/Resolved.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kiln::sim {

class L2 {
public:
  /// Some global memory in use, at virtual addresses. Others are not cached: no program may touch
  /// them.
  struct Extent {
    uint64_t address = 0, bytes = 0;
  };
  L2(uint64_t capacityBytes, uint64_t lineBytes, std::span<const Extent> extents);

  struct Traffic {
    uint64_t fetchedBytes = 0;     ///< whole lines from HBM
    uint64_t writtenBackBytes = 0; ///< dirty victims to HBM
  };
  /// A transfer that reads or writes the region.
  Traffic access(const ResolvedRegion &region, bool write);
  /// The bytes from `address` on.
  Traffic access(uint64_t address, uint64_t bytes, bool write);

  uint64_t dirtyBytes() const { return dirtyLines * lineBytes; }

private:
  static constexpr uint32_t none = ~uint32_t(0);
  struct Page {
    uint64_t present = 0, dirty = 0;
    uint32_t newer = none, older = none;
  };

  struct Known {
    uint64_t address, end;
    uint64_t origin;    ///< the address at which its first page begins
    uint32_t firstPage; ///< its index in `pages`
  };
  const Known *find(uint64_t address);
  void touch(const Known &extent, uint64_t from, uint64_t to, bool write, Traffic &traffic);
  void touchLines(uint64_t firstLine, uint64_t lastLine, bool write, Traffic &traffic);
  void touchPage(uint32_t page, uint64_t mask, bool write, Traffic &traffic);
  void moveToFront(uint32_t page);
  void unlink(uint32_t page);
  void evict(uint64_t lines, Traffic &traffic);

  uint64_t capacityLines, lineBytes;
  uint64_t presentLines = 0, dirtyLines = 0;
  uint32_t newest = none, oldest = none;
  std::vector<Page> pages;
  std::vector<Known> known; ///< by address
  size_t recent = 0;        ///< the one found last
};

} // namespace kiln::sim

#endif // KILN_SIM_TIMING_L2_H
