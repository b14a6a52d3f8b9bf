//===- kiln-sim.cpp - run a program image on the simulator -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "CommandLine.h"
#include "Run.h"

#include <cstdio>

using namespace kiln;

int main(int argc, char **argv) {
  constexpr int noRun = 2;
  auto failed = [](const Error &error) {
    std::fprintf(stderr, "kiln-sim: %s\n", error.message().c_str());
    return noRun;
  };
  Result<CommandLine> line = parseCommandLine(std::span(argv + 1, size_t(argc - 1)));
  if (!line)
    return failed(line.error());
  Result<Output> output = perform(*line);
  if (!output)
    return failed(output.error());
  std::fputs(output->text.c_str(), stdout);
  std::fputs(output->complaints.c_str(), stderr);
  return output->hasFindings ? 1 : 0;
}
