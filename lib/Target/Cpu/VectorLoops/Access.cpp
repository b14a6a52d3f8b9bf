//===- Access.cpp - lanes to and from memory -------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Lanes that lie side by side are one vector access; lanes with another stride, wrapped or indexed
// lanes are a gather or scatter (in lane order, as the hardware's are). A lane that is off never
// touches memory: vectors by mask, scalars by branch.
//
//===-----------------------------------------------------------------------------------------===//

#include "Emission.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::cpu {

static constexpr unsigned kStreamAlignment = 64;

Value toI64(OpBuilder &b, Location loc, Value value) {
  Type i64 = b.getI64Type();
  if (value.getType() == i64)
    return value;
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(b, loc, i64, value);
  return arith::ExtSIOp::create(b, loc, i64, value);
}

static Value rawPointer(OpBuilder &b, Location loc, Value pointer) {
  Type raw = LLVM::LLVMPointerType::get(b.getContext());
  return UnrealizedConversionCastOp::create(b, loc, raw, pointer).getResult(0);
}

static Value step(OpBuilder &b, Location loc, Value pointer, Type element, Value count) {
  Type type = pointer.getType();
  if (auto vector = dyn_cast<VectorType>(count.getType()))
    type = VectorType::get(vector.getShape(), LLVM::LLVMPointerType::get(b.getContext()));
  return LLVM::GEPOp::create(b, loc, type, storageType(element), pointer, ValueRange{count});
}

/// From the address of lane 0 of the axis to the chunk's first lane.
Place LeafEmitter::advance(Value row, Type element, int64_t stride, Value dynamicStride,
                           Location loc) {
  Place place{row, stride, dynamicStride, Value()};
  if (current == &head || stride == 0)
    return place;
  Value first = toI64(*current, loc, chunk.first);
  if (dynamicStride)
    first = arith::MulIOp::create(*current, loc, first, dynamicStride);
  else if (stride != 1)
    first = arith::MulIOp::create(*current, loc, first, constantInt(first.getType(), stride));
  place.first = step(*current, loc, row, element, first);
  return place;
}

/// The non-negative remainder.
static Value wrap(OpBuilder &b, Location loc, Value value, Value size, Value zero) {
  Value rest = arith::RemSIOp::create(b, loc, value, size);
  Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, rest, zero);
  Value lifted = arith::AddIOp::create(b, loc, rest, size);
  return arith::SelectOp::create(b, loc, negative, lifted, rest);
}

