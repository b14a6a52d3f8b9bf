//===- NpuAttributes.h - attributes that are names of machine/Opcode.h -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_DIALECT_NPU_IR_NPUATTRIBUTES_H
#define KILN_DIALECT_NPU_IR_NPUATTRIBUTES_H

#include "machine/Opcode.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Npu/IR/NpuAttributes.h.inc"

#endif // KILN_DIALECT_NPU_IR_NPUATTRIBUTES_H
