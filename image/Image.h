//===- Image.h - a program for the NPU, in memory --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// An image holds, for each kind of core, a structured scalar program whose tile instructions work
// on whole strided regions of memory; what the kernel's arguments are; and the source line of every
// instruction. The compiler makes it, a file with the ending .npo keeps it (image/File.h), the
// simulator runs it, and text in the language of sim/asm says it for people.
//
// **Registers.** A program has `registers` 64-bit registers. An integer narrower than 64 bits is
// kept sign-extended (unsigned ones zero-extended; i1 is 0 or 1); a float is its bit pattern,
// zero-extended. The first registers are set before the program starts: one per parameter in order
// (a pointer: its virtual byte address), one per workspace (its address), then gridX, gridY, gridZ,
// coreIndex, coreCount (`FirstRegister`). All other registers are zero at the start.
//
// **Control** is nested, never a jump: `Loop … End`, `If … [Else …] End`, `Repeat … ExitUnless …
// End`. `ExitUnless` stands directly in the body of its `Repeat` (not in a block within it) and
// leaves it if its operand is 0.
//
// **Time.** The scalar unit runs the program; it hands each tile instruction, its operands read, to
// the queue of the instruction's pipe and goes on. Pipes run their queues in order and do not wait
// for one another: flags and barriers order them (machine/Opcode.h).
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_IMAGE_IMAGE_H
#define KILN_IMAGE_IMAGE_H

#include "machine/Opcode.h"
#include "runtime/base/Hash.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kiln::image {

inline constexpr uint32_t versionMajor = 1; ///< a reader refuses another one
inline constexpr uint32_t versionMinor = 0; ///< a reader takes older ones

/// What an instruction is. Scalar and control instructions are their own; a tile instruction is
/// `Op::Tile` with its machine::Opcode.
enum class Op : uint16_t {
#define KILN_SCALAR_OP(NAME, mnemonic, operands, hasResult) NAME,
#include "image/ScalarOp.def"
  Tile,
};

struct ScalarOpInfo {
  std::string_view mnemonic;
  unsigned operands;
  bool hasResult;
};
/// Facts of a scalar or control op (not of Op::Tile).
const ScalarOpInfo &info(Op op);

/// A register, or an immediate of 63 bits with a sign.
struct Operand {
  bool isRegister = false;
  int64_t value = 0; ///< the immediate, or the register's number

  static Operand immediate(int64_t value) { return {false, value}; }
  static Operand reg(uint16_t number) { return {true, number}; }
  bool operator==(const Operand &) const = default;
};

/// One dimension of a region.
struct Dim {
  Operand size;   ///< elements; 0 or less makes the region empty
  Operand stride; ///< bytes from one element of this dimension to the next; may be 0 or negative
  bool operator==(const Dim &) const = default;
};

/// A strided set of elements in one memory, up to three dimensions, the innermost last. In GM the
/// address is a virtual byte address, elsewhere a byte offset in the core's memory. An i1 region is
/// packed, bit i of byte i / 8 for element i; it has one dimension, whose stride is unused, and its
/// address is a whole byte.
struct Region {
  machine::Memory memory = machine::Memory::UB;
  machine::Element element = machine::Element::F32;
  uint8_t rank = 1; ///< 1 to 3
  Operand address;
  std::array<Dim, 3> dims; ///< the first `rank` count
  bool operator==(const Region &) const = default;
};

/// Bits of Instruction::flags.
enum InstructionFlag : uint8_t {
  FeedsControl =
      1,          ///< the value of a tile instruction reaches a branch, trip count, address or size
  Persistent = 2, ///< a Loop over the programs of the grid: iterations carry no memory order
};

