//===- Names.cpp - names of registers, and which strings need quotes -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/asm/Names.h"

#include "sim/asm/Lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>

namespace kiln::sim {

using image::Image;

std::vector<std::string> presetNames(const Image &image) {
  std::vector<std::string> launch;
  for (size_t i = 0; i < image.workspaces.size(); ++i)
    launch.push_back("workspace" + std::to_string(i));
  for (std::string_view name : {"gridX", "gridY", "gridZ", "coreIndex", "coreCount"})
    launch.emplace_back(name);
  // Any number of a workspace is taken, so that one more never changes what a text means.
  auto isReserved = [&](const std::string &name) {
    return name.starts_with("workspace") ||
           std::find(launch.begin(), launch.end(), name) != launch.end();
  };
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (const image::Parameter &parameter : image.parameters) {
    bool usable = isRegisterName(parameter.name) && !isReserved(parameter.name) &&
                  seen.insert(parameter.name).second;
    names.push_back(usable ? parameter.name : std::string());
  }
  names.insert(names.end(), launch.begin(), launch.end());
  return names;
}

std::optional<uint64_t> registerNumber(std::string_view text) {
  uint64_t value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

TextTables::TextTables(const Image &image) {
  for (uint32_t i = 0; i < image.files.size(); ++i)
    addFile(image, i);
  for (uint32_t i = 1; i < image.locations.size(); ++i)
    addLocation(image, i);
  for (uint32_t i = 0; i < image.messages.size(); ++i)
    addMessage(image, i);
}

void TextTables::addFile(const Image &image, uint32_t index) {
  files.try_emplace(image.files[index], index);
}

void TextTables::addLocation(const Image &image, uint32_t index) {
  if (std::optional<std::string> key = locationKey(image, index))
    locations.try_emplace(*std::move(key), index);
}

void TextTables::addMessage(const Image &image, uint32_t index) {
  messages.try_emplace(image.messages[index], index);
}

std::optional<std::string> locationKey(const Image &image, uint32_t index) {
  const image::Location &location = image.locations[index];
  if (index == 0 || !location.line || !location.column)
    return std::nullopt;
  const std::string &file = image.files[location.file];
  if (file.empty() || file[0] == '#')
    return std::nullopt;
  return file + ":" + std::to_string(location.line) + ":" + std::to_string(location.column);
}

namespace {
constexpr std::array<std::string_view, machine::coreKinds> coreWords = {"aic", "aiv"};
}

std::string_view coreWord(machine::Core core) { return coreWords[static_cast<size_t>(core)]; }

std::optional<machine::Core> coreByWord(std::string_view word) {
  for (size_t i = 0; i < coreWords.size(); ++i)
    if (coreWords[i] == word)
      return static_cast<machine::Core>(i);
  return machine::coreByName(word);
}

} // namespace kiln::sim
