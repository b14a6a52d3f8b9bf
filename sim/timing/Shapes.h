//===- Shapes.h - how much an instruction works on -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_TIMING_SHAPES_H
#define KILN_SIM_TIMING_SHAPES_H

#include "machine/Cost.h"
#include "sim/isa/Resolved.h"

namespace kiln::sim {

/// True for what runs on V and has a cost there.
inline bool isVector(machine::OpClass opClass) {
  return opClass == machine::OpClass::Copy ||
         (opClass >= machine::OpClass::VBinary && opClass <= machine::OpClass::VSort);
}

/// The shape that machine::vectorCost takes. Sizes beyond any memory are cut: such an instruction
/// cannot run, and its time must not overflow.
machine::VectorShape vectorShape(const machine::Machine &machine, machine::OpClass opClass,
                                 const Resolved &resolved);

/// Bytes that a transfer of regions[1] to regions[0] moves, counted as machine::Path counts them.
uint64_t transferBytes(const machine::Machine &machine, const Resolved &resolved);

} // namespace kiln::sim

#endif // KILN_SIM_TIMING_SHAPES_H
