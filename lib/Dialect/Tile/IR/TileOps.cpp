//===- TileOps.cpp - operations of the tile dialect ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/IR/TileOps.cpp.inc"

//===-----------------------------------------------------------------------------------------===//
// Helpers shared by the verifiers
//===-----------------------------------------------------------------------------------------===//

/// The shape of a tensor; nothing for a scalar.
static ArrayRef<int64_t> shapeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

/// Checks that `type` is shaped exactly as `shape` (both scalars when it is empty).
static LogicalResult checkShape(Operation *op, Type type, ArrayRef<int64_t> shape, StringRef what) {
  if (shapeOf(type) == shape && isa<RankedTensorType>(type) == !shape.empty())
    return success();
  return op->emitOpError() << what << " has type " << type << ", expected the shape [" << shape
                           << "]";
}

static LogicalResult checkElement(Operation *op, Type type, Type element, StringRef what) {
  if (getElementTypeOrSelf(type) == element)
    return success();
  return op->emitOpError() << what << " has element type " << getElementTypeOrSelf(type)
                           << ", expected " << element;
}

static Type pointeeOf(Type type) { return cast<PtrType>(getElementTypeOrSelf(type)).getPointee(); }

/// Bounds are absent or one per dimension.
static LogicalResult checkBounds(Operation *op, ValueRange lower, ValueRange upper, int64_t rank) {
  for (ValueRange bounds : {lower, upper})
    if (lower.size() != upper.size() || (!bounds.empty() && int64_t(bounds.size()) != rank))
      return op->emitOpError() << "has " << lower.size() << " lower and " << upper.size()
                               << " upper bounds, expected none or " << rank << " of each";
  return success();
}

/// A pad is a scalar or a tensor of the result's type.
static LogicalResult checkPad(Operation *op, Value pad, RankedTensorType result) {
  if (!pad || pad.getType() == result || pad.getType() == result.getElementType())
    return success();
  return op->emitOpError() << "pad has type " << pad.getType() << ", expected "
                           << result.getElementType() << " or " << result;
}

//===-----------------------------------------------------------------------------------------===//
// Values and debug output
//===-----------------------------------------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  int64_t size = getType().getDimSize(0);
  if (ShapedType::isDynamic(size) || size < 1) // (C1)
    return emitOpError() << "has type " << getType() << ", expected a static positive size";
  return success();
}

LogicalResult HintOp::verify() {
  static constexpr StringLiteral kKinds[] = {"multiple_of", "max_contiguous", "max_constancy"};
  if (!llvm::is_contained(kKinds, getKind())) // (C1)
    return emitOpError() << "has kind \"" << getKind()
                         << "\", expected multiple_of, max_contiguous or max_constancy";
  size_t count = std::max<size_t>(1, shapeOf(getType()).size());
  if (getValues().size() != count) // (C2)
    return emitOpError() << "has " << getValues().size() << " values, expected " << count;
  for (int64_t value : getValues())
    if (value < 1)
      return emitOpError() << "has value " << value << ", expected a positive number";
  return success();
}

LogicalResult PrintOp::verify() {
  if (getIsSigned().size() != getArgs().size()) // (C1)
    return emitOpError() << "says the signedness of " << getIsSigned().size()
                         << " arguments, expected " << getArgs().size();
  RankedTensorType first;
  for (Value arg : getArgs()) { // (C2)
    auto type = dyn_cast<RankedTensorType>(arg.getType());
    if (type && first && failed(checkShape(*this, type, first.getShape(), "argument")))
      return failure();
    first = first ? first : type;
  }
  return success();
}

//===-----------------------------------------------------------------------------------------===//
// ReduceOp
//===-----------------------------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  if (getInputs().empty())
    return emitOpError("has no input");
  ArrayRef<int64_t> shape = shapeOf(getInputs().front().getType());
  for (Value input : getInputs())
    if (failed(checkShape(*this, input.getType(), shape, "input")))
      return failure();
  int64_t axis = getAxis();
  if (axis < 0 || axis >= int64_t(shape.size()))
    return emitOpError() << "axis is " << axis << ", expected 0 to " << shape.size() - 1;
  if (getResults().size() != getInputs().size())
    return emitOpError() << "has " << getResults().size() << " results, expected "
                         << getInputs().size();
  SmallVector<int64_t> reduced(shape);
  reduced.erase(reduced.begin() + axis);
  for (auto [input, result] : llvm::zip(getInputs(), getResults()))
    if (failed(checkShape(*this, result.getType(), reduced, "result")) ||
        failed(
            checkElement(*this, result.getType(), getElementTypeOrSelf(input.getType()), "result")))
      return failure();
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  Block &body = getCombine().front();
  size_t count = getInputs().size();
  if (body.getNumArguments() != 2 * count)
    return emitOpError() << "combine region has " << body.getNumArguments()
                         << " arguments, expected " << 2 * count;
  auto yield = cast<YieldOp>(body.getTerminator());
  if (yield.getValues().size() != count)
    return emitOpError() << "combine region yields " << yield.getValues().size()
                         << " values, expected " << count;
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    Type element = getElementTypeOrSelf(input.getType());
    if (body.getArgument(index).getType() != element ||
        body.getArgument(index + count).getType() != element ||
        yield.getValues()[index].getType() != element)
      return emitOpError() << "combine region does not take and yield " << element
                           << " at position " << index;
  }
  return success();
}

