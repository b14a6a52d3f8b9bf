//===- PinnedBuffers.cpp - buffers that their author put on the same bytes -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Analysis/PinnedBuffers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

static int64_t bytesOf(kiln::tile::LocalType type) {
  uint64_t bits = type.getTensorType().getNumElements() *
                  uint64_t(type.getElementType().getIntOrFloatBitWidth());
  return int64_t(llvm::divideCeil(bits, 8));
}

SmallVector<kiln::PinnedGroup> kiln::pinnedGroups(func::FuncOp function) {
  SmallVector<tile::LocalAllocOp> pinned;
  for (auto buffer : function.front().getOps<tile::LocalAllocOp>())
    if (buffer.getAddress())
      pinned.push_back(buffer);
  llvm::stable_sort(pinned, [](tile::LocalAllocOp a, tile::LocalAllocOp b) {
    return *a.getAddress() < *b.getAddress();
  });
  SmallVector<PinnedGroup> groups;
  for (tile::LocalAllocOp buffer : pinned) {
    int64_t begin = *buffer.getAddress(), end = begin + bytesOf(buffer.getResult().getType());
    if (groups.empty() || begin >= groups.back().end)
      groups.push_back({begin, end, {}});
    groups.back().end = std::max(groups.back().end, end);
    groups.back().buffers.push_back(buffer);
  }
  return groups;
}
