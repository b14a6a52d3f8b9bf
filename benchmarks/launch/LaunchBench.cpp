//===- LaunchBench.cpp - what a launch costs from C++ ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// kiln-launch-bench OBJECT [Google Benchmark's options]: OBJECT is a cached kernel with the
// signature of examples/triton/vector_add.py; `kiln bench launch` makes one and passes it.
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/drivers/cpu/CpuDevice.h"
#include "runtime/launch/Dispatcher.h"
#include "runtime/launch/Specialization.h"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>

using namespace kiln;
using namespace kiln::runtime;

namespace {

constexpr uint64_t kElements = 64;

struct Setup {
  std::shared_ptr<Device> device;
  std::shared_ptr<const Kernel> kernel;
  Signature signature;
  alignas(64) float x[kElements] = {}, y[kElements] = {}, out[kElements] = {};

  std::vector<Argument> arguments() {
    auto array = [](float *data) {
      auto address = reinterpret_cast<uint64_t>(data);
      return Argument::pointer(DType::F32, address, address, address + kElements * sizeof(float));
    };
    return {array(x), array(y), array(out), Argument::integer(int64_t(kElements)),
            Argument::constant(R"({"t":"int","v":"4096"})")};
  }
};

Setup *setup = nullptr;

template <typename T> T orExit(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "kiln-launch-bench: error: %s\n", result.error().message().c_str());
    std::exit(1);
  }
  return std::move(*result);
}

/// The device's part alone: argument block and kernel at hand.
void deviceLaunch(benchmark::State &state) {
  std::vector<Argument> arguments = setup->arguments();
  Specialization facts;
  if (!specialize(setup->signature, arguments, "{}", 0, facts))
    return state.SkipWithError("specialisation failed");
  for (auto _ : state)
    if (!setup->device->launch(*setup->kernel->executable, {1, 1, 1}, facts.slots()))
      return state.SkipWithError("launch failed");
}

/// All that a C++ program does for a launch: facts and key, table look-up, launch.
void launch(benchmark::State &state) {
  std::vector<Argument> arguments = setup->arguments();
  Dispatcher dispatcher;
  Specialization facts;
  if (!specialize(setup->signature, arguments, "{}", 0, facts) ||
      !dispatcher.findOrMake(facts.key(),
                             [] { return Result<std::shared_ptr<const Kernel>>(setup->kernel); }))
    return state.SkipWithError("specialisation failed");
  for (auto _ : state) {
    if (!specialize(setup->signature, arguments, "{}", 0, facts))
      return state.SkipWithError("specialisation failed");
    std::shared_ptr<const Kernel> kernel = dispatcher.find(facts.key());
    if (!kernel || !setup->device->launch(*kernel->executable, {1, 1, 1}, facts.slots()))
      return state.SkipWithError("launch failed");
  }
}

BENCHMARK(deviceLaunch);
BENCHMARK(launch);

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: kiln-launch-bench OBJECT [--benchmark_…]\n");
    return 2;
  }
  Setup made;
  setup = &made;
  for (const char *name : {"x_ptr", "y_ptr", "out_ptr", "n_elements", "BLOCK_SIZE"})
    made.signature.parameters.push_back({.name = name});
  made.signature.parameters.back().isConstexpr = true;
  made.device = orExit(createCpuDevice());
  Image image;
  image.path = argv[1];
  image.name = "vector_add_kernel";
  auto kernel = std::make_shared<Kernel>();
  kernel->executable = orExit(made.device->load(image));
  made.kernel = kernel;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
