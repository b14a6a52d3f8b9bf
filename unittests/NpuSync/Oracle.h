//===- Oracle.h - what the machine orders, by brute force --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_UNITTESTS_NPUSYNC_ORACLE_H
#define KILN_UNITTESTS_NPUSYNC_ORACLE_H

#include "Unrolled.h"

#include "llvm/ADT/BitVector.h"

#include <string>

namespace kiln::test {

/// What is wrong with a run; empty texts: nothing.
struct Verdict {
  std::string conflict; ///< two accesses of the same bytes that nothing orders
  std::string flags; ///< a flag raised twice, never raised, or up at the end; or a cycle of waits
  unsigned conflicts = 0;             ///< pairs of accesses that had to be ordered
  std::vector<llvm::BitVector> order; ///< of instructions: those that are over before it begins

  bool good() const { return conflict.empty() && flags.empty(); }
};

/// Knows only the rules of the machine: the scalar unit hands over in order; a pipe begins in
/// order; a set comes when all before it on its pipe is over, a wait before what follows on its
/// own; a barrier holds its pipe until all before it is over; the k-th wait of a flag takes the
/// k-th set.
Verdict judge(const std::vector<Event> &events);

} // namespace kiln::test

#endif // KILN_UNITTESTS_NPUSYNC_ORACLE_H
