//===- Code.cpp - a program of an image, ready to run ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/core/Code.h"

#include "image/Signature.h"
#include "image/Structure.h"
#include "image/Verify.h"

#include <cassert>
#include <cstddef>
#include <optional>
#include <unordered_map>

namespace kiln::sim {

using image::Instruction;
using image::Op;
using machine::Memory;
using machine::OpClass;
using machine::Pipe;

namespace {

class Decoder {
public:
  Decoder(const image::Image &image, const image::Program &program, const machine::Machine &machine)
      : image(image), program(program), machine(machine) {
    out.core = program.core;
    out.registers = program.registers;
  }

  Result<DecodedProgram> run() &&;

private:
  struct Block {
    Op op;
    uint32_t at;                   ///< its Loop, If or Repeat
    std::optional<uint32_t> other; ///< the Else
    std::vector<uint32_t> exits;
  };

  Error wrong(std::string found, std::string expected) const {
    return makeError(ErrorKind::Unsupported, image::instructionPlace(image, program, at),
                     std::move(found), std::move(expected));
  }
  uint32_t operand(const image::Operand &operand);
  void scalar(Code &code);
  void end(Code &code);
  Result<void> tile(Code &code);
  Result<void> pipes(Tile &tile, const Instruction &instruction);
  Result<void> ownPipe(const Tile &tile) const {
    if (image::hasPipe(machine, program.core, tile.pipe))
      return {};
    return wrong(std::string(name(tile.opcode)) + " on " + std::string(name(tile.pipe)),
                 "a pipe of an " + std::string(name(program.core)));
  }
  void region(const image::Region &region, ResolvedRegion &to);
  void word(const image::Operand &operand, uint64_t &target, bool control);

