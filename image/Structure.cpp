//===- Structure.cpp - is an image well formed? ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "image/Structure.h"

#include "image/InstructionCheck.h"

#include <array>
#include <optional>

namespace kiln::image {
namespace {

std::string number(uint64_t value) { return std::to_string(value); }

/// The checks of everything but programs.
class HeadCheck {
public:
  HeadCheck(const Image &image, std::string_view place) : image(image), place(place) {}

  Result<void> run() {
    for (auto step : {&HeadCheck::names, &HeadCheck::launch, &HeadCheck::lines})
      if (Result<void> done = (this->*step)(); !done)
        return done;
    return {};
  }

private:
  Error error(std::string what, std::string found, std::string expected) const {
    return makeError(ErrorKind::Invalid, std::string(place) + ": " + what, std::move(found),
                     std::move(expected));
  }
  Result<void> atMost(std::string what, uint64_t count, uint64_t limit,
                      std::string_view unit) const {
    if (count > limit)
      return error(std::move(what), "has " + number(count) + " " + std::string(unit),
                   "at most " + number(limit));
    return {};
  }
  Result<void> name(std::string what, const std::string &text) const {
    return atMost(std::move(what), text.size(), maxNameBytes, "bytes");
  }

  Result<void> names() {
    if (image.kernel.empty())
      return error("kernel", "has no name", "one");
    if (Result<void> done = name("kernel's name", image.kernel); !done)
      return done;
    if (Result<void> done = name("chip's name", image.chip); !done)
      return done;
    if (Result<void> done = atMost("mlir", image.mlir.size(), maxTextBytes, "bytes"); !done)
      return done;
    if (Result<void> done = atMost("messages", image.messages.size(), maxTableEntries, "entries");
        !done)
      return done;
    for (const std::string &message : image.messages)
      if (Result<void> done = name("message", message); !done)
        return done;
    return {};
  }

  Result<void> launch() {
    if (!image.programsPerIteration)
      return error("programs per iteration", "is 0", "at least 1");
    if (Result<void> done = atMost("kernel", image.parameters.size(), maxParameters, "parameters");
        !done)
      return done;
    if (Result<void> done = atMost("kernel", image.workspaces.size(), maxWorkspaces, "workspaces");
        !done)
      return done;
    for (size_t i = 0; i < image.parameters.size(); ++i) {
      const Parameter &parameter = image.parameters[i];
      std::string what = "parameter " + number(i);
      if (Result<void> done = name(what, parameter.name); !done)
        return done;
      if (unsigned(parameter.element) >= machine::elementCount)
        return error(what, "has element type " + number(unsigned(parameter.element)),
                     "less than " + number(machine::elementCount));
      if (parameter.written && !parameter.isPointer)
        return error(what, "is a scalar that the program writes", "a pointer");
    }
    for (size_t i = 0; i < image.workspaces.size(); ++i)
      if (Result<void> done = atMost("workspace " + number(i), image.workspaces[i].bytesPerCore,
                                     maxWorkspaceBytes, "bytes per core");
          !done)
        return done;
    return {};
  }

  Result<void> lines() {
    if (Result<void> done = atMost("files", image.files.size(), maxTableEntries, "entries"); !done)
      return done;
    for (const std::string &file : image.files)
      if (Result<void> done = name("file name", file); !done)
        return done;
    const std::vector<Location> &locations = image.locations;
    if (Result<void> done = atMost("locations", locations.size(), maxTableEntries, "entries");
        !done)
      return done;
    if (locations.empty() || locations[0] != Location{})
      return error("location 0", "is a place or missing", "the unknown location");
    for (size_t i = 1; i < locations.size(); ++i) {
      if (locations[i].file >= image.files.size())
        return error("location " + number(i), "is in file " + number(locations[i].file),
                     "less than " + number(image.files.size()));
      if (locations[i].caller >= i)
        return error("location " + number(i),
                     "has location " + number(locations[i].caller) + " as caller",
                     "a smaller one than itself");
    }
    return {};
  }

