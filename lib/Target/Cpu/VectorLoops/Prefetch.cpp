//===- Prefetch.cpp - ask for the next row while this one is computed ------------------------===//
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
// offset grows. A prefetch is no access: it changes nothing and cannot fault, wherever it points.
//
//===-----------------------------------------------------------------------------------------===//

#include "Emission.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln::cpu {
namespace {

constexpr int64_t kCacheLine = 64;

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
  Value wide(Value value) {
    if (!value)
      return constant(1);
    if (value.getType().isIndex())
      return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
    return value.getType().isInteger(64)
               ? value
               : Value(arith::ExtSIOp::create(b, loc, b.getI64Type(), value));
  }
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

/// The bytes from a view to the same view of the next row; null if there is none to ask for.
Value LeafEmitter::distanceToNext(Node &node) {
  auto view = cast<tile::LoadOp>(node.op).getView().getDefiningOp<tile::ViewOp>();
  if (!view)
    return Value();
  Counter counter;
  if (auto loop = node.op->getParentOfType<scf::ForOp>())
    counter = {loop.getInductionVar(), loop.getStep()};
  FailureOr<Value> elements = Growth(head, node.loc, counter).of(view.getOffset());
  if (failed(elements) || !*elements)
    return Value();
  Type element = getElementTypeOrSelf(node.results[0].getType());
  return arith::MulIOp::create(head, node.loc, *elements,
                               constantInt(builder.getI64Type(), storageBytes(element)));
}

void LeafEmitter::prefetchNext(Node &node, const Place &place, Type element) {
  if (!context.options.streaming || node.kind != NodeKind::Load || place.pointers ||
      place.stride != 1 || width() == 1 || chunk.edge)
    return;
  // The second of the loops that read it.
  unsigned earlier =
      llvm::count_if(node.needs, [&](Cluster *other) { return other->id < leaf.id; });
  if (earlier != 1)
    return;
  auto [known, isNew] = nextRow.try_emplace(&node);
  if (isNew) {
    OpBuilder *outer = std::exchange(current, &head);
    known->second = distanceToNext(node);
    current = outer;
  }
  if (!known->second)
    return;
  OpBuilder &b = *current;
  Type byte = b.getI8Type(), pointer = place.first.getType();
  Value next = LLVM::GEPOp::create(b, node.loc, pointer, byte, place.first,
                                   ArrayRef<LLVM::GEPArg>{known->second});
  int64_t bytes = width() * storageBytes(element);
  for (int64_t offset = 0; offset < bytes; offset += kCacheLine) {
    Value line = LLVM::GEPOp::create(b, node.loc, pointer, byte, next,
                                     ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    // Into the second level: the first holds this row.
    LLVM::Prefetch::create(b, node.loc, line, /*rw=*/0, /*hint=*/2, /*cache=*/1);
  }
}

} // namespace kiln::cpu