//===-----------------------------------------------------------------------------------------===//
// Pointer form
//===-----------------------------------------------------------------------------------------===//

LogicalResult AddPtrOp::verify() {
  return checkShape(*this, getOffset().getType(), shapeOf(getPtr().getType()), "offset");
}

LogicalResult LocalAllocOp::verify() {
  LocalType type = getResult().getType();
  if (type.getRank() < 1 || type.getRank() > 4 ||
      llvm::any_of(type.getShape(), [](int64_t size) { return size < 1; }))
    return emitOpError("found ") << type << ", expected one to four positive sizes";
  if (type.getElementType().isInteger(1))
    return emitOpError("found elements of i1, expected i8: masks lie in memory as bytes");
  if (getAddress() && (*getAddress() < 0 || *getAddress() % 32))
    return emitOpError("found address ")
           << *getAddress() << ", expected a multiple of 32 that is not negative";
  auto function = dyn_cast<FunctionOpInterface>((*this)->getParentOp());
  if (!function || (*this)->getBlock() != &function.front())
    return emitOpError("stands in a region, expected it in the entry block of a function");
  return success();
}

static LogicalResult verifyRegion(Operation *op, LocalType buffer, RankedTensorType region,
                                  ArrayRef<int64_t> offsets, ValueRange operands) {
  if (llvm::count_if(offsets, ShapedType::isDynamic) != int64_t(operands.size()))
    return op->emitOpError("has another number of offset operands than dynamic offsets");
  if (region.getRank() != buffer.getRank() || int64_t(offsets.size()) != buffer.getRank())
    return op->emitOpError("found a region of rank ")
           << region.getRank() << " at " << offsets.size() << " offsets, expected "
           << buffer.getRank() << " of both";
  if (region.getElementType() != buffer.getElementType())
    return op->emitOpError("found elements of ")
           << region.getElementType() << ", expected " << buffer.getElementType();
  for (auto [dim, size, extent, offset] :
       llvm::enumerate(region.getShape(), buffer.getShape(), offsets)) {
    int64_t begin = ShapedType::isDynamic(offset) ? 0 : offset;
    if (begin < 0 || size > extent - begin)
      return op->emitOpError("dimension ")
             << dim << " goes from " << begin << " to " << begin + size << ", expected a part of "
             << extent << " elements";
  }
  return success();
}

static bool coversWhole(LocalType buffer, RankedTensorType region, ArrayRef<int64_t> offsets) {
  return region.getShape() == buffer.getShape() &&
         llvm::all_of(offsets, [](int64_t offset) { return offset == 0; });
}

SmallVector<OpFoldResult> LocalLoadOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

bool LocalLoadOp::isWhole() {
  return coversWhole(getBuffer().getType(), cast<RankedTensorType>(getResult().getType()),
                     getStaticOffsets());
}

LogicalResult LocalLoadOp::verify() {
  return verifyRegion(*this, getBuffer().getType(), cast<RankedTensorType>(getResult().getType()),
                      getStaticOffsets(), getOffsets());
}

SmallVector<OpFoldResult> LocalStoreOp::getMixedOffsets() {
  return getMixedValues(getStaticOffsets(), getOffsets(), getContext());
}

bool LocalStoreOp::isWhole() {
  return coversWhole(getBuffer().getType(), cast<RankedTensorType>(getValue().getType()),
                     getStaticOffsets());
}

LogicalResult LocalStoreOp::verify() {
  return verifyRegion(*this, getBuffer().getType(), cast<RankedTensorType>(getValue().getType()),
                      getStaticOffsets(), getOffsets());
}

static LogicalResult verifyElement(Operation *op, LocalType buffer, size_t indices, Type element) {
  if (int64_t(indices) != buffer.getRank())
    return op->emitOpError("found ") << indices << " indices, expected " << buffer.getRank();
  if (element != buffer.getElementType())
    return op->emitOpError("found an element of ")
           << element << ", expected " << buffer.getElementType();
  return success();
}

LogicalResult LocalGetOp::verify() {
  return verifyElement(*this, getBuffer().getType(), getIndices().size(), getResult().getType());
}

LogicalResult LocalSetOp::verify() {
  return verifyElement(*this, getBuffer().getType(), getIndices().size(), getValue().getType());
}

LogicalResult RingPutOp::verify() {
  RingType ring = getRing().getType();
  if (getValue().getType() != ring.getTensorType()) // (C1)
    return emitOpError() << "the value is " << getValue().getType() << ", but a slot holds "
                         << ring.getTensorType();
  return success();
}

LogicalResult RingGetOp::verify() {
  RingType ring = getRing().getType();
  if (getType() != ring.getTensorType()) // (C1)
    return emitOpError() << "the result is " << getType() << ", but a slot holds "
                         << ring.getTensorType();
  return success();
}

