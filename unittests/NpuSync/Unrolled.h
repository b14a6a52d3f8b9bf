//===- Unrolled.h - what an npu function hands to its pipes, in order --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_UNITTESTS_NPUSYNC_UNROLLED_H
#define KILN_UNITTESTS_NPUSYNC_UNROLLED_H

#include "kiln/Dialect/Npu/IR/Npu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <vector>

namespace kiln::test {

/// Bytes of one access, in UB or behind one of the pointers.
struct Bytes {
  int64_t space = -1; ///< -1: UB; else the alias set
  int64_t begin = 0, end = 0;
  bool write = false;
};

struct Event {
  enum class Kind { Instruction, Set, Wait, Barrier, BarrierAll } kind = Kind::Instruction;
  machine::Pipe pipe = machine::Pipe::S; ///< that executes it
  machine::Pipe from = machine::Pipe::S, to = machine::Pipe::S;
  int64_t id = 0;
  std::vector<Bytes> bytes;
  mlir::Operation *op = nullptr;
  int64_t persistentIteration = -1;
};

/// Runs the scalar part of a function: each loop as often as `trips` says, each branch as
/// `conditions` say.
std::vector<Event> unroll(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> trips,
                          llvm::ArrayRef<bool> conditions);

} // namespace kiln::test

#endif // KILN_UNITTESTS_NPUSYNC_UNROLLED_H
