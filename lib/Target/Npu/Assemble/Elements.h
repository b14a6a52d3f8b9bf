//===- Elements.h - element types of the machine for types of the IR -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_ASSEMBLE_ELEMENTS_H
#define KILN_LIB_TARGET_NPU_ASSEMBLE_ELEMENTS_H

#include "machine/Opcode.h"

#include "mlir/IR/Types.h"

#include <optional>

namespace kiln::npu {

/// The element type of a scalar, or of a buffer's elements; integers are signed unless asked
/// otherwise; `index` is 64 bits wide, and so are pointers. None for what the machine has not
/// (f64).
std::optional<machine::Element> elementOf(mlir::Type type, bool isUnsigned = false);

/// Bytes of an element in memory; i1 has none of its own.
inline int64_t bytesOf(machine::Element element) { return machine::bits(element) / 8; }

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_ASSEMBLE_ELEMENTS_H
