//===- Reductions.cpp - folding lanes --------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Emission.h"
#include "Reduction.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::cpu {

/// The identities of commutative operations; nothing for any other operation. The identity of float
/// addition is -0 (0 + -0 is 0), of the NaN-ignoring maximum NaN.
static std::optional<Attribute> identity(Operation *op) {
  Type type = op->getResult(0).getType();
  Builder b(op->getContext());
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    auto attr = [&](APFloat value) { return b.getFloatAttr(floating, value); };
    if (isa<arith::AddFOp>(op))
      return attr(APFloat::getZero(semantics, /*Negative=*/true));
    if (isa<arith::MulFOp>(op))
      return attr(APFloat(semantics, 1));
    if (isa<arith::MaximumFOp>(op))
      return attr(APFloat::getInf(semantics, /*Negative=*/true));
    if (isa<arith::MinimumFOp>(op))
      return attr(APFloat::getInf(semantics));
    if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
      return attr(APFloat::getQNaN(semantics));
    return std::nullopt;
  }
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto attr = [&](APInt value) { return b.getIntegerAttr(type, value); };
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(op))
    return attr(APInt::getZero(bits));
  if (isa<arith::MulIOp>(op))
    return attr(APInt(bits, 1));
  if (isa<arith::AndIOp, arith::MinUIOp>(op))
    return attr(APInt::getAllOnes(bits));
  if (isa<arith::MaxSIOp>(op))
    return attr(APInt::getSignedMinValue(bits));
  if (isa<arith::MinSIOp>(op))
    return attr(APInt::getSignedMaxValue(bits));
  return std::nullopt;
}

/// The only operation of the region, if it combines the two lanes.
static Operation *onlyOperation(tile::ReduceOp reduce) {
  Block &body = reduce.getCombine().front();
  if (reduce.getInputs().size() != 1 || !llvm::hasNItems(body, 2))
    return nullptr;
  Operation &op = body.front();
  bool combines = op.getNumOperands() == 2 && op.getNumResults() == 1 &&
                  op.getOperand(0) != op.getOperand(1) &&
                  llvm::all_of(op.getOperands(), [&](Value v) {
                    auto argument = dyn_cast<BlockArgument>(v);
                    return argument && argument.getOwner() == &body;
                  });
  return combines && body.getTerminator()->getOperand(0) == op.getResult(0) ? &op : nullptr;
}

TypedAttr identityOf(tile::ReduceOp reduce) {
  return cast<TypedAttr>(*identity(onlyOperation(reduce)));
}

bool ignoresNaN(tile::ReduceOp reduce) {
  Operation *op = onlyOperation(reduce);
  return isa_and_present<arith::MaxNumFOp, arith::MinNumFOp>(op) &&
         (op->getResult(0).getType().isF32() || op->getResult(0).getType().isF64());
}

/// The larger, or smaller, of a value and a partial result that is no NaN, which stays where the
/// value is NaN. One instruction, where `maxnumf` of two unknowns takes four.
static Value furtherOut(OpBuilder &b, Location loc, bool largest, Value value, Value known) {
  auto predicate = largest ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  Value replaces = arith::CmpFOp::create(b, loc, predicate, value, known);
  return arith::SelectOp::create(b, loc, replaces, value, known);
}

static Attribute infinity(Type type, bool negative) {
  auto floating = cast<FloatType>(type);
  return FloatAttr::get(floating, APFloat::getInf(floating.getFloatSemantics(), negative));
}

static bool isLargest(const Node &node) {
  return isa<arith::MaxNumFOp>(onlyOperation(cast<tile::ReduceOp>(node.op)));
}

FoldKind foldKindOf(tile::ReduceOp reduce) {
  if (Operation *op = onlyOperation(reduce); op && identity(op))
    return FoldKind::Known;
  for (Operation &op : reduce.getCombine().front())
    if (op.getNumRegions() || !(isPure(&op) || op.hasTrait<OpTrait::IsTerminator>()))
      return FoldKind::Serial;
  return FoldKind::Ordered;
}

/// One application of the combine region, to scalars or vectors. What does not depend on the lanes
/// is the same in each.
SmallVector<Value> LeafEmitter::combine(Node &node, ValueRange left, ValueRange right) {
  SmallVector<Value> arguments(left);
  llvm::append_range(arguments, right);
  SmallVector<Value> results =
      cloneBody(cast<tile::ReduceOp>(node.op).getCombine().front(), arguments);
  for (Value &result : results)
    result = toLanes(result, node.loc);
  return results;
}

/// Does the node fold the leaf's own axis?
bool LeafEmitter::foldsLanes(const Node &node) const {
  return node.kind == NodeKind::Reduce && axis != kUnit &&
         graph.axesOf(node)[node.reducedDim] == axis;
}

