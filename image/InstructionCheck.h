//===- InstructionCheck.h - is one instruction well formed? ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The part of image/Structure.h that looks at single instructions, for who makes them one by one.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_IMAGE_INSTRUCTIONCHECK_H
#define KILN_IMAGE_INSTRUCTIONCHECK_H

#include "image/Image.h"

#include <optional>

namespace kiln::image {

/// The two halves of an error whose place the caller knows.
struct Fault {
  std::string found, expected;
};

/// What is wrong with an instruction of a program, apart from nesting.
std::optional<Fault> checkInstruction(const Image &image, const Program &program,
                                      const Instruction &instruction);

} // namespace kiln::image

#endif // KILN_IMAGE_INSTRUCTIONCHECK_H
