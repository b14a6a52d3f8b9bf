//===- Masks.cpp - comparisons, selections, logic --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A mask is one bit per lane of the flat tile. Comparisons and selections therefore run flat over
// whole tiles, and masks that are broadcast go through numbers. Logic is done 16 bits at a time, on
// masks as on integers of any width.
//
//===-----------------------------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::npu::lower {

using machine::Opcode;
using machine::Predicate;

namespace {

/// Logic on the bytes of tiles of one type.
void logic(Emitter &emitter, Opcode op, const View &lhs, const View &rhs, const View &dst) {
  Type word = emitter.builder.getI16Type();
  VBinaryOp::create(emitter.builder, emitter.loc, op, emitter.flatAs(lhs, word),
                    emitter.flatAs(rhs, word), emitter.flatAs(dst, word));
}

void invert(Emitter &emitter, const View &src, const View &dst) {
  Type word = emitter.builder.getI16Type();
  VUnaryOp::create(emitter.builder, emitter.loc, Opcode::VNot, emitter.flatAs(src, word),
                   emitter.flatAs(dst, word));
}

void compare(Emitter &emitter, Predicate predicate, const View &lhs, const Operand &rhs,
             const View &dst) {
  Value right = rhs.isScalar() ? rhs.scalar : emitter.flat(rhs.view, /*wholeRepeats=*/true);
  VCmpOp::create(emitter.builder, emitter.loc, predicate, emitter.flat(lhs, /*wholeRepeats=*/true),
                 right, emitter.flat(dst, /*wholeRepeats=*/true));
}

Predicate swapped(Predicate predicate) {
  switch (predicate) {
  case Predicate::LT:
    return Predicate::GT;
  case Predicate::LE:
    return Predicate::GE;
  case Predicate::GT:
    return Predicate::LT;
  case Predicate::GE:
    return Predicate::LE;
  case Predicate::EQ:
  case Predicate::NE:
    return predicate;
  }
  llvm_unreachable("all predicates are listed");
}

/// A relation as a comparison of the machine, perhaps inverted: "unordered or less" is "not greater
/// or equal".
struct Relation {
  Predicate predicate;
  bool inverted = false;
};

std::optional<Relation> relationOf(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    if (compare.getPredicate() == arith::CmpIPredicate::eq)
      return Relation{Predicate::EQ};
    if (compare.getPredicate() == arith::CmpIPredicate::ne)
      return Relation{Predicate::EQ, true};
    return std::nullopt;
  }
  switch (cast<arith::CmpFOp>(op).getPredicate()) {
  case arith::CmpFPredicate::OEQ:
    return Relation{Predicate::EQ};
  case arith::CmpFPredicate::OLT:
    return Relation{Predicate::LT};
  case arith::CmpFPredicate::OLE:
    return Relation{Predicate::LE};
  case arith::CmpFPredicate::OGT:
    return Relation{Predicate::GT};
  case arith::CmpFPredicate::OGE:
    return Relation{Predicate::GE};
  case arith::CmpFPredicate::UNE:
    return Relation{Predicate::NE};
  case arith::CmpFPredicate::ULT:
    return Relation{Predicate::GE, true};
  case arith::CmpFPredicate::ULE:
    return Relation{Predicate::GT, true};
  case arith::CmpFPredicate::UGT:
    return Relation{Predicate::LE, true};
  case arith::CmpFPredicate::UGE:
    return Relation{Predicate::LT, true};
  default:
    return std::nullopt;
  }
}

