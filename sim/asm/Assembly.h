//===- Assembly.h - images as text -----------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The language is taught in sim/asm/README.md. `disassemble` loses nothing: assembling its text
// gives an equal image.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ASM_ASSEMBLY_H
#define KILN_SIM_ASM_ASSEMBLY_H

#include "image/Image.h"
#include "runtime/base/Result.h"

#include <string>
#include <string_view>

namespace kiln::sim {

/// Reads a text. `place` names it in errors, which add line and column. The image is well formed.
Result<image::Image> assemble(std::string_view text, std::string_view place);

/// The text of a well-formed image.
std::string disassemble(const image::Image &image);

/// One instruction of a program of the image, without the blocks around it: "vadd UB[0] f32 [64],
/// …".
std::string disassemble(const image::Image &image, const image::Instruction &instruction);

} // namespace kiln::sim

#endif // KILN_SIM_ASM_ASSEMBLY_H
