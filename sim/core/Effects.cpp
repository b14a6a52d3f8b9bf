//===- Effects.cpp - what instructions lead to besides time ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/core/Engine.h"

namespace kiln::sim {
namespace {

/// The caller's wish to end is asked for once in so many chances.
constexpr unsigned pollPeriod = 1 << 10;

} // namespace

Place Engine::place(const CoreState &core, uint32_t instruction, Pipe pipe) const {
  const image::Instruction *at = core.program->code[instruction].instruction;
  return {core.kind, core.index, pipe, instruction, at ? at->location : 0};
}

Place Engine::place(const CoreState &core, const Tile &tile) const {
  return {core.kind, core.index, tile.pipe, tile.model.index, tile.model.instruction->location};
}

void Engine::perform(CoreState &core, const Tile &tile, const Resolved &resolved) {
  execute(resolved, *core.memories, track, outcome);
  if (outcome.failed)
    report({outcome.kind, outcome.message, place(core, tile), {}});
  if (checker)
    checker->execute(core.id, place(core, tile), outcome.touches);
}

void Engine::record(const CoreState &core, const Tile &tile, double issued, double start,
                    double end, uint64_t bytes, int64_t flagId) {
  out.trace.push_back({place(core, tile), issued, start, end, bytes, flagId});
}

void Engine::report(Finding finding) {
  if (out.findings.size() < options.maxFindings)
    out.findings.push_back(std::move(finding));
  else
    ++out.moreFindings;
}

void Engine::fatal(Finding finding) {
  stopped = true;
  report(std::move(finding));
}

void Engine::reportUndefined(CoreState &core, uint32_t instruction, const std::string &what) {
  report({FindingKind::Undefined,
          what + " comes from memory that was never written",
          place(core, instruction, Pipe::S),
          {}});
}

bool Engine::tooLong(CoreState &core, double time, uint32_t instruction, Pipe pipe) {
  if (++polls % pollPeriod == 0 && options.cancelled && options.cancelled())
    stopped = cancelled = true;
  const double limit = double(options.cycleLimit);
  const bool over = timed ? time > limit : double(core.instructions) > limit;
  if (over && !stopped)
    fatal({FindingKind::Runaway,
           "still running after " + std::to_string(options.cycleLimit) +
               (timed ? " cycles" : " instructions of this core"),
           place(core, instruction, pipe),
           {}});
  return stopped;
}

} // namespace kiln::sim
