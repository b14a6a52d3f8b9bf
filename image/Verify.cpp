//===- Verify.cpp - can a machine run an image? -------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "image/Verify.h"

#include "image/RegionCheck.h"
#include "image/Signature.h"
#include "image/Structure.h"

#include <algorithm>

namespace kiln::image {

using machine::Atomic;
using machine::Core;
using machine::Element;
using machine::Machine;
using machine::Memory;
using machine::OpClass;
using machine::Pipe;

namespace {

using MaybeFault = std::optional<Fault>;

template <typename Enum> std::string text(Enum value) { return std::string(machine::name(value)); }

class TileCheck {
public:
  TileCheck(const Machine &machine, Core core, const Instruction &it)
      : machine(machine), core(core), it(it), opClass(machine::info(it.opcode).opClass) {}

  MaybeFault run() {
    for (auto step : {&TileCheck::instruction, &TileCheck::elements, &TileCheck::ways,
                      &TileCheck::pipes, &TileCheck::regions})
      if (MaybeFault fault = (this->*step)())
        return fault;
    return std::nullopt;
  }

private:
  MaybeFault instruction() {
    if (!machine.facts(it.opcode).present)
      return Fault{"an instruction that " + machine.name + " does not have", {}};
    if (!machine::runsOn(it.opcode, core))
      return Fault{"an instruction that an " + text(core) + " does not have",
                   "it on an " + text(core == Core::AIC ? Core::AIV : Core::AIC)};
    return std::nullopt;
  }

  Element element(size_t region) const { return it.regions[region].element; }

  MaybeFault elements() {
    switch (opClass) {
    case OpClass::VCast:
      return conversion();
    case OpClass::VCmp:
      if (!machine.compares(it.opcode, element(1), machine::Predicate(it.attribute)))
        return Fault{"elements of " + text(element(1)) + " compared by '" +
                         text(machine::Predicate(it.attribute)) + "'",
                     machine.facts(it.opcode).equalityElements.contains(element(1))
                         ? "'eq': other relations are not there for " + text(element(1))
                         : list([&](Element type) {
                             return machine.compares(it.opcode, type,
                                                     machine::Predicate(it.attribute));
                           })};
      return std::nullopt;
    case OpClass::Store:
    case OpClass::SAtomic:
      if (it.attribute)
        return oneOf(element(0), [&](Element type) {
          return machine.supportsAtomic(it.opcode, type, Atomic(it.attribute));
        });
      break;
    default:
      break;
    }
    Signature sign = signature(it);
    for (size_t i = 0; i < it.regions.size(); ++i)
      if (int(i) != sign.maskRegion && int(i) != sign.wordsRegion)
        if (MaybeFault fault =
                oneOf(element(i), [&](Element type) { return machine.supports(it.opcode, type); }))
          return fault;
    return std::nullopt;
  }

  MaybeFault conversion() {
    std::string pair = text(element(1)) + " to " + text(element(0));
    const machine::Conversion *known = machine.conversion(it.opcode, element(1), element(0));
    if (!known)
      return Fault{"a conversion from " + pair, "one that " + machine.name + " has"};
    if (known->roundings.contains(machine::Rounding(it.attribute)))
      return std::nullopt;
    std::string modes;
    for (unsigned mode = 0; mode < machine::roundingCount; ++mode)
      if (known->roundings.contains(machine::Rounding(mode)))
        modes += (modes.empty() ? "" : ", ") + text(machine::Rounding(mode));
    return Fault{"rounding '" + text(machine::Rounding(it.attribute)) + "' from " + pair, modes};
  }

  template <typename IsLegal> static std::string list(IsLegal isLegal) {
    std::string names;
    for (unsigned type = 0; type < machine::elementCount; ++type)
      if (isLegal(Element(type)))
        names += (names.empty() ? "" : ", ") + text(Element(type));
    return names;
  }
  template <typename IsLegal> static MaybeFault oneOf(Element element, IsLegal isLegal) {
    if (isLegal(element))
      return std::nullopt;
    return Fault{"elements of " + text(element), list(isLegal)};
  }

  /// Where operands may lie.
  MaybeFault ways() {
    switch (opClass) {
    case OpClass::Load:
      return path(Pipe::MTE2);
    case OpClass::Store:
      return path(Pipe::MTE3);
    case OpClass::Extract:
      return path(Pipe::MTE1);
    case OpClass::SMemory:
      if (it.regions[0].memory == Memory::UB && core == Core::AIV)
        return std::nullopt;
      [[fallthrough]];
    case OpClass::SAtomic:
      return it.regions[0].memory == Memory::GM
                 ? std::nullopt
                 : MaybeFault(
                       Fault{"an element of " + text(it.regions[0].memory),
                             opClass == OpClass::SMemory && core == Core::AIV ? "UB or GM" : "GM"});
    default:
      for (size_t i = 0; i < it.regions.size(); ++i)
        if (it.regions[i].memory != Memory::UB)
          return Fault{regionName(i) + " in " + text(it.regions[i].memory), "UB"};
      return std::nullopt;
    }
  }

