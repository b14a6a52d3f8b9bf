//===- ProgramBuilder.cpp - appends instructions to a program of an image --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "image/Structure.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::npu {

using image::Instruction;
using image::Op;
using image::Operand;
using machine::Element;

Instruction &ProgramBuilder::append(Instruction instruction) {
  instruction.location = location;
  program.body.push_back(std::move(instruction));
  return program.body.back();
}

Instruction &ProgramBuilder::control(Op op, llvm::ArrayRef<Operand> operands) {
  Instruction instruction;
  instruction.op = op;
  instruction.operands.assign(operands.begin(), operands.end());
  return append(std::move(instruction));
}

Operand ProgramBuilder::scalar(Op op, Element element, llvm::ArrayRef<Operand> operands,
                               uint8_t attribute, Element from) {
  Key key = {int64_t(op), int64_t(element), int64_t(from), attribute};
  for (const Operand &operand : operands) {
    key.push_back(operand.isRegister);
    key.push_back(operand.value);
  }
  for (const auto &scope : llvm::reverse(scopes))
    if (auto known = scope.find(key); known != scope.end())
      return known->second;
  Operand result = newRegister();
  Instruction instruction;
  instruction.op = op;
  instruction.element = element;
  instruction.from = from;
  instruction.attribute = attribute;
  instruction.result = uint16_t(result.value);
  instruction.operands.assign(operands.begin(), operands.end());
  append(std::move(instruction));
  if (!scopes.empty())
    scopes.back().emplace(std::move(key), result);
  return result;
}

Operand ProgramBuilder::compare(Op op, Element element, machine::Predicate predicate, Operand lhs,
                                Operand rhs) {
  return scalar(op, element, {lhs, rhs}, uint8_t(predicate));
}

Operand ProgramBuilder::constant(int64_t value) {
  if (value >= -image::maxImmediate - 1 && value <= image::maxImmediate)
    return Operand::immediate(value);
  uint64_t bits = uint64_t(value);
  return scalar(
      Op::Const, Element::I64,
      {Operand::immediate(int64_t(bits >> 32)), Operand::immediate(int64_t(bits & 0xffffffff))});
}

Operand ProgramBuilder::add(Operand lhs, Operand rhs) {
  if (!lhs.isRegister && !rhs.isRegister)
    return constant(int64_t(uint64_t(lhs.value) + uint64_t(rhs.value)));
  if (rhs == Operand::immediate(0))
    return lhs;
  if (lhs == Operand::immediate(0))
    return rhs;
  return scalar(Op::Add, Element::I64, {lhs, rhs});
}

Operand ProgramBuilder::multiply(Operand lhs, int64_t factor) {
  if (!lhs.isRegister)
    return constant(int64_t(uint64_t(lhs.value) * uint64_t(factor)));
  if (factor == 0)
    return Operand::immediate(0);
  return factor == 1 ? lhs : scalar(Op::Mul, Element::I64, {lhs, constant(factor)});
}

Operand ProgramBuilder::remainder(Operand value, int64_t divisor) {
  if (!value.isRegister)
    return Operand::immediate(int64_t(uint64_t(value.value) % uint64_t(divisor)));
  if (llvm::isPowerOf2_64(uint64_t(divisor)))
    return scalar(Op::And, Element::I64, {value, Operand::immediate(divisor - 1)});
  return scalar(Op::RemU, Element::I64, {value, Operand::immediate(divisor)});
}

void ProgramBuilder::move(Operand target, Operand source) {
  if (target == source)
    return;
  Instruction &instruction = control(Op::Move, {source});
  instruction.result = uint16_t(target.value);
}

void ProgramBuilder::moveAll(llvm::ArrayRef<Assignment> moves) {
  llvm::SmallVector<Assignment> pending;
  for (const Assignment &assignment : moves)
    if (assignment.target != assignment.source)
      pending.push_back(assignment);
  while (!pending.empty()) {
    // A target that nobody reads any more may be written.
    auto *free = llvm::find_if(pending, [&](const Assignment &candidate) {
      return llvm::none_of(pending, [&](const Assignment &other) {
        return &other != &candidate && other.source == candidate.target;
      });
    });
    if (free != pending.end()) {
      move(free->target, free->source);
      pending.erase(free);
      continue;
    }
    // Only cycles are left: one register of one of them goes to a spare register.
    Operand spare = newRegister(), saved = pending.front().target;
    move(spare, saved);
    for (Assignment &assignment : pending)
      if (assignment.source == saved)
        assignment.source = spare;
  }
}

} // namespace kiln::npu
