//===- ImageTable.h - hand-written images with what is to be found in them -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Files of test/sim/check. What stands before the first `//--- name` begins every image of the
// file. Lines of an image that are for the test:
//
//   //! text * text     a finding, as `render` says it: these parts in this order
//   //% grid N          programs of the launch (1)
//   //% limit N         the cycle limit
//   //= a b c           the first elements of z afterwards
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_UNITTESTS_SIMCHECK_IMAGETABLE_H
#define KILN_UNITTESTS_SIMCHECK_IMAGETABLE_H

#include "image/Image.h"

#include <string>
#include <vector>

namespace kiln::sim::test {

struct CheckedImage {
  std::string name; ///< "races.nasm: raw-v-s"
  image::Image image;
  uint32_t grid = 1;
  uint64_t limit = 1 << 20;
  std::vector<std::string> expected;
  std::vector<float> values;
};

/// All images of a folder of test/sim/check; the test fails if one is none.
std::vector<CheckedImage> imagesOf(const std::string &folder);

/// Whether `text` has the parts of `pattern` between its stars, in order.
bool matches(const std::string &text, const std::string &pattern);

} // namespace kiln::sim::test

#endif // KILN_UNITTESTS_SIMCHECK_IMAGETABLE_H
