//===- Reduce.cpp - reductions ---------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A reduction halves: the first half of the lanes is combined with the second, in whole
// instructions, until one is left. Which lane meets which is free for one commutative operation;
// any other region keeps neighbours together, so that it need only be associative. Along rows there
// are instructions that reduce; ReduceRows.cpp chooses among them by cost.
//
//===-----------------------------------------------------------------------------------------===//

#include "Reduce.h"

#include "Elementwise.h"
#include "Lowering.h"
#include "Transfers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu::lower {

//===-----------------------------------------------------------------------------------------===//
// Combine regions
//===-----------------------------------------------------------------------------------------===//

Combiner::Combiner(Emitter &emitter, tile::ReduceOp reduce) : emitter(emitter), reduce(reduce) {
  Block &body = reduce.getCombine().front();
  Operation &first = body.front();
  bool isSingle = body.getNumArguments() == 2 && first.getNextNode() == body.getTerminator() &&
                  first.getNumResults() == 1 && first.getNumOperands() == 2 &&
                  body.getTerminator()->getOperand(0) == first.getResult(0) &&
                  first.getOperand(0) != first.getOperand(1) &&
                  llvm::all_of(first.getOperands(), llvm::IsaPred<BlockArgument>);
  // Operations on bits are none of these: they run over whole tiles, as words.
  if (isSingle && isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp, arith::MaxNumFOp,
                      arith::MinNumFOp, arith::MaxSIOp, arith::MinSIOp>(first))
    single = &first;
}

/// The lanes of a view as one row, if they follow one another and make whole comparisons.
static std::optional<View> flattened(const Emitter &emitter, View view) {
  int64_t lanes = view.rowLanes;
  for (int64_t dim = int64_t(view.sizes.size()) - 2; dim >= 0; --dim) {
    if (view.sizes[dim] == 1)
      continue;
    if (view.strides[dim] != lanes)
      return std::nullopt;
    lanes *= view.sizes[dim];
  }
  if (lanes % emitter.rule.tailUnit() || view.blocked)
    return std::nullopt;
  view.sizes = {lanes};
  view.strides = {1};
  view.lanes = view.rowLanes = lanes;
  return view;
}

/// All of them as one row each, or nothing.
static std::optional<SmallVector<View>> flattened(const Emitter &emitter, ArrayRef<View> views) {
  SmallVector<View> rows;
  for (const View &view : views) {
    std::optional<View> row = flattened(emitter, view);
    if (!row || (!rows.empty() && row->lanes != rows[0].lanes))
      return std::nullopt;
    rows.push_back(*row);
  }
  return rows;
}

bool Combiner::combine(ArrayRef<View> lhs, ArrayRef<View> rhs, ArrayRef<View> dst) {
  if (single)
    return emitElementwise(emitter, single, {Operand(lhs[0]), Operand(rhs[0])}, dst[0]);
  // Comparisons run over whole rows of lanes: what does not lie so is copied, once.
  SmallVector<View> all(lhs);
  llvm::append_range(all, rhs);
  llvm::append_range(all, dst);
  size_t count = lhs.size();
  if (auto rows = flattened(emitter, all)) {
    all = *rows;
  } else {
    for (View &view : MutableArrayRef(all).take_front(2 * count)) {
      View tile = emitter.temporary(view.sizes, view.element);
      emitter.copy(view, tile);
      view = tile;
    }
  }
  return combineRows(ArrayRef(all).take_front(2 * count), ArrayRef(all).take_back(count));
}

bool Combiner::combineRows(ArrayRef<View> operands, ArrayRef<View> dst) {
  Block &body = reduce.getCombine().front();
  DenseMap<Value, Operand> values;
  for (auto [argument, view] : llvm::zip_equal(body.getArguments(), operands))
    values[argument] = view;
  auto operandOf = [&](Value value) -> Operand {
    auto found = values.find(value);
    return found == values.end() ? Operand(value) : found->second;
  };
  Operation *yield = body.getTerminator();
  for (Operation &op : body.without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      values[op.getResult(0)] = emitter.builder.clone(op)->getResult(0);
      continue;
    }
    if (op.getNumResults() != 1)
      return false;
    // What is yielded is made in its place.
    View result;
    for (OpOperand &yielded : yield->getOpOperands())
      if (yielded.get() == op.getResult(0) && dst[yielded.getOperandNumber()].isTile())
        result = dst[yielded.getOperandNumber()];
    if (!result)
      result = emitter.temporary(operands[0].sizes, op.getResult(0).getType());
    SmallVector<Operand> read =
        llvm::map_to_vector(op.getOperands(), [&](Value value) { return operandOf(value); });
    if (!emitElementwise(emitter, &op, read, result))
      return false;
    values[op.getResult(0)] = result;
  }
  for (auto [value, target] : llvm::zip(yield->getOperands(), dst))
    if (Operand from = operandOf(value);
        from.view.buffer != target.buffer || from.view.offset != target.offset)
      emitter.put(from, target);
  return true;
}

