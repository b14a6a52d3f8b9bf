//===- Elements.h - what the IR means on the machine ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_ASSEMBLE_ELEMENTS_H
#define KILN_LIB_TARGET_NPU_ASSEMBLE_ELEMENTS_H

#include "machine/Opcode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace kiln::npu {

/// The element type of a scalar, or of a buffer's elements; integers are signed unless asked
/// otherwise; `index` is 64 bits wide, and so are pointers. None for what the machine has not
/// (f64).
std::optional<machine::Element> elementOf(mlir::Type type, bool isUnsigned = false);

/// Bytes of an element in memory; i1 has none of its own.
inline int64_t bytesOf(machine::Element element) { return machine::bits(element) / 8; }

/// The kind of core that runs a kernel: its attribute `npu.core`, "aiv" where there is none. An
/// unknown kind is an error.
mlir::FailureOr<machine::Core> coreOf(mlir::func::FuncOp function);

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_ASSEMBLE_ELEMENTS_H
