//===- FuzzMain.cpp - main of the fuzz tests ---------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "FuzzOptions.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace kiln::test {

FuzzOptions &fuzzOptions() {
  static FuzzOptions options;
  return options;
}

} // namespace kiln::test

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  kiln::test::FuzzOptions &options = kiln::test::fuzzOptions();
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    auto value = [&](std::string_view flag) {
      return argument.starts_with(flag) ? argv[i] + flag.size() : nullptr;
    };
    if (const char *seed = value("--seed=")) {
      options.seed = std::strtoull(seed, nullptr, 0);
    } else if (const char *only = value("--only=")) {
      options.only = std::strtoull(only, nullptr, 0);
    } else if (const char *seconds = value("--fuzz-seconds=")) {
      options.seconds = std::strtod(seconds, nullptr);
    } else {
      std::fprintf(stderr, "unknown flag '%s', expected --seed=N, --only=N or --fuzz-seconds=N\n",
                   argv[i]);
      return 2;
    }
  }
  return RUN_ALL_TESTS();
}
