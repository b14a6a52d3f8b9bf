//===- Floats.cpp - arithmetic of floats -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// What the unit has on an element type stays; bf16, and whatever it lacks in f16, computes in f32
// and rounds to its own type, op by op, as the language says.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalizer.h"

#include <limits>

using namespace mlir;

namespace kiln::npu::legal {

using machine::Opcode;

namespace {

template <Opcode opcode> Value native(Legalizer &legalizer, Operation *op) {
  Type type = op->getResult(0).getType();
  if (legalizer.has(opcode, type))
    return nullptr;
  if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() < 32)
    return throughF32(legalizer, op);
  legalizer.refuse(op, "found " + op->getName().getStringRef() + ", but " + legalizer.machine.name +
                           " has no " + StringRef(machine::name(opcode)) + " of f32");
  return nullptr;
}

/// The sign bit alone: bf16 needs no arithmetic for it.
template <bool isNegation> Value legalizeSign(Legalizer &legalizer, Operation *op) {
  legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0));
  if (!x.element().isBF16())
    return isNegation ? native<Opcode::VMuls>(legalizer, op) : native<Opcode::VAbs>(legalizer, op);
  Num bits = x.bits();
  bits = isNegation ? bits ^ bits.integer(0x8000) : bits & 0x7fff;
  return bits.bitcast(x.element()).v;
}

/// maximumf and minimumf: NaN if an operand is NaN, which the unit's own do not keep.
template <typename Plain> Value propagateNan(Legalizer &legalizer, Operation *op) {
  if (!legalizer.has(Opcode::VMax, op->getResult(0).getType()))
    return throughF32(legalizer, op);
  legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0)), y = legalizer.num(op->getOperand(1));
  Num plain = binary<Plain>(x, y);
  return select(isNan(x), x, select(isNan(y), y, plain)).v;
}

Value legalizeCopySign(Legalizer &legalizer, Operation *op) {
  legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0)), sign = legalizer.num(op->getOperand(1));
  int64_t signBit = int64_t(1) << (x.width() - 1);
  Num bits = (x.bits() & (signBit - 1)) | (sign.bits() & signBit);
  return bits.bitcast(x.element()).v;
}

Value legalizeRemainder(Legalizer &legalizer, Operation *op) {
  if (!getElementTypeOrSelf(op->getResult(0).getType()).isF32())
    return throughF32(legalizer, op);
  legalizer.at(op);
  legalizer.slowPath(op, "the remainder of floats is a division of many steps on the NPU");
  return floatRemainder(legalizer.num(op->getOperand(0)), legalizer.num(op->getOperand(1))).v;
}

constexpr RuleEntry kRules[] = {
    {"arith.addf", native<Opcode::VAdd>},
    {"arith.subf", native<Opcode::VSub>},
    {"arith.mulf", native<Opcode::VMul>},
    {"arith.divf", native<Opcode::VDiv>},
    {"arith.maxnumf", native<Opcode::VMax>},
    {"arith.minnumf", native<Opcode::VMin>},
    {"arith.maximumf", propagateNan<arith::MaxNumFOp>},
    {"arith.minimumf", propagateNan<arith::MinNumFOp>},
    {"arith.negf", legalizeSign<true>},
    {"arith.remf", legalizeRemainder},
    {"math.absf", legalizeSign<false>},
    {"math.copysign", legalizeCopySign},
    {"math.exp", native<Opcode::VExp>},
    {"math.log", native<Opcode::VLn>},
    {"math.sqrt", native<Opcode::VSqrt>},
    {"math.rsqrt", native<Opcode::VRsqrt>},
    {"math.fma", native<Opcode::VMulAdd>},
};

} // namespace

ArrayRef<RuleEntry> floatRules() { return kRules; }

} // namespace kiln::npu::legal
