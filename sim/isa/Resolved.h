//===- Resolved.h - a tile instruction with its operands read --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// What the scalar unit hands to a pipe. Registers were read when the instruction was issued; from
// here on nothing depends on the scalar program any more. Engine, semantics, timing and checks all
// work on this.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ISA_RESOLVED_H
#define KILN_SIM_ISA_RESOLVED_H

#include "image/Image.h"

#include <array>
#include <cstdint>

namespace kiln::sim {

/// A region whose address, sizes and strides are numbers. Dimensions are right-aligned: unused
/// leading ones have size 1, so a loop nest of three serves all ranks.
struct ResolvedRegion {
  machine::Memory memory = machine::Memory::UB;
  machine::Element element = machine::Element::F32;
  uint64_t address = 0; ///< GM: virtual; else offset in the core's memory
  std::array<int64_t, 3> size{1, 1, 1};
  std::array<int64_t, 3> stride{0, 0, 0}; ///< bytes

  int64_t elements() const {
    int64_t count = 1;
    for (int64_t extent : size)
      if (extent <= 0)
        return 0;
    for (int64_t extent : size)
      if (__builtin_mul_overflow(count, extent, &count))
        return INT64_MAX; // more than any memory holds
    return count;
  }
  /// Bytes of the elements themselves, each counted as often as it is visited.
  uint64_t bytes() const { return (uint64_t(elements()) * machine::bits(element) + 7) / 8; }
  /// True if elements follow one another without gaps in the order of visiting.
  bool contiguous() const {
    uint64_t expected = machine::bits(element) / 8; // absurd sizes wrap around
    for (int d = 2; d >= 0; --d) {
      if (size[d] != 1 && uint64_t(stride[d]) != expected)
        return false;
      expected *= uint64_t(size[d]);
    }
    return true;
  }
};

struct Resolved {
  const image::Instruction *instruction = nullptr;
  uint32_t index = 0; ///< in Program::body
  uint8_t regionCount = 0;
  machine::Pipe pipe = machine::Pipe::S;
  std::array<ResolvedRegion, 4> regions;
  std::array<uint64_t, 2> scalars{}; ///< the operands
  uint64_t undefinedBits = 0;        ///< sstore: bits of its value that come from undefined ones
};

} // namespace kiln::sim

#endif // KILN_SIM_ISA_RESOLVED_H
