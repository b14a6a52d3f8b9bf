//===- ExpertCopies.cpp - T.copy as one instruction -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Between global memory and UB a copy is one transfer of rows, cut at the bounds of the tensor. A
// load of a tile that sticks out fills the tile with the pad value first: V fills after all that
// the load comes after (a flag from MTE2 to V) and before it (one back).
//
//   T.copy(A[i, 0], a)  =>  scf.if %sticks_out { set/wait MTE2 → V; npu.vdup; set/wait V → MTE2;
//                                                npu.load of what is inside }
//                           else { npu.load of all }
//
// Rows that are too short for a transfer of several go one by one.
//
//===-----------------------------------------------------------------------------------------===//

#include "Copies.h"
#include "Expert.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace kiln::frontend::tilelang::expert {

using llvm::Twine;
using machine::Element;
using machine::Opcode;
using machine::Pipe;
using machine::Rounding;
using mlir::OpFoldResult;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

/// Rows of a transfer of several have at least so many bytes, and begin at multiples of it.
static constexpr int64_t kRowBytes = 32;

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
// Transfers
//===----------------------------------------------------------------------------------------===//

namespace {

/// One dimension of a transfer that has more than one lane.
struct RowDim {
  int64_t lanes;       ///< of the tile
  OpFoldResult size;   ///< that are inside the tensor
  OpFoldResult stride; ///< in global memory, in elements
  int64_t tileStride;
};

struct Transfer {
  bool isLoad;
  mlir::Value pointer;
  View tile;
  npu::AtomicAttr atomic;
};

/// What a copy moves.
struct Rows {
  llvm::SmallVector<RowDim> dims;
  OpFoldResult offset;
  mlir::Value sticksOut; ///< whether lanes are outside the tensor; null: none are
  mlir::Value isInside;  ///< all dimensions of one lane are inside the tensor; null: they are
};

} // namespace

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

