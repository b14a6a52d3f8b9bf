//===- ControlFlow.cpp - loops and branches of a program -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Assembler.h"

using namespace mlir;

namespace kiln::npu {

using image::Op;

void Assembler::giveRegisters(ValueRange values) {
  for (Value value : values)
    define(value, builder.newRegister());
}

/// `targets` have registers of their own.
void Assembler::carry(ValueRange targets, ValueRange sources) {
  SmallVector<Assignment> moves;
  for (auto [target, source] : llvm::zip_equal(targets, sources))
    moves.push_back({at(target), at(source)});
  builder.moveAll(moves);
}

LogicalResult Assembler::forLoop(scf::ForOp loop) {
  if (loop.getUnsignedCmp())
    return loop.emitError("has unsigned bounds, expected signed ones");
  giveRegisters(loop.getRegionIterArgs());
  carry(loop.getRegionIterArgs(), loop.getInitArgs());
  define(loop.getInductionVar(), builder.newRegister());
  image::Instruction &head = builder.control(
      Op::Loop, {at(loop.getLowerBound()), at(loop.getUpperBound()), at(loop.getStep())});
  head.result = uint16_t(at(loop.getInductionVar()).value);
  if (loop->hasAttr(kPersistentAttr))
    head.flags |= image::Persistent;
  if (failed(block(*loop.getBody())))
    return failure();
  carry(loop.getRegionIterArgs(), loop.getBody()->getTerminator()->getOperands());
  builder.control(Op::End);
  for (auto [result, carried] : llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
    define(result, at(carried));
  return success();
}

/// The region before is run once more than the region after: repeat … exit_unless … end.
LogicalResult Assembler::whileLoop(scf::WhileOp loop) {
  giveRegisters(loop.getBeforeArguments());
  giveRegisters(loop.getAfterArguments());
  carry(loop.getBeforeArguments(), loop.getInits());
  builder.control(Op::Repeat);
  scf::ConditionOp condition = loop.getConditionOp();
  if (failed(block(*loop.getBeforeBody())))
    return failure();
  carry(loop.getAfterArguments(), condition.getArgs());
  builder.control(Op::ExitUnless, {at(condition.getCondition())});
  if (failed(block(*loop.getAfterBody())))
    return failure();
  carry(loop.getBeforeArguments(), loop.getYieldOp().getResults());
  builder.control(Op::End);
  for (auto [result, carried] : llvm::zip(loop.getResults(), loop.getAfterArguments()))
    define(result, at(carried));
  return success();
}

LogicalResult Assembler::branch(scf::IfOp branch) {
  giveRegisters(branch.getResults());
  builder.control(Op::If, {at(branch.getCondition())});
  if (failed(block(*branch.thenBlock())))
    return failure();
  carry(branch.getResults(), branch.thenYield().getResults());
  if (Block *otherwise = branch.elseBlock();
      otherwise && (!branch.getResults().empty() || otherwise->getOperations().size() > 1)) {
    builder.control(Op::Else);
    if (failed(block(*otherwise)))
      return failure();
    carry(branch.getResults(), branch.elseYield().getResults());
  }
  builder.control(Op::End);
  return success();
}

} // namespace kiln::npu
