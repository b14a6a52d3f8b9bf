//===- Blocks.h - a block of tensor operations, lowered --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_VECTORLOOPS_BLOCKS_H
#define KILN_TARGET_CPU_VECTORLOOPS_BLOCKS_H

#include "Emission.h"

namespace kiln::cpu {

/// Where a tensor lives that enters or leaves a block.
struct TensorHome {
  mlir::Value value;
  Buffer *buffer;
};

/// Lowers one block and the blocks inside it. `inputs` are block arguments that live in scratch;
/// `outputs` are written there before the terminator, whose tensor operands are left to the caller.
mlir::LogicalResult lowerBlock(FunctionContext &context, mlir::Block &block,
                               llvm::ArrayRef<TensorHome> inputs = {},
                               llvm::ArrayRef<TensorHome> outputs = {});

/// An operation with regions between the groups of a block. Carried and yielded tensors live in
/// scratch: what is to be there before the operation, and where its results are, is known before
/// the block around it is scheduled; then the operation is rewritten and its blocks lowered.
class Border {
public:
  Border(FunctionContext &context, mlir::Operation *op);
  llvm::ArrayRef<TensorHome> getInitial() const { return initial; }
  llvm::ArrayRef<TensorHome> getResults() const { return results; }
  /// Replaces the operation by one without tensors.
  mlir::LogicalResult lower();

private:
  Buffer *bufferFor(mlir::Value value);
  mlir::LogicalResult lowerFor();
  mlir::LogicalResult lowerIf();
  mlir::LogicalResult lowerWhile();

  FunctionContext &context;
  mlir::Operation *op;
  llvm::SmallVector<TensorHome> initial, results;
  llvm::SmallVector<Buffer *> carried, passed; ///< per operand or result; null for scalars
};

} // namespace kiln::cpu

#endif // KILN_TARGET_CPU_VECTORLOOPS_BLOCKS_H