// clang-format off
/// One instruction. What the fields hold for each class of tile instruction:
///
/// | class | regions | operands | attribute |
/// | --- | --- | --- | --- |
/// | Load, Store, Copy, Extract | dst, src: as many elements in the same shape | – | Store: 0 write, 1 atomic add, 2 max, 3 min |
/// | VBinary, VTernary | dst, a, b | – | – |
/// | VUnary, VBroadcast, VShape | dst, a | – | – |
/// | VScalar | dst, a | scalar (bits of the element) | – |
/// | VCmp | dst (i1), a, b — or dst, a and the scalar b | – or scalar | Predicate |
/// | VSel | dst, mask (i1), a, b — or dst, mask, a and the scalar b | – or scalar | – |
/// | VCast | dst, a | – | Rounding |
/// | VReduce | dst (one element per row, or per 32-byte block), a | – | – |
/// | VFill | dst | vdup: the value's bits; viota: the first value's | – |
/// | VGather | dst, offsets (u32, bytes from the start of src), src | – | – |
/// | VGatherMask | dst, mask (i1), a | – | – |
/// | VSort | vsort32: dst, scores, indices (u32); vmrgsort4: dst, lists | – | – |
/// | SMemory | one element | sstore: the value | – |
/// | SAtomic | one element | the value; cas: what is expected, then the new value | Atomic, not `None`; result: the old value |
/// | Flag | – | flag id | source pipe · 16 + destination pipe |
/// | Barrier | – | – | the pipe; 255 = all |
/// | CrossFlag | – | flag id | mode · 16 + pipe |
/// | SyncAll | – | – | – |
///
/// Fixpipe and Mmad have no form in this version. image/Signature.h has this table for programs.
///
/// What an instruction does not use is at its default (a stride of an i1 region: the immediate 0), so that every program
/// has one encoding. Immediate bits of a float are not negative and not wider than it.
///
/// Where operands of a vector instruction have the destination's shape they may repeat elements by a stride of
/// 0 in any dimension but the innermost.
// clang-format on
struct Instruction {
  Op op = Op::Tile;
  machine::Opcode opcode = {};                      ///< of a tile instruction
  machine::Element element = machine::Element::I64; ///< scalar ops: what they compute in
  machine::Element from = machine::Element::I64;    ///< scalar conversions: the operand's type
  uint8_t attribute = 0;                            ///< predicate, rounding, pipes, mode
  uint8_t flags = 0;                                ///< InstructionFlag
  uint16_t result = 0;   ///< register that takes the result; Loop: the induction register
  uint32_t location = 0; ///< index into Image::locations; 0 is "unknown"
  std::vector<Operand> operands;
  std::vector<Region> regions;
  bool operator==(const Instruction &) const = default;
};

/// Registers that hold what the launch gives, after those of parameters and workspaces.
enum class FirstRegister : uint16_t { GridX, GridY, GridZ, CoreIndex, CoreCount };
inline constexpr unsigned launchRegisters = 5;

/// The program of one kind of core.
struct Program {
  machine::Core core = machine::Core::AIV;
  uint16_t registers = 0;
  std::vector<Instruction> body;
  bool operator==(const Program &) const = default;
};

struct Parameter {
  std::string name;
  bool isPointer = false;
  machine::Element element = machine::Element::F32; ///< the scalar's, or what is pointed to
  bool written = false;                             ///< the program may store through it
  bool operator==(const Parameter &) const = default;
};

/// Global memory that the launch provides, undefined at the start.
struct Workspace {
  uint64_t bytesPerCore = 0; ///< the address register holds the start of the core's own part
  bool operator==(const Workspace &) const = default;
};

/// A place in a source file; `caller` is where the function at this place was called from.
struct Location {
  uint32_t file = 0;             ///< index into Image::files
  uint32_t line = 0, column = 0; ///< from 1; 0 is unknown
  uint32_t caller = 0; ///< index into Image::locations; smaller than this location's; 0 is none
  bool operator==(const Location &) const = default;
};

struct Image {
  std::string kernel;
  std::string chip;                  ///< name of the machine it was compiled for
  Digest machineHash{};              ///< hash of that machine's file
  uint32_t programsPerIteration = 1; ///< of the grid, in one pass of the persistent loop
  std::vector<Parameter> parameters;
  std::vector<Workspace> workspaces;
  std::vector<std::string> files;
  std::vector<Location> locations = {Location{}}; ///< entry 0 is "unknown"
  std::vector<std::string> messages;              ///< what `trap_unless` says
  std::vector<Program> programs;                  ///< at most one per kind of core
  std::string mlir; ///< the npu dialect's text, for emitters; may be empty
  bool operator==(const Image &) const = default;

  /// The number of registers that are set before the program starts.
  unsigned presetRegisters() const {
    return unsigned(parameters.size() + workspaces.size()) + launchRegisters;
  }
  uint16_t launchRegister(FirstRegister which) const {
    return uint16_t(parameters.size() + workspaces.size() + unsigned(which));
  }
};

} // namespace kiln::image

#endif // KILN_IMAGE_IMAGE_H
