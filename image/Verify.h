//===- Verify.h - can a machine run an image? --------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// What can be said before a program runs. What stands in registers, the order of accesses and the
// launch are judged by the simulator while it runs.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_IMAGE_VERIFY_H
#define KILN_IMAGE_VERIFY_H

#include "image/Image.h"
#include "machine/Machine.h"
#include "runtime/base/Result.h"

namespace kiln::image {

/// Succeeds if all instructions of a well-formed image are ones that the machine has, on the core
/// that has them, with element types, conversions, memories, paths, pipes, flag ids, alignments and
/// extents that are legal as far as they are immediate. The error names program, instruction and
/// source line.
Result<void> checkAgainst(const Image &image, const machine::Machine &machine);

/// True if a core of this kind has the pipe.
bool hasPipe(const machine::Machine &machine, machine::Core core, machine::Pipe pipe);

} // namespace kiln::image

#endif // KILN_IMAGE_VERIFY_H
