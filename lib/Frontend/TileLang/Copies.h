//===- Copies.h - the two sides of a copy -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_TILELANG_COPIES_H
#define KILN_LIB_FRONTEND_TILELANG_COPIES_H

#include "Buffers.h"

namespace kiln::frontend::tilelang {

/// Source and destination, both with their extents.
using Sides = std::pair<RegionData, RegionData>;

/// The arguments of these names as sides: one that is an element is the corner of a region as large
/// as the other side. Nothing after an error.
std::optional<Sides> sidesOf(CallContext &context, const Arguments &arguments,
                             llvm::StringRef srcName = "src", llvm::StringRef dstName = "dst");
/// The sides of `T.copy`, at least one of them on chip, after what both levels ask of its other
/// arguments. Nothing after an error.
std::optional<Sides> copySides(CallContext &context, const Arguments &arguments);
/// False, after an error, if the element types of the sides differ.
bool sameDType(CallContext &context, const RegionData &src, const RegionData &dst);

/// The dimensions of a region that lanes run over: those that are not 1, outermost first. `count`
/// tells how many the other side has; dimensions of 1 fill up from the last one on.
llvm::SmallVector<size_t> laneDims(const RegionData &region, size_t count);

/// Whether a load of `extent` entries of a tensor to `lanes` of a buffer means to pad: it has a pad
/// value, or the buffer's rows are blocks of 32 bytes, the least that the chip moves well.
bool isPadded(const Arguments &arguments, DType dtype, int64_t extent, int64_t lanes,
              bool isInnermost);

/// Whether `count` indices from `start` on are known to lie inside an extent.
bool isInside(CallContext &context, const Value &start, int64_t count, const Value &extent);

} // namespace kiln::frontend::tilelang

#endif // KILN_LIB_FRONTEND_TILELANG_COPIES_H
