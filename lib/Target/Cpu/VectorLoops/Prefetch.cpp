//===- Prefetch.cpp - ask for memory before it is read ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A kernel that goes over a row several times (a maximum, then a sum, then the result) reads it
// from memory in the first loop and finds it in a cache in the others: memory idles while those
// compute. So the second loop over a row also asks for the row that comes next, which is the same
// view one program, or one iteration of the loop around, later: its distance is how fast the view's
// offset grows. That pays wherever the arrays lie, and costs nothing measurable where they are in
// the nearest cache already.
//
// A row that is read once from memory is asked for a little ahead: the hardware's own prefetch
// stops at each page. In caches this would cost more than it saves.
//
// A prefetch is no access: it changes nothing and cannot fault, wherever it points.
//
//===-----------------------------------------------------------------------------------------===//

#include "Emission.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::cpu {
namespace {

constexpr int64_t kCacheLine = 64;
/// How far a loop asks ahead in rows that are read once: what memory delivers while a read is on
/// its way. From 0.5 to 3 KiB all distances were equally fast on the machine it was measured on.
constexpr int32_t kAhead = 1024;
/// Shorter rows are not asked for ahead: too much of it would lie behind their end.
constexpr int64_t kLongRow = 4096;
/// LLVM's numbers of the levels of cache that a prefetch may name.
constexpr int32_t kFirstLevel = 3, kSecondLevel = 2;

/// What counts the rows: a loop's induction variable, or the program's number along x.
struct Counter {
  Value variable; ///< none: the program's number
  Value step;     ///< none: 1
};

/// How much a scalar grows when the counter goes on by one: i64 code at the builder. Nothing where
/// that is not a constant of the row; a null value for zero.
class Growth {
public:
  Growth(OpBuilder &b, Location loc, Counter counter) : b(b), loc(loc), counter(counter) {}

  FailureOr<Value> of(Value value, unsigned depth = 0) {
    if (value == counter.variable)
      return wide(counter.step);
    Operation *op = value.getDefiningOp();
    if (!op || depth > kDepth)
      return Value();
    if (auto id = dyn_cast<tile::ProgramIdOp>(op))
      return counter.variable || id.getAxis() != 0 ? Value() : constant(1);
    if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
      return of(op->getOperand(0), depth + 1);
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
      return independent(op, depth) ? FailureOr<Value>(Value()) : FailureOr<Value>(failure());
    FailureOr<Value> left = of(op->getOperand(0), depth + 1);
    FailureOr<Value> right = of(op->getOperand(1), depth + 1);
    if (failed(left) || failed(right))
      return failure();
    if (!*left && !*right)
      return Value();
    if (isa<arith::MulIOp>(op)) {
      if (*left && *right)
        return failure();
      return times(*left ? *left : *right, op->getOperand(*left ? 1 : 0));
    }
    if (!*right)
      return *left;
    Value start = *left ? *left : constant(0);
    return isa<arith::AddIOp>(op) ? Value(arith::AddIOp::create(b, loc, start, *right))
                                  : Value(arith::SubIOp::create(b, loc, start, *right));
  }

private:
  static constexpr unsigned kDepth = 16;

  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value wide(Value value) { return value ? toI64(b, loc, value) : constant(1); }
  Value times(Value growth, Value factor) {
    return arith::MulIOp::create(b, loc, growth, wide(factor));
  }
  /// Does no operand grow? What is made while asking is dead code, and goes.
  bool independent(Operation *op, unsigned depth) {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      FailureOr<Value> growth = of(operand, depth + 1);
      return succeeded(growth) && !*growth;
    });
  }

  OpBuilder &b;
  Location loc;
  Counter counter;
};

} // namespace

/// The elements from a row of the view to the one that comes next in the loop around: zero is a
/// null value, failure that nothing is known.
FailureOr<Value> LeafEmitter::distanceToNext(Node &node, const Point &point) {
  auto view = cast<tile::LoadOp>(node.op).getView().getDefiningOp<tile::ViewOp>();
  if (!view)
    return failure();
  // A block of several rows: the last of its dimensions that has a loop.
  for (int64_t dim = int64_t(point.size()) - 1; dim >= 0; --dim) {
    if (point[dim] == axis || point[dim] == kUnit)
      continue;
    if (llvm::is_contained(view.getWrapDims(), dim))
      return failure();
    Value stride = getValueOrCreateConstantIndexOp(head, node.loc, view.getMixedStrides()[dim]);
    return isConstantIntValue(stride, 0) ? Value() : stride;
  }
  Counter counter;
  if (auto loop = node.op->getParentOfType<scf::ForOp>())
    counter = {loop.getInductionVar(), loop.getStep()};
  return Growth(head, node.loc, counter).of(view.getOffset());
}

void LeafEmitter::prefetch(Node &node, const Point &point, const Place &place, Type element) {
  if (node.kind != NodeKind::Load || place.pointers || place.stride != 1 || width() == 1 ||
      chunk.edge)
    return;
  // Read once, or by several loops, of which this is the second?
  bool once = node.needs.size() == 1;
  unsigned earlier =
      llvm::count_if(node.needs, [&](Cluster *other) { return other->id < leaf.id; });
  int64_t lane = storageBytes(element);
  if (once ? !context.options.streaming || extent * lane < kLongRow : earlier != 1)
    return;
  Location loc = node.loc;
  auto [known, isNew] = distances.try_emplace(&node, failure());
  if (isNew) {
    OpBuilder *outer = std::exchange(current, &head);
    FailureOr<Value> elements = distanceToNext(node, point);
    if (succeeded(elements) && *elements)
      *elements = arith::MulIOp::create(head, loc, toI64(head, loc, *elements),
                                        constantInt(builder.getI64Type(), lane));
    known->second = elements;
    current = outer;
  }
  // A row that stays where it is, is in the caches.
  bool stays = succeeded(known->second) && !*known->second;
  if (stays || (!once && failed(known->second)))
    return;

  OpBuilder &b = *current;
  LLVM::GEPArg distance = once ? LLVM::GEPArg(kAhead) : LLVM::GEPArg(*known->second);
  Type byte = b.getI8Type(), pointer = place.first.getType();
  Value from = LLVM::GEPOp::create(b, loc, pointer, byte, place.first, ArrayRef(distance));
  for (int64_t offset = 0; offset < width() * lane; offset += kCacheLine) {
    Value line =
        LLVM::GEPOp::create(b, loc, pointer, byte, from, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    // The first level has room for what is wanted soon, the next row would push out this one.
    LLVM::Prefetch::create(b, loc, line, /*rw=*/0, once ? kFirstLevel : kSecondLevel, /*cache=*/1);
  }
}

} // namespace kiln::cpu
