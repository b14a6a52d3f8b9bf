//===- FuzzOptions.h - flags of the fuzz tests -------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_UNITTESTS_IMAGE_FUZZOPTIONS_H
#define KILN_UNITTESTS_IMAGE_FUZZOPTIONS_H

#include <cstdint>
#include <optional>

namespace kiln::test {

struct FuzzOptions {
  uint64_t seed = 0;
  double seconds = 1.7; ///< per test; all tests of the suite together take twelve times that
  std::optional<uint64_t> only; ///< the seed of a single run
};

FuzzOptions &fuzzOptions();

} // namespace kiln::test

#endif // KILN_UNITTESTS_IMAGE_FUZZOPTIONS_H
