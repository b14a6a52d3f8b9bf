//===- LaneMask.cpp - masks as bounds on lane indices ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "ShapeMap.h"
#include "kiln/Analysis/LaneAffine.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;

template <typename List> static void unite(List &mine, const List &theirs) {
  for (const auto &item : theirs)
    if (!llvm::is_contained(mine, item))
      mine.push_back(item);
}

void LaneMask::meet(const LaneMask &other) {
  unite(lower, other.lower);
  unite(upper, other.upper);
  unite(positive, other.positive);
  unite(conditions, other.conditions);
  unite(residual, other.residual);
  never |= other.never;
}

const LaneMask &LaneAffines::getMask(Value mask) {
  if (auto found = masks.find(mask); found != masks.end())
    return *found->second;
  LaneMask computed = mask ? computeMask(mask) : LaneMask();
  return *(masks[mask] = std::make_unique<LaneMask>(std::move(computed)));
}

static LaneMask onlyResidual(Value mask) {
  LaneMask result;
  result.residual.push_back(mask);
  return result;
}

LaneMask LaneAffines::computeMask(Value mask) {
  if (!isa<RankedTensorType>(mask.getType())) {
    LaneMask result;
    result.conditions.push_back(mask);
    return result;
  }
  if (matchPattern(mask, m_One()))
    return {};
  LaneMask result;
  if (matchPattern(mask, m_Zero())) {
    result.never = true;
    return result;
  }
  Operation *op = mask.getDefiningOp();
  if (!op)
    return onlyResidual(mask);
  if (isa<tensor::SplatOp>(op))
    return getMask(op->getOperand(0));
  if (isa<arith::AndIOp>(op)) {
    result = getMask(op->getOperand(0));
    result.meet(getMask(op->getOperand(1)));
    return result;
  }
  if (isa<arith::CmpIOp>(op))
    return compareMask(mask);
  if (ShapeMap::isShapeOp(op))
    return shapeMask(mask);
  return onlyResidual(mask);
}

namespace {
/// `left - right < 0` after the swap, or `<= 0`, or `== 0`.
struct Comparison {
  arith::CmpIPredicate predicate;
  bool swap, isUnsigned, orEqual, both;
};
} // namespace

static const Comparison kComparisons[] = {
    {arith::CmpIPredicate::slt, false, false, false, false},
    {arith::CmpIPredicate::sle, false, false, true, false},
    {arith::CmpIPredicate::sgt, true, false, false, false},
    {arith::CmpIPredicate::sge, true, false, true, false},
    {arith::CmpIPredicate::ult, false, true, false, false},
    {arith::CmpIPredicate::ule, false, true, true, false},
    {arith::CmpIPredicate::ugt, true, true, false, false},
    {arith::CmpIPredicate::uge, true, true, true, false},
    {arith::CmpIPredicate::eq, false, false, true, true},
};

LaneMask LaneAffines::compareMask(Value mask) {
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  const Comparison *kind = llvm::find_if(kComparisons, [&](const Comparison &candidate) {
    return candidate.predicate == compare.getPredicate();
  });
  if (kind == std::end(kComparisons))
    return onlyResidual(mask);
  Value small = compare.getLhs(), large = compare.getRhs();
  if (kind->swap)
    std::swap(small, large);
  const LaneAffine *left = get(small), *right = get(large);
  if (!left || !right || left->base || right->base)
    return onlyResidual(mask);

  LaneMask result;
  if (kind->isUnsigned) {
    // An unsigned comparison with a limit that is not negative as a signed number also says 0 <=
    // left.
    if (!facts.get(large).isNonNegative())
      return onlyResidual(mask);
    if (!facts.get(small).isNonNegative()) {
      LaneDim *only = nullptr;
      LaneAffine form = *left;
      for (LaneDim &dim : form.dims)
        if (!dim.isUniform()) {
          if (only || dim.wrap || !dim.coefficient.isConstant(1))
            return onlyResidual(mask);
          only = &dim;
        }
      if (!only)
        result.positive.push_back(form.offset + 1);
      else
        result.lower.push_back({unsigned(only - form.dims.begin()), form.offset * -1});
    }
  }

  // D = left - right has to be negative (or zero); in both directions for equality.
  LaneAffine difference = *left;
  difference.offset = left->offset - right->offset;
  int64_t laneDim = -1;
  for (auto [index, dim] : llvm::enumerate(difference.dims)) {
    const LaneDim &other = right->dims[index];
    if (!dim.isUniform() && !other.isUniform() && dim.wrap != other.wrap)
      return onlyResidual(mask);
    if (dim.isUniform())
      dim.wrap = other.wrap;
    dim.coefficient = dim.coefficient - other.coefficient;
    if (dim.isUniform())
      continue;
    bool unit = dim.coefficient.isConstant(1) || dim.coefficient.isConstant(-1);
    if (laneDim >= 0 || dim.wrap || !unit)
      return onlyResidual(mask);
    laneDim = index;
  }
  int64_t equal = kind->orEqual ? 1 : 0;
  const LinearExpr &offset = difference.offset;
  if (laneDim < 0) {
    result.positive.push_back(offset * -1 + equal);
    if (kind->both)
      result.positive.push_back(offset + 1);
    return result;
  }
  unsigned dim = laneDim;
  bool rising = difference.dims[laneDim].coefficient.isConstant(1);
  // rising: i + offset < equal, so i < equal - offset. Falling: offset - i < equal, so i >= offset
  // + 1 - equal.
  if (rising || kind->both)
    result.upper.push_back({dim, rising ? offset * -1 + equal : offset + 1});
  if (!rising || kind->both)
    result.lower.push_back({dim, rising ? offset * -1 : offset + (1 - equal)});
  return result;
}

LaneMask LaneAffines::shapeMask(Value mask) {
  Operation *op = mask.getDefiningOp();
  const LaneMask &input = getMask(op->getOperand(0));
  std::optional<ShapeMap> map = ShapeMap::get(op);
  if (!map)
    return onlyResidual(mask);
  ArrayRef<int64_t> inputShape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();

  // A bound moves along if its dimension is the only one of its group that is not of size 1, on
  // both sides.
  SmallVector<int64_t, 4> target(inputShape.size(), -1);
  for (const ShapeMap::Group &group : map->groups) {
    SmallVector<unsigned, 2> from, to;
    for (unsigned dim : group.inputDims)
      if (inputShape[dim] != 1)
        from.push_back(dim);
    for (unsigned dim : group.resultDims)
      if (map->resultDims[dim] != 1)
        to.push_back(dim);
    if (from.size() == 1 && to.size() == 1)
      target[from.front()] = to.front();
  }
  LaneMask result;
  auto move = [&](const LaneMask::Bound &bound, bool isLower) {
    if (target[bound.dim] >= 0)
      (isLower ? result.lower : result.upper).push_back({unsigned(target[bound.dim]), bound.value});
    else if (inputShape[bound.dim] == 1) // the only lane index is 0
      result.positive.push_back(isLower ? LinearExpr(1) - bound.value : bound.value);
    else
      return false;
    return true;
  };
  bool all = input.residual.empty();
  for (const LaneMask::Bound &bound : input.lower)
    all &= move(bound, true);
  for (const LaneMask::Bound &bound : input.upper)
    all &= move(bound, false);
  unite(result.positive, input.positive);
  unite(result.conditions, input.conditions);
  result.never = input.never;
  if (!all)
    result.residual.push_back(mask);
  return result;
}
