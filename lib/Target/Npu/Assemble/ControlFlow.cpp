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

void Assembler::giveRegisters(ValueRange values, unsigned level) {
  for (Value value : values)
    define(value, builder.newRegister(level));
}

/// `targets` have registers of their own.
void Assembler::carry(ValueRange targets, ValueRange sources) {
  SmallVector<Assignment> moves;
  for (auto [target, source] : llvm::zip_equal(targets, sources))
    moves.push_back({at(target), at(source)});
  builder.moveAll(moves);
}

void Assembler::leaveBehind(ValueRange results, ValueRange carried) {
  for (auto [result, value] : llvm::zip_equal(results, carried)) {
    define(result, at(value));
    builder.settle(at(value));
  }
}

LogicalResult Assembler::forLoop(scf::ForOp loop) {
  if (loop.getUnsignedCmp())
    return loop.emitError("has unsigned bounds, expected signed ones");
  unsigned inside = builder.level() + 1;
  giveRegisters(loop.getRegionIterArgs(), inside);
  giveRegisters(loop.getInductionVar(), inside);
  carry(loop.getRegionIterArgs(), loop.getInitArgs());
  image::Instruction head = builder.control(
      Op::Loop, {at(loop.getLowerBound()), at(loop.getUpperBound()), at(loop.getStep())});
  head.result = uint16_t(at(loop.getInductionVar()).value);
  if (loop->hasAttr(kPersistentAttr))
    head.flags |= image::Persistent;
  builder.enter(/*isLoop=*/true);
  if (failed(block(*loop.getBody())))
    return failure();
  carry(loop.getRegionIterArgs(), loop.getBody()->getTerminator()->getOperands());
  std::vector<image::Instruction> body = builder.leave();
  builder.append(std::move(head));
  builder.append(std::move(body));
  builder.append(builder.control(Op::End));
  leaveBehind(loop.getResults(), loop.getRegionIterArgs());
  return success();
}

/// The region before is run once more than the region after: repeat … exit_unless … end.
LogicalResult Assembler::whileLoop(scf::WhileOp loop) {
  unsigned inside = builder.level() + 1;
  giveRegisters(loop.getBeforeArguments(), inside);
  giveRegisters(loop.getAfterArguments(), inside);
  carry(loop.getBeforeArguments(), loop.getInits());
  image::Instruction head = builder.control(Op::Repeat);
  scf::ConditionOp condition = loop.getConditionOp();
  builder.enter(/*isLoop=*/true);
  if (failed(block(*loop.getBeforeBody())))
    return failure();
  carry(loop.getAfterArguments(), condition.getArgs());
  builder.append(builder.control(Op::ExitUnless, {at(condition.getCondition())}));
  if (failed(block(*loop.getAfterBody())))
    return failure();
  carry(loop.getBeforeArguments(), loop.getYieldOp().getResults());
  std::vector<image::Instruction> body = builder.leave();
  builder.append(std::move(head));
  builder.append(std::move(body));
  builder.append(builder.control(Op::End));
  leaveBehind(loop.getResults(), loop.getAfterArguments());
  return success();
}

LogicalResult Assembler::branchBody(Block &body, ValueRange results) {
  builder.enter(/*isLoop=*/false);
  if (failed(block(body)))
    return failure();
  carry(results, body.getTerminator()->getOperands());
  builder.append(builder.leave());
  return success();
}

LogicalResult Assembler::branch(scf::IfOp branch) {
  giveRegisters(branch.getResults(), builder.level());
  builder.append(builder.control(Op::If, {at(branch.getCondition())}));
  if (failed(branchBody(*branch.thenBlock(), branch.getResults())))
    return failure();
  if (Block *otherwise = branch.elseBlock();
      otherwise && (!branch.getResults().empty() || otherwise->getOperations().size() > 1)) {
    builder.append(builder.control(Op::Else));
    if (failed(branchBody(*otherwise, branch.getResults())))
      return failure();
  }
  builder.append(builder.control(Op::End));
  return success();
}

} // namespace kiln::npu
