//===- ParallelGather.cpp - elements on chip, one by one --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Where lanes do not touch a region (steps, indices from memory, edges of the buffer), a loop over
// the lanes moves one element after the other between the buffer and one of the lanes' shape.
// Indices that are no function of the lanes lie in buffers of their own:
//
//   x = a[table[i]]        index = table…        for lane: t[lane] = a[index[lane]]        x = t
//
//===-----------------------------------------------------------------------------------------===//

#include "Expert.h"
#include "Parallel.h"
#include "TileOpsMasks.h"

#include "kiln/Analysis/IntegerFacts.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::frontend::tilelang {

using namespace triton;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

namespace {

/// Where a lane finds its index of one dimension.
struct IndexSource {
  /// A function of the lanes, `base` being its scalar part.
  std::optional<LaneIndex> index;
  mlir::Value base;
  /// Else a buffer of one index for each lane.
  mlir::Value table;
};

/// The elements that the lanes touch.
struct Elements {
  mlir::Value buffer;
  llvm::SmallVector<IndexSource, 2> dims;
  Value guard; ///< which lanes touch one; poison: all
};

} // namespace

/// A new buffer with one element for each lane, holding `value` (poison: anything).
static std::shared_ptr<const BufferData> laneBuffer(CallContext &context, const Lanes &lanes,
                                                    DType dtype, const Value &value) {
  std::shared_ptr<const BufferData> buffer = allocate(context, lanes.shape, dtype, "").asBuffer();
  if (!value.isPoison())
    storeRegion(context, wholeOf(buffer), value);
  return buffer;
}

static std::optional<Elements> elementsOf(CallContext &context, const Lanes &lanes,
                                          const RegionData &element, const Value &mask) {
  if (!expectNoMask(context, *element.buffer))
    return std::nullopt;
  Elements elements{element.buffer->handle, {}, mask};
  LaneIndices indices = indicesOf(context, lanes, element);
  for (auto [dim, offset] : llvm::enumerate(element.offsets)) {
    int64_t size = *element.buffer->shape[dim].asInt()->asInt64();
    IndexSource source;
    if (indices.dims[dim] && staysInside(lanes, *indices.dims[dim], size)) {
      source.index = indices.dims[dim];
      source.base = LinearExprEmitter().emit(context.builder(), context.loc(), source.index->base);
      elements.dims.push_back(source);
      continue;
    }
    Value index = inAllLanes(context, lanes, context.materialize(offset));
    if (index.isPoison())
      return std::nullopt;
    IntegerFact fact = IntegerFacts().get(index.ir());
    Value inside;
    if (!isSigned(index.type().dtype()) || fact.upper >= size)
      inside = context.compare(CompareOperator::Lt, index, Value::integer(size));
    if (isSigned(index.type().dtype()) && fact.lower < 0)
      inside = meetMasks(context, inside,
                         context.compare(CompareOperator::Ge, index, Value::integer(0)));
    if (!inside.isPoison()) {
      index = triton::select(context, inside, index, Value::integer(0));
      elements.guard = meetMasks(context, elements.guard, inside);
    }
    source.table =
        laneBuffer(context, lanes, DType::I32, castTo(context, index, DType::I32))->handle;
    elements.dims.push_back(source);
  }
  return elements;
}

//===----------------------------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------------------------===//

static mlir::Value getElement(CallContext &context, mlir::Value buffer, mlir::ValueRange indices) {
  mlir::Type type = mlir::cast<tile::LocalType>(buffer.getType()).getElementType();
  return context.create<tile::LocalGetOp>(type, buffer, indices);
}

