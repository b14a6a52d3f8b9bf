//===- Buffers.cpp - buffers on chip: made, read, written -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Buffers.h"
#include "Copies.h"
#include "TileOpsMasks.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace kiln::frontend::tilelang {

using namespace triton;
namespace scf = mlir::scf;

static mlir::Type memoryType(CallContext &context, DType dtype) {
  return mlirMemoryType(dtype, context.mlirContext());
}

Value allocate(CallContext &context, ShapeRef shape, DType dtype, llvm::StringRef memory) {
  mlir::OpBuilder::InsertionGuard guard(context.builder());
  mlir::Block &entry =
      mlir::cast<mlir::FunctionOpInterface>(context.kernel()).getFunctionBody().front();
  // Behind the buffers that are there, in the order in which they were asked for.
  auto place = entry.begin();
  while (place != entry.end() && mlir::isa<tile::LocalAllocOp>(*place))
    ++place;
  context.builder().setInsertionPoint(&entry, place);
  auto op = context.create<tile::LocalAllocOp>(
      tile::LocalType::get(context.mlirContext(), shape, memoryType(context, dtype)),
      mlir::IntegerAttr(), mlir::StringAttr(),
      memory.empty() ? mlir::StringAttr() : context.builder().getStringAttr(memory));
  auto buffer = std::make_shared<BufferData>();
  buffer->handle = op.getResult();
  buffer->dtype = dtype;
  for (int64_t size : shape)
    buffer->shape.push_back(Value::integer(size));
  buffer->memory = memory.str();
  return Value::buffer(buffer);
}

mlir::OpFoldResult indexOf(CallContext &context, const Value &value) {
  if (std::optional<int64_t> known = knownInt(value))
    return context.builder().getIndexAttr(*known);
  mlir::Value scalar = value.ir();
  mlir::Type index = context.builder().getIndexType();
  return isSigned(value.type().dtype()) ? context.fold<mlir::arith::IndexCastOp>(index, scalar)
                                        : context.fold<mlir::arith::IndexCastUIOp>(index, scalar);
}

static void splitOffsets(CallContext &context, const RegionData &region,
                         llvm::SmallVectorImpl<mlir::Value> &dynamic,
                         llvm::SmallVectorImpl<int64_t> &fixed) {
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  for (const Value &offset : region.offsets)
    offsets.push_back(indexOf(context, offset));
  mlir::dispatchIndexOpFoldResults(offsets, dynamic, fixed);
}

Value loadRegion(CallContext &context, const RegionData &region) {
  if (!expectNoMask(context, *region.buffer))
    return Value::poison();
  std::optional<Shape> shape = staticExtents(context, region);
  if (!shape)
    return Value::poison();
  llvm::SmallVector<mlir::Value> dynamic;
  llvm::SmallVector<int64_t> fixed;
  splitOffsets(context, region, dynamic, fixed);
  DType dtype = region.buffer->dtype, inMemory = isBool(dtype) ? DType::I8 : dtype;
  Type type = Type::block(inMemory, *shape);
  auto op = context.create<tile::LocalLoadOp>(type.mlir(context.mlirContext()),
                                              region.buffer->handle, dynamic, fixed);
  Value loaded = Value::runtime(op.getResult(), type);
  return isBool(dtype) ? toBool(context, loaded) : loaded;
}

Value valueFor(CallContext &context, const RegionData &region, const Value &given) {
  DType dtype = region.buffer->dtype;
  Value value = given.isNumber() ? context.materializeAs(given, dtype) : given;
  if (!value.isPoison() && !value.isRuntime())
    return context.error("found " + describe(value) + ", expected a value for " +
                         describe(Value::region(region)));
  return value.isPoison() ? value : castTo(context, value, dtype);
}

/// The value in a region's shape and dtype, as memory holds it.
static Value shaped(CallContext &context, const RegionData &region, ShapeRef shape,
                    const Value &given) {
  Value value = valueFor(context, region, given);
  if (!value.isPoison() && isBool(region.buffer->dtype))
    value = castTo(context, value, DType::I8);
  if (value.isPoison() || value.type().isScalar())
    return splat(context, value, shape);
  if (squeezedShape(value.type().shape()) != squeezedShape(shape))
    return context.error("found " + describe(given) + " for " + describe(Value::region(region)) +
                         ": the shapes differ");
  return reshapeTo(context, value, shape);
}

