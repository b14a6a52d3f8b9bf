//===- Transfers.cpp - rows between global memory and UB -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   %t = tile.load %v valid [0] to [%n] pad %p     scf.if %n < 1024 {
//                                                    npu.vdup %p, %b
//                                              =>    npu.load %x[%o] sizes [%n] …, %b
//                                                  } else {
//                                                    npu.load %x[%o] sizes [1024] …, %b
//                                                  }
//
// Both ways have the transfer, so that a whole tile need not wait until the vector unit could have
// filled it.
//
// Rows of several must be at least one DMA block long: a length that is known only at run time is
// asked for, and shorter rows go one by one.
//
//===-----------------------------------------------------------------------------------------===//

#include "Transfers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::npu::lower {

OpFoldResult clampedUpper(Emitter &emitter, Value upper, int64_t lanes) {
  OpBuilder &builder = emitter.builder;
  if (std::optional<int64_t> constant = getConstantIntValue(upper))
    return builder.getIndexAttr(std::clamp<int64_t>(*constant, 0, lanes));
  return arith::MinSIOp::create(builder, emitter.loc, upper, emitter.index(lanes)).getResult();
}

bool liesInRows(const Transfer &transfer) {
  tile::ViewOp view = transfer.view;
  if (transfer.hasMask() || !view.getWrapDims().empty() || transfer.tile.isMask())
    return false;
  ArrayRef<OpFoldResult> strides = transfer.strides;
  ArrayRef<int64_t> shape = transfer.tile.sizes;
  bool isRow = true;
  unsigned rank = 0;
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    if (!transfer.lower.empty()) {
      std::optional<int64_t> low = getConstantIntValue(transfer.lower[dim]);
      if (!low || *low > 0)
        return false;
    }
    if (shape[dim] == 1)
      continue;
    if (isRow && getConstantIntValue(strides[dim]) != 1)
      return false;
    isRow = false;
    ++rank;
  }
  return rank <= 3;
}