//===-----------------------------------------------------------------------------------------===//
// Whole steps
//===-----------------------------------------------------------------------------------------===//

namespace {

/// Steps `first`, `first + every`, … of a view of outer × count × inner.
View stepsOf(View view, int64_t first, int64_t count, int64_t every = 1) {
  view.offset += first * view.strides[1];
  view.sizes[1] = count;
  view.strides[1] *= every;
  view.lanes = 0;
  return view;
}

View stepsTemporary(Emitter &emitter, ArrayRef<int64_t> sizes, Type element, int64_t unit) {
  int64_t pitch = llvm::alignTo(sizes[2], unit);
  View view = emitter.temporary({sizes[0] * sizes[1] * pitch}, element);
  view.sizes.assign(sizes.begin(), sizes.end());
  view.strides = {sizes[1] * pitch, pitch, 1};
  view.rowLanes = pitch;
  view.lanes = 0;
  return view;
}

SmallVector<View> stepsOf(ArrayRef<View> views, int64_t first, int64_t count, int64_t every = 1) {
  return llvm::map_to_vector(views,
                             [&](const View &view) { return stepsOf(view, first, count, every); });
}

} // namespace

bool reduceSteps(Emitter &emitter, Combiner &combiner, ArrayRef<View> from, ArrayRef<View> dst,
                 bool isReversed) {
  SmallVector<View> current(from);
  while (true) {
    int64_t count = current[0].sizes[1], half = count / 2;
    if (count == 1) {
      for (auto [source, target] : llvm::zip(current, dst))
        emitter.copy(source, target);
      return true;
    }
    bool isFree = combiner.commutative() || isReversed;
    // Neighbours: 0 with 1, 2 with 3; otherwise halves.
    int64_t every = isFree ? 1 : 2, second = isFree ? half : 1;
    int64_t left = half + (isFree ? 0 : count % 2);
    SmallVector<View> next;
    for (auto [source, target] : llvm::zip(current, dst)) {
      if (left == 1)
        next.push_back(target);
      else
        next.push_back(stepsTemporary(emitter, {source.sizes[0], left, source.sizes[2]},
                                      source.element, combiner.unit()));
    }
    if (!combiner.combine(stepsOf(current, 0, half, every), stepsOf(current, second, half, every),
                          stepsOf(next, 0, half)))
      return false;
    if (count % 2) {
      SmallVector<View> odd = stepsOf(current, count - 1, 1);
      if (isFree) {
        if (!combiner.combine(stepsOf(next, 0, 1), odd, stepsOf(next, 0, 1)))
          return false;
      } else {
        for (auto [source, target] : llvm::zip(odd, stepsOf(next, half, 1)))
          emitter.copy(source, target);
      }
    }
    if (left == 1)
      return true;
    current = next;
  }
}

//===-----------------------------------------------------------------------------------------===//
// One by one
//===-----------------------------------------------------------------------------------------===//

void reduceByElement(Emitter &emitter, tile::ReduceOp reduce, ArrayRef<Operand> inputs,
                     ArrayRef<View> dst) {
  OpBuilder &builder = emitter.builder;
  auto type = cast<RankedTensorType>(reduce.getInputs().front().getType());
  int64_t axis = reduce.getAxis();
  SmallVector<int64_t> outer(type.getShape());
  outer.erase(outer.begin() + axis);
  forEachLane(emitter, outer, {}, {}, [&](ValueRange lane, Value place) {
    auto at = [&](Value step) {
      SmallVector<Value> full(lane);
      full.insert(full.begin() + axis, step);
      return llvm::map_to_vector(
          inputs, [&](const Operand &input) { return readLane(emitter, input, full); });
    };
    auto loop = scf::ForOp::create(
        builder, emitter.loc, emitter.index(1), emitter.index(type.getDimSize(axis)),
        emitter.index(1), at(emitter.index(0)),
        [&](OpBuilder &, Location loc, Value step, ValueRange sofar) {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPointToEnd(step.getParentBlock());
          IRMapping map;
          Block &body = reduce.getCombine().front();
          map.map(body.getArguments().take_front(inputs.size()), sofar);
          map.map(body.getArguments().drop_front(inputs.size()), at(step));
          for (Operation &op : body.without_terminator())
            builder.clone(op, map);
          SmallVector<Value> yielded =
              llvm::map_to_vector(body.getTerminator()->getOperands(),
                                  [&](Value value) { return map.lookupOrDefault(value); });
          scf::YieldOp::create(builder, loc, yielded);
        });
    for (auto [value, target] : llvm::zip(loop.getResults(), dst))
      SStoreOp::create(builder, emitter.loc, value, emitter.row(target), place);
  });
}

//===-----------------------------------------------------------------------------------------===//
// The operation
//===-----------------------------------------------------------------------------------------===//

