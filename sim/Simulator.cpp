//===- Simulator.cpp - runs an image -----------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===---------------------------------------------------------------------------------------------===//

#include "sim/Simulator.h"

#include "image/Structure.h"
#include "sim/core/Engine.h"

#include <algorithm>

namespace kiln::sim {

using machine::Core;

namespace {

Result<void> checkBindings(const image::Image &image, std::span<const Binding> bindings,
                           Mode mode) {
  if (bindings.size() != image.parameters.size())
    return makeError(ErrorKind::Invalid, "launch of '" + image.kernel + "'",
                     std::to_string(bindings.size()) + " arguments",
                     std::to_string(image.parameters.size()));
  for (size_t i = 0; i < bindings.size(); ++i) {
    const image::Parameter &parameter = image.parameters[i];
    if (parameter.isPointer && bindings[i].bytes && !bindings[i].data && mode != Mode::TimingOnly)
      return makeError(ErrorKind::Invalid, "argument '" + parameter.name + "'",
                       "no memory for its " + std::to_string(bindings[i].bytes) + " bytes",
                       "memory, where values are computed");
  }
  return {};
}

/// How many cores of each kind run the launch: no more than there is work for. AIVs work for the
/// AIC of their AI core if the image has a program for that.
std::array<unsigned, machine::coreKinds>
coresFor(const std::array<const DecodedProgram *, machine::coreKinds> &programs,
         const image::Image &image, const machine::Machine &machine, Grid grid) {
  const uint64_t perBlock = std::max<uint64_t>(1, image.programsPerIteration);
  // Three factors below 2^32: more than 2^64 is more than any chip has cores.
  const unsigned __int128 all = (unsigned __int128)(grid.x) * grid.y * grid.z;
  const unsigned __int128 blocks = (all + perBlock - 1) / perBlock;
  auto until = [&](unsigned limit) { return unsigned(std::min<unsigned __int128>(blocks, limit)); };
  if (!programs[size_t(Core::AIC)])
    return {0, until(machine.vectorCores())};
  unsigned cubes = until(machine.aiCores);
  return {cubes, programs[size_t(Core::AIV)] ? cubes * machine.vectorsPerCore : 0};
}

L2 makeL2(const machine::Machine &machine, GlobalMemory &memory, bool warm) {
  std::vector<L2::Extent> extents;
  for (const GlobalBlock &block : memory.all())
    extents.push_back({block.address, block.bytes});
  L2 l2(machine.shared.l2Bytes, std::max<uint64_t>(1, machine.shared.l2LineBytes), extents);
  uint64_t room = warm ? machine.shared.l2Bytes : 0;
  for (const GlobalBlock &block : memory.all()) {
    uint64_t bytes = block.workspace ? 0 : std::min(room, block.bytes);
    l2.access(block.address, bytes, /*write=*/false);
    room -= bytes;
  }
  return l2;
}

} // namespace

std::string_view name(FindingKind kind) {
  constexpr std::string_view names[] = {
      "race",        "deadlock",  "out of bounds",       "misaligned",
      "flag misuse", "undefined", "illegal instruction", "runaway",
      "trap"};
  return names[size_t(kind)];
}

bool Report::trusted() const {
  // An instruction at fault is not executed, and after a race or a misused flag another order gives
  // other values: there is no finding that leaves values what they should be.
  return findings.empty() && !moreFindings;
}

Result<Report> simulate(const image::Image &image, const machine::Machine &machine,
                        std::span<const Binding> bindings, Grid grid, const Options &options) {
  if (auto sound = image::checkStructure(image, "image"); !sound)
    return sound.takeError();
  if (image.programs.empty())
    return makeError(ErrorKind::Invalid, "image of '" + image.kernel + "'", "no program",
                     "one for a kind of core");
  if (options.order && options.mode != Mode::Functional)
    return makeError(ErrorKind::Invalid, "options", "a random order with modelled time",
                     "it only where values alone are computed");
  if (auto bound = checkBindings(image, bindings, options.mode); !bound)
    return bound.takeError();

  std::array<std::optional<DecodedProgram>, machine::coreKinds> decoded;
  std::array<const DecodedProgram *, machine::coreKinds> programs{};
  bool executes = options.mode != Mode::TimingOnly;
  for (const image::Program &program : image.programs) {
    auto code = decode(image, program, machine);
    if (!code)
      return code.takeError();
    auto &place = decoded[size_t(program.core)];
    programs[size_t(program.core)] = &place.emplace(std::move(*code));
    for (const Tile &tile : place->tiles)
      executes |= tile.feedsControl;
  }

  const auto cores = coresFor(programs, image, machine, grid);
  GlobalMemory memory(image, bindings, cores[0] + cores[1], executes);
  Launch launch{image, machine, options, memory, grid, {}, programs, cores};
  for (size_t i = 0; i < bindings.size(); ++i)
    launch.arguments.push_back(image.parameters[i].isPointer
                                   ? memory.argument(unsigned(i)) + bindings[i].scalar
                                   : bindings[i].scalar);
  std::optional<L2> l2;
  if (options.mode != Mode::Functional)
    l2.emplace(makeL2(machine, memory, options.warmL2));

  std::optional<Engine> engine;
  std::optional<Checker> checker;
  if (options.check && options.mode != Mode::TimingOnly)
    checker.emplace(image, machine, cores[0], cores[1],
                    [&](Finding finding) { engine->report(std::move(finding)); });
  engine.emplace(launch, checker ? &*checker : nullptr, l2 ? &*l2 : nullptr);
  if (auto ran = engine->run(); !ran)
    return ran.takeError();
  return engine->takeReport();
}

} // namespace kiln::sim
