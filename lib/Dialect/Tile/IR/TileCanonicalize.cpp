//===- TileCanonicalize.cpp - folders and canonical forms of tile operations -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace kiln::tile;

//===-----------------------------------------------------------------------------------------===//
// Pointers
//===-----------------------------------------------------------------------------------------===//

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  auto isZero = [](Attribute offset) {
    if (auto splat = dyn_cast_if_present<SplatElementsAttr>(offset))
      return splat.getSplatValue<APInt>().isZero();
    auto integer = dyn_cast_if_present<IntegerAttr>(offset);
    return integer && integer.getValue().isZero();
  };
  return isZero(adaptor.getOffset()) ? OpFoldResult(getPtr()) : OpFoldResult();
}

OpFoldResult PtrCastOp::fold(FoldAdaptor) {
  if (getPtr().getType() == getType())
    return getPtr();
  // cast(cast(p)) = cast(p): the address never changes.
  if (auto inner = getPtr().getDefiningOp<PtrCastOp>()) {
    getPtrMutable().assign(inner.getPtr());
    return getResult();
  }
  return {};
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  auto inner = getPtr().getDefiningOp<IntToPtrOp>();
  return inner && inner.getAddress().getType() == getType() ? OpFoldResult(inner.getAddress())
                                                            : OpFoldResult();
}

//===-----------------------------------------------------------------------------------------===//
// Views
//===-----------------------------------------------------------------------------------------===//

namespace {
/// Strides that are constants become static.
struct StaticStrides : OpRewritePattern<ViewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ViewOp view, PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> strides = view.getMixedStrides();
    SmallVector<int64_t> fixed;
    SmallVector<Value> dynamic;
    for (OpFoldResult stride : strides) {
      std::optional<int64_t> constant = getConstantIntValue(stride);
      fixed.push_back(constant.value_or(ShapedType::kDynamic));
      if (!constant)
        dynamic.push_back(cast<Value>(stride));
    }
    if (dynamic.size() == view.getStrides().size())
      return failure();
    rewriter.modifyOpInPlace(view, [&] {
      view.getStridesMutable().assign(dynamic);
      view.setStaticStrides(fixed);
    });
    return success();
  }
};

/// Scalar pointer arithmetic on the base joins the offset.
struct OffsetOfBase : OpRewritePattern<ViewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ViewOp view, PatternRewriter &rewriter) const override {
    auto add = view.getBase().getDefiningOp<AddPtrOp>();
    if (!add)
      return failure();
    Value moved = add.getOffset();
    if (!moved.getType().isIndex())
      moved = arith::IndexCastOp::create(rewriter, view.getLoc(), rewriter.getIndexType(), moved);
    Value offset = arith::AddIOp::create(rewriter, view.getLoc(), view.getOffset(), moved);
    rewriter.modifyOpInPlace(view, [&] {
      view.getBaseMutable().assign(add.getPtr());
      view.getOffsetMutable().assign(offset);
    });
    return success();
  }
};

/// Offsets of a buffer's region that are constants become static, and so do those in dimensions
/// that the region covers. Not those that leave the buffer: the verifier would refuse them, and
/// code that never runs may have them.
template <typename OpTy> struct StaticOffsets : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    SmallVector<int64_t> fixed;
    SmallVector<Value> dynamic;
    for (auto [dim, offset] : llvm::enumerate(op.getMixedOffsets())) {
      std::optional<int64_t> constant = getConstantIntValue(offset);
      int64_t room = op.getBuffer().getType().getShape()[dim] - regionOf(op).getDimSize(dim);
      if (constant && (*constant < 0 || *constant > room))
        constant = std::nullopt;
      else if (room == 0)
        constant = 0;
      fixed.push_back(constant.value_or(ShapedType::kDynamic));
      if (!constant)
        dynamic.push_back(cast<Value>(offset));
    }
    if (dynamic.size() == op.getOffsets().size())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.getOffsetsMutable().assign(dynamic);
      op.setStaticOffsets(fixed);
    });
    return success();
  }

private:
  static RankedTensorType regionOf(LocalLoadOp load) {
    return cast<RankedTensorType>(load.getResult().getType());
  }
  static RankedTensorType regionOf(LocalStoreOp store) {
    return cast<RankedTensorType>(store.getValue().getType());
  }
};

//===-----------------------------------------------------------------------------------------===//
// Accesses
//===-----------------------------------------------------------------------------------------===//

/// What constant bounds and masks say.
enum class Lanes { All, None, Some };
} // namespace

