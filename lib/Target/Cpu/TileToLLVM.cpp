//===- TileToLLVM.cpp - pointers and scalar accesses in the LLVM dialect ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// `!tile.ptr<T>` is an opaque LLVM pointer; what the pointee says is kept by the ops that use it.
// Masked accesses are gone when these patterns run (KernelBody.cpp).
//
//===-----------------------------------------------------------------------------------------===//

#include "Kernel.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;

namespace kiln::cpu {
namespace {

unsigned byteSize(Type type) { return std::max(1u, type.getIntOrFloatBitWidth() / 8); }

/// Sign-extends or truncates an integer to `type`.
Value resizeInteger(OpBuilder &b, Location loc, Value value, Type type, bool isSigned) {
  unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from == to)
    return value;
  if (from > to)
    return LLVM::TruncOp::create(b, loc, type, value);
  if (isSigned)
    return LLVM::SExtOp::create(b, loc, type, value);
  return LLVM::ZExtOp::create(b, loc, type, value);
}

struct AddPtrLowering : ConvertOpToLLVMPattern<tile::AddPtrOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(tile::AddPtrOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<tile::PtrType>(op.getResult().getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "a tensor of pointers");
    Value offset = resizeInteger(rewriter, op.getLoc(), adaptor.getOffset(), rewriter.getI64Type(),
                                 /*isSigned=*/true);
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(op, LLVM::LLVMPointerType::get(getContext()),
                                             getTypeConverter()->convertType(type.getPointee()),
                                             adaptor.getPtr(), ArrayRef<LLVM::GEPArg>{offset});
    return success();
  }
};

struct PtrLoadLowering : ConvertOpToLLVMPattern<tile::PtrLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(tile::PtrLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getMask() || !isa<tile::PtrType>(op.getPtr().getType()))
      return rewriter.notifyMatchFailure(op, "not an unmasked scalar load");
    Type type = getTypeConverter()->convertType(op.getResult().getType());
    unsigned alignment = isa<LLVM::LLVMPointerType>(type) ? 8 : byteSize(type);
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, type, adaptor.getPtr(), alignment,
                                              op.getIsVolatile());
    return success();
  }
};

struct PtrStoreLowering : ConvertOpToLLVMPattern<tile::PtrStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(tile::PtrStoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getMask() || !isa<tile::PtrType>(op.getPtr().getType()))
      return rewriter.notifyMatchFailure(op, "not an unmasked scalar store");
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, adaptor.getValue(), adaptor.getPtr());
    return success();
  }
};

/// An op whose result is its first operand.
template <typename OpTy> struct IdentityLowering : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getOperands().front());
    return success();
  }
};

struct PtrToIntLowering : ConvertOpToLLVMPattern<tile::PtrToIntOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(tile::PtrToIntOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getResult().getType());
    if (!type || !type.isInteger())
      return rewriter.notifyMatchFailure(op, "a tensor of pointers");
    Value address =
        LLVM::PtrToIntOp::create(rewriter, op.getLoc(), rewriter.getI64Type(), adaptor.getPtr());
    rewriter.replaceOp(op, resizeInteger(rewriter, op.getLoc(), address, type, false));
    return success();
  }
};

struct IntToPtrLowering : ConvertOpToLLVMPattern<tile::IntToPtrOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(tile::IntToPtrOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<tile::PtrType>(op.getResult().getType()))
      return rewriter.notifyMatchFailure(op, "a tensor of pointers");
    Value address = resizeInteger(rewriter, op.getLoc(), adaptor.getAddress(),
                                  rewriter.getI64Type(), /*isSigned=*/false);
    rewriter.replaceOpWithNewOp<LLVM::IntToPtrOp>(op, LLVM::LLVMPointerType::get(getContext()),
                                                  address);
    return success();
  }
};

struct AssumeLowering : ConvertOpToLLVMPattern<tile::AssumeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(tile::AssumeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::AssumeOp>(op, adaptor.getCondition());
    return success();
  }
};

} // namespace

void populateTileToLLVMPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<AddPtrLowering, PtrLoadLowering, PtrStoreLowering, IdentityLowering<tile::PtrCastOp>,
               IdentityLowering<tile::HintOp>, PtrToIntLowering, IntToPtrLowering, AssumeLowering>(
      converter);
}

} // namespace kiln::cpu
