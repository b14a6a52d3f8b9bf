//===- Names.h - names of registers, and which strings need quotes ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// What assembler and disassembler have to agree on. A register that the launch sets has a name:
// that of its parameter, %workspace0, %workspace1, …, %gridX, %gridY, %gridZ, %coreIndex,
// %coreCount. Every register also has its number: %17.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ASM_NAMES_H
#define KILN_SIM_ASM_NAMES_H

#include "image/Image.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kiln::sim {

/// The names of the preset registers, by number. Empty for a parameter whose name cannot be one:
/// no register name, taken by a parameter before it, or by the launch.
std::vector<std::string> presetNames(const image::Image &image);

/// The number that a register's text is, if it is one.
std::optional<uint64_t> registerNumber(std::string_view text);

/// Locations by what `@file:line:column` says, and files and messages by their text. The first of
/// equal ones counts; the others are told by their number.
class TextTables {
public:
  TextTables() = default;
  explicit TextTables(const image::Image &image);

  void addFile(const image::Image &image, uint32_t index);
  void addLocation(const image::Image &image, uint32_t index);
  void addMessage(const image::Image &image, uint32_t index);

  std::optional<uint32_t> file(const std::string &name) const { return find(files, name); }
  std::optional<uint32_t> message(const std::string &text) const { return find(messages, text); }
  /// The key is "file:line:column".
  std::optional<uint32_t> location(const std::string &key) const { return find(locations, key); }

private:
  using Map = std::unordered_map<std::string, uint32_t>;
  static std::optional<uint32_t> find(const Map &map, const std::string &key) {
    auto found = map.find(key);
    return found == map.end() ? std::nullopt : std::optional(found->second);
  }
  Map files, locations, messages;
};

/// "file:line:column", or nothing if a location has no line or column or its file begins with '#'.
std::optional<std::string> locationKey(const image::Image &image, uint32_t index);

/// True if the text says "dst <- src": what moves data between memories.
inline bool isTransfer(machine::Opcode opcode) {
  using machine::OpClass;
  OpClass opClass = machine::info(opcode).opClass;
  return opClass == OpClass::Load || opClass == OpClass::Store || opClass == OpClass::Copy ||
         opClass == OpClass::Extract;
}

/// Names of cores in the text.
std::string_view coreWord(machine::Core core);
std::optional<machine::Core> coreByWord(std::string_view word);

} // namespace kiln::sim

#endif // KILN_SIM_ASM_NAMES_H
