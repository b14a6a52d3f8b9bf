//===- Execute.h - what a tile instruction does ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The values side of the simulator: one resolved instruction changes the memories of one core.
// sim/isa/README.md is the manual of the instructions; each class is one small file.
//
// Flags, barriers and whole-grid barriers are not executed here: they are the engine's.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ISA_EXECUTE_H
#define KILN_SIM_ISA_EXECUTE_H

#include "sim/check/Checker.h"
#include "sim/isa/Resolved.h"
#include "sim/mem/Memories.h"

#include <string>
#include <vector>

namespace kiln::sim {

/// What executing an instruction led to. One object serves all instructions of a run: it is cleared
/// first and keeps its storage.
struct Outcome {
  std::vector<Touch> touches; ///< only where tracking; none where nothing was done
  uint64_t value = 0;         ///< sload, satomic: for the result register
  bool defined = true;        ///< sload, satomic: all bits of `value`; always true without tracking
  uint64_t undefinedBits = 0; ///< sload, satomic: those of `value` that are not
  bool failed = false;        ///< the instruction is at fault, as follows
  FindingKind kind = FindingKind::IllegalInstruction;
  std::string message;

  void clear() {
    touches.clear();
    value = 0;
    defined = true;
    undefinedBits = 0;
    failed = false;
  }
  void fail(FindingKind what, std::string text) {
    failed = true;
    kind = what;
    message = std::move(text);
  }
};

/// Executes one instruction. `track`: also keep what is defined and fill Outcome::touches; it has
/// to be the same for the whole run. An instruction at fault leaves memory as it was, but for one
/// that stores undefined bytes: it stores them.
void execute(const Resolved &instruction, Memories &memories, bool track, Outcome &outcome);

/// The checks and touches of an instruction alone; memory stays as it is.
void touches(const Resolved &instruction, Memories &memories, Outcome &outcome);

} // namespace kiln::sim

#endif // KILN_SIM_ISA_EXECUTE_H