/// Relations that take two comparisons: whether one operand is NaN, and what builds on it.
bool composeCompare(Emitter &emitter, arith::CmpFPredicate predicate, const View &lhs,
                    const View &rhs, const View &dst) {
  View other = emitter.temporary(dst.sizes, dst.element);
  switch (predicate) {
  case arith::CmpFPredicate::ORD:
  case arith::CmpFPredicate::UNO:
    compare(emitter, Predicate::EQ, lhs, lhs, dst);
    compare(emitter, Predicate::EQ, rhs, rhs, other);
    logic(emitter, Opcode::VAnd, dst, other, dst);
    break;
  case arith::CmpFPredicate::ONE:
  case arith::CmpFPredicate::UEQ:
    compare(emitter, Predicate::LT, lhs, rhs, dst);
    compare(emitter, Predicate::GT, lhs, rhs, other);
    logic(emitter, Opcode::VOr, dst, other, dst);
    break;
  default:
    return false;
  }
  if (predicate == arith::CmpFPredicate::UNO || predicate == arith::CmpFPredicate::UEQ)
    invert(emitter, dst, dst);
  return true;
}

} // namespace

bool emitCompare(Emitter &emitter, Operation *op, const Operand &lhs, const Operand &rhs,
                 const View &dst) {
  std::optional<machine::Element> element = elementOf(lhs.element());
  if (!element)
    return false;
  if (auto compareFloats = dyn_cast<arith::CmpFOp>(op)) {
    arith::CmpFPredicate predicate = compareFloats.getPredicate();
    if (predicate == arith::CmpFPredicate::AlwaysFalse ||
        predicate == arith::CmpFPredicate::AlwaysTrue) {
      emitter.fill(emitter.integer(emitter.builder.getI1Type(),
                                   predicate == arith::CmpFPredicate::AlwaysTrue),
                   dst);
      return true;
    }
    if (!relationOf(op)) {
      if (!emitter.machine.compares(Opcode::VCmp, *element, Predicate::LT))
        return false;
      return composeCompare(emitter, predicate, emitter.dense(lhs, dst.sizes),
                            emitter.dense(rhs, dst.sizes), dst);
    }
  }
  std::optional<Relation> relation = relationOf(op);
  Opcode opcode = lhs.isScalar() || rhs.isScalar() ? Opcode::VCmps : Opcode::VCmp;
  if (!relation || !emitter.machine.compares(opcode, *element, relation->predicate))
    return false;
  if (lhs.isScalar() && !rhs.isScalar())
    compare(emitter, swapped(relation->predicate), emitter.dense(rhs, dst.sizes), lhs, dst);
  else if (rhs.isScalar())
    compare(emitter, relation->predicate, emitter.dense(lhs, dst.sizes), rhs, dst);
  else
    compare(emitter, relation->predicate, emitter.dense(lhs, dst.sizes),
            emitter.dense(rhs, dst.sizes), dst);
  if (relation->inverted)
    invert(emitter, dst, dst);
  return true;
}

//===-----------------------------------------------------------------------------------------===//
// Logic
//===-----------------------------------------------------------------------------------------===//

bool emitLogic(Emitter &emitter, Operation *op, const Operand &lhs, const Operand &rhs,
               const View &dst) {
  auto tiled = [&](const Operand &operand) {
    return dst.isMask() ? denseMask(emitter, operand, dst.sizes)
                        : emitter.dense(operand, dst.sizes);
  };
  llvm::APInt ones;
  bool isNot = isa<arith::XOrIOp>(op) && rhs.isScalar() &&
               matchPattern(rhs.scalar, m_ConstantInt(&ones)) && ones.isAllOnes();
  View a = tiled(lhs);
  if (isNot) {
    invert(emitter, a, dst);
    return true;
  }
  View b = tiled(rhs);
  if (isa<arith::AndIOp>(op)) {
    logic(emitter, Opcode::VAnd, a, b, dst);
  } else if (isa<arith::OrIOp>(op)) {
    logic(emitter, Opcode::VOr, a, b, dst);
  } else {
    // Either, but not both.
    View both = emitter.temporary(dst.sizes, dst.element);
    View either = emitter.temporary(dst.sizes, dst.element);
    logic(emitter, Opcode::VAnd, a, b, both);
    logic(emitter, Opcode::VOr, a, b, either);
    invert(emitter, both, both);
    logic(emitter, Opcode::VAnd, either, both, dst);
  }
  return true;
}

//===-----------------------------------------------------------------------------------------===//
// Masks and numbers
//===-----------------------------------------------------------------------------------------===//