  MaybeFault path(Pipe pipe) {
    Memory from = it.regions[1].memory, to = it.regions[0].memory;
    const machine::Path *known = machine.path(from, to);
    if (known && known->core == core && known->pipe == pipe)
      return std::nullopt;
    std::string ways;
    for (const machine::Path &candidate : machine.paths)
      if (candidate.core == core && candidate.pipe == pipe)
        ways += (ways.empty() ? "" : ", ") + text(candidate.from) + " to " + text(candidate.to);
    return Fault{"a way from " + text(from) + " to " + text(to),
                 ways.empty() ? "none: an " + text(core) + " has no " + text(pipe) : ways};
  }

  MaybeFault onCore(Pipe pipe) {
    if (hasPipe(machine, core, pipe))
      return std::nullopt;
    return Fault{"pipe " + text(pipe), "one that an " + text(core) + " has"};
  }

  MaybeFault pipes() {
    switch (opClass) {
    case OpClass::Flag: {
      for (Pipe pipe : {sourcePipe(it.attribute), destinationPipe(it.attribute)})
        if (MaybeFault fault = onCore(pipe))
          return fault;
      if (sourcePipe(it.attribute) == destinationPipe(it.attribute))
        return Fault{"a flag from " + text(sourcePipe(it.attribute)) + " to itself",
                     "two pipes; within one a pipe_barrier orders"};
      return flagId(machine.limits.flagIds);
    }
    case OpClass::Barrier:
      return it.attribute == allPipes ? std::nullopt : onCore(Pipe(it.attribute));
    case OpClass::CrossFlag:
      if (MaybeFault fault = onCore(crossPipe(it.attribute)))
        return fault;
      if (crossMode(it.attribute) == machine::CrossMode::VectorPair && core != Core::AIV)
        return Fault{"mode 'pair' on an " + text(core), "it on an AIV"};
      return flagId(machine.limits.crossFlagIds);
    default:
      return std::nullopt;
    }
  }

  MaybeFault flagId(unsigned ids) {
    const Operand &id = it.operands[0];
    if (id.isRegister || (id.value >= 0 && id.value < int64_t(ids)))
      return std::nullopt;
    return Fault{"flag id " + std::to_string(id.value), "0 to " + std::to_string(ids - 1)};
  }

  MaybeFault regions() { return checkRegions(it, machine); }

  const Machine &machine;
  Core core;
  const Instruction &it;
  OpClass opClass;
};

} // namespace

namespace {

/// Every core has its own part of each workspace.
Result<void> checkWorkspaces(const Image &image, const Machine &machine, const std::string &place) {
  uint64_t perCore = 0;
  for (const Workspace &workspace : image.workspaces)
    perCore += workspace.bytesPerCore; // few and bounded: checkStructure
  uint64_t cores = machine.aiCores + machine.vectorCores();
  uint64_t most = machine.memory(Memory::GM).usableBytes / std::max<uint64_t>(1, cores);
  if (perCore <= most)
    return {};
  return makeError(ErrorKind::Invalid, place,
                   "workspaces of " + std::to_string(perCore) + " bytes per core",
                   "at most " + std::to_string(most) + ", the core's share of GM");
}

} // namespace

bool hasPipe(const Machine &machine, Core core, Pipe pipe) {
  if (pipe == Pipe::S || pipe == (core == Core::AIV ? Pipe::V : Pipe::M))
    return true;
  return std::any_of(machine.paths.begin(), machine.paths.end(), [&](const machine::Path &path) {
    return path.core == core && path.pipe == pipe;
  });
}

Result<void> checkAgainst(const Image &image, const Machine &machine) {
  std::string place = "kernel '" + image.kernel + "' on " + machine.name;
  if (Result<void> fits = checkWorkspaces(image, machine, place); !fits)
    return fits;
  for (const Program &program : image.programs) {
    if (program.core == Core::AIV ? !machine.vectorCores() : !machine.aiCores)
      return makeError(ErrorKind::Unsupported, place,
                       "a program for " + text(program.core) + ", of which the chip has none");
    for (size_t i = 0; i < program.body.size(); ++i) {
      const Instruction &instruction = program.body[i];
      if (instruction.op != Op::Tile)
        continue;
      if (MaybeFault fault = TileCheck(machine, program.core, instruction).run())
        return makeError(ErrorKind::Invalid, instructionPlace(image, program, i, place),
                         std::move(fault->found), std::move(fault->expected));
    }
  }
  return {};
}

} // namespace kiln::image
