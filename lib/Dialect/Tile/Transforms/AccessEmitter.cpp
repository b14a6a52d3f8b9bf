//===- AccessEmitter.cpp - write forms of addresses and masks as operations ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "AccessEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

//===-----------------------------------------------------------------------------------------===//
// Masks
//===-----------------------------------------------------------------------------------------===//

LaneMask tile::simplifyMask(LaneMask mask, ArrayRef<int64_t> shape, IntegerFacts &facts) {
  bool never = mask.never;
  llvm::erase_if(mask.lower, [&](const LaneMask::Bound &bound) {
    IntegerFact fact = facts.get(bound.value);
    never |= fact.lower >= shape[bound.dim];
    return fact.upper <= 0;
  });
  llvm::erase_if(mask.upper, [&](const LaneMask::Bound &bound) {
    IntegerFact fact = facts.get(bound.value);
    never |= fact.upper <= 0;
    return fact.lower >= shape[bound.dim];
  });
  llvm::erase_if(mask.positive, [&](const LinearExpr &expr) {
    IntegerFact fact = facts.get(expr);
    never |= fact.upper <= 0;
    return fact.lower > 0;
  });
  if (never) {
    mask = LaneMask();
    mask.never = true;
  }
  return mask;
}

EmittedMask AccessEmitter::emitMask(OpBuilder &builder, Location loc, const LaneMask &mask,
                                    ArrayRef<int64_t> shape) {
  EmittedMask result;
  for (Value residual : mask.residual)
    result.residual =
        result.residual ? arith::AndIOp::create(builder, loc, result.residual, residual) : residual;
  bool uniform = mask.never || !mask.positive.empty() || !mask.conditions.empty();
  if (mask.lower.empty() && mask.upper.empty() && !uniform)
    return result;

  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  result.lower.resize(shape.size());
  result.upper.resize(shape.size());
  for (const LaneMask::Bound &bound : mask.lower) {
    Value value = scalars.emit(builder, loc, bound.value), &slot = result.lower[bound.dim];
    slot = slot ? arith::MaxSIOp::create(builder, loc, slot, value) : value;
  }
  for (const LaneMask::Bound &bound : mask.upper) {
    Value value = scalars.emit(builder, loc, bound.value), &slot = result.upper[bound.dim];
    slot = slot ? arith::MinSIOp::create(builder, loc, slot, value) : value;
  }
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (!result.lower[dim])
      result.lower[dim] = index(0);
    if (!result.upper[dim])
      result.upper[dim] = index(size);
  }
  if (mask.never) {
    result.upper.front() = index(0);
    return result;
  }

  // What holds for all lanes or for none empties the first dimension.
  Value condition;
  auto meet = [&](Value other) {
    condition = condition ? arith::AndIOp::create(builder, loc, condition, other) : other;
  };
  for (Value scalar : mask.conditions)
    meet(scalar);
  for (const LinearExpr &expr : mask.positive)
    meet(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                               scalars.emit(builder, loc, expr), index(0)));
  if (condition)
    result.upper.front() =
        arith::SelectOp::create(builder, loc, condition, result.upper.front(), index(0));
  return result;
}

//===-----------------------------------------------------------------------------------------===//
// Addresses
//===-----------------------------------------------------------------------------------------===//

Value AccessEmitter::resolveBase(Value base) const {
  Value scalar = bases.lookup(base);
  return scalar ? scalar : scalars.resolve(base);
}

Value AccessEmitter::emitWrapSize(OpBuilder &builder, Location loc, const LaneWrap &wrap) {
  Value size = scalars.emit(builder, loc, wrap.size);
  if (!wrap.absolute)
    return size;
  Value negated =
      arith::SubIOp::create(builder, loc, arith::ConstantIndexOp::create(builder, loc, 0), size);
  return arith::MaxSIOp::create(builder, loc, size, negated);
}

ViewOp AccessEmitter::emitView(OpBuilder &builder, Location loc, const LaneAffine &address,
                               ViewType type) {
  SmallVector<Value> strides, starts, sizes;
  SmallVector<int64_t> staticStrides, wrapDims;
  for (auto [index, dim] : llvm::enumerate(address.dims)) {
    if (std::optional<int64_t> stride = dim.coefficient.asConstant()) {
      staticStrides.push_back(*stride);
    } else {
      staticStrides.push_back(ShapedType::kDynamic);
      strides.push_back(scalars.emit(builder, loc, dim.coefficient));
    }
    if (!dim.wrap)
      continue;
    wrapDims.push_back(index);
    starts.push_back(scalars.emit(builder, loc, dim.wrap->start));
    sizes.push_back(emitWrapSize(builder, loc, *dim.wrap));
  }
  Value offset = scalars.emit(builder, loc, address.offset);
  return ViewOp::create(builder, loc, type, resolveBase(address.base), offset, strides,
                        staticStrides, wrapDims, starts, sizes);
}

Value AccessEmitter::emitScalar(OpBuilder &builder, Location loc, const LinearExpr &expr,
                                Type type) {
  Value value = scalars.emit(builder, loc, expr);
  return type.isIndex() ? value : arith::IndexCastOp::create(builder, loc, type, value);
}

Value AccessEmitter::emitTensor(OpBuilder &builder, Location loc, const LaneAffine &form,
                                RankedTensorType type) {
  Type element = type.getElementType();
  auto splat = [&](Value scalar, RankedTensorType type) -> Value {
    return tensor::SplatOp::create(builder, loc, type, scalar);
  };
  Value sum;
  for (auto [index, dim] : llvm::enumerate(form.dims)) {
    if (dim.isUniform())
      continue;
    auto line = RankedTensorType::get({type.getDimSize(index)}, element);
    Value lanes = IotaOp::create(builder, loc, line, 0);
    if (dim.wrap) {
      Value start = emitScalar(builder, loc, dim.wrap->start, element);
      Value size = emitWrapSize(builder, loc, *dim.wrap);
      if (!element.isIndex())
        size = arith::IndexCastOp::create(builder, loc, element, size);
      lanes = arith::AddIOp::create(builder, loc, lanes, splat(start, line));
      lanes = arith::RemUIOp::create(builder, loc, lanes, splat(size, line));
    }
    if (!dim.coefficient.isConstant(1)) {
      Value factor = emitScalar(builder, loc, dim.coefficient, element);
      lanes = arith::MulIOp::create(builder, loc, lanes, splat(factor, line));
    }
    if (type.getRank() > 1) {
      SmallVector<int64_t> added;
      for (int64_t other = 0; other < type.getRank(); ++other)
        if (other != int64_t(index))
          added.push_back(other);
      Value init = tensor::EmptyOp::create(builder, loc, type.getShape(), element);
      lanes = linalg::BroadcastOp::create(builder, loc, lanes, init, added)->getResult(0);
    }
    sum = sum ? arith::AddIOp::create(builder, loc, sum, lanes) : lanes;
  }
  if (sum && form.offset.isConstant(0))
    return sum;
  Value offset = splat(emitScalar(builder, loc, form.offset, element), type);
  return sum ? arith::AddIOp::create(builder, loc, sum, offset) : offset;
}
