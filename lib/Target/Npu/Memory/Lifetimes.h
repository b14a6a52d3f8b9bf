//===- Lifetimes.h - from when to when a buffer is needed ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Operations are numbered in program order; a buffer lives from its first access to its last. A
// loop stretches that to all of itself if the buffer comes into it with a value (it was written
// before, or the first access in the body reads), and if the buffer is a ring whose slots the loop
// steps through. A buffer that is written anew in every pass lives within the pass.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_MEMORY_LIFETIMES_H
#define KILN_LIB_TARGET_NPU_MEMORY_LIFETIMES_H

#include "kiln/Dialect/Npu/IR/Npu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu::memory {

struct Buffer {
  AllocOp alloc;
  uint64_t bytes = 0;
  unsigned begin = 0, end = 0;            ///< first and last operation that needs it
  unsigned firstEpoch = 0, lastEpoch = 0; ///< of these two
  unsigned depth = 0;                     ///< loops around its first access
  unsigned pipes = 0;                     ///< bit per machine::Pipe that accesses it
  bool isUsed = false;
  /// Buffers that die in the instruction in which this one is first written, lane on lane: the two
  /// may have the same address.
  llvm::SmallVector<mlir::Operation *, 2> inPlaceOf;

  bool livesWith(const Buffer &other) const { return begin <= other.end && other.begin <= end; }
};

/// Every buffer of a function.
llvm::SmallVector<Buffer> lifetimes(mlir::func::FuncOp function);

/// Bytes of an on-chip memref, packed bits rounded up.
uint64_t bytesOf(mlir::Type type);

} // namespace kiln::npu::memory

#endif // KILN_LIB_TARGET_NPU_MEMORY_LIFETIMES_H
