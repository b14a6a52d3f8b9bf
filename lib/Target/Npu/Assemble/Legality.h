//===- Legality.h - can the chip do this instruction? ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_ASSEMBLE_LEGALITY_H
#define KILN_LIB_TARGET_NPU_ASSEMBLE_LEGALITY_H

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "machine/Machine.h"

namespace kiln::npu {

/// Checks the ops of one function against a chip. Each method reports what is wrong at the op.
class Legality {
public:
  Legality(const machine::Machine &machine, machine::Core core) : machine(machine), core(core) {}

  /// Any op of the function.
  mlir::LogicalResult check(mlir::Operation *op) const;

private:
  using LogicalResult = mlir::LogicalResult;

  LogicalResult alloc(AllocOp op) const;
  LogicalResult pipes(mlir::Operation *op, llvm::ArrayRef<machine::Pipe> pipes) const;
  LogicalResult instruction(InstructionOpInterface op) const;
  LogicalResult types(InstructionOpInterface op) const;
  LogicalResult conversion(VCastOp op) const;
  LogicalResult comparison(VCmpOp op) const;
  LogicalResult path(InstructionOpInterface op) const;
  LogicalResult layout(InstructionOpInterface op) const;
  LogicalResult operandLayout(mlir::Operation *op, mlir::Value buffer, bool scattered) const;
  LogicalResult rows(mlir::Operation *op, mlir::Value buffer,
                     llvm::ArrayRef<mlir::OpFoldResult> sizes,
                     llvm::ArrayRef<mlir::OpFoldResult> strides) const;

  const machine::Machine &machine;
  machine::Core core;
};

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_ASSEMBLE_LEGALITY_H
