//===- OperandParser.h - what stands behind a mnemonic ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ASM_OPERANDPARSER_H
#define KILN_SIM_ASM_OPERANDPARSER_H

#include "sim/asm/Cursor.h"
#include "sim/asm/Names.h"

#include <array>

namespace kiln::sim {

/// Reads registers, numbers, regions, places and messages of one program. Places and messages that
/// are new go into the image's tables. What fails is in the cursor.
class OperandParser {
public:
  /// The cursor stands before the program's body.
  OperandParser(TokenCursor &cursor, image::Image &image, TextTables &tables);

  /// Registers that the program needs so far.
  uint64_t neededRegisters() const { return needed; }
  /// A register that gets a value: a new name makes a new register.
  uint16_t target(const Token &token);

  /// A register or an immediate of this type.
  image::Operand operand(machine::Element element = machine::Element::I64);
  /// The two operands of a constant: 64 bits.
  std::vector<image::Operand> constant(machine::Element element);
  /// UB[0] f32 [8, 64] stride [512, 4]
  image::Region region();
  /// @file:line:column or @#number, if it is there.
  uint32_t location();
  /// "text" or #number
  image::Operand message();

  /// An enumerator by its name.
  template <typename Enum>
  Enum named(std::optional<Enum> (*byName)(std::string_view), std::string_view what) {
    Token token = cursor.take();
    std::optional<Enum> value = byName(token.text);
    if (!value)
      cursor.fail(token, token.describe(), std::string(what));
    return value.value_or(Enum{});
  }

private:
  uint16_t useRegister(const Token &token, uint64_t number);
  uint16_t source(const Token &token);
  unsigned operandList(std::array<image::Operand, 3> &values);
  uint32_t newLocation(const Token &token);

  TokenCursor &cursor;
  image::Image &image;
  TextTables &tables;
  std::unordered_map<std::string, uint16_t> registers;
  uint64_t needed = 0;
  uint64_t nextNamed = 0; ///< the number of the next new name
};

} // namespace kiln::sim

#endif // KILN_SIM_ASM_OPERANDPARSER_H
