//===- CommandLine.cpp - what kiln-sim is to do ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "CommandLine.h"

#include "sim/asm/Literal.h"

#include <algorithm>
#include <array>
#include <limits>

namespace kiln {
namespace {

Error wrong(std::string_view flag, std::string found, std::string expected) {
  return makeError(ErrorKind::Invalid, std::string(flag), std::move(found), std::move(expected));
}

Result<uint64_t> number(std::string_view flag, std::string_view text, uint64_t most) {
  std::optional<uint64_t> value = text.starts_with("-") ? std::nullopt : sim::parseInteger(text);
  if (!value || *value > most)
    return wrong(flag, "'" + std::string(text) + "'", "a number up to " + std::to_string(most));
  return *value;
}

Result<void> setGrid(CommandLine &line, std::string_view text) {
  uint32_t *sizes[] = {&line.grid.x, &line.grid.y, &line.grid.z};
  for (uint32_t *size : sizes) {
    size_t comma = std::min(text.find(','), text.size());
    Result<uint64_t> value =
        number("--grid", text.substr(0, comma), std::numeric_limits<int32_t>::max());
    if (!value || !*value)
      return wrong("--grid", "'" + std::string(text) + "'", "one to three positive numbers: X,Y,Z");
    *size = uint32_t(*value);
    if (comma == text.size())
      return {};
    text.remove_prefix(comma + 1);
  }
  return wrong("--grid", "more than three numbers", "X,Y,Z");
}

Result<void> setOrder(CommandLine &line, std::string_view text) {
  constexpr std::string_view prefix = "random:";
  if (!text.starts_with(prefix))
    return wrong("--order", "'" + std::string(text) + "'", "random:SEED");
  Result<uint64_t> seed =
      number("--order", text.substr(prefix.size()), std::numeric_limits<uint64_t>::max());
  if (!seed)
    return seed.takeError();
  line.options.order = *seed;
  line.options.mode = sim::Mode::Functional;
  return {};
}

Result<void> setCycleLimit(CommandLine &line, std::string_view text) {
  Result<uint64_t> limit = number("--cycle-limit", text, std::numeric_limits<uint64_t>::max());
  if (!limit)
    return limit.takeError();
  line.options.cycleLimit = *limit;
  return {};
}

Result<void> addResult(CommandLine &line, std::string_view text) {
  size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals + 1 == text.size())
    return wrong("--out", "'" + std::string(text) + "'", "K=file.npy");
  Result<uint64_t> index =
      number("--out", text.substr(0, equals), std::numeric_limits<uint16_t>::max());
  if (!index)
    return index.takeError();
  line.results.emplace_back(uint32_t(*index), std::string(text.substr(equals + 1)));
  return {};
}

using Set = Result<void> (*)(CommandLine &, std::string_view value);
struct Flag {
  std::string_view name;
  bool hasValue;
  Set set;
};

constexpr std::array<Flag, 16> flags = {{
    {"--arg", true,
     [](CommandLine &line, std::string_view value) {
       line.arguments.emplace_back(value);
       return Result<void>();
     }},
    {"--out", true, addResult},
    {"--grid", true, setGrid},
    {"--chip", true,
     [](CommandLine &line, std::string_view value) {
       line.chip = value;
       return Result<void>();
     }},
    {"--order", true, setOrder},
    {"--cycle-limit", true, setCycleLimit},
    {"--trace", true,
     [](CommandLine &line, std::string_view value) {
       line.tracePath = value;
       line.options.trace = true;
       return Result<void>();
     }},
    {"-o", true,
     [](CommandLine &line, std::string_view value) {
       line.output = value;
       return Result<void>();
     }},
    {"--timing-only", false,
     [](CommandLine &line, std::string_view) {
       line.options.mode = sim::Mode::TimingOnly;
       return Result<void>();
     }},
    {"--no-timing", false,
     [](CommandLine &line, std::string_view) {
       line.options.mode = sim::Mode::Functional;
       return Result<void>();
     }},
    {"--no-check", false,
     [](CommandLine &line, std::string_view) {
       line.options.check = false;
       return Result<void>();
     }},
    {"--warm-l2", false,
     [](CommandLine &line, std::string_view) {
       line.options.warmL2 = true;
       return Result<void>();
     }},
    {"--json", false,
     [](CommandLine &line, std::string_view) {
       line.json = true;
       return Result<void>();
     }},
    {"--assemble", false,
     [](CommandLine &line, std::string_view) {
       line.action = Action::Assemble;
       return Result<void>();
     }},
    {"--disassemble", false,
     [](CommandLine &line, std::string_view) {
       line.action = Action::Disassemble;
       return Result<void>();
     }},
    {"--help", false,
     [](CommandLine &line, std::string_view) {
       line.action = Action::Help;
       return Result<void>();
     }},
}};

/// What cannot go together.
Result<void> check(const CommandLine &line) {
  if (line.action == Action::Help)
    return {};
  if (line.input.empty())
    return wrong("kiln-sim", "no image", "a file: image.npo or image.nasm");
  if (line.options.order && line.options.mode != sim::Mode::Functional)
    return wrong("--order", "it with --timing-only", "one of them");
  if (line.options.mode == sim::Mode::TimingOnly && !line.results.empty())
    return wrong("--out", "it with --timing-only, which computes no values", "one of them");
  if (line.options.trace && line.options.mode == sim::Mode::Functional)
    return wrong("--trace", "it without time (--order, --no-timing)", "a timed run");
  if (line.action == Action::Assemble && line.output.empty())
    return wrong("--assemble", "no output", "-o FILE.npo");
  if (line.action == Action::Run && !line.output.empty())
    return wrong("-o", "it in a run", "--assemble or --disassemble; results go to --out");
  return {};
}

} // namespace

