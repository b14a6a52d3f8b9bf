//===- ExpertTransfers.cpp - rows between global memory and UB --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "ExpertTransfers.h"
#include "Copies.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace kiln::frontend::tilelang::expert {

using llvm::Twine;
using mlir::OpFoldResult;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

//===----------------------------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------------------------===//

static mlir::Value valueOf(CallContext &context, OpFoldResult index) {
  return mlir::getValueOrCreateConstantIndexOp(context.builder(), context.loc(), index);
}

template <typename Op>
static OpFoldResult compute(CallContext &context, OpFoldResult a, OpFoldResult b) {
  mlir::Value result = context.fold<Op>(valueOf(context, a), valueOf(context, b));
  return mlir::getAsOpFoldResult(result);
}

static mlir::Value isLess(CallContext &context, OpFoldResult a, OpFoldResult b) {
  return context.fold<arith::CmpIOp>(arith::CmpIPredicate::slt, valueOf(context, a),
                                     valueOf(context, b));
}

static mlir::Value either(CallContext &context, mlir::Value a, mlir::Value b) {
  return a ? context.fold<arith::OrIOp>(a, b) : b;
}

//===----------------------------------------------------------------------------------------===//
// Laid over the tensor
//===----------------------------------------------------------------------------------------===//

/// How many of `lanes` from `start` on are inside; sets `sticksOut` unless all are.
static OpFoldResult insideOf(CallContext &context, Rows &rows, const Value &start,
                             const Value &extent, int64_t lanes) {
  OpFoldResult all = context.builder().getIndexAttr(lanes);
  if (tilelang::isInside(context, start, lanes, extent))
    return all;
  OpFoldResult room =
      compute<arith::SubIOp>(context, indexOf(context, extent), indexOf(context, start));
  if (std::optional<int64_t> known = mlir::getConstantIntValue(room)) {
    if (*known >= lanes)
      return all;
    room = context.builder().getIndexAttr(std::max<int64_t>(*known, 0));
  } else {
    room = compute<arith::MinSIOp>(context, room, all);
  }
  rows.sticksOut = either(context, rows.sticksOut, isLess(context, room, all));
  return room;
}

/// Nothing is moved unless `start`, of a dimension without lanes, is inside.
static void expectInside(CallContext &context, Rows &rows, const Value &start,
                         const Value &extent) {
  Rows one;
  insideOf(context, one, start, extent, 1);
  if (!one.sticksOut)
    return;
  rows.sticksOut = either(context, rows.sticksOut, one.sticksOut);
  mlir::Value isHere =
      context.fold<arith::XOrIOp>(one.sticksOut, context.constant(Type(DType::I1), Integer(1)));
  rows.isInside = rows.isInside ? context.fold<arith::AndIOp>(rows.isInside, isHere) : isHere;
}

std::optional<Rows> rowsOf(CallContext &context, const Arguments &arguments,
                           const RegionData &global, const View &tile, bool isLoad) {
  const BufferData &buffer = *global.buffer;
  Shape lanes, tileStrides;
  for (auto [size, stride] : llvm::zip(tile.sizes, tile.strides))
    if (size != 1) {
      lanes.push_back(size);
      tileStrides.push_back(stride);
    }
  llvm::SmallVector<size_t> laneDimensions = laneDims(global, lanes.size());
  auto mismatch = [&] {
    context.error("the shapes of the two sides differ: found " + describe(Value::region(global)) +
                  " and a tile [" + shapeText(tile.sizes) + "]");
    return std::nullopt;
  };
  if (laneDimensions.size() != lanes.size())
    return mismatch();
  Rows rows;
  rows.offset = context.builder().getIndexAttr(0);
  OpFoldResult stride = context.builder().getIndexAttr(1);
  size_t axis = lanes.size();
  for (size_t dim = buffer.shape.size(); dim-- > 0;) {
    const Value &start = global.offsets[dim], &extent = global.extents[dim];
    rows.offset = compute<arith::AddIOp>(
        context, rows.offset, compute<arith::MulIOp>(context, indexOf(context, start), stride));
    if (!llvm::is_contained(laneDimensions, dim)) {
      expectInside(context, rows, start, buffer.shape[dim]);
    } else {
      int64_t count = lanes[--axis];
      bool isInnermost = axis + 1 == lanes.size();
      std::optional<int64_t> known = knownInt(extent);
      bool pads = isLoad && known && isPadded(arguments, tile.dtype, *known, count, isInnermost);
      OpFoldResult size = insideOf(context, rows, start, buffer.shape[dim], count);
      if (!extent.asInt() || pads) {
        size = compute<arith::MinSIOp>(context, size, indexOf(context, extent));
        rows.sticksOut = either(context, rows.sticksOut,
                                isLess(context, size, context.builder().getIndexAttr(count)));
      } else if (known != count) {
        return mismatch();
      }
      rows.dims.insert(rows.dims.begin(), {count, size, stride, tileStrides[axis]});
    }
    if (dim)
      stride = compute<arith::MulIOp>(context, stride, indexOf(context, buffer.shape[dim]));
  }
  // Rows of one element where the innermost dimension is not walked.
  if (rows.dims.empty() || mlir::getConstantIntValue(rows.dims.back().stride) != 1 ||
      rows.dims.back().tileStride != 1) {
    OpFoldResult one = context.builder().getIndexAttr(1);
    rows.dims.push_back({1, one, one, 1});
  }
  return rows;
}

