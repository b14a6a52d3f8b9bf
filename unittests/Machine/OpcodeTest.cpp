//===- OpcodeTest.cpp - the instruction table ---------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "machine/Opcode.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace kiln::machine {
namespace {

TEST(Opcode, RowsStandAtTheirNumbersUnderDifferentNames) {
  std::set<std::string_view> names;
  for (unsigned index = 0; index < opcodeCount; ++index) {
    const OpcodeInfo &row = info(static_cast<Opcode>(index));
    EXPECT_EQ(static_cast<unsigned>(row.opcode), index);
    EXPECT_TRUE(names.insert(row.mnemonic).second) << row.mnemonic;
    EXPECT_EQ(opcodeByName(row.mnemonic), row.opcode);
    EXPECT_TRUE(row.onAIC || row.onAIV) << row.mnemonic;
  }
  EXPECT_EQ(opcodeByName("vsubs"), std::nullopt);
  EXPECT_EQ(opcodeByName(""), std::nullopt);
}

TEST(Opcode, PipesAreThoseOfTheirCores) {
  for (unsigned index = 0; index < opcodeCount; ++index) {
    const OpcodeInfo &row = info(static_cast<Opcode>(index));
    if (row.pipe == Pipe::V)
      EXPECT_FALSE(row.onAIC) << row.mnemonic;
    if (row.pipe == Pipe::M || row.pipe == Pipe::MTE1 || row.pipe == Pipe::FIX)
      EXPECT_FALSE(row.onAIV) << row.mnemonic;
  }
  EXPECT_TRUE(runsOn(Opcode::Load, Core::AIC) && runsOn(Opcode::Load, Core::AIV));
  EXPECT_FALSE(runsOn(Opcode::VAdd, Core::AIC));
  EXPECT_FALSE(runsOn(Opcode::Mmad, Core::AIV));
  EXPECT_EQ(info(Opcode::Load).pipe, std::nullopt);
  EXPECT_EQ(info(Opcode::Barrier).pipe, std::nullopt);
}

/// Every enumerator has a name of its own that leads back to it.
template <typename Enum>
void expectNames(unsigned count, std::optional<Enum> (*byName)(std::string_view)) {
  for (unsigned index = 0; index < count; ++index) {
    auto value = static_cast<Enum>(index);
    EXPECT_FALSE(name(value).empty()) << index;
    EXPECT_EQ(byName(name(value)), value) << name(value);
  }
  EXPECT_EQ(byName("nothing"), std::nullopt);
}

TEST(Opcode, NamesLeadBackToTheirEnumerators) {
  expectNames(coreKinds, coreByName);
  expectNames(pipeCount, pipeByName);
  expectNames(memoryCount, memoryByName);
  expectNames(elementCount, elementByName);
  expectNames(predicateCount, predicateByName);
  expectNames(roundingCount, roundingByName);
  expectNames(atomicCount, atomicByName);
  expectNames(crossModeCount, crossModeByName);
}

TEST(Opcode, ElementTypes) {
  EXPECT_EQ(bits(Element::I1), 1u);
  EXPECT_EQ(bits(Element::BF16), 16u);
  EXPECT_EQ(bits(Element::U64), 64u);
  EXPECT_TRUE(isFloat(Element::BF16));
  EXPECT_FALSE(isFloat(Element::I16));
  EXPECT_TRUE(isSignedInteger(Element::I64));
  EXPECT_FALSE(isSignedInteger(Element::U32));
  EXPECT_FALSE(isSignedInteger(Element::I1));
}

} // namespace
} // namespace kiln::machine
