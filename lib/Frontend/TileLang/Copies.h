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

/// Both sides with their extents, source first; nothing after an error.
std::optional<std::pair<RegionData, RegionData>> sidesOf(CallContext &context,
                                                         const Arguments &arguments,
                                                         llvm::StringRef srcName = "src",
                                                         llvm::StringRef dstName = "dst");

/// The dimensions of a region that lanes run over: those that are not 1, outermost first. `count`
/// tells how many the other side has; dimensions of 1 fill up from the last one on.
llvm::SmallVector<size_t> laneDims(const RegionData &region, size_t count);

/// Whether `count` indices from `start` on are known to lie inside an extent.
bool isInside(CallContext &context, const Value &start, int64_t count, const Value &extent);

} // namespace kiln::frontend::tilelang

#endif // KILN_LIB_FRONTEND_TILELANG_COPIES_H
