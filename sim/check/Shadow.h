//===- Shadow.h - who touched which bytes last -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Bytes that were touched alike lie in one segment, so a tile of any size is one entry. A segment
// keeps the last write and, per pipe, the last read since: an access that is behind a later one of
// a pipe is behind all its earlier ones.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_CHECK_SHADOW_H
#define KILN_SIM_CHECK_SHADOW_H

#include "sim/check/Clocks.h"

#include <map>
#include <vector>

namespace kiln::sim {

/// An access that a later one may collide with.
struct PastAccess {
  Epoch epoch;
  bool write = false;
  bool atomic = false;
  Place place;
};

class Shadow {
public:
  /// Notes an access of the bytes [begin, end) and calls `collide(past)` for each past access in
  /// them, of which at least one of the two is a write, and not both are atomic.
  template <typename Collide>
  void access(uint64_t begin, uint64_t end, const PastAccess &now, Collide collide) {
    if (begin >= end)
      return;
    splitAt(begin);
    splitAt(end);
    auto first = segments.lower_bound(begin);
    for (auto it = first; it != segments.end() && it->first < end; ++it)
      for (const PastAccess &past : it->second.accesses)
        if ((past.write || now.write) && !(past.atomic && now.atomic))
          collide(past);
    now.write ? noteWrite(first, begin, end, now) : noteRead(first, begin, end, now);
  }

private:
  struct Segment {
    uint64_t end = 0;
    std::vector<PastAccess> accesses;
  };
  using Segments = std::map<uint64_t, Segment>;

  void splitAt(uint64_t address);
  void noteWrite(Segments::iterator first, uint64_t begin, uint64_t end, const PastAccess &now);
  void noteRead(Segments::iterator first, uint64_t begin, uint64_t end, const PastAccess &now);
  static void note(Segment &segment, const PastAccess &now);

  Segments segments; ///< by their first byte
};

} // namespace kiln::sim

#endif // KILN_SIM_CHECK_SHADOW_H
