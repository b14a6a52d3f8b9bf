//===- SimCheckTest.cpp - faults are found, and nothing else ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "ImageTable.h"

#include "machine/MachineFile.h"
#include "sim/Simulator.h"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>

namespace kiln::sim::test {
namespace {

constexpr size_t elements = 1024;
constexpr uint64_t orders = 8;

struct Way {
  std::string name;
  Options options;
};

std::vector<Way> ways() {
  std::vector<Way> all{{"timed", {}}, {"functional", {}}};
  all[1].options.mode = Mode::Functional;
  for (uint64_t seed = 1; seed <= orders; ++seed) {
    all.push_back({"order " + std::to_string(seed), all[1].options});
    all.back().options.order = seed;
  }
  return all;
}

struct Outcome {
  Report report;
  std::vector<float> z;
};

/// One launch; x is 0, 1, 2, …, y twice that, z is -1.
Outcome launch(const CheckedImage &checked, Options options) {
  static const machine::MachineRef machine = *machine::stockMachine("ascend910b");
  std::vector<float> x(elements), y(elements);
  Outcome outcome{{}, std::vector<float>(elements, -1.0f)};
  for (size_t i = 0; i < elements; ++i) {
    x[i] = float(i);
    y[i] = float(2 * i);
  }
  auto bind = [](std::vector<float> &values, bool readOnly) {
    return Binding{reinterpret_cast<std::byte *>(values.data()), values.size() * sizeof(float),
                   readOnly, 0};
  };
  const Binding bindings[] = {bind(x, true), bind(y, true), bind(outcome.z, false),
                              Binding{nullptr, 0, false, elements}};
  options.cycleLimit = checked.limit;
  auto report = simulate(checked.image, *machine, bindings, Grid{checked.grid, 1, 1}, options);
  EXPECT_TRUE(report.ok()) << report.error().message();
  if (report)
    outcome.report = std::move(*report);
  return outcome;
}

std::vector<std::string> rendered(const CheckedImage &checked, const Report &report,
                                  bool withoutUndefined) {
  std::vector<std::string> all;
  for (const Finding &finding : report.findings)
    if (!withoutUndefined || finding.kind != FindingKind::Undefined)
      all.push_back(render(finding, checked.image));
  std::sort(all.begin(), all.end());
  return all;
}

std::string joined(const std::vector<std::string> &lines) {
  std::string all;
  for (const std::string &line : lines)
    all += line + "\n";
  return all;
}

/// The findings are those that the image says, each with its place.
bool asExpected(const CheckedImage &checked, const std::vector<std::string> &found) {
  if (found.size() != checked.expected.size())
    return false;
  return std::all_of(checked.expected.begin(), checked.expected.end(), [&](auto &pattern) {
    return std::any_of(found.begin(), found.end(),
                       [&](auto &text) { return matches(text, pattern); });
  });
}

TEST(BadImages, AreFoundWithTheirPlaceInEveryOrder) {
  unsigned images = 0, findings = 0, runs = 0;
  for (const CheckedImage &checked : imagesOf("bad")) {
    SCOPED_TRACE(checked.name);
    // Values after a race depend on the order, and so does which of them are undefined.
    const bool races =
        std::any_of(checked.expected.begin(), checked.expected.end(),
                    [](auto &text) { return text.find("race: ") != std::string::npos; });
    std::vector<std::string> first;
    for (const Way &way : ways()) {
      // How often a loop goes round is counted in other units without time.
      Outcome outcome = launch(checked, way.options);
      EXPECT_FALSE(outcome.report.trusted());
      const std::vector<std::string> found = rendered(checked, outcome.report, races);
      EXPECT_TRUE(asExpected(checked, found)) << way.name << " found\n"
                                              << joined(found) << "expected\n"
                                              << joined(checked.expected);
      if (races) {
        if (first.empty())
          first = found;
        EXPECT_EQ(joined(first), joined(found)) << way.name;
      }
      ++runs;
    }
    ++images;
    findings += unsigned(checked.expected.size());
  }
  std::printf("%u bad images, %u findings, each in %u runs\n", images, findings, runs / images);
  EXPECT_GE(images, 40u);
}

TEST(GoodImages, AreSilentAndEqualInEveryOrder) {
  unsigned images = 0, runs = 0;
  for (const CheckedImage &checked : imagesOf("good")) {
    SCOPED_TRACE(checked.name);
    EXPECT_TRUE(checked.expected.empty()) << "a good image with an expected finding";
    std::vector<float> first;
    for (const Way &way : ways()) {
      Outcome outcome = launch(checked, way.options);
      EXPECT_TRUE(outcome.report.trusted()) << way.name << "\n"
                                            << joined(rendered(checked, outcome.report, false));
      if (first.empty())
        first = outcome.z;
      EXPECT_EQ(first, outcome.z) << way.name;
      ++runs;
    }
    for (size_t i = 0; i < checked.values.size(); ++i)
      EXPECT_EQ(first[i], checked.values[i]) << "z[" << i << "]";
    ++images;
  }
  std::printf("%u good images, each in %u runs\n", images, runs / images);
  EXPECT_GE(images, 40u);
}

TEST(GoodImages, AreSilentInTimingOnly) {
  Options options;
  options.mode = Mode::TimingOnly;
  for (const CheckedImage &checked : imagesOf("good")) {
    SCOPED_TRACE(checked.name);
    EXPECT_EQ(launch(checked, options).report.kernelCycles,
              launch(checked, {}).report.kernelCycles);
  }
}

} // namespace
} // namespace kiln::sim::test
