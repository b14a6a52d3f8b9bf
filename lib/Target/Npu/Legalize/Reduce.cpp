//===- Reduce.cpp - reductions of elements that the unit does not compute in -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   tile.reduce(%x) … addf : tensor<64xbf16>  ->  reduce of f32, its result rounded to bf16
//
// Partial results of bf16 are kept in f32. Integers of 8 bits and masks travel as i16; a region
// that does more than one bit operation or extreme narrows its arguments and widens what it yields.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalizer.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln::npu::legal {
namespace {

Type elementType(Value value) { return getElementTypeOrSelf(value.getType()); }

/// The type that elements travel in; null where they may stay.
Type carrier(ImplicitLocOpBuilder &b, Type element) {
  if (element.isBF16())
    return b.getF32Type();
  return element.isInteger(8) || isI1(element) ? Type(b.getI16Type()) : Type();
}

Num widened(Num x, Type to) {
  if (x.isFloat())
    return x.to<arith::ExtFOp>(to);
  return isI1(x.element()) ? x.to<arith::ExtUIOp>(to) : x.to<arith::ExtSIOp>(to);
}

Num narrowed(Num x, Type to) {
  return x.isFloat() ? x.to<arith::TruncFOp>(to) : x.to<arith::TruncIOp>(to);
}

/// Whether the region means the same on the carriers as they are.
bool worksOnCarriers(tile::ReduceOp op, Type element) {
  for (Operation &inner : *op.getBody()) {
    bool touches =
        llvm::any_of(inner.getOperands(), [&](Value v) { return v.getType() == element; });
    if (!touches || isa<tile::YieldOp>(inner))
      continue;
    if (element.isBF16() &&
        !isa<arith::TruncFOp, arith::ExtFOp, arith::BitcastOp, arith::FPToSIOp, arith::FPToUIOp>(
            inner))
      continue;
    if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(inner))
      continue;
    if (element.isInteger(8) && isa<arith::MaxSIOp, arith::MinSIOp>(inner))
      continue;
    return false;
  }
  return llvm::none_of(*op.getBody(), [&](Operation &inner) {
    return llvm::any_of(inner.getResultTypes(), [&](Type t) { return t == element; }) &&
           isa<arith::CmpFOp, arith::CmpIOp, arith::TruncFOp, arith::TruncIOp>(inner);
  });
}

/// Everything of type `from` in the region becomes `to`.
void retype(tile::ReduceOp op, Type from, Type to) {
  for (BlockArgument argument : op.getBody()->getArguments())
    if (argument.getType() == from)
      argument.setType(to);
  for (Operation &inner : *op.getBody()) {
    for (Value result : inner.getResults())
      if (result.getType() == from)
        result.setType(to);
    auto constant = dyn_cast<arith::ConstantOp>(inner);
    if (!constant || constant.getValue().getType() == to)
      continue;
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()); number && number.getType() == from)
      constant.setValueAttr(FloatAttr::get(to, number.getValueAsDouble()));
    else if (auto integer = dyn_cast<IntegerAttr>(constant.getValue());
             integer && integer.getType() == from)
      constant.setValueAttr(IntegerAttr::get(to, isI1(from) ? integer.getValue().getZExtValue()
                                                            : integer.getValue().getSExtValue()));
  }
}

/// A branch of the combine function runs both ways and selects: lanes go together. False if it does
/// more than compute.
bool flatten(scf::IfOp branch) {
  for (Region &region : branch->getRegions())
    for (Operation &inner : region.getOps())
      if (!isa<scf::YieldOp>(inner) && !isPure(&inner))
        return false;
  if (branch.getNumResults() == 0)
    return true;
  ImplicitLocOpBuilder b(branch.getLoc(), branch);
  for (Region &region : branch->getRegions())
    for (Operation &inner : llvm::make_early_inc_range(region.front().without_terminator()))
      inner.moveBefore(branch);
  for (auto [result, x, y] : llvm::zip(branch.getResults(), branch.thenYield().getOperands(),
                                       branch.elseYield().getOperands()))
    result.replaceAllUsesWith(arith::SelectOp::create(b, branch.getCondition(), x, y));
  return true;
}

