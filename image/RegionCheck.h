//===- RegionCheck.h - alignment and extents of an instruction's regions ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Private to this library.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_IMAGE_REGIONCHECK_H
#define KILN_IMAGE_REGIONCHECK_H

#include "image/InstructionCheck.h"
#include "machine/Machine.h"

namespace kiln::image {

/// "the destination", "operand 2".
std::string regionName(size_t index);

/// What is wrong with the regions of a tile instruction, as far as they are immediate: alignment,
/// strides, shapes, extents. An empty region is never wrong.
std::optional<Fault> checkRegions(const Instruction &instruction, const machine::Machine &machine);

} // namespace kiln::image

#endif // KILN_IMAGE_REGIONCHECK_H
