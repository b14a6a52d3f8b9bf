//===- Packing.h - addresses for buffers -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Buffers that live at the same time get disjoint bytes. Those that do not may share, at a price:
// the second one's first write has to wait for the first one's last reader. Between instructions of
// V of different epochs something orders them anyway; across pipes the wait is a flag that takes
// away the overlap that the pipes are there for.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_MEMORY_PACKING_H
#define KILN_LIB_TARGET_NPU_MEMORY_PACKING_H

#include "Lifetimes.h"

namespace kiln::npu::memory {

struct Space {
  uint64_t bytes;     ///< that may be used
  uint64_t alignment; ///< of every buffer
};

struct Packed {
  bool fits = false;
  uint64_t top = 0; ///< bytes from 0 to the end of the last buffer
  llvm::SmallVector<uint64_t> addresses;
};

/// Addresses for all used buffers. `fixed` holds those that are given, by index. Where not all fit,
/// `fits` is false and `top` what the densest attempt takes.
Packed pack(llvm::ArrayRef<Buffer> buffers, const llvm::DenseMap<size_t, uint64_t> &fixed,
            const Space &space);

/// The indices of the buffers that live where the most bytes do.
llvm::SmallVector<size_t> fullestPoint(llvm::ArrayRef<Buffer> buffers, uint64_t alignment);

} // namespace kiln::npu::memory

#endif // KILN_LIB_TARGET_NPU_MEMORY_PACKING_H
