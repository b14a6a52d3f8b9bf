//===- Structure.h - is an image well formed? ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// What holds for every image on every machine. Whoever walks an image (disassembler, simulator)
// relies on it and checks nothing of it again:
//   * enumerators exist; indices of files, locations and messages are in range; callers come first;
//   * at most one program per kind of core; preset registers are declared, registers are in range;
//   * blocks nest, at most `maxNesting` deep, Else only in an If, ExitUnless directly in a Repeat;
//   * operands, regions and attributes are those of the instruction's Signature;
//   * fields that an instruction does not use are at their defaults.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_IMAGE_STRUCTURE_H
#define KILN_IMAGE_STRUCTURE_H

#include "image/Image.h"
#include "runtime/base/Result.h"

namespace kiln::image {

// What a reader takes at most, so that no file makes it allocate without bound.
inline constexpr uint64_t maxFileBytes = uint64_t(64) << 20;
inline constexpr uint64_t maxTextBytes = uint64_t(16) << 20; ///< of Image::mlir
inline constexpr uint64_t maxNameBytes = 1 << 16;            ///< of any other string
inline constexpr uint64_t maxParameters = 1024;
inline constexpr uint64_t maxWorkspaces = 64;
inline constexpr uint64_t maxWorkspaceBytes = uint64_t(1) << 40;
inline constexpr uint64_t maxTableEntries = 1 << 20; ///< files, locations, messages each
inline constexpr uint64_t maxInstructions = 1 << 20; ///< of one program
inline constexpr unsigned maxNesting = 64;
/// Immediates are in [-2^62, 2^62).
inline constexpr int64_t maxImmediate = (int64_t(1) << 62) - 1;

/// Succeeds if the image is well formed. `place` names it in errors.
Result<void> checkStructure(const Image &image, std::string_view place);

/// "vadd", "loop": the instruction's name. Its op and opcode have to exist.
std::string_view mnemonic(const Instruction &instruction);

/// "kernel.py:12:5", or nothing if the location is unknown.
std::string sourceLine(const Image &image, uint32_t location);

/// "program AIV, instruction 17 (vadd, kernel.py:12:5)", after `place` and ": " if there is one.
std::string instructionPlace(const Image &image, const Program &program, size_t instruction,
                             std::string_view place = {});

} // namespace kiln::image

#endif // KILN_IMAGE_STRUCTURE_H
