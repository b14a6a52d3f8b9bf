//===- NpuVerify.cpp - constraints of instructions -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// What no chip can do. What a given chip can do is the concern of kiln-npu-verify-program.
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Npu/IR/Npu.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln::npu;
using kiln::machine::Atomic;
using kiln::machine::OpClass;
using kiln::machine::Opcode;
using kiln::machine::Pipe;

/// Bytes of a vector block, and of the longest row that is reduced at once.
static constexpr int64_t kBlockBytes = 32;
static constexpr int64_t kRowBytes = 256;
/// Flags per pair of pipes.
static constexpr int64_t kFlagIds = 8;

//===-----------------------------------------------------------------------------------------===//
// Helpers
//===-----------------------------------------------------------------------------------------===//

static MemRefType bufferType(Value value) { return cast<MemRefType>(value.getType()); }
static bool isMask(Value value) { return getElementTypeOrSelf(value.getType()).isInteger(1); }
static int64_t blockElements(MemRefType type) {
  return kBlockBytes * 8 / type.getElementTypeBitWidth();
}

/// (I1), (I2)
static LogicalResult checkBuffer(Operation *op, StringRef name, Value value, bool wantsMask) {
  MemRefType type = bufferType(value);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  bool isStrided = succeeded(type.getStridesAndOffset(strides, offset));
  bool isRegion =
      isStrided && type.hasStaticShape() && type.getRank() >= 1 && type.getRank() <= 3 &&
      llvm::all_of(type.getShape(), [](int64_t size) { return size > 0; }) &&
      llvm::all_of(strides, [](int64_t s) { return s >= 0 && !ShapedType::isDynamic(s); });
  if (!isRegion)
    return op->emitOpError() << "'" << name << "' has type " << type
                             << ", expected a static strided region of one to three dimensions";
  bool hasBits = isMask(value);
  if (hasBits != wantsMask)
    return op->emitOpError() << "'" << name << "' has element type " << type.getElementType()
                             << ", expected " << (wantsMask ? "i1" : "another one than i1");
  if (hasBits && (type.getRank() != 1 || strides[0] != 1))
    return op->emitOpError() << "'" << name << "' has type " << type
                             << ", expected one dimension of consecutive bits";
  return success();
}

static LogicalResult checkBuffers(Operation *op,
                                  std::initializer_list<std::pair<StringRef, Value>> data) {
  for (auto [name, value] : data)
    if (isa<MemRefType>(value.getType()) && failed(checkBuffer(op, name, value, false)))
      return failure();
  return success();
}

static LogicalResult checkClass(Operation *op, Opcode opcode, OpClass wanted) {
  OpClass found = kiln::machine::info(opcode).opClass;
  if (found == wanted)
    return success();
  return op->emitOpError() << "'" << lowerName(opcode) << "' is of class "
                           << std::string(kiln::machine::name(found)) << ", expected "
                           << std::string(kiln::machine::name(wanted));
}

/// The same shape as `like`, for buffers; scalars have none.
static LogicalResult checkShape(Operation *op, StringRef name, Value value, Value like) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type || type.getShape() == bufferType(like).getShape())
    return success();
  return op->emitOpError() << "'" << name << "' has shape [" << type.getShape() << "], expected ["
                           << bufferType(like).getShape() << "]";
}

/// The element type of `like`: of a buffer's elements, or as a scalar's type.
static LogicalResult checkElement(Operation *op, StringRef name, Value value, Type expected) {
  Type found = getElementTypeOrSelf(value.getType());
  if (found == expected)
    return success();
  return op->emitOpError() << "'" << name << "' has element type " << found << ", expected "
                           << expected;
}

/// Operands that go element by element with `dst`.
static LogicalResult checkAlike(Operation *op, Value dst,
                                std::initializer_list<std::pair<StringRef, Value>> operands) {
  if (failed(checkBuffer(op, "dst", dst, false)) || failed(checkBuffers(op, operands)))
    return failure();
  for (auto [name, value] : operands)
    if (failed(checkShape(op, name, value, dst)) ||                              // (C2)
        failed(checkElement(op, name, value, bufferType(dst).getElementType()))) // (C3)
      return failure();
  return success();
}

static LogicalResult checkCount(Operation *op, StringRef name, Value value, int64_t expected) {
  if (bufferType(value).getNumElements() == expected)
    return success();
  return op->emitOpError() << "'" << name << "' has " << bufferType(value).getNumElements()
                           << " elements, expected " << expected;
}

