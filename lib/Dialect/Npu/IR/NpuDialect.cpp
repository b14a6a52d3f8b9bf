//===- NpuDialect.cpp - the npu dialect and its attributes -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Npu/IR/Npu.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::npu;

#include "kiln/Dialect/Npu/IR/NpuDialect.cpp.inc"
#include "kiln/Dialect/Npu/IR/NpuInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Npu/IR/NpuAttributes.cpp.inc"

void NpuDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/Dialect/Npu/IR/NpuAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Npu/IR/NpuOps.cpp.inc"
      >();
}

/// The attribute that says where a memref lies; null for other types.
static MemoryAttr memoryAttrOf(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer ? dyn_cast_if_present<MemoryAttr>(buffer.getMemorySpace()) : MemoryAttr();
}

bool kiln::npu::isOnChip(Type type) {
  MemoryAttr memory = memoryAttrOf(type);
  return memory && memory.getValue() != machine::Memory::GM;
}

kiln::machine::Memory kiln::npu::memoryOf(Type type) {
  assert(isOnChip(type) && "only on-chip memrefs have a memory");
  return memoryAttrOf(type).getValue();
}
