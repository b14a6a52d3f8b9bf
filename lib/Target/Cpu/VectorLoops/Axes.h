//===- Axes.h - which dimensions of which values run together --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Every node iterates over a rectangle of lanes. Two dimensions of two nodes are in one class, an
// *axis*, if the nodes map lanes one to one along it: one loop can serve both. A class never holds
// two dimensions of one node (`x + trans(x)` would ask for it): such a union is refused, and the
// operand is then read as a whole, through memory.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_VECTORLOOPS_AXES_H
#define KILN_TARGET_CPU_VECTORLOOPS_AXES_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace kiln::cpu {

/// A class of dimensions, or kUnit for a dimension of one lane, whose index is always 0.
using Axis = unsigned;
inline constexpr Axis kUnit = ~0u;

class Axes {
public:
  /// A new class with one member, a dimension of the node number `owner`.
  Axis make(unsigned owner);
  Axis find(Axis axis) const;
  /// Makes one class of two; false, and nothing changes, if a node would be in it twice.
  bool unite(Axis a, Axis b);

private:
  mutable std::vector<Axis> parents;
  std::vector<llvm::SmallVector<unsigned, 4>> owners; ///< of each root, sorted
};

} // namespace kiln::cpu

#endif // KILN_TARGET_CPU_VECTORLOOPS_AXES_H
