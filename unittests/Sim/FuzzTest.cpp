//===- FuzzTest.cpp - well-formed images without sense ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "SimTest.h"

#include "../Image/RandomImage.h"
#include "sim/asm/Assembly.h"

#include <map>

using namespace kiln;
using namespace kiln::sim;
using namespace kiln::sim::test;

namespace {

/// Images that any reader accepts end in every mode, with findings or without; what they do is the
/// same in each run.
TEST(Fuzz, RandomImagesEnd) {
  std::mt19937_64 generator(29);
  unsigned ran = 0;
  for (int round = 0; round < 400; ++round) {
    image::Image image = kiln::test::randomImage(generator);
    std::vector<std::vector<float>> memory(image.parameters.size());
    std::vector<Binding> bindings(image.parameters.size());
    for (size_t i = 0; i < bindings.size(); ++i) {
      if (!image.parameters[i].isPointer) {
        bindings[i].scalar = generator() % 100;
        continue;
      }
      memory[i].resize(1024);
      bindings[i].data = reinterpret_cast<std::byte *>(memory[i].data());
      bindings[i].bytes = 4096;
    }
    for (image::Workspace &workspace : image.workspaces)
      workspace.bytesPerCore %= 8192;
    for (Options options : {functional(), timed(), timingOnly(), random(1)}) {
      options.cycleLimit = 20000;
      options.trace = options.controlTrace = true;
      auto first = simulate(image, chip(), bindings, {3, 1, 1}, options);
      auto second = simulate(image, chip(), bindings, {3, 1, 1}, options);
      ASSERT_EQ(first.ok(), second.ok());
      if (!first) {
        EXPECT_EQ(first.error().message(), second.error().message());
        continue;
      }
      ++ran;
      if (options.mode == Mode::TimingOnly)
        EXPECT_EQ(reportJson(*first, image), reportJson(*second, image)) << sim::disassemble(image);
      EXPECT_FALSE(perfettoTrace(*first, image).empty());
      EXPECT_FALSE(reportText(*first, image).empty());
    }
  }
  EXPECT_GT(ran, 100u);
}

/// Kernels with an instruction dropped, moved or given another operand: most now race, wait for
/// ever or run over ends, and each run says so and ends.
TEST(Fuzz, BrokenKernelsEnd) {
  std::mt19937_64 generator(31);
  const image::Image kernels[] = {vectorAdd(256), doubleBufferedAdd(256),
                                  kiln::test::manyInstructions()};
  std::map<FindingKind, unsigned> found;
  for (int round = 0; round < 300; ++round) {
    image::Image image = kernels[generator() % std::size(kernels)];
    auto &body = image.programs[0].body;
    for (unsigned change = 0; change <= generator() % 2; ++change) {
      size_t at = generator() % body.size(), other = generator() % body.size();
      if (body[at].op != image::Op::Tile || body[other].op != image::Op::Tile)
        continue;
      switch (generator() % 3) {
      case 0:
        body.erase(body.begin() + std::ptrdiff_t(at));
        break;
      case 1:
        std::swap(body[at], body[other]);
        break;
      default:
        if (!body[at].operands.empty())
          body[at].operands[0] = image::Operand::immediate(int64_t(generator() % 10));
        else if (!body[at].regions.empty())
          body[at].regions[0].address = image::Operand::immediate(int64_t(generator() % (1 << 18)));
        break;
      }
    }
    Arrays arrays(2000);
    auto bindings = arrays.bindings();
    for (Options options : {functional(), timed(), timingOnly(), random(generator())}) {
      options.cycleLimit = 200000;
      auto report = simulate(image, chip(), bindings, {8, 1, 1}, options);
      if (!report)
        continue;
      for (const Finding &finding : report->findings) {
        ++found[finding.kind];
        EXPECT_FALSE(render(finding, image).empty());
      }
    }
  }
  EXPECT_GT(found[FindingKind::Deadlock], 0u);
  EXPECT_GT(found[FindingKind::OutOfBounds] + found[FindingKind::Misaligned], 0u);
}

} // namespace
