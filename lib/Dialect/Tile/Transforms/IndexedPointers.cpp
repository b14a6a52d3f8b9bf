//===- IndexedPointers.cpp - pointers as a base and a tensor of offsets ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "RaiseAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

static RankedTensorType withElement(Type shaped, Type element) {
  return RankedTensorType::get(cast<RankedTensorType>(shaped).getShape(), element);
}

static Type pointeeOf(Value pointers) {
  return cast<PtrType>(getElementTypeOrSelf(pointers.getType())).getPointee();
}

/// Bytes of an element in memory; 0 for what has no size of its own.
static int64_t sizeOf(Type pointee) {
  if (isa<PtrType>(pointee))
    return 8;
  return pointee.isIntOrFloat() ? llvm::divideCeil(pointee.getIntOrFloatBitWidth(), 8) : 0;
}

static Value toI64(OpBuilder &builder, Location loc, Value offsets) {
  Type element = getElementTypeOrSelf(offsets.getType());
  auto type = withElement(offsets.getType(), builder.getI64Type());
  if (element.isInteger(64))
    return offsets;
  if (element.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, offsets);
  return arith::ExtSIOp::create(builder, loc, type, offsets);
}

static Value splatConstant(OpBuilder &builder, Location loc, RankedTensorType type, int64_t value) {
  auto attr = DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value));
  return arith::ConstantOp::create(builder, loc, attr);
}

/// Places the builder where both values are defined; `computed` may have been emitted after
/// `pointers`.
static void insertAfter(OpBuilder &builder, Value pointers, Value computed) {
  builder.setInsertionPointAfterValue(pointers);
  Operation *op = computed ? computed.getDefiningOp() : nullptr;
  Operation *other = pointers.getDefiningOp();
  bool sameBlock = op && op->getBlock() == pointers.getParentBlock();
  if (sameBlock && (!other || other->isBeforeInBlock(op)))
    builder.setInsertionPointAfter(op);
}

/// The same change of shape on a tensor of other elements.
static Value cloneShapeOp(OpBuilder &builder, Operation *op, Value input) {
  Type element = getElementTypeOrSelf(input.getType());
  RankedTensorType type = withElement(op->getResult(0).getType(), element);
  IRMapping mapping;
  mapping.map(op->getOperand(0), input);
  if (isa<linalg::BroadcastOp, linalg::TransposeOp>(op))
    mapping.map(op->getOperand(1),
                tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(), element));
  if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op))
    return linalg::BroadcastOp::create(builder, op->getLoc(), input,
                                       mapping.lookup(op->getOperand(1)), broadcast.getDimensions())
        ->getResult(0);
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op))
    return linalg::TransposeOp::create(builder, op->getLoc(), input,
                                       mapping.lookup(op->getOperand(1)),
                                       transpose.getPermutation())
        ->getResult(0);
  Operation *clone = builder.clone(*op, mapping);
  clone->getResult(0).setType(type);
  return clone->getResult(0);
}

static bool isShapeOp(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, linalg::BroadcastOp,
             linalg::TransposeOp>(op);
}

//===-----------------------------------------------------------------------------------------===//
// One base
//===-----------------------------------------------------------------------------------------===//

FailureOr<IndexedPointers::Indexed> IndexedPointers::get(Value pointers) {
  if (auto found = known.find(pointers); found != known.end())
    return found->second;
  FailureOr<Indexed> form = compute(pointers);
  if (succeeded(form))
    known[pointers] = *form;
  return form;
}

FailureOr<IndexedPointers::Indexed> IndexedPointers::getMaterialized(Value pointers) {
  FailureOr<Indexed> form = get(pointers);
  if (failed(form))
    return failure();
  OpBuilder builder(pointers.getContext());
  insertAfter(builder, pointers, form->offsets);
  Location loc = pointers.getLoc();
  RankedTensorType type = withElement(pointers.getType(), builder.getI64Type());
  Value scalar;
  if (!form->offsets || !form->scalar.isConstant(0))
    scalar = tensor::SplatOp::create(
        builder, loc, type, emitter.emitScalar(builder, loc, form->scalar, builder.getI64Type()));
  Value offsets = form->offsets ? toI64(builder, loc, form->offsets) : scalar;
  if (form->offsets && scalar)
    offsets = arith::AddIOp::create(builder, loc, offsets, scalar);
  return Indexed{form->base, LinearExpr(), offsets};
}

