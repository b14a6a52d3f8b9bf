//===- NpuOps.cpp - operations of the npu dialect --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Npu/IR/Npu.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace kiln::npu;

#define GET_OP_CLASSES
#include "kiln/Dialect/Npu/IR/NpuOps.cpp.inc"

SmallVector<OpFoldResult> LoadOp::getMixedSizes() {
  return ::getMixedValues(getStaticSizes(), getSizes(), getContext());
}
SmallVector<OpFoldResult> LoadOp::getMixedStrides() {
  return ::getMixedValues(getStaticStrides(), getStrides(), getContext());
}
SmallVector<OpFoldResult> StoreOp::getMixedSizes() {
  return ::getMixedValues(getStaticSizes(), getSizes(), getContext());
}
SmallVector<OpFoldResult> StoreOp::getMixedStrides() {
  return ::getMixedValues(getStaticStrides(), getStrides(), getContext());
}

Value SlotOp::getViewSource() { return getRing(); }
Value WindowOp::getViewSource() { return getSource(); }

bool kiln::npu::isWindowElement(Type source, Type result) {
  auto from = cast<MemRefType>(source), to = cast<MemRefType>(result);
  auto isBytes = [](MemRefType type) {
    return type.getRank() == 1 && type.getElementType().isInteger(8);
  };
  return from.getElementTypeBitWidth() == to.getElementTypeBitWidth() || isBytes(from) ||
         isBytes(to);
}

#define KILN_NO_RULES(OP)                                                                          \
  LogicalResult OP::verify() { return success(); }
KILN_NO_RULES(AllocOp)
KILN_NO_RULES(SlotOp)
KILN_NO_RULES(WindowOp)
KILN_NO_RULES(LoadOp)
KILN_NO_RULES(StoreOp)
KILN_NO_RULES(CopyOp)
KILN_NO_RULES(VBinaryOp)
KILN_NO_RULES(VTernaryOp)
KILN_NO_RULES(VUnaryOp)
KILN_NO_RULES(VScalarOp)
KILN_NO_RULES(VCmpOp)
KILN_NO_RULES(VSelOp)
KILN_NO_RULES(VCastOp)
KILN_NO_RULES(VReduceOp)
KILN_NO_RULES(VBroadcastOp)
KILN_NO_RULES(VDupOp)
KILN_NO_RULES(VIotaOp)
KILN_NO_RULES(VGatherOp)
KILN_NO_RULES(VTransOp)
KILN_NO_RULES(SLoadOp)
KILN_NO_RULES(SStoreOp)
KILN_NO_RULES(SetOp)
KILN_NO_RULES(WaitOp)
