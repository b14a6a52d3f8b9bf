//===- LaneAffine.cpp - values as affine functions of the lane -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Analysis/LaneAffine.h"

#include "ShapeMap.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;

bool LaneAffine::isUniform() const {
  return llvm::all_of(dims, [](const LaneDim &dim) { return dim.isUniform(); });
}

//===-----------------------------------------------------------------------------------------===//
// Arithmetic on forms
//===-----------------------------------------------------------------------------------------===//

/// Sums of functions of one lane index stay such a function only if they see the index the same
/// way.
static std::optional<LaneAffine> add(const LaneAffine &a, const LaneAffine &b, int64_t sign) {
  LaneAffine sum = a;
  sum.offset = a.offset + b.offset * sign;
  for (auto [mine, theirs] : llvm::zip_equal(sum.dims, b.dims)) {
    if (theirs.isUniform())
      continue;
    if (!mine.isUniform() && mine.wrap != theirs.wrap)
      return std::nullopt;
    mine.wrap = theirs.wrap;
    mine.coefficient = mine.coefficient + theirs.coefficient * sign;
    if (mine.isUniform())
      mine.wrap.reset();
  }
  return sum;
}

static std::optional<LaneAffine> scale(const LaneAffine &form, const LinearExpr &factor) {
  LaneAffine product = form;
  std::optional<LinearExpr> offset = form.offset.times(factor);
  if (!offset)
    return std::nullopt;
  product.offset = *offset;
  for (LaneDim &dim : product.dims) {
    std::optional<LinearExpr> coefficient = dim.coefficient.times(factor);
    if (!coefficient)
      return std::nullopt;
    dim.coefficient = *coefficient;
    if (dim.isUniform())
      dim.wrap.reset();
  }
  return product;
}

//===-----------------------------------------------------------------------------------------===//
// Values
//===-----------------------------------------------------------------------------------------===//

const LaneAffine *LaneAffines::get(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second.get();
  Form form = compute(value);
  std::unique_ptr<LaneAffine> kept = form ? std::make_unique<LaneAffine>(*form) : nullptr;
  return (known[value] = std::move(kept)).get();
}

void LaneAffines::assume(Value value, LaneAffine form) {
  known[value] = std::make_unique<LaneAffine>(std::move(form));
}

LaneAffines::Form LaneAffines::fail(Value value, StringRef reason) {
  reasons.try_emplace(value, reason);
  return std::nullopt;
}

const LaneAffine *LaneAffines::operand(Operation *op, unsigned index) {
  const LaneAffine *form = get(op->getOperand(index));
  if (!form)
    reasons.try_emplace(op->getResult(0), whyNot(op->getOperand(index)));
  return form;
}

LaneAffines::Form LaneAffines::computeScalar(Value value) {
  if (isa<tile::PtrType>(value.getType())) {
    LaneAffine form;
    form.base = value;
    while (auto add = form.base.getDefiningOp<tile::AddPtrOp>()) {
      form.base = add.getPtr();
      form.offset = form.offset + exprs.get(add.getOffset());
    }
    return form;
  }
  if (!value.getType().isIntOrIndex())
    return fail(value, "the offset is not an integer");
  return LaneAffine{{}, exprs.get(value), {}};
}

/// `x % M`: the lanes of x, wrapped. Only for one lane index with coefficient 1, and for x >= 0,
/// where the remainder that truncates and the one of a view agree.
LaneAffines::Form LaneAffines::remainder(Operation *op) {
  const LaneAffine *dividend = operand(op, 0), *divisor = operand(op, 1);
  Value result = op->getResult(0);
  if (!dividend || !divisor)
    return std::nullopt;
  if (!divisor->isUniform())
    return fail(result, "the divisor of a remainder differs from lane to lane");
  int64_t laneDim = -1;
  for (auto [index, dim] : llvm::enumerate(dividend->dims)) {
    if (dim.isUniform())
      continue;
    if (laneDim >= 0 || dim.wrap || !dim.coefficient.isConstant(1))
      return fail(result, "the dividend of a remainder is not one lane index plus a scalar");
    laneDim = index;
  }
  if (laneDim < 0)
    return fail(result, "a remainder of scalars is computed lane by lane");
  IntegerFact start = facts.get(dividend->offset), size = facts.get(divisor->offset);
  if (!start.isNonNegative())
    return fail(result, "the dividend of a remainder may be negative");
  bool isUnsigned = isa<arith::RemUIOp>(op);
  if (isUnsigned && !size.isNonNegative())
    return fail(result, "the divisor of an unsigned remainder may exceed the signed range");
  int64_t lanes = cast<RankedTensorType>(result.getType()).getDimSize(laneDim);
  IntegerFact last = facts.get(dividend->offset + (lanes - 1));
  if (last.upper != IntegerFact::kMax && last.upper < size.lower)
    return *dividend;
  LaneAffine wrapped = *dividend;
  wrapped.offset = LinearExpr();
  wrapped.dims[laneDim].wrap = LaneWrap{dividend->offset, divisor->offset, !size.isNonNegative()};
  return wrapped;
}

