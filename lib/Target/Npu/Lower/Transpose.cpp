//===- Transpose.cpp - columns become rows ---------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A gather reads lanes in any order by byte offsets. Those of one column are a multiple of the
// pitch, those of the next ones lie one element further, so each costs one addition; a group of
// columns is gathered at once.
//
//===-----------------------------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Lowering.h"
#include "Transfers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu::lower {

using machine::Opcode;

/// Columns per gather: enough to fill the pipe, few enough for a small table of offsets.
static constexpr int64_t kColumns = 16;

/// The lowest `bits` bits in reverse.
static int64_t reversed(int64_t number, unsigned bits) {
  return bits == 0 ? number : int64_t(llvm::reverseBits(uint64_t(number)) >> (64 - bits));
}

bool Emitter::transpose(ArrayRef<View> from, ArrayRef<View> to, bool isReversed) {
  const View &src = from.front();
  int64_t bytes = src.element.getIntOrFloatBitWidth() / 8;
  // Tiles that lie alike share the offsets.
  auto liesAlike = [&](const View &other) {
    return other.offset == src.offset && other.strides == src.strides &&
           other.element.getIntOrFloatBitWidth() / 8 == bytes;
  };
  auto isMoved = [](const View &view) {
    unsigned bits = view.element.getIntOrFloatBitWidth();
    return bits == 16 || bits == 32;
  };
  if (!llvm::all_of(from, isMoved))
    return false;
  if (!llvm::all_of(from, liesAlike)) {
    for (auto [source, target] : llvm::zip_equal(from, to))
      transpose(source, target, isReversed);
    return true;
  }
  Type i32 = builder.getI32Type();
  int64_t columns = to.front().sizes[0], rows = to.front().sizes[1];
  int64_t pitch = llvm::alignTo(rows, rule.pitchUnit());
  View table = temporary({pitch * std::min(columns, kColumns)}, i32);
  View first = temporary({rows}, i32);
  VIotaOp::create(builder, loc, integer(i32, 0), window(first));
  scalar(Opcode::VMuls, first, integer(i32, src.strides[0] * bytes), first);
  for (int64_t begin = 0; begin < columns; begin += kColumns) {
    int64_t count = std::min(columns - begin, kColumns);
    View offsets = table;
    offsets.lanes = 0;
    offsets.sizes = {count, rows};
    offsets.strides = {pitch, 1};
    for (int64_t column = 0; column < count; ++column) {
      View row = first;
      row.buffer = table.buffer;
      row.offset = column * pitch;
      int64_t number = begin + column;
      if (isReversed)
        number = reversed(number, llvm::Log2_64(columns));
      int64_t lane = src.offset + number * src.strides[1];
      scalar(Opcode::VAdds, first, integer(i32, lane * bytes), row);
    }
    for (auto [source, target] : llvm::zip_equal(from, to)) {
      View part = target;
      part.lanes = 0;
      part.sizes = {count, rows};
      part.offset += begin * target.strides[0];
      VGatherOp::create(builder, loc, row(source), window(offsets), window(part));
    }
  }
  return true;
}

/// The dimensions that have more than one lane.
static Sizes realDims(ArrayRef<int64_t> shape) {
  Sizes dims;
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size != 1)
      dims.push_back(dim);
  return dims;
}

void Lowering::lowerTranspose(linalg::TransposeOp transpose) {
  Operand source = operandOf(transpose.getInput());
  Value result = transpose->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  if (source.isScalar()) {
    values[result] = source;
    return;
  }
  // Result dimension i is dimension permutation[i] of the input.
  View seen = source.view;
  seen.lanes = 0;
  seen.sizes.assign(type.getShape().begin(), type.getShape().end());
  for (auto [dim, from] : llvm::enumerate(transpose.getPermutation()))
    seen.strides[dim] = source.view.strides[from];
  View dst = destination(result);
  View target = apart(dst, {source});
  bool isMask = dst.isMask();
  View from = seen, to = target;
  if (isMask) {
    // Bits move as numbers.
    Type element = emitter.builder.getF32Type();
    View numbers = emitter.temporary(source.view.sizes, element);
    emitMaskAsNumbers(emitter, denseMask(emitter, source, source.view.sizes), numbers);
    from = numbers;
    from.sizes = seen.sizes;
    for (auto [dim, source] : llvm::enumerate(transpose.getPermutation()))
      from.strides[dim] = numbers.strides[source];
    from.lanes = 0;
    to = emitter.temporary(type.getShape(), element);
  }
  Sizes dims = realDims(type.getShape());
  bool done = false;
  if (dims.size() == 2 && !from.blocked) {
    View columns = from, rows = to;
    columns.sizes = {type.getDimSize(dims[1]), type.getDimSize(dims[0])};
    columns.strides = {from.strides[dims[1]], from.strides[dims[0]]};
    rows.sizes = {type.getDimSize(dims[0]), type.getDimSize(dims[1])};
    rows.strides = {to.strides[dims[0]], to.strides[dims[1]]};
    done = emitter.transpose(columns, rows);
  }
  if (!done) {
    slowPath(transpose, "lanes change places in more than two dimensions, or are not of 16 or 32 "
                        "bits");
    forEachLane(emitter, type.getShape(), {}, {}, [&](ValueRange lane, Value place) {
      Value value = readLane(emitter, from, lane);
      SStoreOp::create(emitter.builder, emitter.loc, value, emitter.row(to), place);
    });
  }
  if (isMask)
    emitNumbersAsMask(emitter, to, target);
  if (target.buffer != dst.buffer)
    emitter.copy(target, dst);
}

} // namespace kiln::npu::lower
