//===- Legalizer.cpp - questions to the machine, and steps that rules share ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Questions to the machine, reports, and the steps that rules of several themes take.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalizer.h"

#include "kiln/Analysis/IntegerFacts.h"

using namespace mlir;

namespace kiln::npu::legal {

using machine::Element;
using machine::Opcode;

std::optional<Element> elementOf(Type type, bool isUnsigned) {
  type = getElementTypeOrSelf(type);
  if (type.isF16())
    return Element::F16;
  if (type.isBF16())
    return Element::BF16;
  if (type.isF32())
    return Element::F32;
  if (!type.isInteger())
    return std::nullopt;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return Element::I1;
  case 8:
    return isUnsigned ? Element::U8 : Element::I8;
  case 16:
    return isUnsigned ? Element::U16 : Element::I16;
  case 32:
    return isUnsigned ? Element::U32 : Element::I32;
  case 64:
    return isUnsigned ? Element::U64 : Element::I64;
  }
  return std::nullopt;
}

static unsigned bitsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

Legalizer::Legalizer(const machine::Machine &machine, Operation *function)
    : machine(machine), b(function->getLoc(), function->getContext()) {
  bool small = false;
  SmallVector<Value> longs;
  auto look = [&](Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor || !tensor.getElementType().isIntOrFloat())
      return;
    unsigned width = bitsOf(tensor);
    small |= width > 1 && width <= 16;
    if (width == 64 && tensor.getElementType().isInteger())
      longs.push_back(value);
  };
  function->walk([&](Operation *op) {
    llvm::for_each(op->getResults(), look);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), look);
  });
  maskElement = small ? FloatType(b.getF16Type()) : FloatType(b.getF32Type());
  IntegerFacts facts;
  for (Value value : longs) {
    IntegerFact fact = facts.get(value);
    if (fact.lower >= INT32_MIN && fact.upper <= INT32_MAX)
      narrow.insert(value);
    if (fact.isNonNegative())
      nonNegative.insert(value);
  }
}

bool Legalizer::has(Opcode opcode, Type type, bool isUnsigned) const {
  std::optional<Element> element = elementOf(type, isUnsigned);
  return element && machine.supports(opcode, *element);
}

bool Legalizer::converts(Type from, bool fromUnsigned, Type to, bool toUnsigned,
                         machine::Rounding rounding) const {
  std::optional<Element> source = elementOf(from, fromUnsigned), target = elementOf(to, toUnsigned);
  if (!source || !target)
    return false;
  const machine::Conversion *conversion = machine.conversion(Opcode::VConv, *source, *target);
  return conversion && conversion->roundings.contains(rounding);
}

void Legalizer::refuse(Operation *op, const Twine &message) {
  if (!failed)
    op->emitError(message);
  failed = true;
}

void Legalizer::slowPath(Operation *op, const Twine &why) {
  if (reported.insert(op->getLoc()).second)
    op->emitRemark(why);
}

Value rebuilt(Legalizer &legalizer, Operation *op, ValueRange operands, Type element) {
  ImplicitLocOpBuilder &b = legalizer.b;
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addAttributes(op->getAttrs());
  Value result = op->getResult(0);
  state.addTypes(isI1(result.getType()) ? result.getType() : Num{&b, result}.shaped(element));
  return b.create(state)->getResult(0);
}

Value throughF32(Legalizer &legalizer, Operation *op) {
  ImplicitLocOpBuilder &b = legalizer.at(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Num x = legalizer.num(operand);
    bool isNarrow = x.isFloat() && x.width() < 32;
    operands.push_back(isNarrow ? x.to<arith::ExtFOp>(b.getF32Type()).v : operand);
  }
  Value wide = rebuilt(legalizer, op, operands, b.getF32Type());
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return isI1(element) ? wide : legalizer.num(wide).to<arith::TruncFOp>(element).v;
}

Num maskToNumber(Legalizer &legalizer, Num mask) {
  return select(mask, mask.realOf(legalizer.maskElement, 1), mask.realOf(legalizer.maskElement, 0));
}

Num numberToMask(Num number) { return compare(arith::CmpFPredicate::UNE, number, number.real(0)); }

} // namespace kiln::npu::legal
