//===- Shadow.h - who touched which bytes last -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Bytes that were touched alike lie in one segment, so a tile of any size is one entry. A segment
// keeps every instruction that touched it, not only the last ones, so that the same pairs are found
// whatever the order in which pipes run. Of one instruction the last access is enough for what is
// handed over behind it; older ones stay while something between them is still to be executed
// (`Horizon`). What everything to come is behind is forgotten at the next write.
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
  uint64_t sequence = 0; ///< in which the core's scalar unit came to it
  bool write = false;
  bool atomic = false;
  Place place;

  /// Accesses of which one may stand for the other.
  bool isLike(const PastAccess &other) const {
    return place.instruction == other.place.instruction && epoch.core == other.epoch.core &&
           write == other.write && atomic == other.atomic;
  }
};

/// What a core still has to do.
struct Horizon {
  uint64_t sequence = 0; ///< all before it has been executed
  CoreId core = 0;
  CoreClock known; ///< all that this core still executes is behind these events of its pipes
};

class Shadow {
public:
  /// Notes an access of the bytes [begin, end) and calls `collide(past)` for each past access in
  /// them, of which at least one of the two is a write, and not both are atomic.
  template <typename Collide>
  void access(uint64_t begin, uint64_t end, const PastAccess &now, const Horizon &horizon,
              Collide collide) {
    if (begin >= end)
      return;
    splitAt(begin);
    splitAt(end);
    auto first = segments.lower_bound(begin);
    for (auto it = first; it != segments.end() && it->first < end; ++it)
      for (const PastAccess &past : it->second.accesses)
        if ((past.write || now.write) && !(past.atomic && now.atomic))
          collide(past);
    if (now.write && forget(first, end, horizon)) {
      replace(first, begin, end, now);
      return;
    }
    noteAll(first, begin, end, now, horizon);
  }

private:
  struct Segment {
    uint64_t end = 0;
    std::vector<PastAccess> accesses;
  };
  using Segments = std::map<uint64_t, Segment>;

  void splitAt(uint64_t address);
  /// Forgets what all to come is behind; true if nothing is left before `end`.
  static bool forget(Segments &all, Segments::iterator first, uint64_t end, const Horizon &horizon);
  bool forget(Segments::iterator first, uint64_t end, const Horizon &horizon) {
    return forget(segments, first, end, horizon);
  }
  void replace(Segments::iterator first, uint64_t begin, uint64_t end, const PastAccess &now);
  void noteAll(Segments::iterator first, uint64_t begin, uint64_t end, const PastAccess &now,
               const Horizon &horizon);
  static void note(Segment &segment, const PastAccess &now, const Horizon &horizon);

  Segments segments; ///< by their first byte
};

} // namespace kiln::sim

#endif // KILN_SIM_CHECK_SHADOW_H
