//===- Elementwise.h - operations lane by lane -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_LOWER_ELEMENTWISE_H
#define KILN_LIB_TARGET_NPU_LOWER_ELEMENTWISE_H

#include "../Assemble/Elements.h"
#include "Emitter.h"

namespace kiln::npu::lower {

/// The instructions for an `arith` or `math` operation whose operands are tiles or scalars; the
/// operation itself says what to do, not on what (it may stand in a combine region). False: the
/// vector unit has none, nothing was emitted. `dst` may be an operand's tile, lane on lane.
bool emitElementwise(Emitter &emitter, mlir::Operation *op, llvm::ArrayRef<Operand> operands,
                     const View &dst);

// Families, in files of their own.
bool emitCast(Emitter &emitter, mlir::Operation *op, const Operand &from, const View &dst);
bool emitCompare(Emitter &emitter, mlir::Operation *op, const Operand &lhs, const Operand &rhs,
                 const View &dst);
bool emitSelect(Emitter &emitter, const Operand &condition, const Operand &yes, const Operand &no,
                const View &dst);
/// and, or, xor of integers and masks; `op` is one of the `arith` operations.
bool emitLogic(Emitter &emitter, mlir::Operation *op, const Operand &lhs, const Operand &rhs,
               const View &dst);
/// Numbers 1 and 0 for a mask's bits.
void emitMaskAsNumbers(Emitter &emitter, const View &mask, const View &dst);
/// The bits of lanes that are not 0.
void emitNumbersAsMask(Emitter &emitter, const View &numbers, const View &dst);
/// The bits of a mask with broadcast or reshaped lanes, as a tile of shape `shape`.
View denseMask(Emitter &emitter, const Operand &mask, llvm::ArrayRef<int64_t> shape);

} // namespace kiln::npu::lower

#endif // KILN_LIB_TARGET_NPU_LOWER_ELEMENTWISE_H