void LeafEmitter::startReductions(bool vectorCode, bool scalarCode, int64_t width) {
  for (Node *node : roots) {
    if (!foldsLanes(*node))
      continue;
    auto reduce = cast<tile::ReduceOp>(node->op);
    auto &reduction = *reductions.emplace_back(std::make_unique<Reduction>());
    reduction.node = node;
    reduction.kind = foldKindOf(reduce);
    Location loc = node->loc;
    if (reduction.kind == FoldKind::Known) {
      TypedAttr start = identityOf(reduce);
      if (vectorCode) {
        auto type = VectorType::get({width}, start.getType());
        auto add = [&](Attribute lane) {
          reduction.partial.push_back(
              arith::ConstantOp::create(head, loc, DenseElementsAttr::get(type, lane)));
        };
        if (ignoresNaN(reduce)) {
          for (bool largest : {isLargest(*node), !isLargest(*node)})
            add(infinity(start.getType(), /*negative=*/largest));
        } else {
          add(start);
        }
      }
      if (scalarCode || !vectorCode)
        reduction.result.push_back(arith::ConstantOp::create(head, loc, start));
      continue;
    }
    OpBuilder *outer = current;
    current = &head;
    for (Value input : reduce.getInputs())
      reduction.result.push_back(zero(getElementTypeOrSelf(input.getType())));
    reduction.seen = constantInt(builder.getI1Type(), 0);
    current = outer;
  }
}

/// Joins one lane to the result so far, if it exists.
void LeafEmitter::foldLane(Reduction &reduction, ValueRange lane, Value exists) {
  OpBuilder &b = *current;
  Location loc = reduction.node->loc;
  if (reduction.kind == FoldKind::Serial) {
    auto branch = scf::IfOp::create(b, loc, ValueRange(lane).getTypes(), reduction.seen,
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, loc, combine(*reduction.node, reduction.result, lane));
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, loc, lane);
    }
    reduction.result.assign(branch.result_begin(), branch.result_end());
    reduction.seen = constantInt(b.getI1Type(), 1);
    return;
  }
  SmallVector<Value> joined = combine(*reduction.node, reduction.result, lane);
  for (auto [result, first, both] : llvm::zip(reduction.result, lane, joined)) {
    Value next = arith::SelectOp::create(b, loc, reduction.seen, both, first);
    result = exists ? arith::SelectOp::create(b, loc, exists, next, result).getResult() : next;
  }
  reduction.seen = exists ? arith::OrIOp::create(b, loc, reduction.seen, exists).getResult()
                          : constantInt(b.getI1Type(), 1);
}

/// Every other lane, from `start` on.
static Value everyOther(OpBuilder &b, Location loc, Value value, int64_t start) {
  int64_t count = cast<VectorType>(value.getType()).getNumElements();
  SmallVector<int64_t> picks;
  for (int64_t lane = start; lane < count; lane += 2)
    picks.push_back(lane);
  return vector::ShuffleOp::create(b, loc, value, value, picks);
}

/// Folds the lanes of a chunk, each with its right neighbour, until one is left.
void LeafEmitter::foldChunk(Reduction &reduction, SmallVector<Value> values) {
  OpBuilder &b = *current;
  Location loc = reduction.node->loc;
  Value exists = chunk.existing;
  int64_t whole = chunk.width;
  while (chunk.width > 1) {
    SmallVector<Value> even, odd;
    for (Value value : values) {
      even.push_back(everyOther(b, loc, value, 0));
      odd.push_back(everyOther(b, loc, value, 1));
    }
    chunk.width /= 2;
    if (chunk.width == 1)
      for (Value &value : llvm::concat<Value>(even, odd))
        value = vector::ExtractOp::create(b, loc, value, int64_t(0));
    SmallVector<Value> joined = combine(*reduction.node, even, odd);
    if (exists) { // lanes exist from the left on: the right one only if the left one does
      Value left = everyOther(b, loc, exists, 0), right = everyOther(b, loc, exists, 1);
      if (chunk.width == 1) {
        left = vector::ExtractOp::create(b, loc, left, int64_t(0));
        right = vector::ExtractOp::create(b, loc, right, int64_t(0));
      }
      for (auto [value, alone] : llvm::zip(joined, even))
        value = arith::SelectOp::create(b, loc, right, value, alone);
      exists = left;
    }
    values = joined;
  }
  foldLane(reduction, values, exists);
  chunk.width = whole;
}

/// What a chunk, or the row, adds to a reduction.
void LeafEmitter::reduceChunk(Node &node) {
  auto at = llvm::find_if(reductions, [&](auto &r) { return r->node == &node; });
  Location loc = node.loc;
  Point iteration = graph.axesOf(node);
  SmallVector<Value> values;
  for (Link &link : node.links)
    values.push_back(toLanes(emit(link.value, pointOf(node, link, iteration)), loc));
  if (at == reductions.end())
    return growRow(node, values);
  Reduction &reduction = **at;
  OpBuilder &b = *current;
  if (reduction.kind != FoldKind::Known)
    return width() == 1 ? foldLane(reduction, values, Value()) : foldChunk(reduction, values);
  SmallVector<Value, 2> &states = width() == 1 ? reduction.result : reduction.partial;
  bool largest = states.size() == 2 && isLargest(node);
  for (Value &state : states) {
    Value next = states.size() == 2 ? furtherOut(b, loc, largest, values[0], state)
                                    : combine(node, state, values)[0];
    state = chunk.existing
                ? arith::SelectOp::create(b, loc, chunk.existing, next, state).getResult()
                : next;
    largest = !largest;
  }
}

