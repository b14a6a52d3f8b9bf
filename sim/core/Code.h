//===- Code.h - a program of an image, ready to run ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A program is decoded once per launch: ends of blocks are matched, immediates become registers
// behind the program's own, and what does not depend on registers is filled into a Resolved per
// tile instruction, so that issuing one is a copy and a few patches. Code number i is instruction
// number i of Program::body; one Finish follows.
//
// The image is well formed (image/Structure.h). Decoding refuses what the machine does not have:
// paths, memories and instructions of a kind of core. What operands have to look like is the
// business of sim/isa, when they run.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_CORE_CODE_H
#define KILN_SIM_CORE_CODE_H

#include "machine/Machine.h"
#include "runtime/base/Result.h"
#include "sim/isa/Resolved.h"

#include <array>
#include <cstdint>
#include <vector>

namespace kiln::sim {

/// How the scalar unit runs a code.
enum class Step : uint8_t {
  Evaluate, ///< result = op(operands)
  Copy,     ///< result = operand 0
  Select,
  Loop,       ///< target: behind its end
  LoopEnd,    ///< target: the first of the body
  If,         ///< target: where to go if the operand is 0
  Jump,       ///< at an Else: to the end of its If
  Nothing,    ///< Repeat, the end of an If
  RepeatEnd,  ///< target: the first of the body
  ExitUnless, ///< target: behind the end of its Repeat
  TrapUnless,
  Tile,
  Finish,
};

struct Code {
  Step step = Step::Nothing;
  uint32_t result = 0;
  std::array<uint32_t, 3> operands{}; ///< registers, or constants behind them
  uint32_t target = 0; ///< of control, see Step; Tile: number of the tile; TrapUnless: the message
  uint32_t frame = 0;  ///< Loop, LoopEnd: which loop frame
  const image::Instruction *instruction = nullptr;
};

/// A word of a Resolved that takes a register's value.
struct Patch {
  uint16_t offset = 0;  ///< bytes from the start of the Resolved
  bool control = false; ///< an address or a size: must be defined, and is part of the control trace
  uint32_t reg = 0;
};

/// A tile instruction.
struct Tile {
  machine::Opcode opcode{};
  machine::OpClass opClass{};
  machine::Pipe pipe = machine::Pipe::S; ///< that executes it
  bool feedsControl = false;
  bool local = true;     ///< touches nothing that other cores reach
  bool allPipes = false; ///< a barrier of all pipes
  machine::Pipe source = machine::Pipe::S, destination = machine::Pipe::S; ///< of a flag
  machine::CrossMode mode{};
  const machine::Path *path = nullptr; ///< of a transfer
  uint32_t result = 0;                 ///< register of sload, satomic
  uint32_t firstPatch = 0, patches = 0;
  Resolved model;
};

struct DecodedProgram {
  machine::Core core{};
  std::vector<Code> code;
  std::vector<Tile> tiles;
  std::vector<Patch> patches;
  std::vector<int64_t> constants; ///< values of registers from `registers` on
  uint32_t registers = 0;
  uint32_t frames = 0;
};

/// The program must outlive the result.
Result<DecodedProgram> decode(const image::Image &image, const image::Program &program,
                              const machine::Machine &machine);

} // namespace kiln::sim

#endif // KILN_SIM_CORE_CODE_H