std::string_view usage() {
  return R"(Runs a program image on the simulator of its chip.

  kiln-sim image.npo|image.nasm [--arg VALUE]... [--out K=FILE.npy]... [flags]
  kiln-sim --assemble image.nasm -o image.npo
  kiln-sim --disassemble image.npo [-o image.nasm]

  --arg VALUE       one for each parameter, in order:
                      FILE.npy, bf16:FILE.npy (16-bit integers)   memory of a pointer
                      zeros:TYPE:COUNT                            the same, filled with zeros
                      5, 0.5, i32:5, f32:0.5                      a scalar
  --out K=FILE.npy  write the memory of parameter K (from 0) after the run
  --chip NAME|FILE.json   another chip than the image's
  --grid X,Y,Z      programs of the grid; 1,1,1 if it is missing
  --order random:SEED     no time, pipes in a random legal order
  --no-timing       values without time
  --timing-only     time without values
  --warm-l2         arguments lie in L2 at the start
  --no-check        no search for races, undefined bytes and misused flags
  --cycle-limit N   end after so many cycles
  --trace FILE      times of every instruction, for Perfetto
  --json            the report as JSON

The exit status is 0, 1 if the run has findings, or 2 if there was no run.
)";
}

Result<CommandLine> parseCommandLine(std::span<char *const> words) {
  CommandLine line;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (!word.starts_with("-") || word == "-") {
      if (!line.input.empty())
        return wrong("'" + std::string(word) + "'", "a second image", "one");
      line.input = word;
      continue;
    }
    // "--flag value" or "--flag=value".
    size_t equals = word.starts_with("--") ? std::min(word.find('='), word.size()) : word.size();
    std::string_view name = word.substr(0, equals);
    auto flag = std::find_if(flags.begin(), flags.end(),
                             [&](const Flag &candidate) { return candidate.name == name; });
    if (flag == flags.end())
      return wrong("'" + std::string(word) + "'", "an unknown flag", "one of kiln-sim --help");
    std::string_view value;
    if (equals < word.size())
      value = word.substr(equals + 1);
    else if (flag->hasValue && i + 1 < words.size())
      value = words[++i];
    else if (flag->hasValue)
      return wrong(name, "no value", "one");
    if (!flag->hasValue && equals < word.size())
      return wrong(name, "a value", "none");
    if (Result<void> set = flag->set(line, value); !set)
      return set.takeError();
  }
  if (Result<void> good = check(line); !good)
    return good.takeError();
  return line;
}

} // namespace kiln
