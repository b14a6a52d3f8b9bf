//===- Scalar.cpp - the scalar unit of a core ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Scalar.h"
#include "sim/core/Engine.h"
#include "sim/timing/Shapes.h"

#include <algorithm>
#include <cstring>

namespace kiln::sim {

namespace {

constexpr uint64_t allBits = ~uint64_t(0);

/// Without time, a scalar unit that goes round waiting for another core must let it have a turn.
constexpr uint64_t turnInstructions = 1 << 14;

} // namespace

bool Engine::stepScalar(CoreState &core, bool burst) {
  if (core.stall == Stall::Finished || core.stall == Stall::Clock ||
      (core.stall == Stall::Sync && !core.released))
    return false;
  core.stall = Stall::None;
  const DecodedProgram &program = *core.program;
  const machine::ControlFacts &control = machine.control;
  const double issueCycles = timed ? control.scalarIssueCycles : 0;
  const double iterationCycles = timed ? control.loopIterationCycles : 0;
  uint64_t *const registers = core.registers.data();
  const uint32_t start = core.pc;
  const uint64_t before = core.instructions;

  while (!stopped) {
    const Code &code = program.code[core.pc];
    const auto &operands = code.operands;
    if (core.anyUndefined) [[unlikely]]
      propagateUndefined(core, code);
    ++core.instructions;
    switch (code.step) {
    case Step::Evaluate: {
      const image::Instruction &instruction = *code.instruction;
      registers[code.result] =
          evaluate(instruction.op, instruction.element, instruction.from, instruction.attribute,
                   registers[operands[0]], registers[operands[1]], registers[operands[2]]);
      spend(core, issueCycles);
      ++core.pc;
      break;
    }
    case Step::Copy:
      registers[code.result] = registers[operands[0]];
      spend(core, issueCycles);
      ++core.pc;
      break;
    case Step::Select:
      registers[code.result] =
          registers[operands[0]] ? registers[operands[1]] : registers[operands[2]];
      spend(core, issueCycles);
      ++core.pc;
      break;
    case Step::Loop: {
      LoopFrame &frame = core.frames[code.frame];
      frame = {int64_t(registers[operands[0]]), int64_t(registers[operands[1]]),
               int64_t(registers[operands[2]])};
      if (options.controlTrace) {
        trace(core, uint64_t(frame.current));
        trace(core, uint64_t(frame.upper));
        trace(core, uint64_t(frame.step));
      }
      if (frame.step <= 0) {
        fatal({FindingKind::IllegalInstruction,
               "a loop with the step " + std::to_string(frame.step) + ", expected more than 0",
               place(core, core.pc, Pipe::S),
               {}});
        return true;
      }
      spend(core, issueCycles);
      bool enters = frame.current < frame.upper;
      if (enters)
        registers[code.result] = uint64_t(frame.current);
      core.pc = enters ? core.pc + 1 : code.target;
      break;
    }
    case Step::LoopEnd: {
      LoopFrame &frame = core.frames[code.frame];
      spend(core, iterationCycles);
      if (tooLong(core, core.time, core.pc, Pipe::S))
        return true;
      int64_t next;
      bool again = !__builtin_add_overflow(frame.current, frame.step, &next) && next < frame.upper;
      if (again) {
        frame.current = next;
        registers[code.result] = uint64_t(next);
      }
      core.pc = again ? code.target : core.pc + 1;
      if (!timed && core.instructions - before > turnInstructions) {
        mark(core, Pipe::S);
        return true;
      }
      break;
    }
    case Step::If:
    case Step::ExitUnless: {
      bool holds = registers[operands[0]] != 0;
      if (options.controlTrace)
        trace(core, holds);
      spend(core, issueCycles);
      core.pc = holds ? core.pc + 1 : code.target;
      break;
    }
    case Step::Jump:
      core.pc = code.target;
      break;
    case Step::Nothing:
      ++core.pc;
      break;
    case Step::RepeatEnd:
      spend(core, iterationCycles);
      if (tooLong(core, core.time, core.pc, Pipe::S))
        return true;
      core.pc = code.target;
      if (!timed && core.instructions - before > turnInstructions) {
        mark(core, Pipe::S);
        return true;
      }
      break;
    case Step::TrapUnless:
      if (!registers[operands[0]]) {
        fatal({FindingKind::Trap,
               launch.image.messages[code.target],
               place(core, core.pc, Pipe::S),
               {}});
        return true;
      }
      spend(core, issueCycles);
      ++core.pc;
      break;
    case Step::Tile: {
      const Tile &tile = program.tiles[code.target];
      bool done = tile.pipe == Pipe::S ? scalarTile(core, tile) : issue(core, tile);
      if (!done) {
        --core.instructions; // it is tried again
        return core.pc != start || core.instructions != before;
      }
      ++core.pc;
      if (!burst)
        return true;
      break;
    }
    case Step::Finish:
      --core.instructions;
      core.stall = Stall::Finished;
      return true;
    }
  }
  return true;
}

void Engine::resolve(CoreState &core, const Tile &tile, Resolved &to) {
  const Resolved &model = tile.model;
  to.instruction = model.instruction;
  to.index = model.index;
  to.regionCount = model.regionCount;
  to.pipe = model.pipe;
  to.scalars = model.scalars;
  for (unsigned i = 0; i < model.regionCount; ++i)
    to.regions[i] = model.regions[i];
  const Patch *patch = core.program->patches.data() + tile.firstPatch;
  char *base = reinterpret_cast<char *>(&to);
  for (const Patch *end = patch + tile.patches; patch != end; ++patch) {
    std::memcpy(base + patch->offset, &core.registers[patch->reg], sizeof(uint64_t));
    if (options.controlTrace && patch->control)
      trace(core, core.registers[patch->reg]);
  }
}

bool Engine::issue(CoreState &core, const Tile &tile) {
  PipeState &pipe = core.pipe(tile.pipe);
  if (pipe.issued - pipe.taken == depth) {
    core.stall = Stall::QueueFull;
    core.stalledOn = tile.pipe;
    return false;
  }
  Slot &slot = pipe.slots[pipe.issued % depth];
  slot.tile = &tile;
  resolve(core, tile, slot.resolved);
  if (timed) {
    core.time = std::max(core.time, slot.started);
    uint64_t issues = 1;
    if (tile.pipe == Pipe::V && isVector(tile.opClass)) {
      slot.cost = machine::vectorCost(machine, tile.opcode,
                                      vectorShape(machine, tile.opClass, slot.resolved));
      issues = std::max<uint64_t>(1, slot.cost.issues);
    }
    spend(core, double(issues) * machine.control.scalarIssueCycles);
    slot.issued = core.time;
  }
  ++pipe.issued;
  if (checker)
    checker->issue(core.id, tile.pipe);
  mark(core, tile.pipe);
  return true;
}

/// Bits of a value op's result that depend on undefined ones. Exact where single bits are taken out
/// of a mask; elsewhere one undefined bit spoils all.
static uint64_t undefinedResult(const CoreState &core, const Code &code) {
  const image::Instruction &instruction = *code.instruction;
  const auto value = [&](unsigned i) { return core.registers[code.operands[i]]; };
  const auto undefined = [&](unsigned i) { return core.undefined[code.operands[i]]; };
  switch (instruction.op) {
  case image::Op::And: // a zero that is defined decides
    return (undefined(0) | undefined(1)) & (undefined(0) | value(0)) & (undefined(1) | value(1));
  case image::Op::Shl:
  case image::Op::ShrS:
  case image::Op::ShrU:
    if (undefined(1))
      return allBits;
    [[fallthrough]];
  case image::Op::SExt:
  case image::Op::ZExt: // bits move, and so does what is known of them
    return evaluate(instruction.op, instruction.element, instruction.from, instruction.attribute,
                    undefined(0), value(1), 0);
  default:
    for (unsigned i = 0; i < image::info(instruction.op).operands; ++i)
      if (undefined(i))
        return allBits;
    return 0;
  }
}

/// Undefined bytes may be stored where the core itself keeps them.
static bool keepsUndefined(const Tile &tile) {
  return tile.opcode == machine::Opcode::SStore &&
         tile.model.regions[0].memory != machine::Memory::GM;
}

void Engine::propagateUndefined(CoreState &core, const Code &code) {
  auto isUndefined = [&](uint32_t reg) { return core.undefined[reg] != 0; };
  switch (code.step) {
  case Step::Evaluate:
    core.undefined[code.result] = undefinedResult(core, code);
    return;
  case Step::Copy:
    core.undefined[code.result] = core.undefined[code.operands[0]];
    return;
  case Step::Select:
    core.undefined[code.result] =
        isUndefined(code.operands[0])
            ? allBits
            : core.undefined[code.operands[core.registers[code.operands[0]] ? 1 : 2]];
    return;
  case Step::Loop:
    for (uint32_t reg : code.operands)
      if (isUndefined(reg))
        return reportUndefined(core, core.pc, "a loop's bound or step");
    core.undefined[code.result] = 0;
    return;
  case Step::If:
  case Step::ExitUnless:
  case Step::TrapUnless:
    if (isUndefined(code.operands[0]))
      reportUndefined(core, core.pc, "a branch");
    return;
  case Step::Tile: {
    const Tile &tile = core.program->tiles[code.target];
    for (uint32_t i = 0; i < tile.patches; ++i) {
      const Patch &patch = core.program->patches[tile.firstPatch + i];
      if (isUndefined(patch.reg) && (patch.control || !keepsUndefined(tile)))
        return reportUndefined(core, core.pc,
                               patch.control ? "an address, size or flag" : "a scalar operand");
    }
    return;
  }
  default:
    return;
  }
}

} // namespace kiln::sim