void emitMaskAsNumbers(Emitter &emitter, const View &mask, const View &dst) {
  OpBuilder &builder = emitter.builder;
  emitter.fill(emitter.constant(dst.element, 1), dst);
  Value row = emitter.flat(dst);
  VSelOp::create(builder, emitter.loc, emitter.flat(mask), row, emitter.constant(dst.element, 0),
                 row);
}

void emitNumbersAsMask(Emitter &emitter, const View &numbers, const View &dst) {
  compare(emitter, Predicate::NE, numbers, emitter.constant(numbers.element, 0), dst);
}

View denseMask(Emitter &emitter, const Operand &mask, ArrayRef<int64_t> shape) {
  if (!mask.isScalar() && mask.view.isTile())
    return mask.view;
  View tile = emitter.temporary(shape, emitter.builder.getI1Type());
  if (mask.isScalar()) {
    emitter.fill(mask.scalar, tile);
    return tile;
  }
  // The source's lanes as numbers, the numbers repeated, the copies as bits again.
  int64_t span = 1;
  for (auto [size, stride] : llvm::zip(mask.view.sizes, mask.view.strides))
    span += (size - 1) * stride;
  Type element = emitter.builder.getF32Type();
  View numbers = emitter.temporary({span}, element);
  View source = mask.view;
  source.sizes = {span};
  source.strides = {1};
  source.lanes = numbers.lanes;
  emitMaskAsNumbers(emitter, source, numbers);
  View repeated = mask.view;
  repeated.buffer = numbers.buffer;
  repeated.element = element;
  View copies = emitter.temporary(shape, element);
  emitter.copy(repeated, copies);
  emitNumbersAsMask(emitter, copies, tile);
  return tile;
}

//===-----------------------------------------------------------------------------------------===//
// Selections
//===-----------------------------------------------------------------------------------------===//

/// One of two tiles, by a scalar.
static void selectWhole(Emitter &emitter, Value condition, const Operand &yes, const Operand &no,
                        const View &dst) {
  OpBuilder &builder = emitter.builder;
  OpBuilder::InsertionGuard guard(builder);
  auto branch = scf::IfOp::create(builder, emitter.loc, condition, /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitter.put(yes, dst);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitter.put(no, dst);
}

bool emitSelect(Emitter &emitter, const Operand &condition, const Operand &yes, const Operand &no,
                const View &dst) {
  if (condition.isScalar()) {
    selectWhole(emitter, condition.scalar, yes, no, dst);
    return true;
  }
  View mask = denseMask(emitter, condition, dst.sizes);
  if (dst.isMask()) {
    View a = emitter.temporary(dst.sizes, dst.element),
         b = emitter.temporary(dst.sizes, dst.element);
    logic(emitter, Opcode::VAnd, mask, denseMask(emitter, yes, dst.sizes), a);
    invert(emitter, mask, b);
    logic(emitter, Opcode::VAnd, b, denseMask(emitter, no, dst.sizes), b);
    logic(emitter, Opcode::VOr, a, b, dst);
    return true;
  }
  std::optional<machine::Element> element = elementOf(dst.element);
  if (!element || !emitter.machine.supports(Opcode::VSel, *element))
    return false;
  OpBuilder &builder = emitter.builder;
  if (yes.isScalar() && !no.isScalar()) {
    // Only the second operand can be a scalar.
    View other = emitter.temporary(dst.sizes, mask.element);
    invert(emitter, mask, other);
    VSelOp::create(builder, emitter.loc, emitter.flat(other),
                   emitter.flat(emitter.dense(no, dst.sizes)), yes.scalar, emitter.flat(dst));
    return true;
  }
  Value first = emitter.flat(emitter.dense(yes, dst.sizes));
  Value second = no.isScalar() ? no.scalar : emitter.flat(emitter.dense(no, dst.sizes));
  VSelOp::create(builder, emitter.loc, emitter.flat(mask), first, second, emitter.flat(dst));
  return true;
}

} // namespace kiln::npu::lower
