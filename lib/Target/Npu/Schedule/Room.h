//===- Room.h - whether a scheduled function fits on chip --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_SCHEDULE_ROOM_H
#define KILN_LIB_TARGET_NPU_SCHEDULE_ROOM_H

#include "machine/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu {

/// Runs the passes behind the schedule on `function`, a copy that is used up, as far as
/// kiln-npu-plan-memory. False only if that finds no room: what else is wrong the passes say when
/// they run for good.
bool hasRoom(mlir::func::FuncOp function, llvm::StringRef chip, const machine::Machine &machine);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_SCHEDULE_ROOM_H
