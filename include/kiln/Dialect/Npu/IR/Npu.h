//===- Npu.h - the npu dialect ---------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_DIALECT_NPU_IR_NPU_H
#define KILN_DIALECT_NPU_IR_NPU_H

#include "kiln/Dialect/Npu/IR/NpuAttributes.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "kiln/Dialect/Npu/IR/NpuDialect.h.inc"

namespace kiln::npu {

/// Marks the loop over the programs of the grid (the dialect's description).
inline constexpr llvm::StringLiteral kPersistentAttr = "npu.persistent";
/// Unit attributes of a kernel function: the author's own flags and barriers, or the author's own
/// addresses, are all there are.
inline constexpr llvm::StringLiteral kAuthorSyncAttr = "npu.author_sync";
inline constexpr llvm::StringLiteral kAuthorMemoryAttr = "npu.author_memory";

/// On accesses of global memory in an iteration that runs several programs: whose it is (an i64).
/// Accesses of different programs have no order.
inline constexpr llvm::StringLiteral kProgramAttr = "npu.program";

/// A memref whose memory space is an `#npu.mem` other than gm.
bool isOnChip(mlir::Type type);

/// The memory of an on-chip memref.
machine::Memory memoryOf(mlir::Type type);

/// True if a window of type `result` may look into `source`: elements of the same width, or one of
/// both counts bytes (one dimension of i8). Both are memrefs.
bool isWindowElement(mlir::Type source, mlir::Type result);

/// True if a window of type `result` that starts so many elements behind the start of `source`
/// stays inside it.
bool isWindowInside(mlir::Type source, int64_t offset, mlir::Type result);

/// One operand that an instruction reads or writes. A destination that takes part (vaxpy, vmuladd)
/// has a second access, a read, behind all others.
struct Access {
  mlir::Value buffer; ///< an on-chip memref, or a !tile.ptr
  bool write = false;
  /// Of a pointer: which elements. Empty sizes: one element at `offset`.
  mlir::Value offset;
  llvm::SmallVector<mlir::OpFoldResult> sizes, strides;
  /// Of an sload or sstore on a memref: only the element at this index.
  mlir::Value index;

  bool isGlobal() const { return mlir::isa<tile::PtrType>(buffer.getType()); }
};

} // namespace kiln::npu

#include "kiln/Dialect/Npu/IR/NpuInterfaces.h.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Npu/IR/NpuOps.h.inc"

#endif // KILN_DIALECT_NPU_IR_NPU_H
