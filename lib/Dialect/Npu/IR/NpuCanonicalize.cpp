//===- NpuCanonicalize.cpp - folders and canonical forms of npu operations -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Npu/IR/Npu.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace kiln::npu;

static int64_t bitsOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementTypeBitWidth();
}

OpFoldResult WindowOp::fold(FoldAdaptor adaptor) {
  // A constant offset is part of the static one, where the sum stays inside (else it is a mistake
  // that canonicalization does not judge).
  if (auto constant = dyn_cast_or_null<IntegerAttr>(adaptor.getDynamic())) {
    int64_t sum = int64_t(getOffset()) + constant.getInt();
    if (constant.getInt() < 0 || !isWindowInside(getSource().getType(), sum, getType()))
      return {};
    setOffset(sum);
    getDynamicMutable().clear();
    return getResult();
  }
  if (getOffset() == 0 && !getDynamic() && getSource().getType() == getType())
    return getSource();
  // window(window(b)) = window(b), where the sum is a whole number of elements of b. What only one
  // of both adds at run time must count in the same unit.
  auto inner = getSource().getDefiningOp<WindowOp>();
  if (!inner || (getDynamic() && inner.getDynamic()))
    return {};
  if (getDynamic() && bitsOf(getSource()) != bitsOf(inner.getSource()))
    return {};
  int64_t unit = bitsOf(inner.getSource());
  int64_t bits = int64_t(inner.getOffset()) * unit + int64_t(getOffset()) * bitsOf(getSource());
  if (bits % unit != 0 || !isWindowElement(inner.getSource().getType(), getType()))
    return {};
  getSourceMutable().assign(inner.getSource());
  setOffset(bits / unit);
  if (inner.getDynamic())
    getDynamicMutable().assign(inner.getDynamic());
  return getResult();
}

namespace {
/// A slot of a constant number is a window.
struct ConstantSlot : OpRewritePattern<SlotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SlotOp slot, PatternRewriter &rewriter) const override {
    int64_t depth = cast<MemRefType>(slot.getRing().getType()).getDimSize(0);
    std::optional<int64_t> number = getConstantIntValue(slot.getNumber());
    if (depth == 1)
      number = 0;
    if (!number || *number < 0)
      return failure();
    int64_t elements = cast<MemRefType>(slot.getType()).getNumElements();
    rewriter.replaceOpWithNewOp<WindowOp>(slot, slot.getType(), slot.getRing(),
                                          *number % depth * elements);
    return success();
  }
};
} // namespace

void SlotOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ConstantSlot>(context);
}