//===-----------------------------------------------------------------------------------------===//
// Data movement
//===-----------------------------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult checkTransfer(OpTy op, StringRef name, Value buffer) {
  if (failed(checkBuffer(op, name, buffer, false)))
    return failure();
  MemRefType type = bufferType(buffer);
  size_t rank = type.getRank();
  if (op.getStaticSizes().size() != rank || op.getStaticStrides().size() != rank) // (C1)
    return op.emitOpError() << "has " << op.getStaticSizes().size() << " sizes and "
                            << op.getStaticStrides().size() << " strides, expected " << rank
                            << " of each";
  for (auto [size, room] : llvm::zip(op.getStaticSizes(), type.getShape()))
    if (!ShapedType::isDynamic(size) && size > room)
      return op.emitOpError() << "has size " << size << ", expected at most " << room;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  (void)type.getStridesAndOffset(strides, offset);
  if (op.getStaticStrides().back() != 1 || (strides.back() != 1 && type.getShape().back() > 1))
    return op.emitOpError() << "has an innermost stride other than 1"; // (C2)
  Type pointee = op.getPtr().getType().getPointee();
  if (type.getElementType() != pointee) // (C3)
    return op.emitOpError() << "'" << name << "' has element type " << type.getElementType()
                            << ", expected " << pointee;
  return success();
}

LogicalResult LoadOp::verify() { return checkTransfer(*this, "dst", getDst()); }

LogicalResult StoreOp::verify() {
  AtomicAttr atomic = getAtomicAttr();
  if (atomic && (atomic.getValue() == Atomic::None || atomic.getValue() > Atomic::Min)) // (C4)
    return emitOpError() << "combines by '" << lowerName(atomic.getValue())
                         << "', expected add, max or min";
  return checkTransfer(*this, "src", getSrc());
}

LogicalResult CopyOp::verify() { return checkAlike(*this, getDst(), {{"src", getSrc()}}); }

//===-----------------------------------------------------------------------------------------===//
// Vector instructions, element by element
//===-----------------------------------------------------------------------------------------===//

LogicalResult VBinaryOp::verify() {
  if (failed(checkClass(*this, opcode(), OpClass::VBinary))) // (C1)
    return failure();
  return checkAlike(*this, getDst(), {{"lhs", getLhs()}, {"rhs", getRhs()}});
}

LogicalResult VTernaryOp::verify() {
  if (failed(checkClass(*this, opcode(), OpClass::VTernary))) // (C1)
    return failure();
  return checkAlike(*this, getDst(), {{"lhs", getLhs()}, {"rhs", getRhs()}});
}

LogicalResult VUnaryOp::verify() {
  if (failed(checkClass(*this, opcode(), OpClass::VUnary))) // (C1)
    return failure();
  return checkAlike(*this, getDst(), {{"src", getSrc()}});
}

LogicalResult VScalarOp::verify() {
  if (failed(checkClass(*this, opcode(), OpClass::VScalar))) // (C1)
    return failure();
  if (getIsUnsigned() && opcode() != Opcode::VShr) // (C5)
    return emitOpError() << "'" << lowerName(opcode()) << "' is unsigned, expected vshr";
  return checkAlike(*this, getDst(), {{"src", getSrc()}, {"scalar", getScalar()}}); // (C4)
}

LogicalResult VCmpOp::verify() {
  if (failed(checkBuffer(*this, "dst", getDst(), true)) ||
      failed(checkAlike(*this, getLhs(), {{"rhs", getRhs()}})))
    return failure();
  return checkCount(*this, "dst", getDst(), bufferType(getLhs()).getNumElements()); // (C1)
}

LogicalResult VSelOp::verify() {
  if (failed(checkBuffer(*this, "mask", getMask(), true)) ||
      failed(checkAlike(*this, getDst(), {{"lhs", getLhs()}, {"rhs", getRhs()}})))
    return failure();
  return checkCount(*this, "mask", getMask(), bufferType(getDst()).getNumElements()); // (C1)
}

LogicalResult VCastOp::verify() {
  if (failed(checkBuffers(*this, {{"src", getSrc()}, {"dst", getDst()}})) ||
      failed(checkShape(*this, "src", getSrc(), getDst()))) // (C1)
    return failure();
  auto isIntegerOrNotMarked = [&](Value value, bool isUnsigned) {
    return !isUnsigned || isa<IntegerType>(bufferType(value).getElementType());
  };
  if (!isIntegerOrNotMarked(getSrc(), getIsUnsignedSrc()) ||
      !isIntegerOrNotMarked(getDst(), getIsUnsignedDst())) // (C2)
    return emitOpError() << "marks a float as unsigned";
  return success();
}

//===-----------------------------------------------------------------------------------------===//
// Vector instructions of other shapes
//===-----------------------------------------------------------------------------------------===//

