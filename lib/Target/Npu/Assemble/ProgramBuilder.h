//===- ProgramBuilder.h - appends instructions to a program of an image ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Registers are given out once and never reused. Pure scalar ops on the same operands are made once
// per nest of blocks, and in front of a loop where no operand changes in it (the scalar unit issues
// one instruction a cycle, so addresses are worth it). Both are right although loops write their
// carried registers again: those belong to the level of the loop's body, and what is known at a
// level ends with it. No scalar op traps, so that it does not matter if one runs in vain.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_ASSEMBLE_PROGRAMBUILDER_H
#define KILN_LIB_TARGET_NPU_ASSEMBLE_PROGRAMBUILDER_H

#include "Locations.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>
#include <vector>

namespace kiln::npu {

/// A register and what it is to hold.
struct Assignment {
  image::Operand target, source;
};

class ProgramBuilder {
public:
  /// Registers below `preset` are set by the launch.
  ProgramBuilder(Locations &locations, unsigned preset)
      : locations(locations), registerLevels(preset, 0), levels(1) {}

  /// Where the instructions to come stand in the source.
  void setPlace(mlir::Location location) { place = location; }

  /// A register that is written at a level; without one: at the current level.
  image::Operand newRegister() { return newRegister(level()); }
  image::Operand newRegister(unsigned level);
  /// From here on the register counts as written at the current level.
  void settle(image::Operand reg) { registerLevels[size_t(reg.value)] = level(); }
  /// What has been given out; more than the format holds is for the caller to report.
  unsigned registers() const { return unsigned(registerLevels.size()); }

  /// Starts the body of a loop or a branch. The instruction that opens it is appended after
  /// `leave`, so that the body can put code in front of it.
  void enter(bool isLoop);
  std::vector<image::Instruction> leave();
  /// How many bodies are open.
  unsigned level() const { return unsigned(levels.size()) - 1; }

  void append(image::Instruction instruction);
  void append(std::vector<image::Instruction> body);
  /// A control op at the current place.
  image::Instruction control(image::Op op, llvm::ArrayRef<image::Operand> operands = {});
  /// The whole program, when all bodies are closed.
  std::vector<image::Instruction> finish() { return std::move(levels.front().body); }

  /// The result of a pure scalar op.
  image::Operand scalar(image::Op op, machine::Element element,
                        llvm::ArrayRef<image::Operand> operands, uint8_t attribute = 0,
                        machine::Element from = machine::Element::I64);
  image::Operand compare(image::Op op, machine::Element element, machine::Predicate predicate,
                         image::Operand lhs, image::Operand rhs);
  /// A number of any size; floats: their bits.
  image::Operand constant(int64_t value);

  // 64-bit arithmetic of addresses, folded where operands are known.
  image::Operand add(image::Operand lhs, image::Operand rhs);
  image::Operand multiply(image::Operand lhs, int64_t factor);
  /// The remainder of a number that is not negative.
  image::Operand remainder(image::Operand value, int64_t divisor);

  void move(image::Operand target, image::Operand source);
  /// All sources are read before a target is written.
  void moveAll(llvm::ArrayRef<Assignment> moves);

private:
  using Key = std::vector<int64_t>;

  struct Level {
    bool isLoop = false;
    std::vector<image::Instruction> body;
    std::map<Key, image::Operand> known; ///< results of pure ops
  };

  /// Where an op on these operands belongs.
  unsigned levelFor(llvm::ArrayRef<image::Operand> operands) const;
  uint32_t location();

  Locations &locations;
  std::optional<mlir::Location> place;
  std::vector<unsigned> registerLevels; ///< by register
  std::vector<Level> levels;
};

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_ASSEMBLE_PROGRAMBUILDER_H