static Lanes lanesOfMask(Value mask) {
  if (!mask || matchPattern(mask, m_One()))
    return Lanes::All;
  return matchPattern(mask, m_Zero()) ? Lanes::None : Lanes::Some;
}

static Lanes lanesOfBounds(ValueRange lower, ValueRange upper, ArrayRef<int64_t> shape) {
  bool all = true;
  for (auto [low, high, size] : llvm::zip(lower, upper, shape)) {
    std::optional<int64_t> first = getConstantIntValue(low), end = getConstantIntValue(high);
    if ((first && *first >= size) || (end && *end <= 0) || (first && end && *first >= *end))
      return Lanes::None;
    all &= first && end && *first <= 0 && *end >= size;
  }
  return all ? Lanes::All : Lanes::Some;
}

/// What a load yields where no lane is read.
static Value padding(OpBuilder &builder, Location loc, Value pad, Type result) {
  auto type = cast<RankedTensorType>(result);
  if (!pad)
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return pad.getType() == type ? pad : tensor::SplatOp::create(builder, loc, type, pad);
}

namespace {
/// Drops bounds, masks and pads that say nothing, and loads and stores that touch nothing.
struct SimplifyLoad : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LoadOp load, PatternRewriter &rewriter) const override {
    Lanes mask = lanesOfMask(load.getMask());
    Lanes bounds =
        lanesOfBounds(load.getLower(), load.getUpper(), load.getView().getType().getShape());
    if ((mask == Lanes::None || bounds == Lanes::None) && !load.getIsVolatile()) {
      rewriter.replaceOp(load, padding(rewriter, load.getLoc(), load.getPad(), load.getType()));
      return success();
    }
    bool dropMask = load.getMask() && mask == Lanes::All;
    bool dropBounds = !load.getLower().empty() && bounds == Lanes::All;
    bool dropPad = load.getPad() && mask == Lanes::All && bounds == Lanes::All;
    if (!dropMask && !dropBounds && !dropPad)
      return failure();
    rewriter.modifyOpInPlace(load, [&] {
      if (dropMask)
        load.getMaskMutable().clear();
      if (dropBounds) {
        load.getLowerMutable().clear();
        load.getUpperMutable().clear();
      }
      if (dropPad)
        load.getPadMutable().clear();
    });
    return success();
  }
};

struct SimplifyStore : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StoreOp store, PatternRewriter &rewriter) const override {
    Lanes mask = lanesOfMask(store.getMask());
    Lanes bounds =
        lanesOfBounds(store.getLower(), store.getUpper(), store.getView().getType().getShape());
    if (mask == Lanes::None || bounds == Lanes::None) {
      rewriter.eraseOp(store);
      return success();
    }
    bool dropMask = store.getMask() && mask == Lanes::All;
    bool dropBounds = !store.getLower().empty() && bounds == Lanes::All;
    if (!dropMask && !dropBounds)
      return failure();
    rewriter.modifyOpInPlace(store, [&] {
      if (dropMask)
        store.getMaskMutable().clear();
      if (dropBounds) {
        store.getLowerMutable().clear();
        store.getUpperMutable().clear();
      }
    });
    return success();
  }
};

struct SimplifyGather : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp gather, PatternRewriter &rewriter) const override {
    Lanes mask = lanesOfMask(gather.getMask());
    if (mask == Lanes::None && !gather.getIsVolatile()) {
      rewriter.replaceOp(gather, padding(rewriter, gather.getLoc(), gather.getPad(),
                                         gather.getResult().getType()));
      return success();
    }
    if (mask != Lanes::All || (!gather.getMask() && !gather.getPad()))
      return failure();
    rewriter.modifyOpInPlace(gather, [&] {
      gather.getMaskMutable().clear();
      gather.getPadMutable().clear();
    });
    return success();
  }
};

struct SimplifyScatter : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScatterOp scatter, PatternRewriter &rewriter) const override {
    if (!scatter.getMask())
      return failure();
    Lanes mask = lanesOfMask(scatter.getMask());
    if (mask == Lanes::None)
      rewriter.eraseOp(scatter);
    else if (mask == Lanes::All)
      rewriter.modifyOpInPlace(scatter, [&] { scatter.getMaskMutable().clear(); });
    return success(mask != Lanes::Some);
  }
};
} // namespace

void ViewOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<StaticStrides, OffsetOfBase>(context);
}
void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SimplifyLoad>(context);
}
void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SimplifyStore>(context);
}
void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SimplifyGather>(context);
}
void ScatterOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SimplifyScatter>(context);
}
void LocalLoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<StaticOffsets<LocalLoadOp>>(context);
}
void LocalStoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<StaticOffsets<LocalStoreOp>>(context);
}