namespace {

/// One dimension of the transfer that has more than one lane.
struct RowDim {
  int64_t lanes;       ///< of the tile
  OpFoldResult size;   ///< that are moved
  OpFoldResult stride; ///< in global memory, in elements
  int64_t tileStride;
};

Value asValue(Emitter &emitter, OpFoldResult value) {
  if (auto constant = getConstantIntValue(value))
    return emitter.index(*constant);
  return cast<Value>(value);
}

/// Dimensions that lie behind one another in global memory and in the tile become one.
void joinRows(Emitter &emitter, SmallVectorImpl<RowDim> &dims) {
  while (dims.size() > 1) {
    RowDim &out = dims[dims.size() - 2], &row = dims.back();
    bool isWhole = getConstantIntValue(row.size) == row.lanes;
    if (!isWhole || getConstantIntValue(out.stride) != row.lanes || out.tileStride != row.lanes)
      return;
    OpFoldResult size = emitter.builder.getIndexAttr(out.lanes * row.lanes);
    if (getConstantIntValue(out.size) != out.lanes)
      size = arith::MulIOp::create(emitter.builder, emitter.loc, asValue(emitter, out.size),
                                   emitter.index(row.lanes))
                 .getResult();
    RowDim joined{out.lanes * row.lanes, size, row.stride, row.tileStride};
    dims.pop_back();
    dims.back() = joined;
  }
}

void emitDma(Emitter &emitter, const Transfer &transfer, Value tile, Value offset,
             ArrayRef<RowDim> dims) {
  OpBuilder &builder = emitter.builder;
  SmallVector<Value> sizes, strides;
  SmallVector<int64_t> staticSizes, staticStrides;
  for (const RowDim &dim : dims) {
    dispatchIndexOpFoldResult(dim.size, sizes, staticSizes);
    dispatchIndexOpFoldResult(dim.stride, strides, staticStrides);
  }
  Value ptr = transfer.global().getBase();
  Operation *dma;
  if (transfer.isLoad())
    dma = LoadOp::create(builder, emitter.loc, ptr, offset, sizes, staticSizes, strides,
                         staticStrides, tile);
  else
    dma = StoreOp::create(builder, emitter.loc, tile, ptr, offset, sizes, staticSizes, strides,
                          staticStrides, AtomicAttr());
  if (Attribute program = transfer.op->getAttr(kProgramAttr))
    dma->setAttr(kProgramAttr, program);
}

/// Each row on its own. Rows of a tile are slots of it.
void emitRowByRow(Emitter &emitter, const Transfer &transfer, Value tile, Value offset,
                  ArrayRef<RowDim> dims) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  if (dims.size() == 1)
    return emitDma(emitter, transfer, tile, offset, dims);
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::ForOp::create(builder, loc, emitter.index(0),
                                 asValue(emitter, dims.front().size), emitter.index(1));
  builder.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  Value moved = arith::MulIOp::create(builder, loc, step, asValue(emitter, dims.front().stride));
  // The part of the tile for one step: all lanes up to the next.
  auto type = cast<MemRefType>(tile.getType());
  SmallVector<int64_t> rest, strides;
  for (const RowDim &dim : dims.drop_front()) {
    rest.push_back(dim.lanes);
    strides.push_back(dim.tileStride);
  }
  auto slotsType =
      MemRefType::get({dims.front().lanes, dims.front().tileStride}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  auto slotType = MemRefType::get({dims.front().tileStride}, type.getElementType(),
                                  MemRefLayoutAttrInterface(), type.getMemorySpace());
  Transfer inner = transfer;
  View &part = inner.tile;
  Value slots =
      emitter.window(part, part.offset, slotsType.getShape(), {dims.front().tileStride, 1});
  part.buffer = SlotOp::create(builder, loc, slotType, slots, step);
  part.offset = 0;
  emitRowByRow(emitter, inner, emitter.window(part, 0, rest, strides),
               arith::AddIOp::create(builder, loc, offset, moved), dims.drop_front());
}

/// The transfer, in as few instructions as its rows allow; nothing unless `some` holds (null: it
/// does).
void emitSome(Emitter &emitter, const Transfer &transfer, SmallVector<RowDim> dims, Value some) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  OpBuilder::InsertionGuard guard(builder);
  if (some)
    dims.front().size =
        arith::SelectOp::create(builder, loc, some, asValue(emitter, dims.front().size),
                                emitter.index(0))
            .getResult();
  joinRows(emitter, dims);
  Sizes lanes, tileStrides;
  for (const RowDim &dim : dims) {
    lanes.push_back(dim.lanes);
    tileStrides.push_back(dim.tileStride);
  }
  Value tile = emitter.window(transfer.tile, transfer.tile.offset, lanes, tileStrides);
  Value offset = transfer.global().getOffset();
  int64_t least = llvm::divideCeil(uint64_t(emitter.machine.limits.dmaMinRowBytes) * 8,
                                   transfer.tile.element.getIntOrFloatBitWidth());
  std::optional<int64_t> row = getConstantIntValue(dims.back().size);
  if (dims.size() == 1 || (row && *row >= least)) {
    emitDma(emitter, transfer, tile, offset, dims);
  } else if (row || dims.back().lanes < least) {
    emitRowByRow(emitter, transfer, tile, offset, dims);
  } else {
    Value isLong = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                         asValue(emitter, dims.back().size), emitter.index(least));
    auto branch = scf::IfOp::create(builder, loc, isLong, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    emitDma(emitter, transfer, tile, offset, dims);
    builder.setInsertionPointToStart(branch.elseBlock());
    emitRowByRow(emitter, transfer, tile, offset, dims);
  }
}

} // namespace

bool emitRows(Emitter &emitter, const Transfer &transfer, const Operand *pad) {
  if (!liesInRows(transfer))
    return false;
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<RowDim> dims;
  Value some;                 // all unit dimensions are inside their bounds
  SmallVector<Value> partial; // conditions, one of which holds if lanes are left out
  for (auto [dim, lanes] : llvm::enumerate(transfer.tile.sizes)) {
    OpFoldResult size = builder.getIndexAttr(lanes);
    if (!transfer.upper.empty())
      size = clampedUpper(emitter, transfer.upper[dim], lanes);
    if (getConstantIntValue(size) != lanes)
      partial.push_back(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                              asValue(emitter, size), emitter.index(lanes)));
    if (lanes != 1) {
      dims.push_back({lanes, size, transfer.strides[dim], transfer.tile.strides[dim]});
    } else if (getConstantIntValue(size) != 1) {
      Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                           asValue(emitter, size), emitter.index(0));
      some = some ? arith::AndIOp::create(builder, loc, some, inside).getResult() : inside;
    }
  }
  if (dims.empty())
    dims.push_back({1, builder.getIndexAttr(1), builder.getIndexAttr(1), 1});

  if (!pad || partial.empty()) {
    emitSome(emitter, transfer, dims, some);
    return true;
  }
  Value any = partial.front();
  for (Value other : ArrayRef(partial).drop_front())
    any = arith::OrIOp::create(builder, loc, any, other);
  auto branch = scf::IfOp::create(builder, loc, any, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitter.put(*pad, transfer.tile);
  emitSome(emitter, transfer, dims, some);
  builder.setInsertionPointToStart(branch.elseBlock());
  for (RowDim &dim : dims)
    dim.size = builder.getIndexAttr(dim.lanes);
  emitSome(emitter, transfer, dims, /*some=*/nullptr);
  return true;
}

} // namespace kiln::npu::lower
