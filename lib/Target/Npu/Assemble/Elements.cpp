//===- Elements.cpp - what the IR means on the machine -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Elements.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

using namespace mlir;

namespace kiln::npu {

using machine::Element;

std::optional<Element> elementOf(Type type, bool isUnsigned) {
  if (isa<IndexType, tile::PtrType>(type))
    return Element::I64;
  if (type.isF16())
    return Element::F16;
  if (type.isBF16())
    return Element::BF16;
  if (type.isF32())
    return Element::F32;
  if (!isa<IntegerType>(type))
    return std::nullopt;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return Element::I1;
  case 8:
    return isUnsigned ? Element::U8 : Element::I8;
  case 16:
    return isUnsigned ? Element::U16 : Element::I16;
  case 32:
    return isUnsigned ? Element::U32 : Element::I32;
  case 64:
    return isUnsigned ? Element::U64 : Element::I64;
  default:
    return std::nullopt;
  }
}

FailureOr<machine::Core> coreOf(func::FuncOp function) {
  auto name = function->getAttrOfType<StringAttr>("npu.core");
  if (!name)
    return machine::Core::AIV;
  if (std::optional<machine::Core> core = machine::coreByName(name.getValue().upper()))
    return *core;
  return function.emitError() << "runs on a core of kind \"" << name.getValue()
                              << "\", expected \"aic\" or \"aiv\"";
}

} // namespace kiln::npu