Place LeafEmitter::placeOfView(Node &node, const Point &iteration) {
  auto load = dyn_cast<tile::LoadOp>(node.op);
  Value viewValue = load ? load.getView() : cast<tile::StoreOp>(node.op).getView();
  auto view = viewValue.getDefiningOp<tile::ViewOp>();
  Type element = view.getType().getElementType(), i64 = builder.getI64Type();
  Location loc = node.loc;
  OpBuilder *outer = current;
  current = &head;
  // What does not vary along the axis, and how much one lane of it moves the address.
  Value offset = toI64(head, loc, view.getOffset());
  int64_t stride = 0;
  Value dynamicStride, wrappedOffsets;
  for (auto [dim, mixed] : llvm::enumerate(view.getMixedStrides())) {
    std::optional<int64_t> constant = getConstantIntValue(mixed);
    Value amount = constant ? constantInt(i64, *constant)
                            : toI64(head, loc, getValueOrCreateConstantIndexOp(head, loc, mixed));
    auto wrapAt = llvm::find(view.getWrapDims(), int64_t(dim));
    bool wraps = wrapAt != view.getWrapDims().end();
    Value start, size;
    if (wraps) {
      unsigned at = wrapAt - view.getWrapDims().begin();
      start = toI64(head, loc, view.getWrapStarts()[at]);
      size = toI64(head, loc, view.getWrapSizes()[at]);
    }
    bool onAxis = axis != kUnit && iteration[dim] == axis;
    if (!onAxis) {
      Value index = toI64(head, loc, indexOf(iteration[dim]));
      if (wraps)
        index = wrap(head, loc, arith::AddIOp::create(head, loc, start, index), size, zero(i64));
      index = arith::MulIOp::create(head, loc, index, amount);
      offset = arith::AddIOp::create(head, loc, offset, index);
    } else if (wraps) {
      current = outer;
      OpBuilder &b = *current;
      Value index = toI64(b, loc, chunk.first);
      index = arith::AddIOp::create(b, loc, index, start);
      Value limit = size;
      if (width() > 1) {
        index = arith::AddIOp::create(b, loc, toLanes(index, loc), laneNumbers(i64));
        limit = toLanes(size, loc);
        amount = toLanes(amount, loc);
      }
      Value none = toLanes(zero(i64), loc);
      index = arith::MulIOp::create(b, loc, wrap(b, loc, index, limit, none), amount);
      wrappedOffsets =
          wrappedOffsets ? arith::AddIOp::create(b, loc, wrappedOffsets, index).getResult() : index;
      current = &head;
    } else if (constant && !dynamicStride) {
      stride += *constant;
    } else {
      Value known = dynamicStride ? dynamicStride : constantInt(i64, stride);
      dynamicStride = arith::AddIOp::create(head, loc, known, amount);
    }
  }
  // Rows are found once per leaf, whatever section asks.
  Value &row = uniform[{node.op, iteration}];
  if (!row)
    row = step(head, loc, rawPointer(head, loc, view.getBase()), element, offset);
  current = outer;
  if (dynamicStride)
    stride = ShapedType::kDynamic;
  Place place = advance(row, element, stride, dynamicStride, loc);
  if (wrappedOffsets && width() == 1) {
    place.first = step(*current, loc, place.first, element, wrappedOffsets);
  } else if (wrappedOffsets) {
    place.pointers = step(*current, loc, pointersOf(place, element, loc), element, wrappedOffsets);
  }
  return place;
}

Place LeafEmitter::placeOfBuffer(Buffer &buffer, const Point &point, Location loc) {
  Value &row = uniform[{&buffer, point}];
  int64_t stride = 0;
  Type i64 = builder.getI64Type();
  OpBuilder *outer = current;
  current = &head;
  Value offset;
  for (int dim : buffer.dims) {
    if (axis != kUnit && point[dim] == axis) {
      stride += buffer.strideOf(dim);
    } else if (!row && point[dim] != kUnit) {
      Value index = toI64(head, loc, indexOf(point[dim]));
      index = arith::MulIOp::create(head, loc, index, constantInt(i64, buffer.strideOf(dim)));
      offset = offset ? arith::AddIOp::create(head, loc, offset, index).getResult() : index;
    }
  }
  if (!row) {
    row = context.scratch->address(head, loc, buffer);
    if (offset)
      row = step(head, loc, row, buffer.element, offset);
  }
  current = outer;
  return advance(row, buffer.element, stride, Value(), loc);
}

Place LeafEmitter::placeOfOffsets(Node &node, Value base, Value offsets) {
  Location loc = node.loc;
  Type element = cast<tile::PtrType>(base.getType()).getPointee();
  Value pointer;
  {
    Value &raw = uniform[{base.getAsOpaquePointer(), Point()}];
    if (!raw)
      raw = rawPointer(head, loc, base);
    pointer = raw;
  }
  if (!isa<VectorType>(offsets.getType()))
    return {step(*current, loc, pointer, element, toI64(*current, loc, offsets)), 0, {}, {}};
  Type wide = lanesOf(builder.getI64Type());
  Type from = getElementTypeOrSelf(offsets.getType());
  if (from.isIndex())
    offsets = arith::IndexCastOp::create(*current, loc, wide, offsets);
  else if (!from.isInteger(64))
    offsets = arith::ExtSIOp::create(*current, loc, wide, offsets);
  return {Value(), 0, Value(), step(*current, loc, pointer, element, offsets)};
}

