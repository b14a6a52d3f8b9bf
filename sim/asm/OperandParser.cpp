//===- OperandParser.cpp - what stands behind a mnemonic ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/asm/OperandParser.h"

#include "image/Region.h"
#include "image/Structure.h"
#include "sim/asm/Literal.h"

#include <algorithm>
#include <limits>

namespace kiln::sim {

using image::Image;
using image::Operand;
using image::Region;
using machine::Element;

OperandParser::OperandParser(TokenCursor &cursor, Image &image, TextTables &tables)
    : cursor(cursor), image(image), tables(tables) {
  // Named registers get the numbers after all that the text names by number.
  std::vector<std::string> names = presetNames(image);
  needed = names.size();
  for (size_t i = 0; i < names.size(); ++i)
    if (!names[i].empty())
      registers.try_emplace(names[i], uint16_t(i));
  nextNamed = needed;
  for (auto token = cursor.here(); token != cursor.end() && !token->isWord("program"); ++token)
    if (token->kind == TokenKind::Register)
      if (std::optional<uint64_t> number = registerNumber(token->text))
        nextNamed = std::max<uint64_t>(nextNamed, std::min<uint64_t>(*number, 0xffff) + 1);
}

uint16_t OperandParser::useRegister(const Token &token, uint64_t number) {
  if (number >= std::numeric_limits<uint16_t>::max()) {
    cursor.fail(token, token.describe(), "a register below 65535");
    return 0;
  }
  needed = std::max(needed, number + 1);
  return uint16_t(number);
}

uint16_t OperandParser::target(const Token &token) {
  if (std::optional<uint64_t> number = registerNumber(token.text))
    return useRegister(token, *number);
  auto [entry, isNew] = registers.try_emplace(token.text, uint16_t(nextNamed));
  if (isNew)
    useRegister(token, nextNamed++);
  return entry->second;
}

uint16_t OperandParser::source(const Token &token) {
  if (std::optional<uint64_t> number = registerNumber(token.text))
    return useRegister(token, *number);
  auto found = registers.find(token.text);
  if (found != registers.end())
    return found->second;
  std::vector<std::string_view> names;
  for (const auto &[name, number] : registers)
    names.push_back(name);
  std::sort(names.begin(), names.end()); // the hint is the same every time
  std::string hint = nearest(token.text, names);
  cursor.fail(token, token.describe() + ", which nothing has set",
              "a register that is set before" + (hint.empty() ? hint : "; " + hint));
  return 0;
}

Operand OperandParser::operand(Element element) {
  Token token = cursor.take();
  if (token.kind == TokenKind::Register)
    return Operand::reg(source(token));
  bool isFloat = machine::isFloat(element);
  if (token.kind != TokenKind::Number && !(isFloat && token.kind == TokenKind::Word)) {
    cursor.fail(token, token.describe(), "a register or a number");
    return {};
  }
  std::optional<uint64_t> value =
      isFloat ? parseFloat(element, token.text) : parseInteger(token.text);
  bool fits =
      value && (token.text[0] == '-' ? int64_t(*value) >= -image::maxImmediate - 1 || isFloat
                                     : *value <= uint64_t(image::maxImmediate));
  if (!fits) {
    cursor.fail(token, token.describe(),
                isFloat ? "an " + std::string(machine::name(element)) +
                              " such as 1.0, or its bits in hexadecimal"
                        : "an integer of 63 bits");
    return {};
  }
  return Operand::immediate(int64_t(*value));
}

std::vector<Operand> OperandParser::constant(Element element) {
  Token token = cursor.take();
  bool isFloat = machine::isFloat(element);
  std::optional<uint64_t> value = isFloat ? parseFloat(element, token.text) : std::nullopt;
  if (!value && (!isFloat || token.text.starts_with("0x")))
    value = parseInteger(token.text);
  if (!value)
    cursor.fail(token, token.describe(),
                isFloat ? "a float such as 1.0, or bits in hexadecimal" : "an integer of 64 bits");
  uint64_t bits = value.value_or(0);
  return {Operand::immediate(int64_t(bits >> 32)), Operand::immediate(int64_t(bits & 0xffffffff))};
}

/// Up to three operands in brackets.
unsigned OperandParser::operandList(std::array<Operand, 3> &values) {
  unsigned count = 0;
  cursor.expect("[");
  do {
    if (count == values.size()) {
      cursor.failAtNext("at most 3 dimensions");
      return count;
    }
    values[count++] = operand();
  } while (cursor.accept(","));
  cursor.expect("]");
  return count;
}

Region OperandParser::region() {
  Region region;
  const Token start = cursor.peek();
  region.memory = named(machine::memoryByName, "a memory such as UB or GM");
  cursor.expect("[");
  region.address = operand();
  cursor.expect("]");
  region.element = named(machine::elementByName, "an element type such as f32");
  std::array<Operand, 3> sizes, strides;
  region.rank = uint8_t(operandList(sizes));
  for (size_t d = 0; d < region.rank; ++d)
    region.dims[d].size = sizes[d];
  const Token stride = cursor.peek();
  if (!cursor.acceptWord("stride")) {
    if (!image::setDenseStrides(region))
      cursor.failAtNext("'stride' and strides in bytes: a size but the first is in a register");
    return region;
  }
  unsigned count = operandList(strides);
  if (count != region.rank)
    cursor.fail(stride, std::to_string(count) + " strides", std::to_string(region.rank));
  for (size_t d = 0; d < region.rank; ++d)
    region.dims[d].stride = strides[d];
  return region;
}

uint32_t OperandParser::location() {
  if (cursor.peek().kind != TokenKind::At)
    return 0;
  Token token = cursor.take();
  const std::string &text = token.text;
  if (text.starts_with("#")) {
    std::optional<uint64_t> index = registerNumber(std::string_view(text).substr(1));
    if (!index || *index >= image.locations.size())
      cursor.fail(token, token.describe(),
                  "a location below " + std::to_string(image.locations.size()));
    return uint32_t(index.value_or(0));
  }
  std::optional<uint32_t> known = tables.location(text);
  return known ? *known : newLocation(token);
}

uint32_t OperandParser::newLocation(const Token &token) {
  const std::string &text = token.text;
  size_t last = text.rfind(':');
  size_t first = last == std::string::npos || !last ? last : text.rfind(':', last - 1);
  std::optional<uint64_t> line, column;
  if (last != std::string::npos && first != std::string::npos && first > 0) {
    line = registerNumber(std::string_view(text).substr(first + 1, last - first - 1));
    column = registerNumber(std::string_view(text).substr(last + 1));
  }
  constexpr uint64_t most = std::numeric_limits<uint32_t>::max();
  if (!line || !column || !*line || !*column || *line > most || *column > most) {
    cursor.fail(token, token.describe(), "@file:line:column or @#number");
    return 0;
  }
  std::string name = text.substr(0, first);
  std::optional<uint32_t> file = tables.file(name);
  if (!file) {
    file = uint32_t(image.files.size());
    image.files.push_back(name);
    tables.addFile(image, *file);
  }
  auto index = uint32_t(image.locations.size());
  image.locations.push_back({*file, uint32_t(*line), uint32_t(*column), 0});
  tables.addLocation(image, index);
  return index;
}

Operand OperandParser::message() {
  if (cursor.accept("#"))
    return Operand::immediate(int64_t(cursor.expectCount(image::maxTableEntries, "a message")));
  std::string text = cursor.expectText(TokenKind::String, "a message in quotes");
  std::optional<uint32_t> known = tables.message(text);
  if (!known) {
    known = uint32_t(image.messages.size());
    image.messages.push_back(text);
    tables.addMessage(image, *known);
  }
  return Operand::immediate(*known);
}

} // namespace kiln::sim
