//===- PlanState.cpp - a plan in the making, and what follows from it ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "PlanState.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using kiln::machine::Pipe;

namespace kiln::npu {

Position PlanState::firstIn(Operation *op, Pipe pipe) const {
  Position first = 0;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (pipeOf(inner) != pipe)
      return WalkResult::advance();
    first = program.position.at(inner);
    return WalkResult::interrupt();
  });
  return first;
}

namespace {

/// The ops around both ends of an order in the blocks outwards, as far as each is executed once at
/// most in an execution of the next: up to the body of the innermost loop.
struct Ends {
  Operation *source, *destination;

  bool widen() {
    Operation *parent = source->getParentOp();
    if (!isa<scf::IfOp>(parent))
      return false;
    source = destination = parent;
    return true;
  }
};

} // namespace

bool PlanState::implies(const Flag &token, const Flag &asked) const {
  // Who waits must be the pipe of the effect, or the scalar unit that hands it over.
  if (!covers(token, asked.slots, asked.distance()) ||
      (token.to != asked.to && token.to != Pipe::S))
    return false;
  Ends ends{asked.source, asked.destination};
  while (ends.source->getBlock() != token.source->getBlock())
    if (!ends.widen())
      return false;
  if (order.at(token.destination) > order.at(ends.destination))
    return false;
  const After &set = after.at(token.source);
  Position known = token.from == asked.from ? set.last[index(asked.from)]
                                            : set.knowledge.of(token.from, asked.from);
  return known >= asked.causePosition;
}

bool PlanState::knownAtEnd(const Flag &asked) const {
  Ends ends{asked.source, asked.destination};
  do
    if (atEnd.at(ends.source->getBlock()).of(asked.to, asked.from) >= asked.causePosition)
      return true;
  while (ends.widen());
  return false;
}

bool PlanState::knowsWait(Operation *source, Pipe setter, Operation *destination,
                          Pipe waiter) const {
  if (waiter == Pipe::S) // it waits before it hands over what is behind, the set among it
    return true;
  Position first = firstIn(destination, waiter);
  return first && after.at(source).knowledge.of(setter, waiter) >= first;
}

bool PlanState::covers(const Flag &token, const std::optional<SlotPair> &slots, int64_t distance) {
  if (!token.slots)
    return true; // from each execution to the next
  if (!slots)
    return false;
  if (token.slots->counted && slots->counted)
    return token.slots->distance() <= distance;
  return token.slots->cause == slots->cause && token.slots->effect == slots->effect;
}

bool PlanState::alternates(const Flag &token, const Flag &flag) const {
  // So many executions after the wait its id is set again. 0: in the same one, which no token
  // orders.
  int64_t again = flag.ids();
  if (flag.token)
    again = flag.slots ? flag.slots->cause.depth - flag.distance() : 0;
  if (!again || token.source->getBlock() != flag.source->getBlock() ||
      !covers(token, flag.slots, again))
    return false;
  if ((token.to != flag.from && token.to != Pipe::S) ||
      order.at(token.destination) > order.at(flag.source))
    return false;
  if (token.from == flag.to) // set behind the wait, on the pipe that waited
    return order.at(token.source) >= order.at(flag.destination);
  Position first = firstIn(flag.destination, flag.to);
  return first && after.at(token.source).knowledge.of(token.from, flag.to) >= first;
}

void PlanState::dropBehindStops() {
  llvm::erase_if(plan.flags, [&](const Flag &flag) {
    return llvm::any_of(plan.barriers, [&](const PlannedBarrier &barrier) {
      if (barrier.pipe || barrier.before->getBlock() != flag.source->getBlock())
        return false;
      bool behindSource = order.at(barrier.before) > order.at(flag.source);
      bool notBehindDestination = order.at(barrier.before) <= order.at(flag.destination);
      return flag.token ? behindSource || notBehindDestination
                        : behindSource && notBehindDestination;
    });
  });
}

bool PlanState::stopsAll(Block *block) const {
  return llvm::any_of(plan.barriers, [&](const PlannedBarrier &barrier) {
    return !barrier.pipe && barrier.before->getBlock() == block;
  });
}

} // namespace kiln::npu