/// A reduction over a loop of rows: each row is joined to what the rows before have left in
/// scratch, the first one is left there as it is. A fold of one lane is that lane.
void LeafEmitter::growRow(Node &node, SmallVector<Value> values) {
  OpBuilder &b = *current;
  Location loc = node.loc;
  Point iteration = graph.axesOf(node), point;
  for (int dim : node.resultDims)
    point.push_back(iteration[dim]);
  Axis folded = iteration[node.reducedDim];
  if (folded == kUnit) {
    for (auto [index, value] : llvm::enumerate(values)) {
      node.scalars[index] = value;
      if (node.buffers[index])
        writeBuffer(*node.buffers[index], point, value, loc);
    }
    return;
  }
  Value first = arith::CmpIOp::create(head, loc, arith::CmpIPredicate::eq, indexOf(folded),
                                      arith::ConstantIndexOp::create(head, loc, 0));
  SmallVector<Value> joined;
  if (foldKindOf(cast<tile::ReduceOp>(node.op)) == FoldKind::Serial) {
    auto branch = scf::IfOp::create(b, loc, ValueRange(values).getTypes(), first,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, values);
    b.setInsertionPointToStart(branch.elseBlock());
    SmallVector<Value> known;
    for (Buffer *buffer : node.buffers)
      known.push_back(readBuffer(*buffer, point, loc));
    scf::YieldOp::create(b, loc, combine(node, known, values));
    joined.assign(branch.result_begin(), branch.result_end());
  } else {
    SmallVector<Value> known;
    for (Buffer *buffer : node.buffers)
      known.push_back(readBuffer(*buffer, point, loc));
    joined = combine(node, known, values);
    for (auto [both, value] : llvm::zip(joined, values))
      both = arith::SelectOp::create(b, loc, first, value, both);
  }
  for (auto [buffer, value] : llvm::zip(node.buffers, joined))
    writeBuffer(*buffer, point, value, loc);
}

/// Folds partial results, left half with right half.
Value LeafEmitter::foldPartial(Reduction &reduction) {
  Node &node = *reduction.node;
  Location loc = node.loc;
  auto fold = [&](Value value, llvm::function_ref<Value(Value, Value)> join) {
    for (int64_t count = cast<VectorType>(value.getType()).getNumElements(); count > 1;
         count /= 2) {
      int64_t half = count / 2;
      auto slice = [&](int64_t offset) -> Value {
        if (half == 1)
          return vector::ExtractOp::create(builder, loc, value, offset);
        auto picks = llvm::to_vector(llvm::seq<int64_t>(offset, offset + half));
        return vector::ShuffleOp::create(builder, loc, value, value, picks);
      };
      value = join(slice(0), slice(half));
    }
    return value;
  };
  if (reduction.partial.size() == 1)
    return fold(reduction.partial[0],
                [&](Value left, Value right) { return combineOnce(node, left, right); });
  // A NaN if there was no number.
  Value results[2], none;
  for (auto [index, partial] : llvm::enumerate(reduction.partial)) {
    bool largest = isLargest(node) != (index == 1);
    Value &result = results[index];
    result = fold(partial, [&](Value left, Value right) {
      return furtherOut(builder, loc, largest, left, right);
    });
    Value first = arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(infinity(result.getType(), /*negative=*/largest)));
    Value same = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, result, first);
    none = none ? arith::AndIOp::create(builder, loc, none, same).getResult() : same;
  }
  Value nan = arith::ConstantOp::create(builder, loc, identityOf(cast<tile::ReduceOp>(node.op)));
  return arith::SelectOp::create(builder, loc, none, nan, results[0]);
}

/// Folds what is left of the reductions and hands the results on.
void LeafEmitter::finishReductions() {
  for (auto &reduction : reductions) {
    Node &node = *reduction->node;
    Location loc = node.loc;
    if (!reduction->partial.empty()) {
      Value value = foldPartial(*reduction);
      if (reduction->result.empty())
        reduction->result.push_back(value);
      else
        reduction->result[0] = combineOnce(node, value, reduction->result[0]);
    }
    Point iteration = graph.axesOf(node), point;
    for (int dim : node.resultDims)
      point.push_back(iteration[dim]);
    chunk = Chunk();
    for (auto [index, value] : llvm::enumerate(reduction->result)) {
      node.scalars[index] = value;
      if (node.buffers[index])
        writeBuffer(*node.buffers[index], point, value, loc);
    }
  }
}

/// A Known reduction's operation on two values of one type.
Value LeafEmitter::combineOnce(Node &node, Value left, Value right) {
  auto vector = dyn_cast<VectorType>(left.getType());
  chunk.width = vector ? vector.getNumElements() : 1;
  return combine(node, left, right)[0];
}

} // namespace kiln::cpu
