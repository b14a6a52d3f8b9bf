//===- ScalarCode.cpp - arith on scalars -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Registers keep integers sign-extended, i1 as 0 or 1 and floats as zero-extended bits, so a cast
// that only widens a signed integer costs nothing.
//
//===-----------------------------------------------------------------------------------------===//

#include "Assembler.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::npu {

using image::Op;
using image::Operand;
using machine::Element;
using machine::Predicate;

namespace {

/// Ops that are one scalar op in the type of their result.
const DenseMap<TypeID, Op> &directOps() {
  static const DenseMap<TypeID, Op> table = {
      {TypeID::get<arith::AddIOp>(), Op::Add},     {TypeID::get<arith::SubIOp>(), Op::Sub},
      {TypeID::get<arith::MulIOp>(), Op::Mul},     {TypeID::get<arith::DivSIOp>(), Op::DivS},
      {TypeID::get<arith::DivUIOp>(), Op::DivU},   {TypeID::get<arith::RemSIOp>(), Op::RemS},
      {TypeID::get<arith::RemUIOp>(), Op::RemU},   {TypeID::get<arith::AndIOp>(), Op::And},
      {TypeID::get<arith::OrIOp>(), Op::Or},       {TypeID::get<arith::XOrIOp>(), Op::Xor},
      {TypeID::get<arith::ShLIOp>(), Op::Shl},     {TypeID::get<arith::ShRSIOp>(), Op::ShrS},
      {TypeID::get<arith::ShRUIOp>(), Op::ShrU},   {TypeID::get<arith::MinSIOp>(), Op::MinS},
      {TypeID::get<arith::MaxSIOp>(), Op::MaxS},   {TypeID::get<arith::MinUIOp>(), Op::MinU},
      {TypeID::get<arith::MaxUIOp>(), Op::MaxU},   {TypeID::get<arith::AddFOp>(), Op::FAdd},
      {TypeID::get<arith::SubFOp>(), Op::FSub},    {TypeID::get<arith::MulFOp>(), Op::FMul},
      {TypeID::get<arith::DivFOp>(), Op::FDiv},    {TypeID::get<arith::MinNumFOp>(), Op::FMin},
      {TypeID::get<arith::MaxNumFOp>(), Op::FMax}, {TypeID::get<arith::NegFOp>(), Op::FNeg},
      {TypeID::get<math::AbsFOp>(), Op::FAbs},     {TypeID::get<math::SqrtOp>(), Op::FSqrt},
      {TypeID::get<arith::SelectOp>(), Op::Select}};
  return table;
}

struct IntegerRelation {
  Op op;
  Predicate predicate;
};

IntegerRelation relationOf(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return {Op::CmpS, Predicate::EQ};
  case arith::CmpIPredicate::ne:
    return {Op::CmpS, Predicate::NE};
  case arith::CmpIPredicate::slt:
    return {Op::CmpS, Predicate::LT};
  case arith::CmpIPredicate::sle:
    return {Op::CmpS, Predicate::LE};
  case arith::CmpIPredicate::sgt:
    return {Op::CmpS, Predicate::GT};
  case arith::CmpIPredicate::sge:
    return {Op::CmpS, Predicate::GE};
  case arith::CmpIPredicate::ult:
    return {Op::CmpU, Predicate::LT};
  case arith::CmpIPredicate::ule:
    return {Op::CmpU, Predicate::LE};
  case arith::CmpIPredicate::ugt:
    return {Op::CmpU, Predicate::GT};
  case arith::CmpIPredicate::uge:
    return {Op::CmpU, Predicate::GE};
  }
  llvm_unreachable("all predicates are listed");
}

/// A relation of floats, and whether the result is its opposite.
struct FloatRelation {
  Predicate predicate;
  bool isNegated = false;
};

/// None for those that need two relations or none.
std::optional<FloatRelation> relationOf(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
    return FloatRelation{Predicate::EQ};
  case arith::CmpFPredicate::UNE:
    return FloatRelation{Predicate::NE};
  case arith::CmpFPredicate::OLT:
    return FloatRelation{Predicate::LT};
  case arith::CmpFPredicate::OLE:
    return FloatRelation{Predicate::LE};
  case arith::CmpFPredicate::OGT:
    return FloatRelation{Predicate::GT};
  case arith::CmpFPredicate::OGE:
    return FloatRelation{Predicate::GE};
  case arith::CmpFPredicate::ULT:
    return FloatRelation{Predicate::GE, true};
  case arith::CmpFPredicate::ULE:
    return FloatRelation{Predicate::GT, true};
  case arith::CmpFPredicate::UGT:
    return FloatRelation{Predicate::LE, true};
  case arith::CmpFPredicate::UGE:
    return FloatRelation{Predicate::LT, true};
  default:
    return std::nullopt;
  }
}

