//===- CrossFlags.h - flags between cores ----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The n-th wait of a core on (mode, id) is satisfied by the n-th set of each of its partners on the
// same (mode, id):
//   - AllCores: all cores of the kind, itself included,
//   - VectorPair: the AIVs of its AI core, itself included,
//   - CubeVector: an AIC waits for all AIVs of its AI core, an AIV for its AIC.
// Sets carry the time from which they are seen.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_CORE_CROSSFLAGS_H
#define KILN_SIM_CORE_CROSSFLAGS_H

#include "machine/Machine.h"
#include "sim/check/Checker.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kiln::sim {

class CrossFlags {
public:
  CrossFlags(const machine::Machine &machine, unsigned aics, unsigned aivs);

  bool isId(int64_t id) const { return id >= 0 && id < ids; }
  /// False if one of its partners would have more unmatched sets than the hardware counts.
  bool set(CoreId core, machine::CrossMode mode, int64_t id, double seenFrom);
  /// When the core's next wait is satisfied; none if a partner has not set yet.
  std::optional<double> waitEnd(CoreId core, machine::CrossMode mode, int64_t id) const;
  /// Takes what waitEnd found.
  void wait(CoreId core, machine::CrossMode mode, int64_t id) { ++channel(core, mode, id).waits; }
  /// Those that the core waits for, or, which is the same, that wait for it.
  std::vector<CoreId> partners(CoreId core, machine::CrossMode mode) const;
  /// A partner that has not set what the core waits for.
  std::optional<CoreId> missing(CoreId core, machine::CrossMode mode, int64_t id) const;

private:
  struct Channel {
    uint64_t sets = 0, waits = 0;
    std::vector<double> times; ///< of the last sets, a ring
  };
  Channel &channel(CoreId core, machine::CrossMode mode, int64_t id) {
    return channels[(size_t(core) * machine::crossModeCount + size_t(mode)) * size_t(ids) +
                    size_t(id)];
  }
  const Channel &channel(CoreId core, machine::CrossMode mode, int64_t id) const {
    return const_cast<CrossFlags *>(this)->channel(core, mode, id);
  }

  unsigned aics, aivs, vectorsPerCore;
  uint64_t depth;
  int64_t ids;
  std::vector<Channel> channels;
};

} // namespace kiln::sim

#endif // KILN_SIM_CORE_CROSSFLAGS_H
