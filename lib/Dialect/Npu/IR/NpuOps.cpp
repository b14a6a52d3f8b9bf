//===- NpuOps.cpp - operations of the npu dialect --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Npu/IR/Npu.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace kiln::npu;

/// Buffers start at multiples of it, in bytes.
static constexpr uint64_t kAddressUnit = 32;

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

//===-----------------------------------------------------------------------------------------===//
// Buffers
//===-----------------------------------------------------------------------------------------===//

LogicalResult AllocOp::verify() {
  MemRefType type = cast<MemRefType>(getType());
  if (!type.getLayout().isIdentity() || !type.hasStaticShape()) // (C1)
    return emitOpError() << "has type " << type << ", expected a static shape and no layout";
  std::optional<uint64_t> address = getAddress();
  if (address && (int64_t(*address) < 0 || *address % kAddressUnit != 0)) // (C2)
    return emitOpError() << "has address " << int64_t(*address) << ", expected a multiple of "
                         << kAddressUnit << " that is not negative";
  auto function = dyn_cast<FunctionOpInterface>((*this)->getParentOp());
  if (!function || (*this)->getBlock() != &function.getFunctionBody().front()) // (C3)
    return emitOpError("stands in a nested block, expected the entry block of a function");
  if (getPinned() && !address) // (C4)
    return emitOpError("is pinned without an address");
  return success();
}

LogicalResult LocalOp::verify() {
  tile::LocalType buffer = getBuffer().getType();
  MemRefType type = cast<MemRefType>(getType());
  SmallVector<int64_t> shape(buffer.getShape());
  bool isMask = type.getElementType().isInteger(1);
  if (isMask) {
    int64_t bits = 8;
    for (int64_t size : shape)
      bits *= size;
    shape = {bits};
  }
  bool fits = isMask ? buffer.getElementType().isInteger(8)
                     : type.getElementType() == buffer.getElementType();
  if (!type.getLayout().isIdentity() || type.getShape() != ArrayRef<int64_t>(shape) || !fits)
    return emitOpError() << "has type " << type << " for a buffer of type " << buffer
                         << ", expected its shape and elements without a layout, or its bits";
  return success();
}

LogicalResult SlotOp::verify() {
  MemRefType ring = cast<MemRefType>(getRing().getType());
  if (!ring.getLayout().isIdentity() || !ring.hasStaticShape() || ring.getRank() == 0) // (C1)
    return emitOpError() << "ring has type " << ring << ", expected a static shape and no layout";
  MemRefType expected = MemRefType::get(ring.getShape().drop_front(), ring.getElementType(),
                                        MemRefLayoutAttrInterface(), ring.getMemorySpace());
  if (getType() != expected)
    return emitOpError() << "has type " << getType() << ", expected " << expected;
  if (expected.getNumElements() * expected.getElementTypeBitWidth() % 8 != 0) // (C2)
    return emitOpError() << "has " << expected.getNumElements() << " bits, expected whole bytes";
  return success();
}

/// Bits from the start of a buffer to behind its last element; none if that is not static, or a
/// stride is negative.
static std::optional<int64_t> extentInBits(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) || !type.hasStaticShape())
    return std::nullopt;
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip(type.getShape(), strides)) {
    if (ShapedType::isDynamic(stride) || stride < 0)
      return std::nullopt;
    if (size == 0)
      return 0;
    last += (size - 1) * stride;
  }
  return (last + 1) * int64_t(type.getElementTypeBitWidth());
}

bool kiln::npu::isWindowInside(Type source, int64_t offset, Type result) {
  auto from = cast<MemRefType>(source);
  std::optional<int64_t> room = extentInBits(from), size = extentInBits(cast<MemRefType>(result));
  int64_t bits = int64_t(from.getElementTypeBitWidth());
  return room && size && offset >= 0 && offset <= *room / bits && offset * bits + *size <= *room;
}

LogicalResult WindowOp::verify() {
  MemRefType source = cast<MemRefType>(getSource().getType());
  MemRefType result = cast<MemRefType>(getType());
  std::optional<int64_t> room = extentInBits(source), size = extentInBits(result);
  for (auto [type, extent] : {std::pair(source, room), std::pair(result, size)})
    if (!extent) // (C3)
      return emitOpError() << "has type " << type
                           << ", expected a static shape and static strides, none negative";
  if (source.getMemorySpace() != result.getMemorySpace()) // (C2)
    return emitOpError() << "is in another memory than its source";
  if (!isWindowElement(source, result))
    return emitOpError() << "has element type " << result.getElementType() << " in a buffer of "
                         << source.getElementType()
                         << ", expected the same width, or one of both in bytes";
  int64_t start = int64_t(getOffset()) * int64_t(source.getElementTypeBitWidth());
  if (start % 8 != 0 || (getDynamic() && source.getElementType().isInteger(1))) // (C3)
    return emitOpError() << "starts at bit " << start << ", expected a whole byte";
  if (start < 0 || start + *size > *room) // (C1)
    return emitOpError() << "takes bits " << start << " to " << start + *size
                         << ", expected at most " << *room;
  return success();
}

//===-----------------------------------------------------------------------------------------===//
// Text
//===-----------------------------------------------------------------------------------------===//

/// `<v>`, or nothing.
static OptionalParseResult parseBarrierPipe(OpAsmParser &parser, PipeAttr &pipe) {
  if (parser.parseOptionalLess())
    return std::nullopt;
  FailureOr<kiln::machine::Pipe> value = FieldParser<kiln::machine::Pipe>::parse(parser);
  if (failed(value) || parser.parseGreater())
    return ParseResult(failure());
  pipe = PipeAttr::get(parser.getContext(), *value);
  return ParseResult(success());
}

static void printBarrierPipe(OpAsmPrinter &printer, Operation *, PipeAttr pipe) {
  printer.printStrippedAttrOrType(pipe);
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Npu/IR/NpuOps.cpp.inc"