  const Image &image;
  std::string_view place;
};

/// The nesting of one program.
class BlockCheck {
public:
  /// What is wrong with this instruction after those before it.
  std::optional<Fault> take(Op op) {
    switch (op) {
    case Op::Loop:
    case Op::If:
    case Op::Repeat:
      if (blocks.size() == maxNesting)
        return Fault{"block " + number(maxNesting + 1) + " deep", "at most " + number(maxNesting)};
      blocks.push_back({op, false});
      return std::nullopt;
    case Op::Else:
      if (blocks.empty() || blocks.back().op != Op::If || blocks.back().hasElse)
        return Fault{"an else where no if is open", "it directly in an if, once"};
      blocks.back().hasElse = true;
      return std::nullopt;
    case Op::ExitUnless:
      if (blocks.empty() || blocks.back().op != Op::Repeat)
        return Fault{"an exit outside of a repeat", "it directly in the body of a repeat"};
      return std::nullopt;
    case Op::End:
      if (blocks.empty())
        return Fault{"an end where no block is open", "a block before it"};
      blocks.pop_back();
      return std::nullopt;
    default:
      return std::nullopt;
    }
  }
  size_t open() const { return blocks.size(); }

private:
  struct Block {
    Op op;
    bool hasElse;
  };
  std::vector<Block> blocks;
};

Result<void> checkProgram(const Image &image, const Program &program, std::string_view place) {
  std::string where = std::string(place) + ": program " + std::string(machine::name(program.core));
  if (program.registers < image.presetRegisters())
    return makeError(ErrorKind::Invalid, where, "has " + number(program.registers) + " registers",
                     "the " + number(image.presetRegisters()) + " that the launch sets, and more");
  if (program.body.size() > maxInstructions)
    return makeError(ErrorKind::Invalid, where,
                     "has " + number(program.body.size()) + " instructions",
                     "at most " + number(maxInstructions));
  BlockCheck blocks;
  for (size_t i = 0; i < program.body.size(); ++i) {
    std::optional<Fault> fault = checkInstruction(image, program, program.body[i]);
    if (!fault)
      fault = blocks.take(program.body[i].op);
    if (fault)
      return makeError(ErrorKind::Invalid, instructionPlace(image, program, i, place),
                       std::move(fault->found), std::move(fault->expected));
  }
  if (blocks.open())
    return makeError(ErrorKind::Invalid, where, "ends in " + number(blocks.open()) + " open blocks",
                     "an end for each");
  return {};
}

} // namespace

Result<void> checkStructure(const Image &image, std::string_view place) {
  if (Result<void> head = HeadCheck(image, place).run(); !head)
    return head;
  std::array<bool, machine::coreKinds> seen{};
  for (const Program &program : image.programs) {
    auto core = static_cast<unsigned>(program.core);
    if (core >= machine::coreKinds || seen[core])
      return makeError(ErrorKind::Invalid, std::string(place) + ": programs",
                       core >= machine::coreKinds
                           ? "one for core kind " + number(core)
                           : "two for " + std::string(machine::name(program.core)),
                       "at most one for each kind of core");
    seen[core] = true;
    if (Result<void> done = checkProgram(image, program, place); !done)
      return done;
  }
  if (image.programs.empty())
    return makeError(ErrorKind::Invalid, std::string(place) + ": programs", "none", "one or more");
  return {};
}

std::string_view mnemonic(const Instruction &instruction) {
  return instruction.op == Op::Tile ? machine::name(instruction.opcode)
                                    : info(instruction.op).mnemonic;
}

std::string sourceLine(const Image &image, uint32_t location) {
  if (location == 0 || location >= image.locations.size())
    return {};
  const Location &at = image.locations[location];
  if (at.file >= image.files.size())
    return {};
  std::string text = image.files[at.file];
  if (at.line)
    text += ":" + number(at.line);
  if (at.line && at.column)
    text += ":" + number(at.column);
  return text;
}

std::string instructionPlace(const Image &image, const Program &program, size_t instruction,
                             std::string_view place) {
  std::string text(place);
  if (!text.empty())
    text += ": ";
  text += "program " + std::string(machine::name(program.core)) + ", instruction " +
          number(instruction);
  const Instruction &at = program.body[instruction];
  bool known =
      at.op < Op::Tile || (at.op == Op::Tile && unsigned(at.opcode) < machine::opcodeCount);
  std::string detail = known ? std::string(mnemonic(at)) : std::string();
  if (std::string line = sourceLine(image, at.location); !line.empty())
    detail += (detail.empty() ? "" : ", ") + line;
  return detail.empty() ? text : text + " (" + detail + ")";
}

} // namespace kiln::image
