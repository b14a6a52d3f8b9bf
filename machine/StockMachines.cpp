//===- StockMachines.cpp - built-in chips and chip files ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "machine/JsonReader.h"
#include "machine/MachineFile.h"
#include "machine/StockTexts.h"
#include "runtime/base/File.h"

#include <array>
#include <charconv>
#include <mutex>
#include <optional>
#include <unistd.h>

namespace kiln::machine {

namespace {

constexpr uint64_t largestFile = 1 << 20;

/// One built-in chip, read when it is first asked for.
struct Stock {
  std::once_flag once;
  std::optional<Result<MachineRef>> machine;
};

std::string stockNames() {
  std::string names;
  for (const StockMachine &stock : stockMachines())
    names += (names.empty() ? "" : ", ") + std::string(stock.name);
  return names;
}

Result<MachineRef> shared(Result<Machine> machine) {
  if (!machine)
    return machine.takeError();
  return std::make_shared<const Machine>(*std::move(machine));
}

/// The node at a path of keys and "[index]"; null if there is none.
Json *nodeAt(Json &root, std::string_view path) {
  Json *node = &root;
  while (node && !path.empty()) {
    size_t dot = path.find('.');
    std::string_view key = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    auto found = node->find(std::string(key));
    node = found == node->end() ? nullptr : &*found;
  }
  return node;
}

} // namespace

std::span<const StockMachine> stockMachines() { return stockTexts; }

Result<MachineRef> stockMachine(std::string_view name) {
  static std::array<Stock, std::size(stockTexts)> all;
  for (size_t index = 0; index < all.size(); ++index) {
    const StockMachine &text = stockTexts[index];
    if (text.name != name)
      continue;
    Stock &stock = all[index];
    std::call_once(stock.once, [&] {
      stock.machine = shared(parseMachine(text.text, std::string(text.name) + ".json"));
    });
    if (stock.machine->ok())
      return **stock.machine;
    return stock.machine->error();
  }
  return makeError(ErrorKind::NotFound, "machine '" + std::string(name) + "'", "no such chip",
                   stockNames());
}

Result<Machine> loadMachine(const std::string &path) {
  Result<std::string> text = readFile(path, largestFile);
  if (!text)
    return text.takeError();
  return parseMachine(*text, path);
}

Result<MachineRef> findMachine(std::string_view name, const std::string &folder) {
  if (name.ends_with(".json"))
    return shared(loadMachine(std::string(name)));
  bool plain = !name.empty() && name.find('/') == std::string_view::npos;
  if (plain && !folder.empty()) {
    std::string path = folder + "/" + std::string(name) + ".json";
    if (::access(path.c_str(), F_OK) == 0)
      return shared(loadMachine(path));
  }
  Result<MachineRef> stock = stockMachine(name);
  if (!stock && !folder.empty())
    return withNote(stock.takeError(), "no file of that name in '" + folder + "' either");
  return stock;
}

Result<std::string> editMachineText(std::string_view text, std::string_view path, double value) {
  Result<Json> root = parseJson(text, "chip file");
  if (!root)
    return root.takeError();
  auto missing = [&] {
    return makeError(ErrorKind::NotFound, "chip file: " + std::string(path), "no such number",
                     "the path of a constant such as control.queue_depth");
  };
  size_t index = 0;
  bool inRow = path.ends_with(']');
  size_t bracket = path.rfind('[');
  if (inRow) {
    const char *end = path.data() + path.size() - 1;
    if (bracket == std::string_view::npos)
      return missing();
    std::from_chars_result parsed = std::from_chars(path.data() + bracket + 1, end, index);
    if (parsed.ec != std::errc() || parsed.ptr != end)
      return missing();
    path = path.substr(0, bracket);
  }
  Json *constant = root->is_object() ? nodeAt(*root, path) : nullptr;
  if (!constant || !constant->is_object() || !constant->contains("value"))
    return missing();
  Json *number = &(*constant)["value"];
  if (inRow)
    number = number->is_array() && index < number->size() ? &(*number)[index] : nullptr;
  if (!number || !number->is_number())
    return missing();
  // Whole numbers stay whole in the text.
  constexpr double exact = 1e15;
  if (value >= -exact && value <= exact &&
      value == static_cast<double>(static_cast<int64_t>(value)))
    *number = static_cast<int64_t>(value);
  else
    *number = value;
  (*constant)["provenance"] = "assumed";
  (*constant)["range"] = Json::array({(*constant)["value"], (*constant)["value"]});
  return root->dump(2) + "\n";
}

} // namespace kiln::machine
