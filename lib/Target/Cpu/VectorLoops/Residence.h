//===- Residence.h - which values are kept, and where they are computed ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_VECTORLOOPS_RESIDENCE_H
#define KILN_TARGET_CPU_VECTORLOOPS_RESIDENCE_H

#include "Schedule.h"
#include "Scratch.h"

namespace kiln::cpu {

/// Decides for every node of a scheduled block: computed in the one leaf that reads it, computed
/// again in each, or computed once and kept. Sets `needs`, `neededWhole`, `anywhere`, `home` and
/// `buffers`. A node with a home and no buffer is kept as a scalar, or only read in its home.
void assignResidence(Schedule &schedule, Graph &graph, Scratch &scratch);

} // namespace kiln::cpu

#endif // KILN_TARGET_CPU_VECTORLOOPS_RESIDENCE_H