/// i1 is unsigned in registers, but its true is -1 where signs count.
IntegerRelation swapped(IntegerRelation relation) {
  switch (relation.predicate) {
  case Predicate::LT:
    return {Op::CmpU, Predicate::GT};
  case Predicate::LE:
    return {Op::CmpU, Predicate::GE};
  case Predicate::GT:
    return {Op::CmpU, Predicate::LT};
  case Predicate::GE:
    return {Op::CmpU, Predicate::LE};
  default:
    return relation;
  }
}

} // namespace

Operand Assembler::compareIntegers(arith::CmpIOp compare, Element element) {
  IntegerRelation relation = relationOf(compare.getPredicate());
  if (element == Element::I1 && relation.op == Op::CmpS)
    relation = swapped(relation);
  return builder.compare(relation.op, element, relation.predicate, at(compare.getLhs()),
                         at(compare.getRhs()));
}

Operand Assembler::compareFloats(arith::CmpFOp compare, Element element) {
  Operand lhs = at(compare.getLhs()), rhs = at(compare.getRhs());
  auto test = [&](Predicate predicate, Operand a, Operand b) {
    return builder.compare(Op::FCmp, element, predicate, a, b);
  };
  auto both = [&](Op op, Operand a, Operand b) { return builder.scalar(op, Element::I1, {a, b}); };
  auto opposite = [&](Operand value) { return both(Op::Xor, value, Operand::immediate(1)); };
  if (std::optional<FloatRelation> relation = relationOf(compare.getPredicate())) {
    Operand result = test(relation->predicate, lhs, rhs);
    return relation->isNegated ? opposite(result) : result;
  }
  auto differs = [&] {
    return both(Op::Or, test(Predicate::LT, lhs, rhs), test(Predicate::GT, lhs, rhs));
  };
  switch (compare.getPredicate()) {
  case arith::CmpFPredicate::ONE:
    return differs();
  case arith::CmpFPredicate::UEQ:
    return opposite(differs());
  case arith::CmpFPredicate::ORD:
    return both(Op::And, test(Predicate::EQ, lhs, lhs), test(Predicate::EQ, rhs, rhs));
  case arith::CmpFPredicate::UNO:
    return both(Op::Or, test(Predicate::NE, lhs, lhs), test(Predicate::NE, rhs, rhs));
  default:
    return Operand::immediate(compare.getPredicate() == arith::CmpFPredicate::AlwaysTrue);
  }
}

/// The quotient rounded down, or up: one is taken off, or added, where the remainder is not 0 and
/// the signs say that rounding toward zero went the other way.
Operand Assembler::roundedDivision(Element element, Operand lhs, Operand rhs, bool up) {
  Operand zero = Operand::immediate(0);
  Operand quotient = builder.scalar(Op::DivS, element, {lhs, rhs});
  Operand rest = builder.scalar(Op::RemS, element, {lhs, rhs});
  Operand signs = builder.scalar(Op::Xor, element, {lhs, rhs});
  Operand wentWrong =
      builder.compare(Op::CmpS, element, up ? Predicate::GE : Predicate::LT, signs, zero);
  Operand isInexact = builder.compare(Op::CmpS, element, Predicate::NE, rest, zero);
  Operand step = builder.scalar(Op::And, Element::I1, {wentWrong, isInexact});
  return builder.scalar(up ? Op::Add : Op::Sub, element, {quotient, step});
}

LogicalResult Assembler::constant(arith::ConstantOp op) {
  if (auto number = dyn_cast<IntegerAttr>(op.getValue())) {
    if (failed(elementAt(op, op.getType())))
      return failure();
    bool isBit = op.getType().isInteger(1);
    define(op, builder.constant(isBit ? number.getValue().getZExtValue()
                                      : number.getValue().getSExtValue()));
    return success();
  }
  if (auto number = dyn_cast<FloatAttr>(op.getValue())) {
    if (failed(elementAt(op, op.getType())))
      return failure();
    define(op, builder.constant(int64_t(number.getValue().bitcastToAPInt().getZExtValue())));
    return success();
  }
  return op.emitError() << "has type " << op.getType() << ", expected a scalar";
}

/// Ops that are several scalar ops. `element` is the type of the first operand.
bool Assembler::composedOp(Operation *op, Element element) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    define(compare, compareIntegers(compare, element));
  } else if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    define(compare, compareFloats(compare, element));
  } else if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp>(op)) {
    define(op->getResult(0), roundedDivision(element, at(op->getOperand(0)), at(op->getOperand(1)),
                                             isa<arith::CeilDivSIOp>(op)));
  } else if (isa<arith::CeilDivUIOp>(op)) {
    Operand lhs = at(op->getOperand(0)), rhs = at(op->getOperand(1));
    Operand rest = builder.scalar(Op::RemU, element, {lhs, rhs});
    Operand step = builder.compare(Op::CmpS, element, Predicate::NE, rest, Operand::immediate(0));
    define(op->getResult(0),
           builder.scalar(Op::Add, element, {builder.scalar(Op::DivU, element, {lhs, rhs}), step}));
  } else if (isa<arith::MinimumFOp, arith::MaximumFOp>(op)) {
    // FMin and FMax prefer numbers; here a NaN wins.
    Operand lhs = at(op->getOperand(0)), rhs = at(op->getOperand(1));
    Operand result =
        builder.scalar(isa<arith::MinimumFOp>(op) ? Op::FMin : Op::FMax, element, {lhs, rhs});
    for (Operand value : {rhs, lhs})
      result = builder.scalar(
          Op::Select, element,
          {builder.compare(Op::FCmp, element, Predicate::NE, value, value), value, result});
    define(op->getResult(0), result);
  } else {
    return false;
  }
  return true;
}

