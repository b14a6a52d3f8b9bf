//===- ReduceRows.cpp - rows to single elements ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A row of floats is summed (or its largest or smallest found) in some order of three steps, each
// of which makes rows shorter: `vc*` takes a row of up to a repeat to one element, `vcg*` every
// 32-byte block to one, and a binary instruction folds the second half of the rows onto the first.
// The machine's costs say which sequence is cheapest. Other operations fold until rows are one
// block long; then a gather turns the rest into whole steps.
//
//===-----------------------------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Reduce.h"

#include "machine/Cost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;

namespace kiln::npu::lower {

using machine::Opcode;

namespace {

struct RowOpcodes {
  Opcode fold, block, row;
};

std::optional<RowOpcodes> rowOpcodes(Operation *op) {
  if (isa<arith::AddFOp>(op))
    return RowOpcodes{Opcode::VAdd, Opcode::VCgadd, Opcode::VCadd};
  if (isa<arith::MaxNumFOp>(op))
    return RowOpcodes{Opcode::VMax, Opcode::VCgmax, Opcode::VCmax};
  if (isa<arith::MinNumFOp>(op))
    return RowOpcodes{Opcode::VMin, Opcode::VCgmin, Opcode::VCmin};
  return std::nullopt;
}

enum class Step { Row, Block, Fold };

/// The cheapest sequence for rows of one length.
class Plan {
public:
  Plan(const machine::Machine &machine, RowOpcodes ops, int64_t rows, int64_t bytes)
      : machine(machine), ops(ops), rows(rows), bytes(bytes) {}

  int64_t block() const { return machine.limits.blockBytes / bytes; }
  int64_t repeat() const { return machine.limits.repeatBytes / bytes; }
  /// Lanes left after a fold: the second half begins at a block.
  int64_t folded(int64_t width) const { return llvm::alignTo(llvm::divideCeil(width, 2), block()); }

  Step next(int64_t width) { return best(width).second; }

private:
  double cost(Opcode op, int64_t width, bool isPacked) const {
    return machine::vectorCost(machine, op, {uint64_t(rows), uint64_t(width * bytes), isPacked})
        .total();
  }

  std::pair<double, Step> best(int64_t width) {
    auto known = table.find(width);
    if (known != table.end())
      return known->second;
    std::pair<double, Step> found{std::numeric_limits<double>::infinity(), Step::Fold};
    auto offer = [&](double cycles, Step step) {
      if (cycles < found.first)
        found = {cycles, step};
    };
    if (width <= repeat())
      offer(cost(ops.row, width, false), Step::Row);
    if (width % block() == 0) {
      int64_t left = width / block();
      double here = cost(ops.block, width, true);
      if (left == 1)
        offer(here, Step::Block);
      else if (left % block() == 0 || rows == 1)
        offer(here + best(left).first, Step::Block);
    }
    if (width > block())
      offer(cost(ops.fold, width - folded(width), false) + best(folded(width)).first, Step::Fold);
    return table[width] = found;
  }

