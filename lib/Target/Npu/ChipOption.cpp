//===- ChipOption.cpp - the machine that a pass compiles for ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "ChipOption.h"

#include "machine/MachineFile.h"

namespace kiln::npu {

std::shared_ptr<const machine::Machine> machineOf(llvm::StringRef chip, mlir::Operation *op) {
  Result<machine::MachineRef> found = machine::findMachine(chip.str());
  if (found)
    return *found;
  op->emitError(found.error().message());
  return nullptr;
}

} // namespace kiln::npu
