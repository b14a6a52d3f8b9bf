//===- CommandLine.h - what kiln-sim is to do --------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILNSIM_COMMANDLINE_H
#define KILN_TOOLS_KILNSIM_COMMANDLINE_H

#include "runtime/base/Result.h"
#include "sim/Simulator.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln {

enum class Action : uint8_t { Run, Assemble, Disassemble, Help };

struct CommandLine {
  Action action = Action::Run;
  std::string input;
  std::string output;                 ///< of Assemble and Disassemble; empty: standard output
  std::vector<std::string> arguments; ///< one for each parameter
  std::vector<std::pair<uint32_t, std::string>> results; ///< parameter and file
  std::string chip;                                      ///< empty: that of the image
  std::string tracePath;
  bool json = false;
  sim::Grid grid;
  sim::Options options;
};

/// How to call the tool.
std::string_view usage();

/// Reads the words after the program's name.
Result<CommandLine> parseCommandLine(std::span<char *const> words);

} // namespace kiln

#endif // KILN_TOOLS_KILNSIM_COMMANDLINE_H
