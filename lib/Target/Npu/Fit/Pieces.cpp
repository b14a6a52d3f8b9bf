//===- Pieces.cpp - operations on a piece of their lanes -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Types shrink along the axis; views, bounds and counts start at the piece's first lane. Everything
// else stays as it is.
//
//===-----------------------------------------------------------------------------------------===//

#include "Pieces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kiln::npu::fit {

Type PieceCloner::typeOf(Value value) const {
  std::optional<unsigned> dim = axes.dimAlong(value, axis);
  if (!dim)
    return value.getType();
  if (auto view = dyn_cast<tile::ViewType>(value.getType())) {
    SmallVector<int64_t> shape(view.getShape());
    shape[*dim] = lanes;
    return tile::ViewType::get(shape, view.getElementType());
  }
  auto tensor = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(tensor.getShape());
  shape[*dim] = lanes;
  return tensor.clone(shape);
}

Value PieceCloner::index(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

SmallVector<Value> PieceCloner::mapped(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value value) { return map.lookupOrDefault(value); });
}

void PieceCloner::cloneView(tile::ViewOp view) {
  Operation *made = builder.clone(*view, map);
  auto piece = cast<tile::ViewOp>(made);
  piece.getResult().setType(cast<tile::ViewType>(typeOf(view.getResult())));
  std::optional<unsigned> dim = axes.dimAlong(view.getResult(), axis);
  if (!start || !dim)
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(made);
  Location loc = view.getLoc();
  for (auto [number, wrapped] : llvm::enumerate(view.getWrapDims()))
    if (wrapped == int64_t(*dim)) {
      Value moved = arith::AddIOp::create(builder, loc, piece.getWrapStarts()[number], start);
      piece.getWrapStartsMutable()[number].set(moved);
      return;
    }
  OpFoldResult stride = piece.getMixedStrides()[*dim];
  std::optional<int64_t> constant = getConstantIntValue(stride);
  Value steps = start;
  if (constant != 1) {
    Value factor = constant ? index(loc, *constant) : cast<Value>(stride);
    steps = arith::MulIOp::create(builder, loc, start, factor);
  }
  piece.getOffsetMutable().set(arith::AddIOp::create(builder, loc, piece.getOffset(), steps));
}

void PieceCloner::shift(Location loc, ArrayRef<int64_t> shape, unsigned dim,
                        SmallVectorImpl<Value> &lower, SmallVectorImpl<Value> &upper) {
  if (upper.empty() && !clipped)
    return;
  if (upper.empty())
    for (int64_t size : shape) {
      lower.push_back(index(loc, 0));
      upper.push_back(index(loc, size));
    }
  std::optional<int64_t> end = getConstantIntValue(upper[dim]);
  if (clipped && end)
    upper[dim] = index(loc, std::min(*end, shape[dim]));
  else if (clipped)
    upper[dim] = arith::MinSIOp::create(builder, loc, upper[dim], index(loc, shape[dim]));
  if (!start)
    return;
  upper[dim] = arith::SubIOp::create(builder, loc, upper[dim], start);
  // From the first lane on stays from the first lane on.
  std::optional<int64_t> from = getConstantIntValue(lower[dim]);
  lower[dim] =
      from && *from <= 0 ? index(loc, 0) : arith::SubIOp::create(builder, loc, lower[dim], start);
}

void PieceCloner::cloneLoad(tile::LoadOp load) {
  SmallVector<Value> lower = mapped(load.getLower()), upper = mapped(load.getUpper());
  std::optional<unsigned> dim = axes.dimAlong(load.getResult(), axis);
  if (dim)
    shift(load.getLoc(), load.getView().getType().getShape(), *dim, lower, upper);
  auto made = cast<tile::LoadOp>(builder.clone(*load, map));
  made.getLowerMutable().assign(lower);
  made.getUpperMutable().assign(upper);
  made.getResult().setType(cast<RankedTensorType>(typeOf(load.getResult())));
}

void PieceCloner::cloneStore(tile::StoreOp store) {
  SmallVector<Value> lower = mapped(store.getLower()), upper = mapped(store.getUpper());
  if (std::optional<unsigned> dim = axes.dimAlong(store.getView(), axis))
    shift(store.getLoc(), store.getView().getType().getShape(), *dim, lower, upper);
  auto made = cast<tile::StoreOp>(builder.clone(*store, map));
  made.getLowerMutable().assign(lower);
  made.getUpperMutable().assign(upper);
}