/// The lanes of the tile laid over the tensor; nothing after an error.
static std::optional<Rows> rowsOf(CallContext &context, const Arguments &arguments,
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
      Rows one;
      insideOf(context, one, start, buffer.shape[dim], 1);
      if (one.sticksOut) {
        rows.sticksOut = either(context, rows.sticksOut, one.sticksOut);
        mlir::Value isHere = context.fold<arith::XOrIOp>(
            one.sticksOut, context.constant(Type(DType::I1), Integer(1)));
        rows.isInside = rows.isInside ? context.fold<arith::AndIOp>(rows.isInside, isHere) : isHere;
      }
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

/// The transfer, in as few instructions as its rows allow.
static void emitRows(CallContext &context, const Transfer &transfer, const Rows &rows) {
  mlir::OpBuilder::InsertionGuard guard(context.builder());
  llvm::SmallVector<RowDim> dims = rows.dims;
  if (rows.isInside)
    dims.front().size = context.fold<arith::SelectOp>(
        rows.isInside, valueOf(context, dims.front().size), indexConstant(context, 0));
  joinRows(context, dims);
  mlir::Value offset = valueOf(context, rows.offset);
  int64_t least = kRowBytes / transfer.tile.elementBytes();
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
static bool checkRows(CallContext &context, const Arguments &arguments, const Transfer &transfer,
                      const Rows &rows) {
  const View &tile = transfer.tile;
  llvm::SmallVector<RowDim> dims = rows.dims;
  joinRows(context, dims);
  auto wrong = [&](const Twine &found, const Twine &expected) {
    triton::wrongArgument(context, arguments, tile.argument, found, expected);
    return false;
  };
  if (!tile.moved && tile.bytes % kRowBytes != 0)
    return wrong("a region that starts at byte " + Twine(tile.bytes) + " of its buffer",
                 "a multiple of " + Twine(kRowBytes));
  if (dims.size() > 3)
    return wrong("a region of " + Twine(dims.size()) + " dimensions with gaps",
                 "at most three in one transfer");
  for (const RowDim &dim : llvm::ArrayRef(dims).drop_back())
    if (int64_t bytes = dim.tileStride * tile.elementBytes();
        dim.lanes > 1 && bytes % kRowBytes != 0)
      return wrong("rows every " + Twine(bytes) + " bytes",
                   "a multiple of " + Twine(kRowBytes) + ", as rows of the tensor have gaps");
  return true;
}

/// All of the tile becomes the pad value.
static bool emitFill(CallContext &context, const Arguments &arguments, const View &tile) {
  std::optional<View> target = tile;
  mlir::Value pad;
  bool hasPad = !arguments["pad_value"].isNone();
  if (hasPad)
    pad = scalarArgument(context, arguments, "pad_value", tile.dtype);
  else if (tile.elementBytes() != 8)
    pad = constantOf(context, tile.dtype, 0);
  if (tile.elementBytes() == 8) {
    // No instruction fills eight bytes; zeros are zeros.
    if (hasPad && arguments["pad_value"].asInt() && arguments["pad_value"].asInt()->isZero())
      hasPad = false;
    if (hasPad) {
      triton::wrongArgument(context, arguments, "pad_value", arguments["pad_value"],
                            "0 for elements of eight bytes");
      return false;
    }
    target = reinterpret(tile, context.builder().getI32Type());
    pad = constantOf(context, DType::I32, 0);
  }
  if (!pad || !target)
    return false;
  return !forEachWindow(context, arguments, {*target}, [&](Parts window) {
            context.create<npu::VDupOp>(pad, window[0]);
          }).isPoison();
}

static Value lowerLoad(CallContext &context, const Arguments &arguments, const Transfer &transfer,
                       const Rows &rows) {
  if (!rows.sticksOut) {
    emitRows(context, transfer, rows);
    return Value::none();
  }
  if (isOrderedByAuthor(context)) {
    State &state = stateOf(context);
    if (state.usesFillFlag)
      return context.error("this copy fills what is outside the tensor, for which it uses id " +
                           Twine(kFillFlag) +
                           " of the flags between mte2 and v; the kernel uses that id itself");
    state.fills = true;
  }
  auto fillAndLoad = [&] {
    handOver(context, Pipe::MTE2, Pipe::V);
    if (!emitFill(context, arguments, transfer.tile))
      return Value::poison();
    handOver(context, Pipe::V, Pipe::MTE2);
    emitRows(context, transfer, rows);
    return Value::none();
  };
  if (mlir::getConstantIntValue(rows.sticksOut))
    return fillAndLoad(); // a region that is padded always
  mlir::OpBuilder::InsertionGuard guard(context.builder());
  auto branch = context.create<scf::IfOp>(rows.sticksOut, /*withElseRegion=*/true);
  context.builder().setInsertionPointToStart(branch.thenBlock());
  if (fillAndLoad().isPoison())
    return Value::poison();
  context.builder().setInsertionPointToStart(branch.elseBlock());
  Rows whole = rows;
  whole.isInside = nullptr;
  for (RowDim &dim : whole.dims)
    dim.size = context.builder().getIndexAttr(dim.lanes);
  emitRows(context, transfer, whole);
  return Value::none();
}

static Value lowerTransfer(CallContext &context, const Arguments &arguments,
                           const RegionData &global, const RegionData &local, bool isLoad,
                           npu::AtomicAttr atomic = {}) {
  if (!sameDType(context, isLoad ? global : local, isLoad ? local : global))
    return Value::poison();
  std::optional<View> tile = viewOf(context, isLoad ? "dst" : "src", local);
  std::optional<Rows> rows =
      tile ? rowsOf(context, arguments, global, *tile, isLoad) : std::nullopt;
  if (!rows)
    return Value::poison();
  Transfer transfer{isLoad, global.buffer->handle, *tile, atomic};
  if (!checkRows(context, arguments, transfer, *rows))
    return Value::poison();
  if (isLoad)
    return lowerLoad(context, arguments, transfer, *rows);
  emitRows(context, transfer, *rows);
  return Value::none();
}

//===----------------------------------------------------------------------------------------===//
// On chip
//===----------------------------------------------------------------------------------------===//

/// Exact where it can be, else to nearest even.
static Value lowerMove(CallContext &context, const Arguments &arguments, View src, View dst) {
  View *views[] = {&dst, &src};
  if (!alike(context, arguments, views))
    return Value::poison();
  std::optional<Element> from = elementOf(src.dtype), to = elementOf(dst.dtype);
  if (src.dtype == dst.dtype) {
    if (!expectElement(context, arguments, "dst", Opcode::Copy, dst.dtype))
      return Value::poison();
    return forEachWindow(context, arguments, {dst, src},
                         [&](Parts window) { context.create<npu::CopyOp>(window[1], window[0]); });
  }
  std::optional<Rounding> rounding =
      from && to ? conversionRounding(*from, *to, Rounding::Rint) : std::nullopt;
  if (!rounding)
    return noConversion(context, arguments, "dst", src.dtype, dst.dtype);
  return forEachWindow(context, arguments, {dst, src}, [&](Parts window) {
    context.create<npu::VCastOp>(*rounding, window[1], window[0], isUnsignedInteger(src.dtype),
                                 isUnsignedInteger(dst.dtype));
  });
}

static Value lowerCopy(CallContext &context, const Arguments &arguments) {
  std::optional<Sides> sides = copySides(context, arguments);
  if (!sides)
    return Value::poison();
  const auto &[src, dst] = *sides;
  if (src.buffer->isGlobal)
    return lowerTransfer(context, arguments, src, dst, /*isLoad=*/true);
  if (dst.buffer->isGlobal)
    return lowerTransfer(context, arguments, dst, src, /*isLoad=*/false);
  std::optional<View> from = viewOf(context, "src", src), to = viewOf(context, "dst", dst);
  return from && to ? lowerMove(context, arguments, *from, *to) : Value::poison();
}

/// A store that adds to what stands in global memory.
static Value lowerAtomicAdd(CallContext &context, const Arguments &arguments) {
  auto sides = sidesOf(context, arguments, arguments.bound[1].name, arguments.bound[0].name);
  if (!sides)
    return Value::poison();
  const auto &[src, dst] = *sides;
  if (src.buffer->isGlobal || !dst.buffer->isGlobal)
    return context.error("found " + describe(Value::region(src)) + " added to " +
                         describe(Value::region(dst)) +
                         ", expected a buffer on chip and a part of a tensor");
  std::optional<Element> element = elementOf(dst.buffer->dtype);
  if (!element || !someChip([&](const machine::Machine &chip) {
        return chip.supportsAtomic(Opcode::Store, *element, machine::Atomic::Add);
      }))
    return context.error("found elements of " + info(dst.buffer->dtype).languageName +
                         ", which no store adds to global memory");
  return lowerTransfer(context, arguments, dst, src, /*isLoad=*/false,
                       npu::AtomicAttr::get(context.mlirContext(), machine::Atomic::Add));
}

llvm::ArrayRef<Row> copyRows() {
  static constexpr Row kRows[] = {
      {"T.copy", lowerCopy},
      {"T.async_copy", lowerCopy},
      {"T.tile.atomic_add", lowerAtomicAdd},
  };
  return kRows;
}

} // namespace kiln::frontend::tilelang::expert
