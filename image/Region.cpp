//===- Region.cpp - strides and extents of regions --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "image/Region.h"

#include "image/Structure.h"

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
  bool isMask = region.element == machine::Element::I1;
  Extent extent{0, isMask ? 0 : int64_t(machine::bits(region.element) / 8)};
  bool empty = false;
  for (size_t d = 0; d < region.rank; ++d) {
    const auto &[size, stride] = region.dims[d];
    if (size.isRegister || stride.isRegister)
      return std::nullopt;
    empty |= size.value <= 0;
    if (isMask)
      extent.end = size.value / 8 + (size.value % 8 != 0);
    int64_t reach = 0;
    if (size.value > 0 && __builtin_mul_overflow(size.value - 1, stride.value, &reach))
      return std::nullopt;
    int64_t &side = reach < 0 ? extent.begin : extent.end;
    if (__builtin_add_overflow(side, reach, &side))
      return std::nullopt;
  }
  return empty ? Extent{} : extent;
}

} // namespace kiln::image