Value storeRegion(CallContext &context, const RegionData &region, const Value &value) {
  if (!expectNoMask(context, *region.buffer))
    return Value::poison();
  std::optional<Shape> shape = staticExtents(context, region);
  if (!shape)
    return Value::poison();
  Value stored = shaped(context, region, *shape, value);
  if (stored.isPoison())
    return stored;
  llvm::SmallVector<mlir::Value> dynamic;
  llvm::SmallVector<int64_t> fixed;
  splitOffsets(context, region, dynamic, fixed);
  context.create<tile::LocalStoreOp>(stored.ir(), region.buffer->handle, dynamic, fixed);
  return Value::none();
}

static llvm::SmallVector<mlir::Value> indexValues(CallContext &context, const RegionData &element) {
  llvm::SmallVector<mlir::Value> indices;
  for (const Value &offset : element.offsets) {
    mlir::OpFoldResult index = indexOf(context, offset);
    indices.push_back(
        mlir::getValueOrCreateConstantIndexOp(context.builder(), context.loc(), index));
  }
  return indices;
}

/// Whether an element on chip is inside its buffer; poison where that is sure, or where the author
/// orders the instructions himself.
static Value isElementInside(CallContext &context, const RegionData &element) {
  Value inside = Value::poison();
  if (stateOf(context).isNpuLevel)
    return inside;
  for (auto [offset, extent] : llvm::zip(element.offsets, element.buffer->shape)) {
    if (isInside(context, offset, 1, extent))
      continue;
    Value index = context.materialize(offset);
    inside = meetMasks(context, inside, context.compare(CompareOperator::Lt, index, extent));
    if (isSigned(index.type().dtype()))
      inside = meetMasks(context, inside,
                         context.compare(CompareOperator::Ge, index, Value::integer(0)));
  }
  return inside;
}

/// The element, or zero where it is outside.
static mlir::Value readIfInside(CallContext &context, mlir::Value inside, mlir::Type type,
                                llvm::function_ref<mlir::Value()> read) {
  auto branch = context.create<scf::IfOp>(mlir::TypeRange(type), inside, /*addThenBlock=*/true,
                                          /*addElseBlock=*/true);
  mlir::OpBuilder::InsertionGuard guard(context.builder());
  context.builder().setInsertionPointToStart(branch.thenBlock());
  context.create<scf::YieldOp>(read());
  context.builder().setInsertionPointToStart(branch.elseBlock());
  context.create<scf::YieldOp>(mlir::Value(context.create<mlir::arith::ConstantOp>(
      type, mlir::cast<mlir::TypedAttr>(context.builder().getZeroAttr(type)))));
  return branch.getResult(0);
}

Value readElement(CallContext &context, const RegionData &element) {
  const BufferData &buffer = *element.buffer;
  if (!expectNoMask(context, buffer))
    return Value::poison();
  for (const Value &offset : element.offsets)
    if (offset.isRuntime() && offset.type().isBlock())
      return context.error("found " + describe(offset) + " as an index, expected an integer");
  if (buffer.isGlobal)
    return loadGlobal(context, buffer, element.offsets, {}, Value::poison(), Value::poison());
  DType inMemory = isBool(buffer.dtype) ? DType::I8 : buffer.dtype;
  Value inside = isElementInside(context, element);
  mlir::Type type = memoryType(context, buffer.dtype);
  auto get = [&]() -> mlir::Value {
    return context.create<tile::LocalGetOp>(type, buffer.handle, indexValues(context, element));
  };
  mlir::Value result = inside.isPoison() ? get() : readIfInside(context, inside.ir(), type, get);
  Value read = Value::runtime(result, inMemory);
  return isBool(buffer.dtype) ? toBool(context, read) : read;
}

Value writeElement(CallContext &context, const RegionData &element, const Value &given) {
  const BufferData &buffer = *element.buffer;
  if (!expectNoMask(context, buffer))
    return Value::poison();
  if (!given.isNumber() && (!given.isRuntime() || given.type().isBlock()))
    return context.error("found " + describe(given) + ", expected a scalar for " +
                         describe(Value::region(element)));
  if (buffer.isGlobal)
    return storeGlobal(context, buffer, element.offsets, {}, Value::poison(), given);
  Value value = given.isNumber() ? context.materializeAs(given, buffer.dtype) : given;
  if (value.isPoison())
    return value;
  value = castTo(context, value, buffer.dtype);
  if (isBool(buffer.dtype))
    value = castTo(context, value, DType::I8);
  if (value.isPoison())
    return value;
  mlir::OpBuilder::InsertionGuard guard(context.builder());
  if (Value inside = isElementInside(context, element); !inside.isPoison()) {
    auto branch = context.create<scf::IfOp>(inside.ir(), /*withElseRegion=*/false);
    context.builder().setInsertionPointToStart(branch.thenBlock());
  }
  context.create<tile::LocalSetOp>(value.ir(), buffer.handle, indexValues(context, element));
  return Value::none();
}

} // namespace kiln::frontend::tilelang