namespace {

/// The view of a tile with the dimensions before the axis, the axis, and those behind it as one
/// each; the rows' gaps belong to the last.
View splitAtAxis(const LayoutRule &rule, const View &tile, int64_t axis) {
  TileLayout layout = rule.of(tile.sizes);
  View view = tile;
  int64_t outer = 1;
  for (int64_t dim = 0; dim < axis; ++dim)
    outer *= tile.sizes[dim];
  int64_t inner = layout.strides[axis];
  view.sizes = {outer, tile.sizes[axis], inner};
  view.strides = {tile.sizes[axis] * inner, inner, 1};
  view.rowLanes = inner;
  view.lanes = 0;
  return view;
}

/// Nothing but dimensions of size 1 stands behind the axis.
bool isRowAxis(ArrayRef<int64_t> shape, int64_t axis) {
  return llvm::all_of(shape.drop_front(axis + 1), [](int64_t size) { return size == 1; });
}

/// Removes what was emitted since a mark in front of the insertion point.
class Attempt {
public:
  explicit Attempt(OpBuilder &builder) : builder(builder), next(&*builder.getInsertionPoint()) {
    mark = next->getPrevNode();
  }
  void undo() {
    while (next->getPrevNode() != mark)
      next->getPrevNode()->erase();
    builder.setInsertionPoint(next);
  }

private:
  OpBuilder &builder;
  Operation *next, *mark;
};

} // namespace

LogicalResult Lowering::lowerReduce(tile::ReduceOp reduce) {
  OpBuilder &builder = emitter.builder;
  auto type = cast<RankedTensorType>(reduce.getInputs().front().getType());
  ArrayRef<int64_t> shape = type.getShape();
  int64_t axis = reduce.getAxis();
  SmallVector<int64_t> outer(shape);
  outer.erase(outer.begin() + axis);
  SmallVector<Operand> inputs =
      llvm::map_to_vector(reduce.getInputs(), [&](Value value) { return operandOf(value); });
  if (llvm::any_of(inputs, [](const Operand &input) { return input.element().isInteger(1); }))
    return reduce.emitOpError("reduces a mask; expected numbers");

  SmallVector<View> results;
  for (Value result : reduce.getResults()) {
    Type element = getElementTypeOrSelf(result.getType());
    results.push_back(isa<RankedTensorType>(result.getType()) ? destination(result)
                                                              : emitter.temporary(outer, element));
  }
  Attempt attempt(builder);
  SmallVector<View> from, to;
  for (auto [input, result] : llvm::zip(inputs, results)) {
    View tile = emitter.dense(input, shape);
    // Results do not lie where inputs are still read.
    to.push_back(Emitter::clash(tile, result) || tile.buffer == result.buffer
                     ? emitter.temporary(outer, result.element)
                     : result);
    from.push_back(tile);
  }
  Combiner combiner(emitter, reduce);
  bool done = false;
  TileLayout layout = emitter.rule.of(shape), outerLayout = emitter.rule.of(outer);
  if (isRowAxis(shape, axis)) {
    // One element per row, without gaps.
    int64_t rows = ShapedType::getNumElements(outer);
    SmallVector<View> rowViews, elements;
    for (auto [tile, result] : llvm::zip(from, to)) {
      View view = tile;
      view.sizes = {rows, shape[axis]};
      view.strides = {layout.rowLanes, 1};
      view.lanes = 0;
      rowViews.push_back(view);
      View target = result;
      target.sizes = {rows};
      target.strides = {1};
      target.lanes = 0;
      elements.push_back(target);
    }
    bool hasGaps = outerLayout.lanes != rows &&
                   llvm::count_if(outer, [](int64_t size) { return size != 1; }) > 1;
    done = !hasGaps && reduceRows(emitter, combiner, rowViews, elements);
  } else {
    SmallVector<View> steps, targets;
    for (auto [tile, result] : llvm::zip(from, to)) {
      steps.push_back(splitAtAxis(emitter.rule, tile, axis));
      View target = result;
      target.sizes = {steps.back().sizes[0], 1, steps.back().sizes[2]};
      target.strides = {steps.back().sizes[2], steps.back().sizes[2], 1};
      target.lanes = 0;
      targets.push_back(target);
    }
    done = reduceSteps(emitter, combiner, steps, targets);
  }
  if (!done) {
    attempt.undo();
    slowPath(reduce, "the vector unit cannot combine these values");
    reduceByElement(emitter, reduce, inputs, to);
  }
  for (auto [target, result, value] : llvm::zip(to, results, reduce.getResults())) {
    if (target.buffer != result.buffer)
      emitter.copy(target, result);
    if (!isa<RankedTensorType>(value.getType()))
      value.replaceAllUsesWith(SLoadOp::create(builder, emitter.loc, result.element,
                                               emitter.row(result), emitter.index(0)));
  }
  return success();
}

} // namespace kiln::npu::lower
