//===- Rows.h - walking several regions together ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ISA_ROWS_H
#define KILN_SIM_ISA_ROWS_H

#include "sim/isa/Operands.h"

namespace kiln::sim {

/// The rows of N regions of the same sizes whose innermost elements are adjacent. Dimensions over
/// which all of them run on without gaps are joined, so flat work is one long row.
template <size_t N> struct Rows {
  std::array<int64_t, 2> count{1, 1};
  int64_t length = 1;                             ///< elements of a row
  std::array<std::array<int64_t, 2>, N> stride{}; ///< bytes

  Rows(const Context &context, std::array<unsigned, N> indices) {
    const std::array<int64_t, 3> &size = context.region(indices[0]).size;
    length = size[2];
    unsigned outer = 2; // dimensions outside of the row: [0, outer)
    for (; outer > 0; --outer) {
      const unsigned d = outer - 1;
      bool joins = true;
      for (unsigned index : indices)
        joins &= size[d] == 1 ||
                 context.region(index).stride[d] == length * elementBytes(context.element(index));
      if (!joins)
        break;
      length *= size[d];
    }
    for (unsigned d = 0; d < outer; ++d) {
      count[d] = size[d];
      for (size_t n = 0; n < N; ++n)
        stride[n][d] = context.region(indices[n]).stride[d];
    }
  }

  /// Calls `visit(offsets)` for each row, with the byte offset of its first element in each region.
  template <typename Visit> void each(Visit visit) const {
    std::array<int64_t, N> offsets;
    for (int64_t i = 0; i < count[0]; ++i)
      for (int64_t j = 0; j < count[1]; ++j) {
        for (size_t n = 0; n < N; ++n)
          offsets[n] = i * stride[n][0] + j * stride[n][1];
        visit(offsets);
      }
  }
};

} // namespace kiln::sim

#endif // KILN_SIM_ISA_ROWS_H
