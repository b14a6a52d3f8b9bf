//===- FunctionalTest.cpp - values, in all modes and orders ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "SimTest.h"

#include "image/Signature.h"

using namespace kiln;
using namespace kiln::sim;
using namespace kiln::sim::test;

namespace {

std::string findingsOf(const Report &report, const image::Image &image) {
  std::string text;
  for (const Finding &finding : report.findings)
    text += render(finding, image) + "\n";
  return text;
}

void expectSum(const Arrays &arrays, const std::string &what) {
  for (size_t i = 0; i < arrays.z.size(); ++i)
    ASSERT_EQ(arrays.z[i], arrays.x[i] + arrays.y[i]) << what << ", element " << i;
}

class Add : public testing::TestWithParam<size_t> {};

TEST_P(Add, AllModesAndOrders) {
  const size_t count = GetParam();
  for (const image::Image &image : {vectorAdd(256), doubleBufferedAdd(256)}) {
    std::vector<Options> all = {functional(), timed()};
    for (uint64_t seed = 0; seed < 5; ++seed)
      all.push_back(random(seed));
    for (const Options &options : all) {
      Arrays arrays(count);
      auto bindings = arrays.bindings();
      Report report = run(image, bindings, programsOf(count, 256), options);
      EXPECT_EQ(findingsOf(report, image), "");
      expectSum(arrays, "mode " + std::to_string(int(options.mode)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Add, testing::Values(1, 255, 256, 257, 5000, 100000));

/// Without the flag between loads and addition some orders add what is not there yet; with it none
/// does.
TEST(Order, RandomOnesShowAMissingFlag) {
  image::Image image = vectorAdd(256);
  auto &body = image.programs[0].body;
  std::erase_if(body, [](const image::Instruction &instruction) {
    bool flag =
        instruction.op == image::Op::Tile && (instruction.opcode == machine::Opcode::SetFlag ||
                                              instruction.opcode == machine::Opcode::WaitFlag);
    return flag &&
           instruction.attribute == image::flagAttribute(machine::Pipe::MTE2, machine::Pipe::V);
  });
  unsigned wrong = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Arrays arrays(1000);
    auto bindings = arrays.bindings();
    Options options = random(seed);
    options.check = false;
    run(image, bindings, programsOf(1000, 256), options);
    bool differs = false;
    for (size_t i = 0; i < arrays.z.size(); ++i)
      differs |= arrays.z[i] != arrays.x[i] + arrays.y[i];
    wrong += differs;
  }
  EXPECT_GT(wrong, 5u);
  EXPECT_LT(wrong, 20u);
}

} // namespace
