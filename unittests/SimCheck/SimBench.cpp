//===- SimBench.cpp - how fast the simulator is ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// kiln-sim-bench image.nasm [GRID [ELEMENTS]]: runs an image of x, y, z (pointers) and n (a number)
// in every mode and prints modelled cycles per second of CPU time of this process, so that other
// work on the host counts little. Of five runs the fastest counts: the first ones touch fresh
// memory.
//
//===-----------------------------------------------------------------------------------------===//

#include "machine/MachineFile.h"
#include "sim/Simulator.h"
#include "sim/asm/Assembly.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>

using namespace kiln;

namespace {

double cpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "kiln-sim-bench image.nasm [GRID [ELEMENTS]]\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto image = sim::assemble(text, argv[1]);
  auto machine = machine::stockMachine("ascend910b");
  if (!image || !machine) {
    std::fprintf(stderr, "%s\n", (image ? machine.error() : image.error()).message().c_str());
    return 2;
  }
  const uint32_t grid = argc > 2 ? uint32_t(std::atoi(argv[2])) : 4096;
  const uint64_t count = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : uint64_t(16) << 20;
  std::vector<float> arrays[3];
  std::vector<sim::Binding> bindings;
  for (auto &array : arrays) {
    array.assign(count, 1.0f);
    bindings.push_back({reinterpret_cast<std::byte *>(array.data()), count * 4, false, 0});
  }
  bindings.push_back({nullptr, 0, false, count});

  struct Way {
    const char *name;
    sim::Mode mode;
    bool check;
  };
  constexpr Way ways[] = {{"values, time, checks", sim::Mode::FunctionalTimed, true},
                          {"values, time", sim::Mode::FunctionalTimed, false},
                          {"time", sim::Mode::TimingOnly, false},
                          {"values, checks", sim::Mode::Functional, true},
                          {"values", sim::Mode::Functional, false}};
  double cycles = 0;
  for (const Way &way : ways) {
    sim::Options options;
    options.mode = way.mode;
    options.check = way.check;
    double best = 1e9;
    for (int run = 0; run < 5; ++run) {
      const double begin = cpuSeconds();
      auto report = sim::simulate(*image, **machine, bindings, {grid, 1, 1}, options);
      best = std::min(best, cpuSeconds() - begin);
      if (!report) {
        std::fprintf(stderr, "%s\n", report.error().message().c_str());
        return 2;
      }
      if (way.mode != sim::Mode::Functional)
        cycles = report->kernelCycles;
      if (!report->findings.empty())
        std::printf("%s\n", render(report->findings[0], *image).c_str());
    }
    std::printf("%-22s %8.1f ms %8.2f M cycles/s\n", way.name, best * 1e3, cycles / best * 1e-6);
  }
  std::printf("%.0f cycles\n", cycles);
}
