//===- kiln-machine.cpp - what a chip file says ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// kiln-machine instructions|constants [CHIP]: tables in Markdown. CHIP is the name of a built-in
// chip (ascend910b if left out) or a chip file; a bad file is an error with its place. The first
// table is docs/generated/Instructions.md.
//
//===-----------------------------------------------------------------------------------------===//

#include "machine/MachineFile.h"

#include <cstdio>
#include <cstring>
#include <sstream>

using namespace kiln;
using namespace kiln::machine;

static std::string joined(const ElementSet &set) {
  std::string text;
  for (unsigned index = 0; index < elementCount; ++index)
    if (auto element = static_cast<Element>(index); set.contains(element))
      text += (text.empty() ? "" : " ") + std::string(name(element));
  return text;
}

static std::string number(double value) {
  std::ostringstream out;
  out.precision(12);
  out << value;
  return out.str();
}

static std::string elementTypes(const OpcodeInfo &row, const OpcodeFacts &facts) {
  std::string text = row.opClass == OpClass::SAtomic ? "" : joined(facts.elements);
  auto more = [&](std::string_view label, const ElementSet &set) {
    if (!set.empty())
      text += (text.empty() ? "" : "; ") + std::string(label) + ": " + joined(set);
  };
  more("only eq", facts.equalityElements);
  for (unsigned index = 1; index < atomicCount; ++index)
    more(name(static_cast<Atomic>(index)), facts.atomicElements[index]);
  return text;
}

/// "10 + 2 a repeat + 14", with "~" before what is assumed.
static std::string cost(const Machine &machine, const OpcodeInfo &row) {
  const std::optional<VectorRow> &vector = machine.facts(row.opcode).cost;
  if (!vector)
    return "";
  std::string path = "opcodes." + std::string(row.mnemonic) + ".cost[1]";
  const Constant *slope = machine.constant(path);
  std::string text = slope && slope->provenance == Provenance::Assumed ? "~ " : "";
  text += number(vector->headCycles) + " + " + number(vector->slopeCycles);
  if (vector->unitBytes == 0)
    text += " a row (" + number(vector->furtherRepeatCycles) + " for each further repeat of it)";
  else if (vector->unitBytes != machine.limits.repeatBytes)
    text += " per " + number(vector->unitBytes) + " bytes";
  else
    text += " a repeat";
  return text + " + " + number(vector->tailCycles);
}

static std::string cores(const OpcodeInfo &row) {
  if (row.onAIC && row.onAIV)
    return "both";
  return row.onAIC ? "AIC" : "AIV";
}

static void printConversions(const Machine &machine, Opcode opcode) {
  std::printf("\n## Conversions of `%s`\n\n| from | to | rounding |\n| --- | --- | --- |\n",
              std::string(name(opcode)).c_str());
  for (const Conversion &conversion : machine.facts(opcode).conversions) {
    std::string modes;
    for (unsigned index = 0; index < roundingCount; ++index)
      if (auto mode = static_cast<Rounding>(index); conversion.roundings.contains(mode))
        modes += (modes.empty() ? "" : " ") + std::string(name(mode));
    std::printf("| %s | %s | %s |\n", std::string(name(conversion.from)).c_str(),
                std::string(name(conversion.to)).c_str(), modes.c_str());
  }
}

static void printInstructions(const Machine &machine) {
  std::printf("# Instructions of %s\n\n%s. A repeat is %u bytes of the widest operand. The cost of "
              "a vector "
              "instruction is\nhead + body + tail, in cycles (machine/Cost.h); \"~\" marks numbers "
              "that are "
              "assumed.\nWhere no pipe stands, the path or an operand decides it.\n\n",
              machine.name.c_str(), machine.description.c_str(), machine.limits.repeatBytes);
  std::printf("| number | instruction | operands | pipe | core | element types | cost |\n"
              "| --- | --- | --- | --- | --- | --- | --- |\n");
  for (unsigned index = 0; index < opcodeCount; ++index) {
    const OpcodeInfo &row = info(static_cast<Opcode>(index));
    const OpcodeFacts &facts = machine.facts(row.opcode);
    std::string types = facts.present ? elementTypes(row, facts) : "not on this chip";
    std::printf("| %u | `%s` | %s | %s | %s | %s | %s |\n", index,
                std::string(row.mnemonic).c_str(), std::string(name(row.opClass)).c_str(),
                row.pipe ? std::string(name(*row.pipe)).c_str() : "", cores(row).c_str(),
                types.c_str(), cost(machine, row).c_str());
  }
  printConversions(machine, Opcode::VConv);
  printConversions(machine, Opcode::Fixpipe);
  std::printf("\n## Types of `mmad`\n\n| operands | accumulator | k of a step | cycles a step |\n"
              "| --- | --- | --- | --- |\n");
  for (const CubeType &type : machine.cube.types)
    std::printf("| %s | %s | %u | %s |\n", std::string(name(type.from)).c_str(),
                std::string(name(type.to)).c_str(), type.kStep, number(type.cyclesPerStep).c_str());
  std::printf("\n## Paths\n\nA transfer holds its pipe for start + bytes / rate cycles; it is seen "
              "`latency` cycles later.\n\n"
              "| path | pipe | core | bytes a cycle | start | latency |\n"
              "| --- | --- | --- | --- | --- | --- |\n");
  for (const Path &path : machine.paths)
    std::printf("| %s → %s | %s | %s | %s | %.0f | %s |\n", std::string(name(path.from)).c_str(),
                std::string(name(path.to)).c_str(), std::string(name(path.pipe)).c_str(),
                std::string(name(path.core)).c_str(), number(path.rate.peakBytesPerCycle).c_str(),
                path.rate.startCycles(), number(path.latencyCycles).c_str());
}

static void printConstants(const Machine &machine) {
  std::printf("# Numbers of %s\n\n| number | value | range | origin | source |\n"
              "| --- | --- | --- | --- | --- |\n",
              machine.name.c_str());
  for (const Constant &constant : machine.constants) {
    std::string range;
    if (constant.range)
      range = number((*constant.range)[0]) + " … " + number((*constant.range)[1]);
    std::printf("| `%s` | %s | %s | %s | %s |\n", constant.path.c_str(),
                number(constant.value).c_str(), range.c_str(),
                std::string(name(constant.provenance)).c_str(), constant.source.c_str());
  }
}

int main(int argc, char **argv) {
  bool instructions = argc > 1 && !std::strcmp(argv[1], "instructions");
  bool constants = argc > 1 && !std::strcmp(argv[1], "constants");
  if (argc > 3 || (!instructions && !constants)) {
    std::fprintf(stderr, "usage: kiln-machine instructions|constants [CHIP or CHIP.json]\n");
    return 2;
  }
  Result<MachineRef> machine = findMachine(argc > 2 ? argv[2] : "ascend910b");
  if (!machine) {
    std::fprintf(stderr, "error: %s\n", machine.error().message().c_str());
    return 1;
  }
  instructions ? printInstructions(**machine) : printConstants(**machine);
  return 0;
}
