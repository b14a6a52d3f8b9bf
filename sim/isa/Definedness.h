//===- Definedness.h - which results are defined ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Arithmetic: an element of the result is defined if all bits of the elements that it is computed
// from are. What only moves bits moves their shadows too; bitwise operations work bit by bit.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ISA_DEFINEDNESS_H
#define KILN_SIM_ISA_DEFINEDNESS_H

#include "sim/isa/Rows.h"

#include <initializer_list>

namespace kiln::sim {

/// True if all bits are defined. A null shadow is.
bool allDefined(const uint8_t *shadow, int64_t bytes);

/// The elements of one operand, adjacent.
struct ShadowRow {
  const uint8_t *shadow;
  int64_t elementBytes;
};

/// Marks `count` results by the operands that each of them is computed from.
void propagate(uint8_t *result, int64_t resultBytes, std::initializer_list<ShadowRow> operands,
               int64_t count);

/// 0xFF for each of `count` elements (at most 256) that is wholly defined, else 0; and-ed into
/// `flags`.
void flagDefined(uint8_t *flags, const ShadowRow &operand, int64_t count);

/// `propagate` for one-operand, two-operand and three-operand instructions whose destination is
/// region 0 and whose rows are those of regions 0, 1, ….
template <size_t N>
void propagateRows(Context &context, const Rows<N> &rows, std::array<unsigned, N> indices) {
  if (!context.track)
    return;
  auto shadow = [&](size_t n, const std::array<int64_t, N> &offsets) {
    return context.views[indices[n]].shadow + offsets[n];
  };
  auto bytes = [&](size_t n) { return elementBytes(context.element(indices[n])); };
  rows.each([&](const std::array<int64_t, N> &offsets) {
    static_assert(N >= 2 && N <= 4);
    if constexpr (N == 2)
      propagate(shadow(0, offsets), bytes(0), {{shadow(1, offsets), bytes(1)}}, rows.length);
    else if constexpr (N == 3)
      propagate(shadow(0, offsets), bytes(0),
                {{shadow(1, offsets), bytes(1)}, {shadow(2, offsets), bytes(2)}}, rows.length);
    else
      propagate(shadow(0, offsets), bytes(0),
                {{shadow(1, offsets), bytes(1)},
                 {shadow(2, offsets), bytes(2)},
                 {shadow(3, offsets), bytes(3)}},
                rows.length);
  });
}

} // namespace kiln::sim

#endif // KILN_SIM_ISA_DEFINEDNESS_H
