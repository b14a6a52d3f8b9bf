//===- Strided.cpp - loads and stores whose lanes are not neighbours -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// DMA moves neighbours. Lanes with a small stride, forwards or backwards, come with what lies
// between them, and a gather picks them; a tile whose columns lie in rows is transposed in UB.
//
//===-----------------------------------------------------------------------------------------===//

#include "Lowering.h"
#include "Transfers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::npu::lower {

using machine::Opcode;

/// Strides beyond it leave more than seven of eight elements unused: one access each is no worse.
static constexpr int64_t kMaxStride = 8;

/// The dimensions that have more than one lane.
static Sizes realDims(ArrayRef<int64_t> shape) {
  Sizes dims;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size != 1)
      dims.push_back(dim);
  return dims;
}

/// Unit dimensions have no bounds, so that only the real ones decide.
static bool unitDimsAreFree(const Transfer &transfer) {
  for (auto [dim, size] : llvm::enumerate(transfer.tile.sizes)) {
    if (size != 1 || transfer.upper.empty())
      continue;
    std::optional<int64_t> low = getConstantIntValue(transfer.lower[dim]);
    std::optional<int64_t> high = getConstantIntValue(transfer.upper[dim]);
    if (!low || !high || *low > 0 || *high < 1)
      return false;
  }
  return true;
}

bool emitColumns(Emitter &emitter, const Transfer &transfer, const Operand *pad) {
  Sizes dims = realDims(transfer.tile.sizes);
  unsigned bits = transfer.tile.element.getIntOrFloatBitWidth();
  if (transfer.tile.sizes.size() != 2 || dims.size() != 2 || (bits != 16 && bits != 32) ||
      getConstantIntValue(transfer.strides[0]) != 1 || (pad && !pad->isScalar()))
    return false;
  ArrayRef<int64_t> shape = transfer.tile.sizes;
  Transfer turned = transfer;
  std::swap(turned.strides[0], turned.strides[1]);
  if (!turned.lower.empty()) {
    std::swap(turned.lower[0], turned.lower[1]);
    std::swap(turned.upper[0], turned.upper[1]);
  }
  turned.tile = emitter.temporary({shape[1], shape[0]}, transfer.tile.element);
  if (transfer.isLoad())
    return emitRows(emitter, turned, pad) && emitter.transpose(turned.tile, transfer.tile);
  if (!liesInRows(turned))
    return false;
  emitter.transpose(transfer.tile, turned.tile);
  return emitRows(emitter, turned, pad);
}

bool emitSpan(Emitter &emitter, const Transfer &transfer, const Operand *pad) {
  Sizes dims = realDims(transfer.tile.sizes);
  unsigned bits = transfer.tile.element.getIntOrFloatBitWidth();
  if (!transfer.isLoad() || transfer.hasMask() || dims.size() != 1 || (bits != 16 && bits != 32) ||
      !transfer.global().getWrapDims().empty() || !unitDimsAreFree(transfer) ||
      (pad && !pad->isScalar()))
    return false;
  int64_t lanes = transfer.tile.sizes[dims[0]], bytes = bits / 8;
  std::optional<int64_t> stride = getConstantIntValue(transfer.strides[dims[0]]);
  if (!stride || *stride == 0 || std::abs(*stride) > kMaxStride)
    return false;
  int64_t reach = (lanes - 1) * std::abs(*stride) + 1;
  if (uint64_t(reach * bytes) > emitter.machine.memory(machine::Memory::UB).usableBytes / 4)
    return false;

  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  auto times = [&](Value value, int64_t factor) -> Value {
    return arith::MulIOp::create(builder, loc, value, emitter.index(factor));
  };
  Value zero = emitter.index(0), one = emitter.index(1);
  Value from = zero, to = emitter.index(lanes);
  if (!transfer.upper.empty()) {
    from = arith::MaxSIOp::create(builder, loc, transfer.lower[dims[0]], zero);
    to = arith::MinSIOp::create(builder, loc, transfer.upper[dims[0]], to);
  }
  // The lane with the lowest address, and the elements from it to the highest.
  Value count = arith::SubIOp::create(builder, loc, to, from);
  Value lowest = *stride > 0 ? from : arith::SubIOp::create(builder, loc, to, one).getResult();
  Value start = times(lowest, *stride);
  Value steps = times(arith::SubIOp::create(builder, loc, count, one), std::abs(*stride));
  Value span = arith::AddIOp::create(builder, loc, steps, one);
  View source = emitter.temporary({reach}, transfer.tile.element);
  Value address = arith::AddIOp::create(builder, loc, transfer.global().getOffset(), start);
  LoadOp::create(builder, loc, transfer.global().getBase(), address, ValueRange(span),
                 ArrayRef<int64_t>{ShapedType::kDynamic}, ValueRange(), ArrayRef<int64_t>{1},
                 emitter.window(source));

  // Lane i stands i · stride - start elements into it; lanes out of bounds read anything.
  Type i32 = builder.getI32Type();
  View offsets = emitter.temporary({lanes}, i32);
  Value back = arith::IndexCastOp::create(builder, loc, i32, times(start, -bytes));
  VIotaOp::create(builder, loc, emitter.integer(i32, 0), emitter.window(offsets));
  emitter.scalar(Opcode::VMuls, offsets, emitter.integer(i32, *stride * bytes), offsets);
  emitter.scalar(Opcode::VAdds, offsets, back, offsets);
  if (!transfer.upper.empty()) {
    emitter.scalar(Opcode::VMaxs, offsets, emitter.integer(i32, 0), offsets);
    emitter.scalar(Opcode::VMins, offsets, emitter.integer(i32, (reach - 1) * bytes), offsets);
  }
  View row = transfer.tile;
  row.sizes = {lanes};
  row.strides = {1};
  row.lanes = 0;
  VGatherOp::create(builder, loc, emitter.window(source), emitter.window(offsets),
                    emitter.window(row));

  // Partial tiles only: the other lanes one by one.
  if (pad && !transfer.upper.empty()) {
    auto write = [&](ValueRange, Value place) {
      SStoreOp::create(builder, loc, pad->scalar, emitter.row(transfer.tile), place);
    };
    forEachLane(emitter, {lanes}, {zero}, {from}, write);
    forEachLane(emitter, {lanes}, {to}, {emitter.index(lanes)}, write);
  }
  return true;
}

} // namespace kiln::npu::lower