FailureOr<bool> Assembler::castOp(Operation *op) {
  if (!isa<CastOpInterface>(op) || op->getNumOperands() != 1 || op->getDialect() == nullptr ||
      !isa<arith::ArithDialect>(op->getDialect()))
    return false;
  Value input = op->getOperand(0), result = op->getResult(0);
  FailureOr<Element> from = elementAt(op, input.getType()), to = elementAt(op, result.getType());
  if (failed(from) || failed(to))
    return failure();
  Operand value = at(input);
  bool isWidening = machine::bits(*to) >= machine::bits(*from);
  auto convert = [&](Op kind, Element source, Element target) {
    define(result, builder.scalar(kind, target, {value}, 0, source));
    return true;
  };
  // A signed integer that gets wider, or a change of name, keeps its register.
  auto resize = [&] {
    if (isWidening && *from != Element::I1) {
      define(result, value);
      return true;
    }
    if (isWidening) // true is -1
      return convert(Op::SExt, *from, *to);
    return *to == Element::I1 ? convert(Op::ZExt, *to, *to) : convert(Op::SExt, *to, *to);
  };
  if (isa<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(op))
    return resize();
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
    return isWidening ? convert(Op::ZExt, *from, *to) : resize();
  if (isa<arith::SIToFPOp>(op))
    return convert(Op::SToF, *from, *to);
  if (isa<arith::UIToFPOp>(op))
    return convert(Op::UToF, *from, *to);
  if (isa<arith::FPToSIOp>(op))
    return convert(Op::FToS, *from, *to);
  if (isa<arith::FPToUIOp>(op))
    return convert(Op::FToU, *from, *to);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return convert(Op::FToF, *from, *to);
  if (isa<arith::BitcastOp>(op)) {
    if (machine::isFloat(*from) == machine::isFloat(*to)) {
      define(result, value);
      return true;
    }
    // Integers of the float's width, sign-extended in a register or zero-extended bits.
    Element integer = machine::isFloat(*from) ? *to : *from;
    return machine::isFloat(*from) ? convert(Op::SExt, integer, integer)
                                   : convert(Op::ZExt, integer, Element::I64);
  }
  return false;
}

FailureOr<bool> Assembler::scalarOp(Operation *op) {
  if (auto number = dyn_cast<arith::ConstantOp>(op)) {
    if (failed(constant(number)))
      return failure();
    return true;
  }
  if (isa<ub::PoisonOp>(op) && elementOf(op->getResult(0).getType())) {
    define(op->getResult(0), Operand::immediate(0)); // any value will do
    return true;
  }
  FailureOr<bool> known = tileOp(op);
  if (failed(known) || *known)
    return known;
  known = castOp(op);
  if (failed(known) || *known)
    return known;
  auto direct = directOps().find(op->getName().getTypeID());
  bool isDirect = direct != directOps().end();
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  if (isa<arith::SelectOp>(op) && isa<MemRefType>(op->getResult(0).getType())) {
    define(op->getResult(0),
           builder.scalar(Op::Select, Element::I64,
                          {at(op->getOperand(0)), at(op->getOperand(1)), at(op->getOperand(2))}));
    return true;
  }
  if (!isDirect && !isa<arith::ArithDialect>(op->getDialect()))
    return false;
  Type type = isDirect ? op->getResult(0).getType() : op->getOperand(0).getType();
  FailureOr<Element> element = elementAt(op, type);
  if (failed(element))
    return failure();
  if (!isDirect)
    return composedOp(op, *element);
  SmallVector<Operand> inputs;
  for (Value input : op->getOperands())
    inputs.push_back(at(input));
  // A remainder by a power of two, as slots have it, is a mask: shared with theirs, and cheap to
  // see.
  Operand last = inputs.back();
  if (direct->second == Op::RemU && !last.isRegister && last.value > 0 &&
      llvm::isPowerOf2_64(uint64_t(last.value)))
    define(op->getResult(0), builder.scalar(Op::And, Element::I64,
                                            {inputs.front(), Operand::immediate(last.value - 1)}));
  else
    define(op->getResult(0), builder.scalar(direct->second, *element, inputs));
  return true;
}

} // namespace kiln::npu