/// The address of each lane.
Value LeafEmitter::pointersOf(const Place &place, Type element, Location loc) {
  if (place.pointers)
    return place.pointers;
  Type i64 = builder.getI64Type();
  Value moves = laneNumbers(i64);
  Value stride = place.dynamicStride ? place.dynamicStride : constantInt(i64, place.stride);
  moves = arith::MulIOp::create(*current, loc, moves, toLanes(stride, loc));
  return step(*current, loc, place.first, element, moves);
}

/// Between a value's lanes and their form in memory.
static Value fromStorage(OpBuilder &b, Location loc, Value value, Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return arith::IndexCastOp::create(b, loc, type, value);
  if (element.isInteger(1))
    return arith::TruncIOp::create(b, loc, type, value);
  return value;
}

static Value toStorage(OpBuilder &b, Location loc, Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  Type stored = storageType(element);
  if (stored == element)
    return value;
  Type type = stored;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(stored);
  if (element.isIndex())
    return arith::IndexCastOp::create(b, loc, type, value);
  return arith::ExtUIOp::create(b, loc, type, value);
}

Value LeafEmitter::readLanes(const Place &place, Type element, Value mask, Value pad,
                             Location loc) {
  OpBuilder &b = *current;
  Type stored = storageType(element);
  unsigned alignment = storageBytes(element);
  Value value;
  if (width() == 1) {
    if (!mask) {
      value = LLVM::LoadOp::create(b, loc, stored, place.first, alignment);
    } else {
      Value off = pad ? toStorage(b, loc, pad) : zero(stored);
      value = scf::IfOp::create(
                  b, loc, mask,
                  [&](OpBuilder &inner, Location) {
                    Value read = LLVM::LoadOp::create(inner, loc, stored, place.first, alignment);
                    scf::YieldOp::create(inner, loc, read);
                  },
                  [&](OpBuilder &inner, Location) { scf::YieldOp::create(inner, loc, off); })
                  .getResult(0);
    }
    return fromStorage(b, loc, value, element);
  }
  Type type = lanesOf(stored);
  bool contiguous = !place.pointers && place.stride == 1;
  if (contiguous && !mask) {
    value = LLVM::LoadOp::create(b, loc, type, place.first, alignment);
  } else {
    Value off = pad ? toStorage(b, loc, toLanes(pad, loc)) : toLanes(zero(stored), loc);
    auto align = b.getI32IntegerAttr(alignment);
    Value on = toLanes(mask ? mask : constantInt(b.getI1Type(), 1), loc);
    if (contiguous)
      value = LLVM::MaskedLoadOp::create(b, loc, type, place.first, on, off, align, UnitAttr());
    else
      value = LLVM::masked_gather::create(b, loc, type, pointersOf(place, element, loc), on,
                                          ValueRange{off}, align);
  }
  return fromStorage(b, loc, value, lanesOf(element));
}

void LeafEmitter::writeLanes(const Place &place, Value value, Value mask, Location loc,
                             bool streaming) {
  OpBuilder &b = *current;
  Type element = getElementTypeOrSelf(value.getType());
  unsigned alignment = storageBytes(element);
  value = toStorage(b, loc, toLanes(value, loc));
  if (width() == 1) {
    if (!mask) {
      LLVM::StoreOp::create(b, loc, value, place.first, alignment);
      return;
    }
    scf::IfOp::create(b, loc, mask, [&](OpBuilder &inner, Location) {
      LLVM::StoreOp::create(inner, loc, value, place.first, alignment);
      scf::YieldOp::create(inner, loc);
    });
    return;
  }
  bool contiguous = !place.pointers && place.stride == 1;
  if (contiguous && !mask) {
    LLVM::StoreOp::create(b, loc, value, place.first, streaming ? kStreamAlignment : alignment,
                          /*isVolatile=*/false,
                          /*isNonTemporal=*/streaming);
    return;
  }
  Value on = toLanes(mask ? mask : constantInt(b.getI1Type(), 1), loc);
  auto align = b.getI32IntegerAttr(alignment);
  if (contiguous)
    LLVM::MaskedStoreOp::create(b, loc, value, place.first, on, align);
  else
    LLVM::masked_scatter::create(b, loc, value, pointersOf(place, element, loc), on, align);
}

