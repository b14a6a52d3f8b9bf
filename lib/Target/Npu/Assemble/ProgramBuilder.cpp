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

#include <iterator>

namespace kiln::npu {

using image::Instruction;
using image::Op;
using image::Operand;
using machine::Element;

Operand ProgramBuilder::newRegister(unsigned level) {
  registerLevels.push_back(level);
  return Operand::reg(uint16_t(registerLevels.size() - 1));
}

void ProgramBuilder::enter(bool isLoop) { levels.push_back({isLoop, {}, {}}); }

std::vector<Instruction> ProgramBuilder::leave() {
  std::vector<Instruction> body = std::move(levels.back().body);
  levels.pop_back();
  return body;
}

uint32_t ProgramBuilder::location() { return place ? locations.indexOf(*place) : 0; }

void ProgramBuilder::append(Instruction instruction) {
  if (!instruction.location)
    instruction.location = location();
  levels.back().body.push_back(std::move(instruction));
}

void ProgramBuilder::append(std::vector<Instruction> body) {
  std::move(body.begin(), body.end(), std::back_inserter(levels.back().body));
}

Instruction ProgramBuilder::control(Op op, llvm::ArrayRef<Operand> operands) {
  Instruction instruction;
  instruction.op = op;
  instruction.location = location();
  instruction.operands.assign(operands.begin(), operands.end());
  return instruction;
}

/// The outermost place in front of a loop behind all operands, or the current level: code is moved
/// out of loops, but not out of branches alone, which may not be taken.
unsigned ProgramBuilder::levelFor(llvm::ArrayRef<Operand> operands) const {
  unsigned result = 0;
  for (const Operand &operand : operands)
    if (operand.isRegister)
      result = std::max(result, registerLevels[size_t(operand.value)]);
  while (result < level() && !levels[result + 1].isLoop)
    ++result;
  return result;
}

Operand ProgramBuilder::scalar(Op op, Element element, llvm::ArrayRef<Operand> operands,
                               uint8_t attribute, Element from) {
  Key key = {int64_t(op), int64_t(element), int64_t(from), attribute};
  for (const Operand &operand : operands) {
    key.push_back(operand.isRegister);
    key.push_back(operand.value);
  }
  for (const Level &level : llvm::reverse(levels))
    if (auto known = level.known.find(key); known != level.known.end())
      return known->second;
  unsigned target = levelFor(operands);
  Operand result = newRegister(target);
  Instruction instruction = control(op, operands);
  instruction.element = element;
  instruction.from = from;
  instruction.attribute = attribute;
  instruction.result = uint16_t(result.value);
  levels[target].body.push_back(std::move(instruction));
  levels[target].known.emplace(std::move(key), result);
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
  Instruction instruction = control(Op::Move, {source});
  instruction.result = uint16_t(target.value);
  append(std::move(instruction));
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
