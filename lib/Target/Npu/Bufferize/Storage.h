//===- Storage.h - which tensors share a buffer ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Every tensor starts with storage of its own. Control flow wants some of them in one place: a
// loop's initial value, its argument, what the body yields and the result; the results of an `if`
// and what its branches yield. Two storages become one if no tensor of the one is still needed when
// a tensor of the other comes into being; otherwise the caller copies.
//
// Operations are numbered in program order, so life is an interval, which a loop stretches to its
// end for what it uses from outside; uses in the other branch of an `if` do not count.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_BUFFERIZE_STORAGE_H
#define KILN_LIB_TARGET_NPU_BUFFERIZE_STORAGE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace kiln::npu::bufferize {

/// A tensor that has no buffer: lower reads what it is made from (a splat, a broadcast, a reshape).
bool isSeenThrough(mlir::Operation *op);

/// The tensor whose buffer a tensor shows, seen through broadcasts and reshapes.
mlir::Value storedTensor(mlir::Value tensor);

class Storages {
public:
  explicit Storages(mlir::func::FuncOp function);

  /// One storage for both, if they do not get into each other's way.
  bool join(mlir::Value a, mlir::Value b);
  /// A tensor that stands for the storage.
  mlir::Value leader(mlir::Value tensor);
  llvm::ArrayRef<mlir::Value> members(mlir::Value tensor);
  /// Nothing is joined to this storage from now on.
  void close(mlir::Value tensor) { closed.insert({leader(tensor), true}); }

private:
  struct Use {
    mlir::Operation *within; ///< the user, or the outermost loop around it without the definition
    unsigned until;          ///< where that ends
  };

  unsigned definition(mlir::Value tensor) const;
  const llvm::SmallVector<Use> &usesOf(mlir::Value tensor);
  void addUses(mlir::Value shown, mlir::Value tensor, llvm::SmallVectorImpl<Use> &uses);
  bool isLiveAt(mlir::Value tensor, mlir::Value defined);

  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>> range;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Use>> uses;
  llvm::DenseMap<mlir::Value, mlir::Value> leaders;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> groups;
  llvm::DenseMap<mlir::Value, bool> closed;
};

} // namespace kiln::npu::bufferize

#endif // KILN_LIB_TARGET_NPU_BUFFERIZE_STORAGE_H