  const machine::Machine &machine;
  RowOpcodes ops;
  int64_t rows, bytes;
  std::map<int64_t, std::pair<double, Step>> table;
};

/// Lanes `first` to `first + count` of every row.
View columns(View view, int64_t first, int64_t count) {
  view.offset += first;
  view.sizes[1] = count;
  view.rowLanes = count;
  return view;
}

View rowsTemporary(Emitter &emitter, int64_t rows, int64_t width, int64_t pitch, Type element) {
  View view = emitter.temporary({rows * pitch}, element);
  view.sizes = {rows, width};
  view.strides = {pitch, 1};
  view.rowLanes = pitch;
  view.lanes = 0;
  return view;
}

/// Rows of half the length; `isOwn` if the rows may be overwritten.
bool fold(Emitter &emitter, Combiner &combiner, View &rows, bool &isOwn, int64_t left) {
  int64_t width = rows.sizes[1];
  View first = columns(rows, 0, width - left), second = columns(rows, left, width - left);
  View target = rows;
  if (!isOwn) {
    target = rowsTemporary(emitter, rows.sizes[0], left, left, rows.element);
    if (width != 2 * left) {
      // From the start of a block on: the combination overwrites what is too much.
      int64_t block = emitter.machine.limits.blockBytes * 8 / rows.element.getIntOrFloatBitWidth();
      int64_t start = (width - left) / block * block;
      emitter.copy(columns(rows, start, left - start), columns(target, start, left - start));
    }
  }
  if (!combiner.combine({first}, {second}, {columns(target, 0, width - left)}))
    return false;
  rows = columns(target, 0, left);
  isOwn = true;
  return true;
}

void reduceInstruction(Emitter &emitter, Opcode op, const View &src, const View &dst) {
  VReduceOp::create(emitter.builder, emitter.loc, op, emitter.window(src), emitter.window(dst));
}

bool reduceFloatRows(Emitter &emitter, Combiner &combiner, RowOpcodes ops, View rows,
                     const View &dst) {
  int64_t count = rows.sizes[0], bytes = rows.element.getIntOrFloatBitWidth() / 8;
  Plan plan(emitter.machine, ops, count, bytes);
  bool isOwn = false;
  while (true) {
    int64_t width = rows.sizes[1];
    switch (plan.next(width)) {
    case Step::Row:
      reduceInstruction(emitter, ops.row, rows, dst);
      return true;
    case Step::Block: {
      int64_t left = width / plan.block();
      View next = dst;
      if (left != 1)
        next = rowsTemporary(emitter, count, left, left, rows.element);
      // One row per block.
      View blocks = rows, elements = next;
      if (rows.strides[0] == width || count == 1) {
        blocks.sizes = {count * left, plan.block()};
        blocks.strides = {plan.block(), 1};
      } else {
        blocks.sizes = {count, left, plan.block()};
        blocks.strides = {rows.strides[0], plan.block(), 1};
      }
      elements.sizes = {count * left};
      elements.strides = {1};
      reduceInstruction(emitter, ops.block, blocks, elements);
      if (left == 1)
        return true;
      rows = next;
      isOwn = true;
      break;
    }
    case Step::Fold:
      if (!fold(emitter, combiner, rows, isOwn, plan.folded(width)))
        return false;
      break;
    }
  }
}

/// The largest number of steps, up to a block, that rows can be cut into evenly.
int64_t stepsFor(int64_t width) {
  for (int64_t steps : {8, 4, 2})
    if (width % steps == 0)
      return steps;
  return width;
}

} // namespace

bool reduceRows(Emitter &emitter, Combiner &combiner, ArrayRef<View> from, ArrayRef<View> dst) {
  Operation *single = combiner.commutative();
  std::optional<machine::Element> element = elementOf(from[0].element);
  if (single)
    if (std::optional<RowOpcodes> ops = rowOpcodes(single))
      if (element && emitter.machine.supports(ops->row, *element) &&
          emitter.machine.supports(ops->block, *element))
        return reduceFloatRows(emitter, combiner, *ops, from[0], dst[0]);

  SmallVector<View> current(from);
  int64_t rows = from[0].sizes[0];
  if (single) {
    int64_t block = emitter.machine.limits.blockBytes * 8 / from[0].element.getIntOrFloatBitWidth();
    bool isOwn = false;
    while (current[0].sizes[1] > block)
      if (!fold(emitter, combiner, current[0], isOwn,
                llvm::alignTo(llvm::divideCeil(current[0].sizes[1], 2), block)))
        return false;
  }
  while (true) {
    // Rows of `width` are `width / steps` times as many rows of `steps`.
    int64_t width = current[0].sizes[1], steps = stepsFor(width);
    int64_t pieces = rows * (width / steps);
    if (width != steps && rows != 1 && current[0].strides[0] != width)
      steps = width, pieces = rows;
    if (steps > 64)
      return false;
    int64_t pitch = llvm::alignTo(pieces, combiner.unit());
    bool isReversed = !single && llvm::isPowerOf2_64(steps);
    SmallVector<View> sources, transposed, targets;
    for (const View &view : current) {
      View source = view;
      source.sizes = {pieces, steps};
      source.strides = {width == steps ? view.strides[0] : steps, 1};
      sources.push_back(source);
      View columns = emitter.temporary({steps * pitch}, view.element);
      columns.sizes = {steps, pieces};
      columns.strides = {pitch, 1};
      columns.lanes = 0;
      transposed.push_back(columns);
      View target = emitter.temporary({pitch}, view.element);
      if (width == steps)
        target = dst[targets.size()];
      target.rowLanes = pitch; // as many as its buffer has
      target.sizes = {1, 1, pieces};
      target.strides = {pieces, pieces, 1};
      target.lanes = 0;
      targets.push_back(target);
    }
    if (!emitter.transpose(sources, transposed, isReversed))
      return false;
    for (View &view : transposed) {
      view.sizes = {1, steps, pieces};
      view.strides = {steps * pitch, pitch, 1};
      view.rowLanes = pitch;
    }
    if (!reduceSteps(emitter, combiner, transposed, targets, isReversed))
      return false;
    if (width == steps)
      return true;
    current = targets;
    for (View &view : current) {
      view.sizes = {rows, width / steps};
      view.strides = {width / steps, 1};
      view.rowLanes = width / steps;
    }
  }
}

} // namespace kiln::npu::lower