FailureOr<IndexedPointers::Indexed> IndexedPointers::compute(Value pointers) {
  OpBuilder builder(pointers.getContext());
  builder.setInsertionPointAfterValue(pointers);
  Location loc = pointers.getLoc();
  if (const LaneAffine *form = lanes.get(pointers)) {
    Indexed result{emitter.resolveBase(form->base), form->offset, {}};
    LaneAffine rest = *form;
    rest.offset = LinearExpr();
    if (!rest.isUniform())
      result.offsets = emitter.emitTensor(builder, loc, rest,
                                          withElement(pointers.getType(), builder.getI64Type()));
    return result;
  }
  Operation *op = pointers.getDefiningOp();
  if (!op) {
    emitError(loc) << "pointers that enter a block here are not there yet";
    return failure();
  }
  if (isa<HintOp>(op))
    return get(op->getOperand(0));
  if (auto add = dyn_cast<AddPtrOp>(op)) {
    FailureOr<Indexed> result = get(add.getPtr());
    if (failed(result))
      return failure();
    const LaneAffine *offset = lanes.get(add.getOffset());
    if (offset && offset->isUniform()) {
      result->scalar = result->scalar + offset->offset;
    } else if (result->offsets) {
      result->offsets = arith::AddIOp::create(builder, loc, toI64(builder, loc, result->offsets),
                                              toI64(builder, loc, add.getOffset()));
    } else {
      result->offsets = add.getOffset();
    }
    return result;
  }
  if (isShapeOp(op)) {
    FailureOr<Indexed> result = get(op->getOperand(0));
    if (succeeded(result) && result->offsets)
      result->offsets = cloneShapeOp(builder, op, result->offsets);
    return result;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    FailureOr<Indexed> left = get(select.getTrueValue()), right = get(select.getFalseValue());
    if (failed(left) || failed(right))
      return failure();
    if (left->base == right->base) {
      FailureOr<Indexed> a = getMaterialized(select.getTrueValue()),
                         b = getMaterialized(select.getFalseValue());
      if (failed(a) || failed(b))
        return failure();
      Value offsets =
          arith::SelectOp::create(builder, loc, select.getCondition(), a->offsets, b->offsets);
      return Indexed{left->base, LinearExpr(), offsets};
    }
  }
  return absolute(pointers);
}

//===-----------------------------------------------------------------------------------------===//
// No common base: byte addresses
//===-----------------------------------------------------------------------------------------===//

FailureOr<Value> IndexedPointers::getAddresses(Value pointers) {
  OpBuilder builder(pointers.getContext());
  builder.setInsertionPointAfterValue(pointers);
  Location loc = pointers.getLoc();
  RankedTensorType type = withElement(pointers.getType(), builder.getI64Type());
  Operation *op = pointers.getDefiningOp();
  if (auto cast = dyn_cast_if_present<IntToPtrOp>(op))
    return toI64(builder, loc, cast.getAddress());
  if (isa_and_present<PtrCastOp, HintOp>(op))
    return getAddresses(op->getOperand(0));
  if (auto select = dyn_cast_if_present<arith::SelectOp>(op)) {
    FailureOr<Value> left = getAddresses(select.getTrueValue()),
                     right = getAddresses(select.getFalseValue());
    if (failed(left) || failed(right))
      return failure();
    return arith::SelectOp::create(builder, loc, select.getCondition(), *left, *right).getResult();
  }
  bool fromMemory = isa_and_present<LoadOp, GatherOp, PtrLoadOp>(op);
  if (!fromMemory) {
    FailureOr<Indexed> form = getMaterialized(pointers);
    if (failed(form))
      return failure();
    insertAfter(builder, pointers, form->offsets);
    Value base = PtrToIntOp::create(builder, loc, builder.getI64Type(), form->base);
    Value start = tensor::SplatOp::create(builder, loc, type, base);
    Value bytes =
        arith::MulIOp::create(builder, loc, form->offsets,
                              splatConstant(builder, loc, type, sizeOf(pointeeOf(pointers))));
    return arith::AddIOp::create(builder, loc, start, bytes).getResult();
  }
  emitError(loc) << "pointers that are read from memory are not there yet";
  return failure();
}

FailureOr<IndexedPointers::Indexed> IndexedPointers::absolute(Value pointers) {
  Operation *op = pointers.getDefiningOp();
  if (!isa<IntToPtrOp, PtrCastOp, arith::SelectOp, LoadOp, GatherOp, PtrLoadOp>(op)) {
    op->emitError() << "pointers computed by " << op->getName() << " are not there yet";
    return failure();
  }
  FailureOr<Value> addresses = getAddresses(pointers);
  if (failed(addresses))
    return failure();
  OpBuilder builder(pointers.getContext());
  insertAfter(builder, pointers, *addresses);
  Location loc = pointers.getLoc();
  Value zero = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
  Value base = IntToPtrOp::create(builder, loc, getElementTypeOrSelf(pointers.getType()), zero);
  auto type = cast<RankedTensorType>(addresses->getType());
  int64_t size = sizeOf(pointeeOf(pointers));
  Value offsets = *addresses;
  if (size > 1) // elements are aligned to their size, so nothing is lost
    offsets = arith::ShRUIOp::create(builder, loc, offsets,
                                     splatConstant(builder, loc, type, llvm::Log2_64(size)));
  return Indexed{base, LinearExpr(), offsets};
}
