//===- Reduce.h - reductions -----------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_LOWER_REDUCE_H
#define KILN_LIB_TARGET_NPU_LOWER_REDUCE_H

#include "Emitter.h"

namespace kiln::npu::lower {

/// What a combine region does, on whole tiles.
class Combiner {
public:
  Combiner(Emitter &emitter, tile::ReduceOp reduce);

  /// The only operation of the region, if its operands may change places; null otherwise.
  mlir::Operation *commutative() const { return single; }
  /// dst = combine(lhs, rhs) lane by lane, for all values of the reduction. False: some operation
  /// has no instruction.
  bool combine(llvm::ArrayRef<View> lhs, llvm::ArrayRef<View> rhs, llvm::ArrayRef<View> dst);

  /// Rows of lanes that are combined are best multiples of it.
  int64_t unit() const {
    return single ? emitter.rule.pitchUnit()
                  : std::max(emitter.rule.pitchUnit(), emitter.rule.tailUnit());
  }

private:
  bool combineRows(llvm::ArrayRef<View> operands, llvm::ArrayRef<View> dst);

  Emitter &emitter;
  tile::ReduceOp reduce;
  mlir::Operation *single = nullptr;
};

/// Tiles of outer × count × inner lanes become outer × inner. Views have three dimensions.
/// `isReversed`: the steps' numbers are bit-reversed, so that halves are neighbours (count is a
/// power of two).
bool reduceSteps(Emitter &emitter, Combiner &combiner, llvm::ArrayRef<View> from,
                 llvm::ArrayRef<View> dst, bool isReversed = false);

/// Rows become single elements: views of rows × count become rows.
bool reduceRows(Emitter &emitter, Combiner &combiner, llvm::ArrayRef<View> from,
                llvm::ArrayRef<View> dst);

/// The whole reduction by the scalar unit.
void reduceByElement(Emitter &emitter, tile::ReduceOp reduce, llvm::ArrayRef<Operand> inputs,
                     llvm::ArrayRef<View> dst);

} // namespace kiln::npu::lower

#endif // KILN_LIB_TARGET_NPU_LOWER_REDUCE_H
