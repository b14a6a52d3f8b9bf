//===- Region.h - strides and extents of regions ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_IMAGE_REGION_H
#define KILN_IMAGE_REGION_H

#include "image/Image.h"

#include <optional>

namespace kiln::image {

/// Sets the strides of a region whose elements follow one another in row-major order. False, and
/// nothing is set, if a size but the outermost is in a register or a stride would not fit.
bool setDenseStrides(Region &region);

/// Bytes that a region visits, from its address: [begin, end). `begin` is negative where a stride
/// is. Equal: no element.
struct Extent {
  int64_t begin = 0, end = 0;
};

/// The extent of a region whose sizes and strides are all immediate, none if one is not. Ends that
/// do not fit into 64 bits are the nearest ones that do.
std::optional<Extent> immediateExtent(const Region &region);

} // namespace kiln::image

#endif // KILN_IMAGE_REGION_H