Value LeafEmitter::loadNode(Node &node, const Point &point) {
  auto load = dyn_cast<tile::LoadOp>(node.op);
  auto gather = dyn_cast<tile::GatherOp>(node.op);
  Value mask = load ? load.getMask() : gather.getMask();
  Value pad = load ? load.getPad() : gather.getPad();
  auto lanesAt = [&](Value value) { return value ? emit(value, point) : value; };
  mask = maskOf(node, point, lanesAt(mask));
  pad = lanesAt(pad);
  Place place = load ? placeOfView(node, point)
                     : placeOfOffsets(node, gather.getBase(), lanesAt(gather.getOffsets()));
  Type element = getElementTypeOrSelf(node.results[0].getType());
  // Offsets may be the same in all lanes while the mask or the pad is not.
  if (gather && width() > 1 && !place.pointers)
    place.pointers = pointersOf(place, element, node.loc);
  prefetch(node, point, place, element);
  return readLanes(place, element, mask, pad, node.loc);
}

void LeafEmitter::storeNode(Node &node) {
  auto store = dyn_cast<tile::StoreOp>(node.op);
  auto scatter = dyn_cast<tile::ScatterOp>(node.op);
  Point point = graph.axesOf(node);
  auto lanesAt = [&](Value value) { return value ? emit(value, point) : value; };
  Value value = lanesAt(store ? store.getValue() : scatter.getValue());
  Value mask = maskOf(node, point, lanesAt(store ? store.getMask() : scatter.getMask()));
  Place place = store ? placeOfView(node, point)
                      : placeOfOffsets(node, scatter.getBase(),
                                       toLanes(lanesAt(scatter.getOffsets()), node.loc));
  writeLanes(place, value, mask, node.loc, &node == aligned && chunk.streams);
}

Value LeafEmitter::readBuffer(Buffer &buffer, const Point &point, Location loc) {
  Place place = placeOfBuffer(buffer, point, loc);
  Value mask = current == &head || width() == 1 ? Value() : chunk.existing;
  return readLanes(place, buffer.element, mask, Value(), loc);
}

void LeafEmitter::writeBuffer(Buffer &buffer, const Point &point, Value value, Location loc) {
  Place place = placeOfBuffer(buffer, point, loc);
  Value mask = current == &head || width() == 1 ? Value() : chunk.existing;
  writeLanes(place, value, mask, loc);
}

/// A reshape reads its operand's buffer in row-major order under its own shape.
Value LeafEmitter::readReshape(Node &node, const Point &point) {
  Node &source = *node.links[0].def;
  Buffer &kept = *source.buffers[source.resultIndex(node.links[0].value)];
  Location loc = node.loc;
  OpBuilder *outer = current;
  current = &head;
  Type i64 = builder.getI64Type();
  Value offset = zero(i64);
  int64_t stride = 0, step_ = 1;
  for (int dim = int(point.size()) - 1; dim >= 0; --dim) {
    if (axis != kUnit && point[dim] == axis) {
      stride += step_;
    } else if (point[dim] != kUnit) {
      Value index = toI64(head, loc, indexOf(point[dim]));
      index = arith::MulIOp::create(head, loc, index, constantInt(i64, step_));
      offset = arith::AddIOp::create(head, loc, offset, index);
    }
    step_ *= node.extents[dim];
  }
  Value row = step(head, loc, context.scratch->address(head, loc, kept), kept.element, offset);
  current = outer;
  Place place = advance(row, kept.element, stride, Value(), loc);
  Value mask = current == &head || width() == 1 ? Value() : chunk.existing;
  return readLanes(place, kept.element, mask, Value(), loc);
}

} // namespace kiln::cpu