/// Dimensions that lie behind one another on both sides become one.
static void joinRows(CallContext &context, llvm::SmallVectorImpl<RowDim> &dims) {
  for (size_t outer = dims.size() - 1; outer-- > 0;) {
    RowDim &out = dims[outer], &in = dims[outer + 1];
    bool isWhole = mlir::getConstantIntValue(in.size) == in.lanes;
    std::optional<int64_t> stride = mlir::getConstantIntValue(out.stride);
    std::optional<int64_t> inner = mlir::getConstantIntValue(in.stride);
    if (!isWhole || !stride || !inner || *stride != *inner * in.lanes ||
        out.tileStride != in.tileStride * in.lanes)
      continue;
    RowDim joined{
        out.lanes * in.lanes,
        compute<arith::MulIOp>(context, out.size, context.builder().getIndexAttr(in.lanes)),
        in.stride, in.tileStride};
    dims.erase(dims.begin() + outer);
    dims[outer] = joined;
  }
}

//===----------------------------------------------------------------------------------------===//
// Moved
//===----------------------------------------------------------------------------------------===//

static void emitTransfer(CallContext &context, const Transfer &transfer, mlir::Value offset,
                         llvm::ArrayRef<RowDim> dims) {
  llvm::SmallVector<mlir::Value> sizes, strides;
  llvm::SmallVector<int64_t> staticSizes, staticStrides;
  Shape lanes, tileStrides;
  for (const RowDim &dim : dims) {
    mlir::dispatchIndexOpFoldResult(dim.size, sizes, staticSizes);
    mlir::dispatchIndexOpFoldResult(dim.stride, strides, staticStrides);
    lanes.push_back(dim.lanes);
    tileStrides.push_back(dim.tileStride);
  }
  mlir::Value tile = windowOf(context, transfer.tile, lanes, tileStrides);
  if (transfer.isLoad)
    context.create<npu::LoadOp>(transfer.pointer, offset, sizes, staticSizes, strides,
                                staticStrides, tile);
  else
    context.create<npu::StoreOp>(tile, transfer.pointer, offset, sizes, staticSizes, strides,
                                 staticStrides, transfer.atomic);
}

static void emitRowByRow(CallContext &context, const Transfer &transfer, mlir::Value offset,
                         llvm::ArrayRef<RowDim> dims) {
  if (dims.size() == 1)
    return emitTransfer(context, transfer, offset, dims);
  mlir::OpBuilder::InsertionGuard guard(context.builder());
  auto loop = context.create<scf::ForOp>(
      indexConstant(context, 0), valueOf(context, dims.front().size), indexConstant(context, 1));
  context.builder().setInsertionPointToStart(loop.getBody());
  mlir::Value step = loop.getInductionVar();
  mlir::Value further = context.fold<arith::MulIOp>(step, valueOf(context, dims.front().stride));
  Transfer inner = transfer;
  mlir::Value moved =
      context.fold<arith::MulIOp>(step, indexConstant(context, dims.front().tileStride));
  inner.tile.moved =
      inner.tile.moved ? context.fold<arith::AddIOp>(inner.tile.moved, moved) : moved;
  emitRowByRow(context, inner, context.fold<arith::AddIOp>(offset, further), dims.drop_front());
}

void emitRows(CallContext &context, const Transfer &transfer, const Rows &rows) {
  mlir::OpBuilder::InsertionGuard guard(context.builder());
  llvm::SmallVector<RowDim> dims = rows.dims;
  if (rows.isInside)
    dims.front().size = context.fold<arith::SelectOp>(
        rows.isInside, valueOf(context, dims.front().size), indexConstant(context, 0));
  joinRows(context, dims);
  mlir::Value offset = valueOf(context, rows.offset);
  int64_t least = kBlockBytes / transfer.tile.elementBytes();
  std::optional<int64_t> row = mlir::getConstantIntValue(dims.back().size);
  if (dims.size() == 1 || (row && *row >= least))
    return emitTransfer(context, transfer, offset, dims);
  if (row || dims.back().lanes < least)
    return emitRowByRow(context, transfer, offset, dims);
  mlir::Value isShort = isLess(context, dims.back().size, context.builder().getIndexAttr(least));
  auto branch = context.create<scf::IfOp>(isShort, /*withElseRegion=*/true);
  context.builder().setInsertionPointToStart(branch.thenBlock());
  emitRowByRow(context, transfer, offset, dims);
  context.builder().setInsertionPointToStart(branch.elseBlock());
  emitTransfer(context, transfer, offset, dims);
}

/// Rows of a tile begin at blocks; dimensions that are joined do not count.
bool checkRows(CallContext &context, const Arguments &arguments, const Transfer &transfer,
               const Rows &rows) {
  const View &tile = transfer.tile;
  llvm::SmallVector<RowDim> dims = rows.dims;
  joinRows(context, dims);
  auto wrong = [&](const Twine &found, const Twine &expected) {
    triton::wrongArgument(context, arguments, tile.argument, found, expected);
    return false;
  };
  if (!tile.moved && tile.bytes % kBlockBytes != 0)
    return wrong("a region that starts at byte " + Twine(tile.bytes) + " of its buffer",
                 "a multiple of " + Twine(kBlockBytes));
  if (dims.size() > 3)
    return wrong("a region of " + Twine(dims.size()) + " dimensions with gaps",
                 "at most three in one transfer");
  for (const RowDim &dim : llvm::ArrayRef(dims).drop_back())
    if (int64_t bytes = dim.tileStride * tile.elementBytes();
        dim.lanes > 1 && bytes % kBlockBytes != 0)
      return wrong("rows every " + Twine(bytes) + " bytes",
                   "a multiple of " + Twine(kBlockBytes) + ", as rows of the tensor have gaps");
  return true;
}

} // namespace kiln::frontend::tilelang::expert
