//===- SimTest.h - small kernels to simulate -------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_UNITTESTS_SIM_SIMTEST_H
#define KILN_UNITTESTS_SIM_SIMTEST_H

#include "machine/MachineFile.h"
#include "sim/Simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kiln::sim::test {

/// The chip that tests run on, with some of its constants changed.
const machine::Machine &chip();
machine::Machine chipWith(std::initializer_list<std::pair<const char *, double>> changes);

/// An image from text in the language of sim/asm; the test fails if it is none.
image::Image imageOf(const std::string &text);
/// A vector program with these lines and pointer parameters %x, %y, %z of f32 (z is written) and %n
/// : i32.
image::Image vectorProgram(const std::string &lines);

/// Arguments of vectorProgram: three arrays of `count` elements and the number itself.
struct Arrays {
  explicit Arrays(size_t count);
  std::vector<float> x, y, z;
  std::vector<Binding> bindings();
};

/// Runs one launch; the test fails if it cannot. `grid` programs.
Report run(const image::Image &image, std::span<const Binding> bindings, uint32_t grid = 1,
           const Options &options = {}, const machine::Machine &machine = chip());

/// z = x + y over n elements, `tile` per program; one buffer, or two buffers with flags both ways.
image::Image vectorAdd(unsigned tile);
image::Image doubleBufferedAdd(unsigned tile);
uint32_t programsOf(size_t count, unsigned tile);

/// Mode and order at once.
Options functional();
Options random(uint64_t seed);
Options timed();
Options timingOnly();

} // namespace kiln::sim::test

#endif // KILN_UNITTESTS_SIM_SIMTEST_H
