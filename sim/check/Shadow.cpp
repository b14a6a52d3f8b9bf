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

bool Shadow::forget(Segments &all, Segments::iterator first, uint64_t end, const Horizon &horizon) {
  bool nothing = true;
  for (auto it = first; it != all.end() && it->first < end; ++it) {
    std::erase_if(it->second.accesses, [&](const PastAccess &past) {
      return past.epoch.core == horizon.core && past.epoch.event <= horizon.known[past.epoch.pipe];
    });
    nothing &= it->second.accesses.empty();
  }
  return nothing;
}

void Shadow::replace(Segments::iterator first, uint64_t begin, uint64_t end,
                     const PastAccess &now) {
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

void Shadow::noteAll(Segments::iterator first, uint64_t begin, uint64_t end, const PastAccess &now,
                     const Horizon &horizon) {
  uint64_t at = begin;
  auto it = first;
  while (at < end) {
    if (it == segments.end() || it->first > at) { // never touched up to the next segment
      uint64_t until = it == segments.end() ? end : std::min(end, it->first);
      it = segments.emplace_hint(it, at, Segment{until, {now}});
    } else {
      note(it->second, now, horizon);
    }
    at = it->second.end;
    ++it;
  }
}

void Shadow::note(Segment &segment, const PastAccess &now, const Horizon &horizon) {
  // From the newest on: one is not needed if nothing that is still to be executed lies between it
  // and the next of its kind.
  uint64_t next = now.sequence;
  for (size_t i = segment.accesses.size(); i-- > 0;) {
    PastAccess &past = segment.accesses[i];
    if (!past.isLike(now))
      continue;
    if (next <= horizon.sequence)
      segment.accesses.erase(segment.accesses.begin() + ptrdiff_t(i));
    else
      next = past.sequence;
  }
  segment.accesses.push_back(now);
}

} // namespace kiln::sim