LogicalResult PtrCastOp::verify() {
  return checkShape(*this, getType(), shapeOf(getPtr().getType()), "result"); // (C1)
}

LogicalResult PtrToIntOp::verify() {
  return checkShape(*this, getType(), shapeOf(getPtr().getType()), "result"); // (C1)
}

LogicalResult IntToPtrOp::verify() {
  return checkShape(*this, getType(), shapeOf(getAddress().getType()), "result"); // (C1)
}

LogicalResult PtrLoadOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getPtr().getType());
  Type pointee = pointeeOf(getPtr().getType());
  if (failed(checkShape(*this, getResult().getType(), shape, "result")) ||
      failed(checkElement(*this, getResult().getType(), pointee, "result")))
    return failure();
  if (getMask() && failed(checkShape(*this, getMask().getType(), shape, "mask")))
    return failure();
  if (getOther() && (failed(checkShape(*this, getOther().getType(), shape, "other")) ||
                     failed(checkElement(*this, getOther().getType(), pointee, "other"))))
    return failure();
  return success();
}

LogicalResult PtrStoreOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getPtr().getType());
  if (failed(checkShape(*this, getValue().getType(), shape, "value")) ||
      failed(checkElement(*this, getValue().getType(), pointeeOf(getPtr().getType()), "value")))
    return failure();
  if (getMask() && failed(checkShape(*this, getMask().getType(), shape, "mask")))
    return failure();
  return success();
}

//===-----------------------------------------------------------------------------------------===//
// View form
//===-----------------------------------------------------------------------------------------===//

SmallVector<OpFoldResult> ViewOp::getMixedStrides() {
  return getMixedValues(getStaticStrides(), getStrides(), getContext());
}

LogicalResult ViewOp::verify() {
  auto view = getResult().getType();
  if (view.getElementType() != getBase().getType().getPointee())
    return emitOpError() << "views " << view.getElementType() << ", but its base points to "
                         << getBase().getType().getPointee();
  if (int64_t(getStaticStrides().size()) != view.getRank())
    return emitOpError() << "has " << getStaticStrides().size() << " strides, expected "
                         << view.getRank();
  if (llvm::count_if(getStaticStrides(), ShapedType::isDynamic) != int64_t(getStrides().size()))
    return emitOpError("has another number of stride operands than dynamic strides");
  size_t wraps = getWrapDims().size();
  if (getWrapStarts().size() != wraps || getWrapSizes().size() != wraps)
    return emitOpError() << "wraps " << wraps << " dimensions, but has " << getWrapStarts().size()
                         << " starts and " << getWrapSizes().size() << " sizes";
  for (size_t index = 0; index < wraps; ++index) {
    int64_t dim = getWrapDims()[index];
    if (dim < 0 || dim >= view.getRank() || (index && dim <= getWrapDims()[index - 1]))
      return emitOpError() << "wrap dimensions must be increasing and below " << view.getRank();
  }
  return success();
}

LogicalResult LoadOp::verify() {
  auto view = getView().getType();
  if (getResult().getType() != view.getTensorType())
    return emitOpError() << "yields " << getResult().getType() << ", expected "
                         << view.getTensorType();
  if (getMask() && failed(checkShape(*this, getMask().getType(), view.getShape(), "mask")))
    return failure();
  if (failed(checkBounds(*this, getLower(), getUpper(), view.getRank())))
    return failure();
  return checkPad(*this, getPad(), view.getTensorType());
}

LogicalResult StoreOp::verify() {
  auto view = getView().getType();
  if (getValue().getType() != view.getTensorType())
    return emitOpError() << "stores " << getValue().getType() << ", expected "
                         << view.getTensorType();
  if (getMask() && failed(checkShape(*this, getMask().getType(), view.getShape(), "mask")))
    return failure();
  return checkBounds(*this, getLower(), getUpper(), view.getRank());
}

/// What gather and scatter share: integer offsets, and value and mask of their shape.
static LogicalResult checkIndexed(Operation *op, Value base, Value offsets, Type value,
                                  Value mask) {
  ArrayRef<int64_t> shape = shapeOf(offsets.getType());
  if (!getElementTypeOrSelf(offsets.getType()).isIntOrIndex())
    return op->emitOpError() << "offsets have type " << offsets.getType() << ", expected integers";
  if (failed(checkShape(op, value, shape, "value")) ||
      failed(checkElement(op, value, pointeeOf(base.getType()), "value")))
    return failure();
  return mask ? checkShape(op, mask.getType(), shape, "mask") : success();
}

LogicalResult GatherOp::verify() {
  if (failed(checkIndexed(*this, getBase(), getOffsets(), getResult().getType(), getMask())))
    return failure();
  return checkPad(*this, getPad(), cast<RankedTensorType>(getResult().getType()));
}

LogicalResult ScatterOp::verify() {
  return checkIndexed(*this, getBase(), getOffsets(), getValue().getType(), getMask());
}