LogicalResult VReduceOp::verify() {
  if (failed(checkClass(*this, opcode(), OpClass::VReduce)) || // (C1)
      failed(checkBuffers(*this, {{"src", getSrc()}, {"dst", getDst()}})))
    return failure();
  MemRefType src = bufferType(getSrc());
  bool byRow = opcode() == Opcode::VCadd || opcode() == Opcode::VCmax || opcode() == Opcode::VCmin;
  int64_t group = byRow ? src.getShape().back() : blockElements(src);
  if (src.getNumElements() % group != 0) // (C2)
    return emitOpError() << "'src' has " << src.getNumElements()
                         << " elements, expected a multiple of " << group;
  int64_t rowBytes = src.getShape().back() * src.getElementTypeBitWidth() / 8;
  if (byRow && rowBytes > kRowBytes) // (C4)
    return emitOpError() << "rows have " << rowBytes << " bytes, expected at most " << kRowBytes;
  if (failed(checkElement(*this, "src", getSrc(), bufferType(getDst()).getElementType()))) // (C3)
    return failure();
  return checkCount(*this, "dst", getDst(), src.getNumElements() / group); // (C2)
}

LogicalResult VBroadcastOp::verify() {
  if (failed(checkBuffers(*this, {{"src", getSrc()}, {"dst", getDst()}})))
    return failure();
  MemRefType src = bufferType(getSrc());
  if (failed(checkElement(*this, "src", getSrc(), bufferType(getDst()).getElementType()))) // (C2)
    return failure();
  return checkCount(*this, "dst", getDst(), src.getNumElements() * blockElements(src)); // (C1)
}

LogicalResult VDupOp::verify() {
  if (failed(checkBuffer(*this, "dst", getDst(), false)))
    return failure();
  return checkElement(*this, "scalar", getScalar(), bufferType(getDst()).getElementType()); // (C1)
}

LogicalResult VIotaOp::verify() {
  if (failed(checkBuffer(*this, "dst", getDst(), false)))
    return failure();
  return checkElement(*this, "start", getStart(), bufferType(getDst()).getElementType()); // (C1)
}

LogicalResult VGatherOp::verify() {
  if (failed(
          checkBuffers(*this, {{"src", getSrc()}, {"offsets", getOffsets()}, {"dst", getDst()}})) ||
      failed(checkShape(*this, "offsets", getOffsets(), getDst())) || // (C1)
      failed(checkElement(*this, "offsets", getOffsets(), IntegerType::get(getContext(), 32))))
    return failure();
  return checkElement(*this, "src", getSrc(), bufferType(getDst()).getElementType()); // (C2)
}

LogicalResult VTransOp::verify() {
  if (failed(checkBuffers(*this, {{"src", getSrc()}, {"dst", getDst()}})))
    return failure();
  MemRefType src = bufferType(getSrc()), dst = bufferType(getDst());
  const SmallVector<int64_t> shape = {16, 16};
  bool isSquare = src.getShape() == ArrayRef(shape) && dst.getShape() == ArrayRef(shape);
  if (!isSquare || src.getElementType() != dst.getElementType() ||
      src.getElementTypeBitWidth() != 16) // (C1)
    return emitOpError() << "has types " << src << " and " << dst
                         << ", expected 16 × 16 elements of the same 16-bit type";
  return success();
}

//===-----------------------------------------------------------------------------------------===//
// Scalar access and order
//===-----------------------------------------------------------------------------------------===//

static LogicalResult checkScalarAccess(Operation *op, StringRef name, Value place, Value scalar) {
  Type element;
  if (auto pointer = dyn_cast<kiln::tile::PtrType>(place.getType()))
    element = pointer.getPointee();
  else if (failed(checkBuffer(op, name, place, false)))
    return failure();
  else
    element = bufferType(place).getElementType();
  if (scalar.getType() == element) // (C1)
    return success();
  return op->emitOpError() << "moves a value of type " << scalar.getType() << ", expected "
                           << element;
}

LogicalResult SLoadOp::verify() {
  return checkScalarAccess(*this, "source", getSource(), getResult());
}
LogicalResult SStoreOp::verify() {
  return checkScalarAccess(*this, "target", getTarget(), getValue());
}

/// (C1) of flags.
static LogicalResult checkFlag(Operation *op, Pipe source, Pipe destination, Value id) {
  if (source == destination)
    return op->emitOpError() << "goes from " << lowerName(source)
                             << " to itself, expected two different pipes";
  std::optional<int64_t> number = getConstantIntValue(id);
  if (number && (*number < 0 || *number >= kFlagIds))
    return op->emitOpError() << "has id " << *number << ", expected 0 to " << kFlagIds - 1;
  return success();
}

LogicalResult SetOp::verify() {
  return checkFlag(*this, getSource().getValue(), getDestination().getValue(), getId());
}
LogicalResult WaitOp::verify() {
  return checkFlag(*this, getSource().getValue(), getDestination().getValue(), getId());
}
