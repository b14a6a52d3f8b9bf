//===- Region.cpp - strides and extents of regions --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "image/Region.h"

#include "image/Structure.h"

#include <algorithm>
#include <limits>

namespace kiln::image {
namespace {

bool fits(int64_t value) { return value <= maxImmediate && value >= -maxImmediate - 1; }

} // namespace

bool setDenseStrides(Region &region) {
  std::array<Operand, 3> strides;
  if (region.element != machine::Element::I1) {
    int64_t stride = machine::bits(region.element) / 8;
    for (size_t d = region.rank; d-- > 0;) {
      strides[d] = Operand::immediate(stride);
      const Operand &size = region.dims[d].size;
      if (d > 0 &&
          (size.isRegister || __builtin_mul_overflow(stride, size.value, &stride) || !fits(stride)))
        return false;
    }
  }
  for (size_t d = 0; d < region.rank; ++d)
    region.dims[d].stride = strides[d];
  return true;
}

std::optional<Extent> immediateExtent(const Region &region) {
  using Wide = __int128; // three products of 63-bit numbers
  bool isMask = region.element == machine::Element::I1;
  Wide begin = 0, end = isMask ? 0 : machine::bits(region.element) / 8;
  bool empty = false;
  for (size_t d = 0; d < region.rank; ++d) {
    const auto &[size, stride] = region.dims[d];
    if (size.isRegister || stride.isRegister)
      return std::nullopt;
    empty |= size.value <= 0;
    Wide reach = Wide(size.value - 1) * stride.value;
    (reach < 0 ? begin : end) += isMask ? (size.value + 7) / 8 : reach;
  }
  if (empty)
    return Extent{};
  constexpr Wide least = std::numeric_limits<int64_t>::min();
  constexpr Wide most = std::numeric_limits<int64_t>::max();
  return Extent{int64_t(std::max(begin, least)), int64_t(std::min(end, most))};
}

} // namespace kiln::image