LaneAffines::Form LaneAffines::computeShape(Operation *op) {
  Value result = op->getResult(0);
  const LaneAffine *input = operand(op, 0);
  if (!input)
    return std::nullopt;
  std::optional<ShapeMap> map = ShapeMap::get(op);
  if (!map)
    return fail(result, "the shape changes in an unknown way");
  ArrayRef<int64_t> inputShape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  LaneAffine form{input->base, input->offset, {}};
  form.dims.resize(map->resultDims.size());
  for (const ShapeMap::Group &group : map->groups) {
    // Row-major: the result's dimensions of a group step over those after them, and so do the
    // operand's.
    LinearExpr unit;
    std::optional<LaneWrap> wrap;
    int64_t covered = 1;
    for (unsigned dim : llvm::reverse(group.inputDims)) {
      const LaneDim &lane = input->dims[dim];
      if (inputShape[dim] == 1)
        continue;
      if (covered == 1) {
        unit = lane.coefficient;
        wrap = lane.wrap;
      } else if (wrap || lane.wrap || !(lane.coefficient == unit * covered)) {
        return fail(result, "a reshape merges dimensions with unrelated strides");
      }
      covered *= inputShape[dim];
    }
    int64_t step = 1;
    for (unsigned dim : llvm::reverse(group.resultDims)) {
      int64_t size = map->resultDims[dim];
      if (size == 1)
        continue;
      if (wrap && size != covered)
        return fail(result, "a reshape splits a dimension that wraps around");
      form.dims[dim] = {unit * step, wrap};
      step *= size;
    }
  }
  return form;
}

LaneAffines::Form LaneAffines::compute(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor)
    return computeScalar(value);
  Type element = tensor.getElementType();
  bool wide = element.isIndex() || (element.isInteger() && element.getIntOrFloatBitWidth() >= 32);
  if (!wide && !isa<tile::PtrType>(element))
    return fail(value, "an offset of fewer than 32 bits may wrap around");

  LaneAffine uniform;
  uniform.dims.resize(tensor.getRank());
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64) {
    uniform.offset = LinearExpr(constant.getSExtValue());
    return uniform;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return fail(value, "a loop or branch changes the offset in a way that is not affine");

  return llvm::TypeSwitch<Operation *, Form>(op)
      .Case([&](tensor::SplatOp splat) -> Form {
        const LaneAffine *scalar = operand(op, 0);
        if (!scalar)
          return std::nullopt;
        uniform.base = scalar->base;
        uniform.offset = scalar->offset;
        return uniform;
      })
      .Case([&](tile::IotaOp iota) -> Form {
        uniform.offset = LinearExpr(iota.getStart());
        if (tensor.getDimSize(0) != 1)
          uniform.dims[0].coefficient = LinearExpr(1);
        return uniform;
      })
      .Case<arith::AddIOp, arith::SubIOp, tile::AddPtrOp>([&](Operation *op) -> Form {
        const LaneAffine *left = operand(op, 0), *right = left ? operand(op, 1) : nullptr;
        if (!left || !right)
          return std::nullopt;
        Form sum = add(*left, *right, isa<arith::SubIOp>(op) ? -1 : 1);
        return sum ? sum : fail(value, "one lane index occurs with and without wrap-around");
      })
      .Case<arith::MulIOp, arith::ShLIOp>([&](Operation *op) -> Form {
        const LaneAffine *left = operand(op, 0), *right = left ? operand(op, 1) : nullptr;
        if (!left || !right)
          return std::nullopt;
        if (isa<arith::ShLIOp>(op)) {
          std::optional<int64_t> amount =
              right->isUniform() ? right->offset.asConstant() : std::nullopt;
          if (!amount || *amount < 0 || *amount > 61)
            return fail(value, "a shift amount is not constant");
          return scale(*left, LinearExpr(int64_t(1) << *amount));
        }
        if (!left->isUniform() && !right->isUniform())
          return fail(value, "two values that differ from lane to lane are multiplied");
        Form product =
            right->isUniform() ? scale(*left, right->offset) : scale(*right, left->offset);
        return product ? product : fail(value, "a product has too many terms");
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](Operation *op) { return remainder(op); })
      .Case<tile::HintOp>([&](Operation *op) -> Form {
        const LaneAffine *input = operand(op, 0);
        return input ? Form(*input) : std::nullopt;
      })
      .Case<arith::ExtSIOp, arith::IndexCastOp, arith::ExtUIOp, arith::IndexCastUIOp>(
          [&](Operation *op) -> Form {
            if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op) &&
                !facts.get(op->getOperand(0)).isNonNegative())
              return fail(value, "a value that is zero-extended may be negative");
            const LaneAffine *input = operand(op, 0);
            return input ? Form(*input) : std::nullopt;
          })
      .Case([&](arith::SelectOp select) -> Form {
        const LaneAffine *left = operand(op, 1), *right = left ? operand(op, 2) : nullptr;
        if (!left || !right)
          return std::nullopt;
        if (left->base == right->base && left->offset == right->offset && left->sameLanes(*right))
          return *left;
        return fail(value, "the offset is chosen lane by lane");
      })
      .Default([&](Operation *op) -> Form {
        if (ShapeMap::isShapeOp(op))
          return computeShape(op);
        if (isa<tile::LoadOp, tile::GatherOp, tile::PtrLoadOp>(op))
          return fail(value, "the offset is read from memory");
        if (op->getNumRegions())
          return fail(value, "a loop or branch changes the offset in a way that is not affine");
        return fail(value, "the offset is not computed by affine operations");
      });
}
