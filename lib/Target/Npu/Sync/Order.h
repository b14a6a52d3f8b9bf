//===- Order.h - what the pipes know of one another, along program order ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_SYNC_ORDER_H
#define KILN_LIB_TARGET_NPU_SYNC_ORDER_H

#include "machine/Opcode.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace kiln::npu {

/// Position of an instruction in program order, from 1. In a loop it stands for the instruction's
/// latest execution: a pipe that is behind it is behind all that the instruction's pipe ran before.
using Position = int64_t;

/// A position per pipe.
using Positions = std::array<Position, machine::pipeCount>;

inline size_t index(machine::Pipe pipe) { return static_cast<size_t>(pipe); }

/// For each pipe, up to which position it is behind every other one. `of(p, p)`: instructions of p
/// up to it are done for later ones of p.
class Knowledge {
public:
  Position of(machine::Pipe knower, machine::Pipe pipe) const {
    // What the scalar unit is behind, all is behind that it hands over later.
    return std::max(known[index(knower)][index(pipe)], known[index(machine::Pipe::S)][index(pipe)]);
  }
  void learn(machine::Pipe knower, machine::Pipe pipe, Position position) {
    Position &entry = known[index(knower)][index(pipe)];
    entry = std::max(entry, position);
  }
  /// `knower` comes to know what `from` knew at another point.
  void learnAll(machine::Pipe knower, const Knowledge &there, machine::Pipe from) {
    for (unsigned pipe = 0; pipe < machine::pipeCount; ++pipe)
      learn(knower, machine::Pipe(pipe), there.of(from, machine::Pipe(pipe)));
  }
  /// What holds whichever of two ways was taken.
  void meet(const Knowledge &other) {
    for (unsigned knower = 0; knower < machine::pipeCount; ++knower)
      for (unsigned pipe = 0; pipe < machine::pipeCount; ++pipe)
        known[knower][pipe] = std::min(known[knower][pipe], other.known[knower][pipe]);
  }

private:
  std::array<Positions, machine::pipeCount> known{};
};

/// The state behind an op (and all that is in it).
struct After {
  Knowledge knowledge;
  Positions last{}; ///< of each pipe, the last position so far
};

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_SYNC_ORDER_H
