//===- Checker.h - judges the order of a program's accesses ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The engine tells the checker what happens, in the order in which it executes (a legal order). The
// checker keeps a vector clock per pipe and, for every byte that was touched, who touched it last,
// and finds accesses that nothing orders (docs/design/npu-target.md, "Happens-before"). It also
// finds misused flags. It knows bytes and pipes, not what instructions compute: touched bytes come
// from what the instruction's body visits.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_CHECK_CHECKER_H
#define KILN_SIM_CHECK_CHECKER_H

#include "sim/Simulator.h"
#include "sim/isa/Resolved.h"

#include <memory>
#include <span>

namespace kiln::sim {

/// A core as the checker and the engine number them: AICs first, then AIVs, from 0.
using CoreId = uint32_t;

/// Some bytes that an instruction visits: a strided set of runs.
struct Touch {
  machine::Memory memory = machine::Memory::UB;
  bool write = false;
  bool atomic = false; ///< atomics do not race with each other
  uint64_t address = 0;
  uint32_t runBytes = 0;              ///< bytes of one run
  std::array<int64_t, 2> count{1, 1}; ///< runs per outer dimension
  std::array<int64_t, 2> stride{0, 0};
};

class Checker {
public:
  /// `report` takes what is found; it drops what exceeds Options::maxFindings.
  Checker(const image::Image &image, const machine::Machine &machine, unsigned aics, unsigned aivs,
          std::function<void(Finding)> report);
  ~Checker();

  /// The scalar unit has handed an instruction to a pipe: an edge from S to that pipe. Called in
  /// issue order, which the pipe keeps.
  void issue(CoreId core, machine::Pipe pipe);
  /// The pipe executes the instruction whose accesses are `touches`. On pipe S too (sload, sstore).
  void execute(CoreId core, const Place &place, std::span<const Touch> touches);
  /// A set or wait of a flag is executed by the source or destination pipe (a flag instruction is
  /// issued like others).
  void set(CoreId core, const Place &place, machine::Pipe source, machine::Pipe destination,
           int64_t id);
  void wait(CoreId core, const Place &place, machine::Pipe source, machine::Pipe destination,
            int64_t id);
  /// A barrier on one pipe, or on all pipes of the core.
  void barrier(CoreId core, const Place &place, machine::Pipe pipe);
  void barrierAll(CoreId core, const Place &place);
  /// Cross-core flags; `cores` of a set or wait that joins several.
  void crossSet(CoreId core, const Place &place, machine::Pipe pipe, machine::CrossMode mode,
                int64_t id);
  void crossWait(CoreId core, const Place &place, machine::Pipe pipe, machine::CrossMode mode,
                 int64_t id);
  /// sync_all: a core arrives with its pipes empty; when all have arrived, each leaves, and knows
  /// what all did before.
  void syncArrive(CoreId core, const Place &place);
  void syncLeave(CoreId core, const Place &place);
  /// The program of a core has ended and its pipes are empty: flags left set are misuse.
  void finish(CoreId core);
  /// The run is over, however: what was found in the order of accesses and flags. It is the same
  /// for all orders in which a program that ends may run.
  void reportOrder();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace kiln::sim

#endif // KILN_SIM_CHECK_CHECKER_H
