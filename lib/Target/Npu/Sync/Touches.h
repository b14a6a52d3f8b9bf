//===- Touches.h - which bytes an instruction touches ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_SYNC_TOUCHES_H
#define KILN_LIB_TARGET_NPU_SYNC_TOUCHES_H

#include "kiln/Analysis/LinearExpr.h"
#include "kiln/Dialect/Npu/IR/Npu.h"

#include <optional>

namespace kiln::npu {

/// The slot of a ring that is touched: (base + offset) mod depth.
struct Slot {
  mlir::Value base;
  int64_t offset = 0;
  int64_t depth = 1;
  bool operator==(const Slot &) const = default;
};

/// One operand of one instruction, in bytes.
struct Touch {
  bool write = false;
  bool global = false;
  bool named = false; ///< of a buffer that the author named

  // On chip: the bytes [begin, end) of the memory; of a slot, where it would be in slot 0. The
  // outermost strided dimension: runs of `run` bytes, `stride` apart (0: one run).
  machine::Memory memory = machine::Memory::UB;
  int64_t begin = 0, end = 0;
  int64_t run = 0, stride = 0;
  mlir::Value ring; ///< the npu.alloc of a slot, else null
  Slot slot;
  int64_t slotBytes = 0;

  // Global memory.
  mlir::Value pointer;                 ///< the argument it comes from; null if that is not known
  std::optional<int64_t> aliasSet;     ///< of the argument
  std::optional<LinearExpr> offset;    ///< elements from the argument's pointer
  std::optional<int64_t> program;      ///< of those that an iteration runs, whose it is
  std::optional<int64_t> spanElements; ///< no element at or beyond offset + this is touched
};

/// How two touches meet.
enum class Meeting : uint8_t {
  Never,
  InSlot, ///< in one ring: where they are in the same slot of it
  Always, ///< or it is not known
};

class TouchTable {
public:
  /// Touches of an instruction, or of a scalar access in pointer form; nothing for other ops.
  /// Buffers must have addresses.
  llvm::SmallVector<Touch> touches(mlir::Operation *op);

  /// One of the two at least must write.
  Meeting meet(const Touch &a, const Touch &b) const;

  /// True if a touch of global memory in one iteration of `loop` cannot meet the other one in a
  /// later iteration.
  bool apartInLaterIterations(const Touch &a, const Touch &b, mlir::Operation *loop) const;

private:
  void locate(Touch &touch, mlir::Value buffer);
  void locateGlobal(Touch &touch, const Access &access);

  LinearExprs exprs;
};

/// The pipe of an instruction or scalar access; nothing for other ops.
std::optional<machine::Pipe> pipeOf(mlir::Operation *op);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_SYNC_TOUCHES_H
