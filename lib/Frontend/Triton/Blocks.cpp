//===- Blocks.cpp - the forms that blocks are moved in ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Every movement of lanes is written with `tensor.splat`, `tensor.expand_shape`,
// `tensor.collapse_shape`, `linalg.broadcast` and `linalg.transpose`, and no tensor of rank 0 is
// ever made. A block that is one scalar everywhere is splat again instead of moved:
//
//   broadcastTo [M, 1] → [M, N]:   collapse to [M], linalg.broadcast along dimension 1
//   broadcastTo [1, 1] → [M, N]:   collapse to [1], linalg.broadcast to [1, M, N], collapse the 1
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Matchers.h"

namespace kiln::frontend::triton {

/// The scalar that is in every lane, if the operation that made `block` shows it.
static mlir::Value splatScalar(CallContext &context, mlir::Value block) {
  if (auto splat = block.getDefiningOp<mlir::tensor::SplatOp>())
    return splat.getInput();
  mlir::SplatElementsAttr attribute;
  if (mlir::matchPattern(block, mlir::m_Constant(&attribute)))
    return context.create<mlir::arith::ConstantOp>(
        mlir::cast<mlir::TypedAttr>(attribute.getSplatValue<mlir::Attribute>()));
  return {};
}

static mlir::RankedTensorType tensorType(CallContext &context, const Type &type) {
  return mlir::cast<mlir::RankedTensorType>(type.mlir(context.mlirContext()));
}

static mlir::Value emptyBlock(CallContext &context, const Type &type) {
  return context.create<mlir::tensor::EmptyOp>(type.shape(),
                                               type.mlirElement(context.mlirContext()));
}

/// Splat again as `type`, or null where `value` is no splat.
static mlir::Value splatAgain(CallContext &context, const Value &value, const Type &type) {
  mlir::Value scalar = splatScalar(context, value.ir());
  return scalar ? context.fold<mlir::tensor::SplatOp>(scalar, type.shape()) : mlir::Value();
}

Value splat(CallContext &context, const Value &scalar, ShapeRef shape) {
  if (scalar.isPoison() || shape.empty())
    return scalar;
  return Value::runtime(context.fold<mlir::tensor::SplatOp>(scalar.ir(), shape),
                        scalar.type().withShape(shape));
}

Value reshapeTo(CallContext &context, const Value &value, ShapeRef shape) {
  if (value.isPoison() || value.type().shape() == shape)
    return value;
  if (value.type().isScalar())
    return splat(context, value, shape);
  Type type = value.type().withShape(shape);
  if (mlir::Value again = splatAgain(context, value, type))
    return Value::runtime(again, type);
  mlir::RankedTensorType from = tensorType(context, value.type()), to = tensorType(context, type);
  if (from.getRank() != to.getRank()) {
    if (auto groups = mlir::getReassociationIndicesForReshape(from, to)) {
      mlir::Value result;
      if (from.getRank() > to.getRank())
        result = context.create<mlir::tensor::CollapseShapeOp>(to, value.ir(), *groups);
      else
        result = context.create<mlir::tensor::ExpandShapeOp>(to, value.ir(), *groups);
      return Value::runtime(result, type);
    }
  }
  // No grouping of dimensions does it in one step: by way of one dimension.
  return reshapeTo(context, reshapeTo(context, value, {value.type().numElements()}), shape);
}

Value insertUnitDim(CallContext &context, const Value &value, int64_t axis) {
  if (value.isPoison())
    return value;
  Shape shape(value.type().shape());
  shape.insert(shape.begin() + axis, 1);
  return reshapeTo(context, value, shape);
}

Value broadcastTo(CallContext &context, const Value &value, ShapeRef shape) {
  if (value.isPoison() || value.type().shape() == shape)
    return value;
  if (value.type().isScalar())
    return splat(context, value, shape);
  ShapeRef from = value.type().shape();
  assert(from.size() == shape.size() && "broadcastTo between ranks");
  Type type = value.type().withShape(shape);
  if (mlir::Value again = splatAgain(context, value, type))
    return Value::runtime(again, type);

  Shape kept, added;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (from[dim] == size)
      kept.push_back(size);
    else
      added.push_back(dim);
  }
  bool isOneLane = kept.empty();
  Type target = type;
  if (isOneLane) {
    kept.push_back(1);
    Shape wider(shape);
    wider.insert(wider.begin(), 1);
    target = type.withShape(wider);
    for (int64_t &dim : added)
      ++dim;
  }
  Value source = reshapeTo(context, value, kept);
  auto op = context.create<mlir::linalg::BroadcastOp>(source.ir(), emptyBlock(context, target),
                                                      ShapeRef(added));
  return reshapeTo(context, Value::runtime(op->getResult(0), target), shape);
}

Value permuteDims(CallContext &context, const Value &value, ShapeRef permutation) {
  if (value.isPoison() || llvm::equal(permutation, llvm::seq<int64_t>(permutation.size())))
    return value;
  Shape shape;
  for (int64_t dim : permutation)
    shape.push_back(value.type().shape()[dim]);
  Type type = value.type().withShape(shape);
  if (mlir::Value again = splatAgain(context, value, type))
    return Value::runtime(again, type);
  auto op =
      context.create<mlir::linalg::TransposeOp>(value.ir(), emptyBlock(context, type), permutation);
  return Value::runtime(op->getResult(0), type);
}

/// The common shape of two blocks, numpy's rule; false where a dimension disagrees.
static bool mergeShapes(CallContext &context, const Value &value, Shape &shape) {
  Shape other(value.type().shape());
  Shape before = shape;
  while (other.size() < shape.size())
    other.insert(other.begin(), 1);
  while (shape.size() < other.size())
    shape.insert(shape.begin(), 1);
  for (auto [dim, size] : llvm::enumerate(other)) {
    if (shape[dim] == 1)
      shape[dim] = size;
    if (size == 1 || size == shape[dim])
      continue;
    context.error("shapes [" + shapeText(before) + "] and [" + shapeText(value.type().shape()) +
                  "] differ in dimension " + llvm::Twine(dim) + ": " + llvm::Twine(shape[dim]) +
                  " and " + llvm::Twine(size) + ", expected equal sizes or 1");
    return false;
  }
  return true;
}

bool broadcastTogether(CallContext &context, llvm::MutableArrayRef<Value> values) {
  Shape shape;
  for (const Value &value : values)
    if (value.isPoison() || (value.type().isBlock() && !mergeShapes(context, value, shape)))
      return false;
  for (Value &value : values) {
    while (value.type().isBlock() && value.type().rank() < int64_t(shape.size()))
      value = insertUnitDim(context, value, 0);
    value = broadcastTo(context, value, shape);
  }
  return true;
}

} // namespace kiln::frontend::triton
