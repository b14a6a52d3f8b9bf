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
//===-----------------------------------------------------------------------------------------===//

#include "Copies.h"
#include "ExpertTransfers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace kiln::frontend::tilelang::expert {

using llvm::Twine;
using machine::Element;
using machine::Opcode;
using machine::Pipe;
using machine::Rounding;
namespace scf = mlir::scf;

//===----------------------------------------------------------------------------------------===//
// From and to global memory
//===----------------------------------------------------------------------------------------===//

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