void PieceCloner::cloneIota(tile::IotaOp iota) {
  Location loc = iota.getLoc();
  auto type = cast<RankedTensorType>(typeOf(iota.getResult()));
  Value count = tile::IotaOp::create(builder, loc, type, iota.getStart());
  if (start) {
    Value first = start;
    if (!type.getElementType().isIndex())
      first = arith::IndexCastOp::create(builder, loc, type.getElementType(), start);
    Value all = tensor::SplatOp::create(builder, loc, first, type.getShape());
    count = arith::AddIOp::create(builder, loc, count, all);
  }
  map.map(iota.getResult(), count);
}

/// The operation with its regions, inside of which types shrink too.
void PieceCloner::cloneRegions(Operation *op) {
  Operation *made = op->cloneWithoutRegions(map);
  builder.insert(made);
  for (auto [old, result] : llvm::zip(op->getResults(), made->getResults())) {
    result.setType(typeOf(old));
    map.map(old, result);
  }
  OpBuilder::InsertionGuard guard(builder);
  for (auto [from, into] : llvm::zip(op->getRegions(), made->getRegions()))
    for (Block &block : from) {
      SmallVector<Type> types;
      SmallVector<Location> locations;
      for (BlockArgument argument : block.getArguments()) {
        types.push_back(typeOf(argument));
        locations.push_back(argument.getLoc());
      }
      Block *copy = builder.createBlock(&into, into.end(), types, locations);
      for (auto [old, argument] : llvm::zip(block.getArguments(), copy->getArguments()))
        map.map(old, argument);
      for (Operation &inner : block)
        clone(&inner);
    }
}

void PieceCloner::clone(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tile::ViewOp view) { cloneView(view); })
      .Case([&](tile::LoadOp load) { cloneLoad(load); })
      .Case([&](tile::StoreOp store) { cloneStore(store); })
      .Case([&](tile::IotaOp iota) {
        if (axes.dimAlong(iota.getResult(), axis))
          cloneIota(iota);
        else
          builder.clone(*op, map);
      })
      .Case([&](arith::ConstantOp constant) {
        Type type = typeOf(constant.getResult());
        auto made = cast<arith::ConstantOp>(builder.clone(*op, map));
        if (type == constant.getType())
          return;
        auto splat = cast<SplatElementsAttr>(constant.getValue());
        made.setValueAttr(
            DenseElementsAttr::get(cast<ShapedType>(type), splat.getSplatValue<Attribute>()));
        made.getResult().setType(type);
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        auto type = cast<RankedTensorType>(typeOf(expand.getResult()));
        map.map(expand.getResult(),
                tensor::ExpandShapeOp::create(builder, op->getLoc(), type,
                                              map.lookupOrDefault(expand.getSrc()),
                                              expand.getReassociationIndices())
                    .getResult());
      })
      .Case<scf::ForOp, scf::IfOp, scf::WhileOp>([&](Operation *flow) { cloneRegions(flow); })
      .Default([&](Operation *other) {
        Operation *made = builder.clone(*other, map);
        for (auto [old, result] : llvm::zip(other->getResults(), made->getResults()))
          result.setType(typeOf(old));
      });
}

SmallVector<Value> combine(OpBuilder &builder, tile::ReduceOp reduce, ValueRange left,
                           ValueRange right) {
  Location loc = reduce.getLoc();
  auto shaped = dyn_cast<RankedTensorType>(left.front().getType());
  Block &body = reduce.getCombine().front();
  IRMapping map;
  map.map(body.getArguments().take_front(left.size()), left);
  map.map(body.getArguments().drop_front(left.size()), right);
  auto operand = [&](Value value) {
    if (map.contains(value) || !shaped)
      return map.lookupOrDefault(value);
    // A scalar of the region, or from around it.
    Value splat = tensor::SplatOp::create(builder, loc, value, shaped.getShape());
    map.map(value, splat);
    return splat;
  };
  for (Operation &op : body.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && shaped) {
      auto type = shaped.clone(constant.getType());
      map.map(constant.getResult(),
              arith::ConstantOp::create(
                  builder, loc, DenseElementsAttr::get(type, Attribute(constant.getValue())))
                  .getResult());
      continue;
    }
    for (Value value : op.getOperands())
      operand(value);
    Operation *made = builder.clone(op, map);
    if (shaped)
      for (Value result : made->getResults())
        result.setType(shaped.clone(result.getType()));
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(), operand);
}

} // namespace kiln::npu::fit
