//===- Overlap.h - whether two regions share bytes -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ISA_OVERLAP_H
#define KILN_SIM_ISA_OVERLAP_H

#include "sim/isa/Resolved.h"

namespace kiln::sim {

/// The same elements in the same order, of the same width.
bool isSame(const ResolvedRegion &a, const ResolvedRegion &b);

/// True if some byte belongs to both. Exact; quick where the extents are apart. Both lie within
/// their memories.
bool overlap(const ResolvedRegion &a, const ResolvedRegion &b);

} // namespace kiln::sim

#endif // KILN_SIM_ISA_OVERLAP_H
