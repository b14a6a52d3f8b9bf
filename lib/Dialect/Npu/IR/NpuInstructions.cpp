//===- NpuInstructions.cpp - what instructions tell of themselves ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The methods of InstructionOpInterface, and the memory effects, which follow from the accesses.
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Npu/IR/Npu.h"

using namespace mlir;
using namespace kiln::npu;
using kiln::machine::Opcode;
using kiln::machine::Pipe;

using Accesses = SmallVector<Access>;
using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static Access onBuffer(Value buffer, bool write) {
  Access access;
  access.buffer = buffer;
  access.write = write;
  return access;
}
static Access reads(Value buffer) { return onBuffer(buffer, false); }
static Access writes(Value buffer) { return onBuffer(buffer, true); }

/// Rows of global memory.
template <typename OpTy> static Access rows(OpTy op, bool write) {
  Access access = onBuffer(op.getPtr(), write);
  access.offset = op.getOffset();
  access.sizes = op.getMixedSizes();
  access.strides = op.getMixedStrides();
  return access;
}

/// One element of a buffer or of global memory.
static Access element(Value place, Value index, bool write) {
  Access access = onBuffer(place, write);
  (access.isGlobal() ? access.offset : access.index) = index;
  return access;
}

/// A scalar instead of the second operand.
static bool isScalar(Value operand) { return !isa<MemRefType>(operand.getType()); }

/// Effects are tied to operands, so that analyses see which buffer is meant.
static void addEffects(InstructionOpInterface op, Effects &effects) {
  for (const Access &access : op.accesses())
    for (OpOperand &operand : op->getOpOperands()) {
      if (operand.get() != access.buffer)
        continue;
      if (access.write)
        effects.emplace_back(MemoryEffects::Write::get(), &operand);
      else
        effects.emplace_back(MemoryEffects::Read::get(), &operand);
      break;
    }
}

/// Instructions whose opcode decides the pipe, or stands on one in this dialect.
#define KILN_INSTRUCTION(OP, OPCODE, PIPE, ACCESSES)                                               \
  Opcode OP::opcode() { return OPCODE; }                                                           \
  Pipe OP::pipe() { return Pipe::PIPE; }                                                           \
  Accesses OP::accesses() { return Accesses ACCESSES; }                                            \
  void OP::getEffects(Effects &effects) {                                                          \
    addEffects(cast<InstructionOpInterface>(getOperation()), effects);                             \
  }

KILN_INSTRUCTION(LoadOp, Opcode::Load, MTE2, ({writes(getDst()), rows(*this, false)}))
KILN_INSTRUCTION(StoreOp, Opcode::Store, MTE3, ({rows(*this, true), reads(getSrc())}))
KILN_INSTRUCTION(CopyOp, Opcode::Copy, V, ({writes(getDst()), reads(getSrc())}))
KILN_INSTRUCTION(VBinaryOp, getOp().getValue(), V,
                 ({writes(getDst()), reads(getLhs()), reads(getRhs())}))
KILN_INSTRUCTION(VTernaryOp, getOp().getValue(), V,
                 ({writes(getDst()), reads(getLhs()), reads(getRhs()), reads(getDst())}))
KILN_INSTRUCTION(VUnaryOp, getOp().getValue(), V, ({writes(getDst()), reads(getSrc())}))
KILN_INSTRUCTION(VScalarOp, getOp().getValue(), V,
                 (getOp().getValue() == Opcode::VAxpy
                      ? Accesses{writes(getDst()), reads(getSrc()), reads(getDst())}
                      : Accesses{writes(getDst()), reads(getSrc())}))
KILN_INSTRUCTION(VCmpOp, isScalar(getRhs()) ? Opcode::VCmps : Opcode::VCmp, V,
                 (isScalar(getRhs())
                      ? Accesses{writes(getDst()), reads(getLhs())}
                      : Accesses{writes(getDst()), reads(getLhs()), reads(getRhs())}))
KILN_INSTRUCTION(VSelOp, isScalar(getRhs()) ? Opcode::VSels : Opcode::VSel, V,
                 (isScalar(getRhs()) ? Accesses{writes(getDst()), reads(getMask()), reads(getLhs())}
                                     : Accesses{writes(getDst()), reads(getMask()), reads(getLhs()),
                                                reads(getRhs())}))
KILN_INSTRUCTION(VCastOp, Opcode::VConv, V, ({writes(getDst()), reads(getSrc())}))
KILN_INSTRUCTION(VReduceOp, getOp().getValue(), V, ({writes(getDst()), reads(getSrc())}))
KILN_INSTRUCTION(VBroadcastOp, Opcode::VBrcb, V, ({writes(getDst()), reads(getSrc())}))
KILN_INSTRUCTION(VDupOp, Opcode::VDup, V, ({writes(getDst())}))
KILN_INSTRUCTION(VIotaOp, Opcode::VIota, V, ({writes(getDst())}))
KILN_INSTRUCTION(VGatherOp, Opcode::VGather, V,
                 ({writes(getDst()), reads(getOffsets()), reads(getSrc())}))
KILN_INSTRUCTION(VTransOp, Opcode::VTrans, V, ({writes(getDst()), reads(getSrc())}))
KILN_INSTRUCTION(SLoadOp, Opcode::SLoad, S, ({element(getSource(), getIndex(), false)}))
KILN_INSTRUCTION(SStoreOp, Opcode::SStore, S, ({element(getTarget(), getIndex(), true)}))

#undef KILN_INSTRUCTION
