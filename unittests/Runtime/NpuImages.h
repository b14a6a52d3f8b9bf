//===- NpuImages.h - program images for the tests of the simulated NPU ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_UNITTESTS_RUNTIME_NPUIMAGES_H
#define KILN_UNITTESTS_RUNTIME_NPUIMAGES_H

#include "TestSupport.h"

#include "image/File.h"
#include "sim/asm/Assembly.h"

#include <string>
#include <string_view>

namespace kiln {

/// The bytes of an image from its text, for a chip.
inline std::string npuImage(std::string_view head, std::string_view body,
                            std::string_view chip = "ascend910b") {
  std::string text = "kernel \"scale\" chip \"" + std::string(chip) + "\"\n" + std::string(head) +
                     "program aiv {\n" + std::string(body) + "}\n";
  return image::serialize(valueOf(sim::assemble(text, "test.nasm")));
}

/// The kernel of the conformance suite: program p multiplies element p of x by the factor if p is
/// below n. It has no tile: one element at a time through the scalar unit.
constexpr std::string_view scaleHead = "param %x : *f32 written\nparam %n : i64\nparam %f : f32\n";
constexpr std::string_view scaleBody = R"(
  %xy = mul.i64 %gridX, %gridY
  %programs = mul.i64 %xy, %gridZ
  loop %p = %coreIndex to %programs step %coreCount {
    %inside = cmps.lt.i64 %p, %n
    if %inside {
      %bytes = mul.i64 %p, 4
      %at = add.i64 %x, %bytes
      %v = sload GM[%at] f32 [1]
      %w = fmul.f32 %v, %f
      sstore GM[%at] f32 [1], %w
    }
  }
)";

} // namespace kiln

#endif // KILN_UNITTESTS_RUNTIME_NPUIMAGES_H