/// Takes branches out of the region; false if other control flow is left.
bool flattenAll(Legalizer &legalizer, tile::ReduceOp op) {
  SmallVector<scf::IfOp> branches; // inner ones first
  op.getCombine().walk([&](scf::IfOp branch) { branches.push_back(branch); });
  for (scf::IfOp branch : branches) {
    if (!flatten(branch))
      break;
    branch.erase();
  }
  for (Operation &inner : *op.getBody()) {
    if (!inner.getNumRegions())
      continue;
    legalizer.refuse(&inner, "found control flow in the combine function of a reduction, which "
                             "does not run on the NPU yet");
    return false;
  }
  return true;
}

/// Narrows the arguments and widens what is yielded.
void wrap(Legalizer &legalizer, tile::ReduceOp op, Type from, Type to) {
  ImplicitLocOpBuilder &b = legalizer.b;
  b.setInsertionPointToStart(op.getBody());
  for (BlockArgument argument : op.getBody()->getArguments()) {
    if (argument.getType() != from)
      continue;
    argument.setType(to);
    Num inner = narrowed(legalizer.num(argument), from);
    argument.replaceAllUsesExcept(inner.v, inner.v.getDefiningOp());
  }
  Operation *yield = op.getBody()->getTerminator();
  b.setInsertionPoint(yield);
  for (OpOperand &operand : yield->getOpOperands())
    if (operand.get().getType() == from)
      operand.set(widened(legalizer.num(operand.get()), to).v);
}

/// One lane reduces to itself: the dimension goes, and nothing is computed. A single lane seeds the
/// result.
bool dropUnitAxis(Legalizer &legalizer, tile::ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getInputs().front().getType());
  auto axis = int64_t(op.getAxis());
  if (type.getRank() < 2 || type.getDimSize(axis) != 1)
    return false;
  // The dimension joins the one before it, or the first the second.
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim != type.getRank(); ++dim)
    if (dim == std::max<int64_t>(axis, 1))
      groups.back().push_back(dim);
    else
      groups.push_back({dim});
  ImplicitLocOpBuilder &b = legalizer.at(op);
  for (auto [input, result] : llvm::zip_equal(op.getInputs(), op.getResults()))
    result.replaceAllUsesWith(
        tensor::CollapseShapeOp::create(b, result.getType(), input, groups).getResult());
  op.erase();
  return true;
}

} // namespace

void legalizeReduce(Legalizer &legalizer, Operation *reduce) {
  auto op = cast<tile::ReduceOp>(reduce);
  if (dropUnitAxis(legalizer, op))
    return;
  if (!flattenAll(legalizer, op))
    return;
  ImplicitLocOpBuilder &b = legalizer.at(op);
  SmallVector<Type> done;
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    Type from = elementType(input), to = carrier(b, from);
    if (from.isInteger(64))
      legalizer.slowPath(op, "a reduction of 64-bit integers runs element by element on the scalar "
                             "unit");
    if (!to)
      continue;
    b.setInsertionPoint(op);
    op->setOperand(index, widened(legalizer.num(input), to).v);
    Value result = op.getResult(index);
    result.setType(Num{&b, result}.shaped(to));
    b.setInsertionPointAfter(op);
    Num narrow = narrowed(legalizer.num(result), from);
    result.replaceAllUsesExcept(narrow.v, narrow.v.getDefiningOp());
    if (llvm::is_contained(done, from))
      continue;
    done.push_back(from);
    if (worksOnCarriers(op, from))
      retype(op, from, to);
    else
      wrap(legalizer, op, from, to);
  }
}

} // namespace kiln::npu::legal
