//===- Transfer.cpp - transfers of global memory ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// With time, a transfer goes through three events: it starts (values move, the cache is asked), it
// begins to draw bandwidth after the start of its path's rate law, and it ends when the pools have
// given it its bytes.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/core/Engine.h"
#include "sim/timing/Shapes.h"

#include <algorithm>
#include <cassert>

namespace kiln::sim {

using machine::Memory;

bool Engine::globalTransfer(CoreState &core, Pipe which, Slot &slot, double start) {
  if (!timed) {
    if (executes(*slot.tile))
      perform(core, *slot.tile, slot.resolved);
    take(core, which, 0, 0);
    return true;
  }
  if (start > now) {
    core.pipe(which).planned = true;
    events.push({start, core.id, which, false});
    return false;
  }
  startTransfer(core, which);
  return true;
}

void Engine::startTransfer(CoreState &core, Pipe which) {
  PipeState &pipe = core.pipe(which);
  Slot &slot = pipe.slots[pipe.taken % depth];
  const Tile &tile = *slot.tile;
  const machine::Path &path = *tile.path;
  const double start = now;
  assert(std::max(pipe.free, slot.issued) <= now + 1e-6 && "a transfer starts in its turn");
  pipe.planned = false;
  if (executes(tile))
    perform(core, tile, slot.resolved);
  const uint64_t bytes = transferBytes(machine, slot.resolved);
  if (!bytes) {
    pipe.free = start;
    take(core, which, start, start);
    return;
  }
  const bool write = path.to == Memory::GM;
  const ResolvedRegion &region = slot.resolved.regions[write ? 0 : 1];
  L2::Traffic traffic = l2->access(region, write);
  (write ? out.l2WriteBytes : out.l2ReadBytes) += bytes;
  out.hbmReadBytes += traffic.fetchedBytes;
  out.hbmWriteBytes += traffic.writtenBackBytes;

  Flight &flight = pipe.flight;
  flight.tile = &tile;
  flight.issued = slot.issued;
  flight.start = start;
  flight.bytes = bytes;
  flight.fetchedBytes = traffic.fetchedBytes;
  flight.writtenBackBytes = traffic.writtenBackBytes;
  flight.firstLine = region.address / machine.shared.l2LineBytes;
  const double begin = path.rate.startCycles();
  flight.ownCycles = begin + double(bytes) / path.rate.peakBytesPerCycle;
  flight.latency =
      path.latencyCycles + (traffic.fetchedBytes ? machine.shared.hbmLatencyCycles : 0);
  pipe.flying = true;
  take(core, which, start, start);
  if (begin > 0)
    events.push({start + begin, core.id, which, true});
  else
    beginFlow(core, which);
}

void Engine::beginFlow(CoreState &core, Pipe which) {
  const Flight &flight = core.pipe(which).flight;
  const double bytes = double(flight.bytes);
  pools.begin(flowOf(core, which),
              {.aiCore = core.aiCore,
               .write = flight.tile->path->to == Memory::GM,
               .bytes = bytes,
               .peak = flight.tile->path->rate.peakBytesPerCycle,
               .missPerByte = double(flight.fetchedBytes) / bytes,
               .hbmPerByte = double(flight.fetchedBytes + flight.writtenBackBytes) / bytes,
               .firstLine = flight.firstLine});
}

void Engine::endTransfer(CoreState &core, Pipe which, double end) {
  PipeState &pipe = core.pipe(which);
  const Flight &flight = pipe.flight;
  pipe.flying = false;
  pipe.free = end;
  pipe.drain = std::max(pipe.drain, end + flight.latency);
  pipe.busy += end - flight.start;
  pipe.ownCycles += flight.ownCycles;
  if (options.trace)
    record(core, *flight.tile, flight.issued, flight.start, end, flight.bytes);
  mark(core, which);
  if (core.stall == Stall::Flights || core.stall == Stall::Drain)
    mark(core, Pipe::S);
}

} // namespace kiln::sim