static llvm::SmallVector<mlir::Value> elementIndices(CallContext &context, const Elements &elements,
                                                     mlir::ValueRange lane) {
  llvm::SmallVector<mlir::Value> result;
  mlir::Type type = context.builder().getIndexType();
  for (const IndexSource &source : elements.dims) {
    if (source.table) {
      result.push_back(
          context.create<arith::IndexCastOp>(type, getElement(context, source.table, lane)));
      continue;
    }
    mlir::Value sum = source.base;
    for (auto [coefficient, position] : llvm::zip(source.index->coefficients, lane)) {
      if (coefficient == 0)
        continue;
      mlir::Value step = context.create<arith::ConstantIndexOp>(coefficient);
      sum = context.fold<arith::AddIOp>(sum, context.fold<arith::MulIOp>(position, step));
    }
    result.push_back(sum);
  }
  return result;
}

/// `body` once for each lane, with its position, on the scalar unit; the builder stands behind the
/// loop afterwards.
static void forEachLane(CallContext &context, const Lanes &lanes,
                        llvm::function_ref<void(mlir::ValueRange lane)> body) {
  expert::stopAll(context, "the scalar unit does what follows");
  {
    mlir::OpBuilder::InsertionGuard guard(context.builder());
    mlir::Value zero = context.create<arith::ConstantIndexOp>(0);
    mlir::Value one = context.create<arith::ConstantIndexOp>(1);
    llvm::SmallVector<mlir::Value> lane;
    for (int64_t size : lanes.shape) {
      mlir::Value end = context.create<arith::ConstantIndexOp>(size);
      auto loop = context.create<scf::ForOp>(zero, end, one);
      context.builder().setInsertionPointToStart(loop.getBody());
      lane.push_back(loop.getInductionVar());
    }
    body(lane);
  }
  expert::stopAll(context, "the scalar unit did what stands before");
}

static void reportSlow(CallContext &context, const RegionData &element, llvm::StringRef reason) {
  context.remark("slow: elements of '" + element.buffer->name +
                 "' are accessed one by one, because " + reason);
}

Value gatherElements(CallContext &context, Lanes &lanes, const RegionData &element,
                     llvm::StringRef reason) {
  reportSlow(context, element, reason);
  std::optional<Elements> elements = elementsOf(context, lanes, element, lanes.inRange);
  if (!elements)
    return Value::poison();
  DType dtype = element.buffer->dtype;
  std::shared_ptr<const BufferData> target = laneBuffer(context, lanes, dtype, Value::poison());
  forEachLane(context, lanes, [&](mlir::ValueRange lane) {
    mlir::Value value =
        getElement(context, elements->buffer, elementIndices(context, *elements, lane));
    context.create<tile::LocalSetOp>(value, target->handle, lane);
  });
  Value loaded = loadRegion(context, wholeOf(target));
  if (elements->guard.isPoison() || loaded.isPoison())
    return loaded;
  Value zero = context.materializeAs(Value::integer(0), dtype);
  return triton::select(context, elements->guard, loaded, zero);
}

Value scatterElements(CallContext &context, Lanes &lanes, const RegionData &element,
                      const Value &value, llvm::StringRef reason) {
  reportSlow(context, element, reason);
  std::optional<Elements> elements = elementsOf(context, lanes, element, lanes.mask());
  if (!elements)
    return Value::poison();
  std::shared_ptr<const BufferData> source =
      laneBuffer(context, lanes, element.buffer->dtype, value);
  std::shared_ptr<const BufferData> guard;
  if (!elements->guard.isPoison())
    guard = laneBuffer(context, lanes, DType::I1, elements->guard);
  forEachLane(context, lanes, [&](mlir::ValueRange lane) {
    if (guard) {
      mlir::Value flag = getElement(context, guard->handle, lane);
      mlir::Value zero = context.constant(DType::I8, Integer(0));
      auto isOn = context.create<arith::CmpIOp>(arith::CmpIPredicate::ne, flag, zero);
      auto branch = context.create<scf::IfOp>(isOn, /*withElseRegion=*/false);
      context.builder().setInsertionPointToStart(&branch.getThenRegion().front());
    }
    mlir::Value one = getElement(context, source->handle, lane);
    context.create<tile::LocalSetOp>(one, elements->buffer,
                                     elementIndices(context, *elements, lane));
  });
  return Value::none();
}

} // namespace kiln::frontend::tilelang
