//===- ProgramBuilder.h - appends instructions to a program of an image ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Registers are given out once and never reused. Pure scalar ops on the same operands are made once
// per nest of blocks. That is right although loops write their carried registers again: such a
// register keeps its value while code is made that sees it, and scopes end with their blocks.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_ASSEMBLE_PROGRAMBUILDER_H
#define KILN_LIB_TARGET_NPU_ASSEMBLE_PROGRAMBUILDER_H

#include "image/Image.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <map>

namespace kiln::npu {

/// A register and what it is to hold.
struct Assignment {
  image::Operand target, source;
};

class ProgramBuilder {
public:
  /// Registers below `preset` are set by the launch.
  ProgramBuilder(image::Program &program, unsigned preset) : program(program), next(preset) {}

  /// Where the instructions to come stand in the source: an index into Image::locations.
  uint32_t location = 0;

  image::Operand newRegister() { return image::Operand::reg(uint16_t(next++)); }
  /// What has been given out; more than the format holds is for the caller to report.
  unsigned registers() const { return next; }

  /// Appends an instruction at the current location.
  image::Instruction &append(image::Instruction instruction);
  /// Appends a control op.
  image::Instruction &control(image::Op op, llvm::ArrayRef<image::Operand> operands = {});

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

  /// Values made in a scope are known in the scopes within it.
  class Scope {
  public:
    explicit Scope(ProgramBuilder &builder) : builder(builder) { builder.scopes.emplace_back(); }
    ~Scope() { builder.scopes.pop_back(); }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    ProgramBuilder &builder;
  };

private:
  using Key = std::vector<int64_t>;

  image::Program &program;
  unsigned next;
  std::vector<std::map<Key, image::Operand>> scopes;
};

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_ASSEMBLE_PROGRAMBUILDER_H
