//===- Opcode.cpp - instructions, pipes, cores and memories of the NPU -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "machine/Opcode.h"

#include <array>
#include <cassert>
#include <cstddef>

namespace kiln::machine {

namespace {

/// The values of the two pseudo pipes of the table, for which another thing decides.
enum class TablePipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX, Path, Operand };
enum class TableCores : uint8_t { AIC, AIV, Both };

constexpr std::optional<Pipe> realPipe(TablePipe pipe) {
  if (pipe == TablePipe::Path || pipe == TablePipe::Operand)
    return std::nullopt;
  return static_cast<Pipe>(pipe);
}

constexpr OpcodeInfo opcodes[] = {
#define KILN_OPCODE(NAME, mnemonic, opClass, pipe, cores)                                          \
  {Opcode::NAME,                                                                                   \
   mnemonic,                                                                                       \
   OpClass::opClass,                                                                               \
   realPipe(TablePipe::pipe),                                                                      \
   TableCores::cores != TableCores::AIV,                                                           \
   TableCores::cores != TableCores::AIC},
#include "machine/Opcode.def"
};

struct ElementInfo {
  std::string_view name;
  unsigned bits;
};

constexpr std::array<ElementInfo, elementCount> elements = {{{"i1", 1},
                                                             {"i8", 8},
                                                             {"u8", 8},
                                                             {"i16", 16},
                                                             {"u16", 16},
                                                             {"i32", 32},
                                                             {"u32", 32},
                                                             {"i64", 64},
                                                             {"u64", 64},
                                                             {"f16", 16},
                                                             {"bf16", 16},
                                                             {"f32", 32}}};

template <size_t Count> using Names = std::array<std::string_view, Count>;

constexpr Names<coreKinds> cores = {"AIC", "AIV"};
constexpr Names<pipeCount> pipes = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
constexpr Names<memoryCount> memories = {"GM", "L1", "L0A", "L0B", "L0C", "UB", "Bias", "Fixpipe"};
constexpr Names<predicateCount> predicates = {"eq", "ne", "lt", "le", "gt", "ge"};
constexpr Names<roundingCount> roundings = {"none",  "rint",  "floor", "ceil",
                                            "round", "trunc", "odd"};
constexpr Names<atomicCount> atomics = {"none", "add", "max",  "min", "and",
                                        "or",   "xor", "xchg", "cas"};
constexpr Names<crossModeCount> crossModes = {"all", "pair", "core"};
constexpr Names<opClassCount> opClasses = {
    "load",       "store",   "copy",     "extract",     "fixpipe", "mmad",  "vbinary",
    "vunary",     "vscalar", "vternary", "vcmp",        "vsel",    "vcast", "vreduce",
    "vbroadcast", "vfill",   "vgather",  "vgathermask", "vshape",  "vsort", "smemory",
    "satomic",    "flag",    "barrier",  "crossflag",   "syncall"};
static_assert(static_cast<unsigned>(OpClass::SyncAll) + 1 == opClassCount);
static_assert(static_cast<unsigned>(Atomic::CompareExchange) + 1 == atomicCount);
static_assert(static_cast<unsigned>(Element::F32) + 1 == elementCount);

template <typename Enum, size_t Count>
std::optional<Enum> find(const Names<Count> &names, std::string_view name) {
  for (size_t index = 0; index < Count; ++index)
    if (names[index] == name)
      return static_cast<Enum>(index);
  return std::nullopt;
}

} // namespace

const OpcodeInfo &info(Opcode opcode) {
  assert(static_cast<unsigned>(opcode) < opcodeCount && "not an opcode");
  return opcodes[static_cast<size_t>(opcode)];
}

bool runsOn(Opcode opcode, Core core) {
  return core == Core::AIC ? info(opcode).onAIC : info(opcode).onAIV;
}

std::string_view name(Opcode opcode) { return info(opcode).mnemonic; }
std::string_view name(Core core) { return cores[static_cast<size_t>(core)]; }
std::string_view name(Pipe pipe) { return pipes[static_cast<size_t>(pipe)]; }
std::string_view name(Memory memory) { return memories[static_cast<size_t>(memory)]; }
std::string_view name(Element element) { return elements[static_cast<size_t>(element)].name; }
std::string_view name(Predicate predicate) { return predicates[static_cast<size_t>(predicate)]; }
std::string_view name(Rounding rounding) { return roundings[static_cast<size_t>(rounding)]; }
std::string_view name(Atomic atomic) { return atomics[static_cast<size_t>(atomic)]; }
std::string_view name(CrossMode mode) { return crossModes[static_cast<size_t>(mode)]; }
std::string_view name(OpClass opClass) { return opClasses[static_cast<size_t>(opClass)]; }

unsigned bits(Element element) { return elements[static_cast<size_t>(element)].bits; }

bool isFloat(Element element) {
  return element == Element::F16 || element == Element::BF16 || element == Element::F32;
}

bool isSignedInteger(Element element) {
  return element == Element::I8 || element == Element::I16 || element == Element::I32 ||
         element == Element::I64;
}

std::optional<Opcode> opcodeByName(std::string_view mnemonic) {
  for (const OpcodeInfo &candidate : opcodes)
    if (candidate.mnemonic == mnemonic)
      return candidate.opcode;
  return std::nullopt;
}

std::optional<Element> elementByName(std::string_view name) {
  for (size_t index = 0; index < elementCount; ++index)
    if (elements[index].name == name)
      return static_cast<Element>(index);
  return std::nullopt;
}

std::optional<Core> coreByName(std::string_view name) { return find<Core>(cores, name); }
std::optional<Pipe> pipeByName(std::string_view name) { return find<Pipe>(pipes, name); }
std::optional<Memory> memoryByName(std::string_view name) { return find<Memory>(memories, name); }
std::optional<Predicate> predicateByName(std::string_view name) {
  return find<Predicate>(predicates, name);
}
std::optional<Rounding> roundingByName(std::string_view name) {
  return find<Rounding>(roundings, name);
}
std::optional<Atomic> atomicByName(std::string_view name) { return find<Atomic>(atomics, name); }
std::optional<CrossMode> crossModeByName(std::string_view name) {
  return find<CrossMode>(crossModes, name);
}

} // namespace kiln::machine
