//===- RandomProgram.h - structured npu programs, at random ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_UNITTESTS_NPUSYNC_RANDOMPROGRAM_H
#define KILN_UNITTESTS_NPUSYNC_RANDOMPROGRAM_H

#include <cstdint>
#include <string>

namespace kiln::test {

/// The text of an npu function `@program` with loops (dynamic trip counts: index arguments),
/// branches (i1 arguments), rings and buffers that share bytes. The last four arguments are
/// pointers; the first two of those may overlap. `trips` and `conditions` are the numbers of index
/// and i1 arguments.
struct RandomProgram {
  std::string text;
  unsigned trips = 0, conditions = 0;
};
RandomProgram randomProgram(uint64_t seed);

} // namespace kiln::test

#endif // KILN_UNITTESTS_NPUSYNC_RANDOMPROGRAM_H
