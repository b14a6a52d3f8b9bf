//===- PlanState.cpp - a plan in the making, and what follows from it ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "PlanState.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

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

/// An order from one execution of a block to a later one, to be shown by a chain of tokens.
struct PlanState::Way {
  Block *block;
  /// Executions until a token that is set behind this op, by this pipe, is behind the start;
  /// nothing if it never is.
  llvm::function_ref<std::optional<int64_t>(const Flag &)> start;
  Operation *goal; ///< what must not begin before: …
  Pipe goalPipe;   ///< … here
  int64_t allowed; ///< executions between start and goal
};

bool PlanState::leads(const Way &way, ArrayRef<const Flag *> tokens) const {
  // Executions from the start until the wait of each token.
  constexpr int64_t never = std::numeric_limits<int64_t>::max();
  SmallVector<int64_t> until(tokens.size(), never);
  // Distances by slot count iterations: they mean nothing among executions of a branch.
  bool eachIteration = isa<scf::ForOp>(way.block->getParentOp());
  auto usable = [&](const Flag &token) {
    return token.from != token.to && token.source->getBlock() == way.block &&
           (!token.slots || (token.slots->counted && eachIteration));
  };
  for (auto [token, executions] : llvm::zip_equal(tokens, until))
    if (usable(*token))
      if (std::optional<int64_t> first = way.start(*token))
        executions = *first + token->distance();
  auto reached = [&](Pipe pipe, Operation *op, const Flag &token) {
    // What the scalar unit waited for is behind all that it hands over later.
    return token.to == pipe || token.to == Pipe::S
               ? std::optional<int64_t>(order.at(op) >= order.at(token.destination) ? 0 : 1)
               : std::nullopt;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t next = 0; next < tokens.size(); ++next)
      for (size_t known = 0; known < tokens.size() && usable(*tokens[next]); ++known) {
        if (until[known] == never)
          continue;
        auto later = reached(tokens[next]->from, tokens[next]->source, *tokens[known]);
        if (!later)
          continue;
        int64_t executions = until[known] + *later + tokens[next]->distance();
        changed |= executions < until[next];
        until[next] = std::min(until[next], executions);
      }
  }
  for (auto [token, executions] : llvm::zip_equal(tokens, until))
    if (executions != never)
      if (auto later = reached(way.goalPipe, way.goal, *token))
        if (executions + *later <= way.allowed)
          return true;
  return false;
}

bool PlanState::implied(const Flag &asked, ArrayRef<const Flag *> tokens) const {
  auto start = [&](const Flag &token) -> std::optional<int64_t> {
    const After &set = after.at(token.source);
    Position known = token.from == asked.from ? set.last[index(asked.from)]
                                              : set.knowledge.of(token.from, asked.from);
    return known >= asked.causePosition ? std::optional<int64_t>(0) : std::nullopt;
  };
  // Flags by slots of which nothing is known but that they are the same order only each other.
  bool counted = !asked.slots || asked.slots->counted;
  Ends ends{asked.source, asked.destination};
  do {
    bool eachIteration = isa<scf::ForOp>(ends.source->getParentOp());
    Way way{ends.source->getBlock(), start, ends.destination, asked.to,
            counted && eachIteration ? asked.distance() : 1};
    if (leads(way, tokens))
      return true;
    for (const Flag *token : tokens)
      if (token->slots && token->slots == asked.slots && token->source->getBlock() == way.block &&
          (token->to == asked.to || token->to == Pipe::S) &&
          order.at(token->destination) <= order.at(ends.destination) && start(*token))
        return true;
  } while (ends.widen());
  return false;
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

bool PlanState::alternates(const Flag &flag, ArrayRef<const Flag *> tokens) const {
  // So many executions after the wait its id is set again. 0: in the same one, which no token
  // orders.
  int64_t again = flag.ids();
  if (flag.token)
    again = flag.slots ? flag.slots->cause.depth - flag.distance() : 0;
  if (!again)
    return false;
  auto start = [&](const Flag &token) -> std::optional<int64_t> {
    if (token.from == flag.to) // set by the pipe that waited
      return order.at(token.source) >= order.at(flag.destination) ? 0 : 1;
    Position first = firstIn(flag.destination, flag.to);
    bool knows = first && after.at(token.source).knowledge.of(token.from, flag.to) >= first;
    return knows ? std::optional<int64_t>(0) : std::nullopt;
  };
  bool counted =
      !flag.slots || (flag.slots->counted && isa<scf::ForOp>(flag.source->getParentOp()));
  if (leads({flag.source->getBlock(), start, flag.source, flag.from, counted ? again : 1}, tokens))
    return true;
  return llvm::any_of(tokens, [&](const Flag *token) {
    return token->slots && token->slots == flag.slots &&
           token->source->getBlock() == flag.source->getBlock() &&
           (token->to == flag.from || token->to == Pipe::S) &&
           order.at(token->destination) <= order.at(flag.source) && start(*token) == 0;
  });
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