  const image::Image &image;
  const image::Program &program;
  const machine::Machine &machine;
  DecodedProgram out;
  uint32_t at = 0;
  std::vector<Block> blocks;
  std::unordered_map<int64_t, uint32_t> constants;
};

uint32_t Decoder::operand(const image::Operand &operand) {
  if (operand.isRegister)
    return uint32_t(operand.value);
  auto [entry, isNew] =
      constants.try_emplace(operand.value, out.registers + uint32_t(out.constants.size()));
  if (isNew)
    out.constants.push_back(operand.value);
  return entry->second;
}

void Decoder::scalar(Code &code) {
  const Instruction &instruction = *code.instruction;
  code.result = instruction.result;
  code.step = Step::Evaluate;
  if (instruction.op != Op::Const)
    for (size_t i = 0; i < instruction.operands.size(); ++i)
      code.operands[i] = operand(instruction.operands[i]);
  switch (instruction.op) {
  case Op::Const: {
    uint64_t value = uint64_t(instruction.operands[0].value) << 32 |
                     uint32_t(uint64_t(instruction.operands[1].value));
    code.operands[0] = operand(image::Operand::immediate(int64_t(value)));
    code.step = Step::Copy;
    return;
  }
  case Op::Move:
    code.step = Step::Copy;
    return;
  case Op::Select:
    code.step = Step::Select;
    return;
  case Op::Loop:
    code.step = Step::Loop;
    code.frame = out.frames++;
    blocks.push_back({instruction.op, at, {}, {}});
    return;
  case Op::If:
  case Op::Repeat:
    code.step = instruction.op == Op::If ? Step::If : Step::Nothing;
    blocks.push_back({instruction.op, at, {}, {}});
    return;
  case Op::Else:
    code.step = Step::Jump;
    blocks.back().other = at;
    return;
  case Op::ExitUnless:
    code.step = Step::ExitUnless;
    blocks.back().exits.push_back(at);
    return;
  case Op::End:
    end(code);
    return;
  case Op::TrapUnless:
    code.step = Step::TrapUnless;
    code.target = uint32_t(instruction.operands[1].value);
    return;
  default:
    return;
  }
}

void Decoder::end(Code &code) {
  Block block = std::move(blocks.back());
  blocks.pop_back();
  Code &begin = out.code[block.at];
  code.step = Step::Nothing;
  if (block.op == Op::Loop) {
    code.step = Step::LoopEnd;
    code.frame = begin.frame;
    code.result = begin.result;
    code.target = block.at + 1;
    begin.target = at + 1;
  } else if (block.op == Op::If) {
    begin.target = block.other ? *block.other + 1 : at + 1;
    if (block.other)
      out.code[*block.other].target = at + 1;
  } else {
    code.step = Step::RepeatEnd;
    code.target = block.at + 1;
    for (uint32_t exit : block.exits)
      out.code[exit].target = at + 1;
  }
}

void Decoder::word(const image::Operand &operand, uint64_t &target, bool control) {
  if (!operand.isRegister) {
    target = uint64_t(operand.value);
    return;
  }
  auto offset = reinterpret_cast<const char *>(&target) -
                reinterpret_cast<const char *>(&out.tiles.back().model);
  out.patches.push_back({uint16_t(offset), control, uint32_t(operand.value)});
}

void Decoder::region(const image::Region &region, ResolvedRegion &to) {
  to.memory = region.memory;
  to.element = region.element;
  word(region.address, to.address, true);
  for (unsigned d = 0; d < region.rank; ++d) {
    unsigned place = 3 - region.rank + d;
    // Both are words of 64 bits; the sign is how they are read.
    word(region.dims[d].size, reinterpret_cast<uint64_t &>(to.size[place]), true);
    word(region.dims[d].stride, reinterpret_cast<uint64_t &>(to.stride[place]), true);
  }
}

Result<void> Decoder::pipes(Tile &tile, const Instruction &instruction) {
  const machine::OpcodeInfo &info = machine::info(tile.opcode);
  switch (tile.opClass) {
  case OpClass::Load:
  case OpClass::Store:
  case OpClass::Extract: {
    Memory to = instruction.regions[0].memory, from = instruction.regions[1].memory;
    tile.path = machine.path(from, to);
    if (!tile.path || tile.path->core != program.core)
      return wrong("a transfer from " + std::string(name(from)) + " to " + std::string(name(to)),
                   "a path that an " + std::string(name(program.core)) + " has");
    tile.pipe = tile.path->pipe;
    return {};
  }
  case OpClass::Flag:
    tile.source = image::sourcePipe(instruction.attribute);
    tile.destination = image::destinationPipe(instruction.attribute);
    tile.pipe = tile.opcode == machine::Opcode::SetFlag ? tile.source : tile.destination;
    if (!image::hasPipe(machine, program.core, tile.source) ||
        !image::hasPipe(machine, program.core, tile.destination))
      return wrong("a flag from " + std::string(name(tile.source)) + " to " +
                       std::string(name(tile.destination)),
                   "pipes of an " + std::string(name(program.core)));
    return {};
  case OpClass::Barrier:
    tile.allPipes = instruction.attribute == image::allPipes;
    tile.pipe = tile.allPipes ? Pipe::S : Pipe(instruction.attribute);
    return ownPipe(tile);
  case OpClass::CrossFlag:
    tile.mode = image::crossMode(instruction.attribute);
    tile.pipe = image::crossPipe(instruction.attribute);
    return ownPipe(tile);
  default:
    assert(info.pipe && "all other classes have a pipe of their own");
    tile.pipe = *info.pipe;
    if (tile.pipe == Pipe::V && !machine.facts(tile.opcode).cost)
      return wrong(std::string(info.mnemonic), "an instruction that the chip has");
    return ownPipe(tile);
  }
}

Result<void> Decoder::tile(Code &code) {
  const Instruction &instruction = *code.instruction;
  const std::string core(name(program.core));
  if (!machine::runsOn(instruction.opcode, program.core))
    return wrong(std::string(name(instruction.opcode)), "an instruction of an " + core);
  code.step = Step::Tile;
  code.target = uint32_t(out.tiles.size());
  Tile &tile = out.tiles.emplace_back();
  tile.opcode = instruction.opcode;
  tile.opClass = machine::info(tile.opcode).opClass;
  tile.feedsControl = instruction.flags & image::FeedsControl;
  tile.result = instruction.result;
  tile.firstPatch = uint32_t(out.patches.size());
  tile.model.instruction = &instruction;
  tile.model.index = at;
  tile.model.regionCount = uint8_t(instruction.regions.size());
  if (auto done = pipes(tile, instruction); !done)
    return done;
  tile.model.pipe = tile.pipe;
  for (size_t i = 0; i < instruction.regions.size(); ++i) {
    const image::Region &from = instruction.regions[i];
    bool vectorMemory = from.memory == Memory::UB;
    if (from.memory != Memory::GM && vectorMemory != (program.core == machine::Core::AIV))
      return wrong("a region in " + std::string(name(from.memory)),
                   "a memory that an " + core + " has");
    tile.local &= from.memory != Memory::GM;
    region(from, tile.model.regions[i]);
  }
  bool flag = tile.opClass == OpClass::Flag || tile.opClass == OpClass::CrossFlag;
  for (size_t i = 0; i < instruction.operands.size(); ++i)
    word(instruction.operands[i], tile.model.scalars[i], flag);
  tile.patches = uint32_t(out.patches.size()) - tile.firstPatch;
  return {};
}

Result<DecodedProgram> Decoder::run() && {
  out.code.reserve(program.body.size() + 1);
  for (at = 0; at < program.body.size(); ++at) {
    const Instruction &instruction = program.body[at];
    Code &code = out.code.emplace_back();
    code.instruction = &instruction;
    if (instruction.op != Op::Tile)
      scalar(code);
    else if (auto done = tile(code); !done)
      return done.takeError();
  }
  out.code.emplace_back().step = Step::Finish;
  return std::move(out);
}

} // namespace

Result<DecodedProgram> decode(const image::Image &image, const image::Program &program,
                              const machine::Machine &machine) {
  return Decoder(image, program, machine).run();
}

} // namespace kiln::sim
