//===- FuzzTest.cpp - damaged images and texts -------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Images that were truncated, flipped, spliced, with the checksum made good again so that the
// damage reaches the reader. Whatever comes, every step ends in a result or an error, and what is
// accepted is well formed and survives its own text. Sanitizers see the rest.
//
// Flags of the test binary (FuzzMain.cpp): --seed=N other damage; --fuzz-seconds=N per test;
// --only=N a single run.
//
//===-----------------------------------------------------------------------------------------===//

#include "FuzzOptions.h"
#include "RandomImage.h"
#include "image/File.h"
#include "image/Structure.h"
#include "image/Verify.h"
#include "machine/MachineFile.h"
#include "sim/Simulator.h"
#include "sim/asm/Assembly.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstring>

using namespace kiln;
using namespace kiln::image;

namespace {

using Random = std::mt19937_64;
using Clock = std::chrono::steady_clock;

constexpr int shards = 4;
constexpr double slowSeconds = 5; ///< worth a line, not a failure

class ImageFuzz : public testing::TestWithParam<int> {
protected:
  void SetUp() override {
    Result<machine::MachineRef> found = machine::stockMachine("ascend910b");
    ASSERT_TRUE(found.ok());
    machine = std::move(*found);
  }

  /// Calls `once` until the time of the shard is over.
  template <typename Once> void repeat(Once once) {
    const test::FuzzOptions &options = test::fuzzOptions();
    auto end = Clock::now() + std::chrono::duration<double>(options.seconds);
    uint64_t runs = 0;
    do {
      seed = options.only ? *options.only
                          : options.seed * 1000003 + uint64_t(GetParam()) * 100000007 + runs;
      Random random(seed);
      auto begin = Clock::now();
      once(random);
      ++runs;
      if (std::chrono::duration<double> took = Clock::now() - begin; took.count() > slowSeconds)
        std::printf("slow, %.1f s: --only=%llu\n", took.count(),
                    static_cast<unsigned long long>(seed));
    } while (!HasFailure() && !options.only && Clock::now() < end);
    std::printf("%llu damaged, %llu of them accepted\n", static_cast<unsigned long long>(runs),
                static_cast<unsigned long long>(accepted));
    EXPECT_TRUE(accepted || options.only)
        << "all damage was refused: nothing behind the reader was tried";
  }

  /// All that may happen to an image that a reader took.
  void use(const Image &image) {
    ++accepted;
    Result<void> structure = checkStructure(image, "fuzz");
    ASSERT_TRUE(structure.ok()) << structure.error().message();
    std::ignore = checkAgainst(image, *machine);
    std::string text = sim::disassemble(image);
    Result<Image> back = sim::assemble(text, "fuzz");
    ASSERT_TRUE(back.ok()) << back.error().message() << "\n" << text;
    ASSERT_TRUE(*back == image) << text;
  }

  void TearDown() override {
    if (HasFailure())
      std::printf("to repeat it alone: --only=%llu\n", static_cast<unsigned long long>(seed));
  }

  machine::MachineRef machine;
  uint64_t accepted = 0;
  uint64_t seed = 0; ///< of the present run
};

void seal(std::string &bytes) {
  if (bytes.size() < 48)
    return;
  uint64_t size = bytes.size();
  std::memcpy(bytes.data() + 32, &size, sizeof size);
  Hasher hasher;
  hasher.add(std::string_view(bytes).substr(32));
  Digest digest = hasher.digest();
  std::memcpy(bytes.data() + 16, digest.data(), digest.size());
}

void damage(std::string &bytes, Random &random) {
  auto somewhere = [&] { return size_t(random() % bytes.size()); };
  for (uint64_t count = 1 + random() % 3; count > 0 && !bytes.empty(); --count)
    switch (random() % 6) {
    case 0:
    case 1:
      bytes[somewhere()] ^= char(1 << random() % 8);
      break;
    case 2:
      bytes[somewhere()] = char(random());
      break;
    case 3: { // a word of a kind that counts and offsets do not like
      constexpr uint64_t words[] = {0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff, ~uint64_t(0)};
      size_t at = somewhere(), length = std::min<size_t>(4 << random() % 2, bytes.size() - at);
      std::memcpy(bytes.data() + at, &words[random() % std::size(words)], length);
      break;
    }
    case 4:
      if (random() % 8 == 0)
        bytes.resize(somewhere());
      break;
    default: { // a piece of itself, elsewhere
      size_t from = somewhere(), to = somewhere();
      size_t length = std::min<size_t>(random() % 32, bytes.size() - std::max(from, to));
      std::memmove(bytes.data() + to, bytes.data() + from, length);
    }
    }
}

TEST_P(ImageFuzz, DamagedBytes) {
  repeat([&](Random &random) {
    std::string bytes = serialize(random() % 4 ? test::randomImage(random) : test::vectorAdd());
    damage(bytes, random);
    if (random() % 16)
      seal(bytes);
    Result<Image> image = parse(bytes, "fuzz");
    if (!image)
      return;
    ASSERT_EQ(serialize(*image), bytes) << "two encodings of one image";
    use(*image);
  });
}

TEST_P(ImageFuzz, DamagedText) {
  repeat([&](Random &random) {
    std::string text = sim::disassemble(test::randomImage(random));
    damage(text, random);
    Result<Image> image = sim::assemble(text, "fuzz");
    if (image)
      use(*image);
    else
      ASSERT_FALSE(image.error().found.empty());
  });
}

/// A legal program with small damage often stays legal: it runs, and whatever it does ends in a
/// report.
TEST_P(ImageFuzz, DamagedRuns) {
  const Image originals[] = {test::vectorAdd(), test::manyInstructions()};
  repeat([&](Random &random) {
    std::string bytes = serialize(originals[random() % 2]);
    damage(bytes, random);
    seal(bytes);
    Result<Image> image = parse(bytes, "fuzz");
    if (!image || !checkAgainst(*image, *machine) || image->parameters.size() != 4)
      return;
    // Workspaces that are legal, but more than a test should take from its host.
    for (const Workspace &workspace : image->workspaces)
      if (workspace.bytesPerCore > 1 << 20)
        return;
    ++accepted;
    std::vector<std::byte> data[3];
    std::vector<sim::Binding> bindings;
    for (std::vector<std::byte> &array : data) {
      array.resize(1024);
      bindings.push_back({.data = array.data(), .bytes = array.size()});
    }
    bindings.push_back({.scalar = random() % 300});
    sim::Options options;
    options.mode = sim::Mode(random() % 3);
    if (options.mode == sim::Mode::Functional && random() % 2)
      options.order = random();
    options.check = random() % 4;
    options.cycleLimit = 20000;
    Result<sim::Report> report = sim::simulate(*image, *machine, bindings, {2, 1, 1}, options);
    if (!report)
      EXPECT_FALSE(report.error().found.empty());
    else
      for (const sim::Finding &finding : report->findings)
        EXPECT_FALSE(sim::render(finding, *image).empty());
  });
}

INSTANTIATE_TEST_SUITE_P(Shard, ImageFuzz, testing::Range(0, shards));

} // namespace
