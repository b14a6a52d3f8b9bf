//===- Shadow.cpp - who touched which bytes last ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/check/Shadow.h"

namespace kiln::sim {

void Shadow::splitAt(uint64_t address) {
  auto next = segments.upper_bound(address);
  if (next == segments.begin())
    return;
  auto inside = std::prev(next);
  if (inside->first == address || inside->second.end <= address)
    return;
  Segment rest = inside->second;
  inside->second.end = address;
  segments.emplace_hint(next, address, std::move(rest));
}

void Shadow::noteWrite(Segments::iterator first, uint64_t begin, uint64_t end,
                       const PastAccess &now) {
  // A plain write takes the place of all before it. Atomic ones stand side by side: they do not
  // order each other.
  if (now.atomic)
    return noteRead(first, begin, end, now);
  auto last = first;
  while (last != segments.end() && last->first < end)
    ++last;
  if (first != last && first->first == begin) { // use its memory again
    first->second.end = end;
    first->second.accesses.assign(1, now);
    segments.erase(std::next(first), last);
    return;
  }
  auto hint = segments.erase(first, last);
  segments.emplace_hint(hint, begin, Segment{end, {now}});
}

void Shadow::noteRead(Segments::iterator first, uint64_t begin, uint64_t end,
                      const PastAccess &now) {
  uint64_t at = begin;
  auto it = first;
  while (at < end) {
    if (it == segments.end() || it->first > at) { // never touched up to the next segment
      uint64_t until = it == segments.end() ? end : std::min(end, it->first);
      it = segments.emplace_hint(it, at, Segment{until, {now}});
    } else {
      note(it->second, now);
    }
    at = it->second.end;
    ++it;
  }
}

void Shadow::note(Segment &segment, const PastAccess &now) {
  for (PastAccess &past : segment.accesses)
    if (past.write == now.write && past.epoch.core == now.epoch.core &&
        past.epoch.pipe == now.epoch.pipe && past.atomic == now.atomic) {
      past = now;
      return;
    }
  segment.accesses.push_back(now);
}

} // namespace kiln::sim
