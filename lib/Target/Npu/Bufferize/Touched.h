//===- Touched.h - who reads and writes buffers that the author named ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_BUFFERIZE_TOUCHED_H
#define KILN_LIB_TARGET_NPU_BUFFERIZE_TOUCHED_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace kiln::npu::bufferize {

/// Which operations touch which buffers. Buffers that the author put on the same bytes count as
/// one; flags and barriers of the author count as touching everything, since what is beyond them
/// may happen in between.
class Touched {
public:
  explicit Touched(mlir::func::FuncOp function);

  /// A tensor that lies in a buffer: its users read the buffer.
  void addReader(mlir::Operation *op, mlir::Value buffer) { add(op, buffer, false); }
  void addWriter(mlir::Operation *op, mlir::Value buffer) { add(op, buffer, true); }
  /// Before an operation is erased.
  void forget(mlir::Operation *op) { touched.erase(op); }

  /// The operation, or one within it, touches the buffer; `onlyWrites`: writes it.
  bool touches(mlir::Operation *op, mlir::Value buffer, bool onlyWrites) const;

private:
  struct Touch {
    mlir::Value buffer; ///< the first of those that share bytes; null: all
    bool write;
  };

  void add(mlir::Operation *op, mlir::Value buffer, bool write);

  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Touch, 2>> touched;
  llvm::DenseMap<mlir::Value, mlir::Value> leaders;
};

} // namespace kiln::npu::bufferize

#endif // KILN_LIB_TARGET_NPU_BUFFERIZE_TOUCHED_H
