//===- RaiseAccessUniform.cpp - compute on scalars what all lanes share ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Offsets and masks are sums of a part that is the same in all lanes and of lane indices. Front
// ends may compute the first on tensors; here it moves to scalars:
//
//   %a = tensor.splat %m : tensor<64xi32>            %0 = arith.divsi %m, %k : i32
//   %b = tensor.splat %k : tensor<64xi32>      →     %c = tensor.splat %0 : tensor<64xi32>
//   %c = arith.divsi %a, %b : tensor<64xi32>
//
// and a cast of many pointers becomes the cast of their base.
//
//===-----------------------------------------------------------------------------------------===//

#include "RaiseAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

/// The scalar that all lanes of an operand hold, or null. `create` is off while only asking.
static Value scalarOf(OpBuilder &builder, Value operand, bool create) {
  if (!isa<RankedTensorType>(operand.getType()))
    return operand;
  if (auto splat = operand.getDefiningOp<tensor::SplatOp>())
    return splat.getInput();
  DenseElementsAttr constant;
  if (!matchPattern(operand, m_Constant(&constant)) || !constant.isSplat())
    return {};
  if (!create)
    return operand;
  return arith::ConstantOp::create(builder, operand.getLoc(), constant.getSplatValue<TypedAttr>());
}

static bool isLaneWise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) || isa<PtrCastOp, PtrToIntOp, IntToPtrOp>(op);
}

namespace {
/// An elementwise op whose operands are splats.
struct HoistElementwise : RewritePattern {
  explicit HoistElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || op->getNumRegions() || op->getNumOperands() == 0 ||
        !isLaneWise(op))
      return failure();
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    bool anySplat = false;
    for (Value operand : op->getOperands()) {
      anySplat |= bool(operand.getDefiningOp<tensor::SplatOp>());
      if (!scalarOf(rewriter, operand, /*create=*/false))
        return failure();
    }
    if (!type || !anySplat)
      return failure();
    SmallVector<Value> scalars;
    for (Value operand : op->getOperands())
      scalars.push_back(scalarOf(rewriter, operand, /*create=*/true));
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(scalars);
    state.addTypes(type.getElementType());
    state.attributes = op->getDiscardableAttrDictionary();
    state.propertiesAttr = op->getPropertiesAsAttribute();
    Operation *scalar = rewriter.create(state);
    rewriter.replaceOpWithNewOp<tensor::SplatOp>(op, type, scalar->getResult(0));
    return success();
  }
};

/// A change of shape of a splat.
template <typename Op> struct HoistShape : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto splat = op->getOperand(0).template getDefiningOp<tensor::SplatOp>();
    if (!splat || op->getNumResults() != 1)
      return failure();
    rewriter.replaceOpWithNewOp<tensor::SplatOp>(
        op, cast<RankedTensorType>(op->getResult(0).getType()), splat.getInput());
    return success();
  }
};

/// cast(addptr(p, o)) = addptr(cast(p), o * old size / new size), where that is a whole number.
struct HoistPointerCast : OpRewritePattern<PtrCastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PtrCastOp cast, PatternRewriter &rewriter) const override {
    auto add = cast.getPtr().getDefiningOp<AddPtrOp>();
    auto type = dyn_cast<RankedTensorType>(cast.getType());
    if (!add || !type)
      return failure();
    auto bits = [](Type pointers) -> int64_t {
      Type pointee = mlir::cast<PtrType>(getElementTypeOrSelf(pointers)).getPointee();
      return pointee.isIntOrFloat() ? pointee.getIntOrFloatBitWidth() : 0;
    };
    int64_t from = bits(add.getType()), to = bits(type);
    if (from < 8 || to < 8 || from % to != 0)
      return failure();
    Value offset = add.getOffset();
    if (from != to) {
      auto offsetType = mlir::cast<RankedTensorType>(offset.getType());
      auto factor = DenseElementsAttr::get(
          offsetType, rewriter.getIntegerAttr(offsetType.getElementType(), from / to));
      Value ratio = arith::ConstantOp::create(rewriter, cast.getLoc(), factor);
      offset = arith::MulIOp::create(rewriter, cast.getLoc(), offset, ratio);
    }
    Value base = PtrCastOp::create(rewriter, cast.getLoc(), type, add.getPtr());
    rewriter.replaceOpWithNewOp<AddPtrOp>(cast, type, base, offset);
    return success();
  }
};
} // namespace

void tile::hoistUniformValues(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  RewritePatternSet patterns(context);
  patterns
      .add<HoistElementwise, HoistShape<tensor::ExpandShapeOp>, HoistShape<tensor::CollapseShapeOp>,
           HoistShape<linalg::BroadcastOp>, HoistShape<linalg::TransposeOp>, HoistPointerCast>(
          context);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  config.enableConstantCSE(false);
  (void)applyPatternsGreedily(function, std::move(patterns), config);
}
