//===- Scratch.h - tensors that live in the thread's arena -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Values that leave the loop that makes them are kept at offsets from one extra argument of the
// function. Code is emitted before the offsets are known: every use is a constant that finish()
// fills in, once it has seen from when to when each buffer is used.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_VECTORLOOPS_SCRATCH_H
#define KILN_TARGET_CPU_VECTORLOOPS_SCRATCH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <memory>

namespace kiln::cpu {

/// Names of the attributes that tell the kernel's lowering about scratch: on an argument that
/// points into it, with the offset in bytes (absent: 0), and on the function, what it takes in all.
inline constexpr llvm::StringLiteral kScratchArgAttr = "kiln.scratch";
inline constexpr llvm::StringLiteral kScratchBytesAttr = "kiln.scratch_bytes";

/// Of the arena, and of every buffer in it.
inline constexpr int64_t kScratchAlignment = 64;

/// A dense row-major array of lanes; i1 is kept as i8, index as i64.
struct Buffer {
  mlir::Type element;                  ///< of the value
  llvm::SmallVector<int, 4> dims;      ///< the value's dimensions that the buffer has, in order
  llvm::SmallVector<int64_t, 4> shape; ///< their extents
  int64_t bytes = 0, offset = 0;
  unsigned begin = ~0u, end = 0; ///< first and last use
  llvm::SmallVector<mlir::arith::ConstantOp, 4> uses;

  /// Elements between neighbours along a dimension of the value; 0 if the buffer does not have it.
  int64_t strideOf(int dim) const;
};

class Scratch {
public:
  explicit Scratch(mlir::func::FuncOp function);

  Buffer *make(mlir::Type element, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int> dims);
  /// A buffer for a whole tensor.
  Buffer *makeTensor(mlir::Type tensor);
  /// The buffer's address, for code that is emitted now.
  mlir::Value address(mlir::OpBuilder &builder, mlir::Location loc, Buffer &buffer);
  void touch(Buffer &buffer);
  /// The buffer was in use since `start`.
  void touchSince(Buffer &buffer, unsigned start);

  /// Steps of emission: two buffers share bytes if one's last use is before the other's first.
  void advance() { ++clock; }
  unsigned now() const { return clock; }
  /// A loop that began at `start` ends: what was there before it and is used inside lives through.
  void endLoop(unsigned start);

  /// Fixes the offsets; takes the argument away if nothing is kept.
  void finish();

private:
  mlir::func::FuncOp function;
  unsigned clock = 0;
  int64_t reserved = 0; ///< bytes at the start of the arena that belong to others
  std::vector<std::unique_ptr<Buffer>> buffers;
};

/// The type of a value's lanes in memory.
mlir::Type storageType(mlir::Type element);
int64_t storageBytes(mlir::Type element);

} // namespace kiln::cpu

#endif // KILN_TARGET_CPU_VECTORLOOPS_SCRATCH_H
