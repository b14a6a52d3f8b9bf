//===- Planner.cpp - which flags and barriers a program needs --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Three steps. A walk in program order places forward flags and barriers, each only where what the
// pipes know of one another does not imply it. Then carried edges become tokens, and those that
// others imply go. Last, flags get ids: too many for a pair of pipes are merged, or a barrier takes
// the place of one.
//
//===-----------------------------------------------------------------------------------------===//

#include "Planner.h"

#include "Edges.h"
#include "Ids.h"
#include "PlanState.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using kiln::machine::Pipe;

namespace kiln::npu {
namespace {

class Planner {
public:
  Planner(func::FuncOp function, bool onlyUnnamed) : state(readProgram(function, onlyUnnamed)) {
    for (const Edge &edge : state.program.edges)
      (edge.carried ? carriedInto[edge.destination] : forwardInto[edge.destination])
          .push_back(&edge);
  }

  SyncPlan run(func::FuncOp function, unsigned ids) {
    state.plan.edges = unsigned(state.program.edges.size());
    guardConditions(function);
    walk(function.getBody().front(), current);
    placeTokens();
    state.dropBehindStops();
    makeAlternating();
    assignIds(state, ids, takenIds(function));
    return std::move(state.plan);
  }

private:
  //===--- Forward ---===//

  void walk(Block &block, Knowledge &knowledge) {
    for (Operation &op : block) {
      placeInto(&op, knowledge);
      if (auto position = state.program.position.find(&op);
          position != state.program.position.end()) {
        Pipe pipe = *pipeOf(&op);
        last[index(pipe)] = position->second;
        if (pipe == Pipe::S) // done when the next thing happens
          knowledge.learn(Pipe::S, Pipe::S, position->second);
      } else if (op.getNumRegions()) {
        walkRegions(op, knowledge);
      }
      state.after[&op] = {knowledge, last};
      state.order[&op] = nextOrder++;
    }
    state.atEnd[&block] = knowledge;
  }

  /// What holds behind an op with regions is what held before it and is behind each of its ways.
  void walkRegions(Operation &op, Knowledge &knowledge) {
    Knowledge before = knowledge;
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      walk(loop.getBefore().front(), knowledge); // runs once at least
      Knowledge body = knowledge;
      walk(loop.getAfter().front(), body);
      knowledge = before; // the condition is tested again behind the body
      return;
    }
    std::optional<Knowledge> met;
    bool skippable = !isa<scf::IfOp>(op) || cast<scf::IfOp>(op).getElseRegion().empty();
    if (skippable)
      met = before;
    for (Region &region : op.getRegions()) {
      if (region.empty())
        continue;
      Knowledge way = before;
      walk(region.front(), way);
      if (met)
        met->meet(way);
      else
        met = way;
    }
    knowledge = *met;
  }

  /// Places what the forward edges into an op ask for, the latest cause first: it implies most.
  void placeInto(Operation *op, Knowledge &knowledge) {
    auto found = forwardInto.find(op);
    if (found == forwardInto.end())
      return;
    auto causePosition = [&](const Edge *edge) { return state.program.position.at(edge->cause); };
    llvm::stable_sort(found->second, [&](const Edge *a, const Edge *b) {
      return causePosition(a) > causePosition(b);
    });
    for (const Edge *edge : found->second) {
      Position cause = causePosition(edge);
      if (knowledge.of(edge->to, edge->from) >= cause)
        continue;
      if (edge->from == edge->to) {
        state.plan.barriers.push_back({op, edge->from, {}});
        knowledge.learn(edge->from, edge->from, last[index(edge->from)]);
        continue;
      }
      state.plan.flags.push_back(flagOf(*edge, cause));
      const After &source = state.after.at(edge->source);
      knowledge.learnAll(edge->to, source.knowledge, edge->from);
      knowledge.learn(edge->to, edge->from, source.last[index(edge->from)]);
    }
  }

  static Flag flagOf(const Edge &edge, Position cause) {
    Flag flag;
    flag.source = edge.source;
    flag.destination = edge.destination;
    flag.from = edge.from;
    flag.to = edge.to;
    flag.slots = edge.slots;
    flag.token = edge.carried;
    flag.cause = edge.cause;
    flag.effect = edge.effect;
    flag.causePosition = cause;
    return flag;
  }

  /// Instructions in the condition of a `while` are few, and what they may meet is in two regions:
  /// all pipes stop on the way between them.
  void guardConditions(func::FuncOp function) {
    // What the author named is ordered by the author.
    if (function->hasAttr(kAuthorSyncAttr))
      return;
    function.walk([&](scf::WhileOp loop) {
      bool accesses = false;
      loop.getBefore().walk([&](Operation *op) { accesses |= pipeOf(op).has_value(); });
      if (!accesses)
        return;
      for (Region *region : {&loop.getBefore(), &loop.getAfter()})
        state.plan.barriers.push_back(
            {&region->front().front(), std::nullopt, "the condition of a loop accesses memory"});
    });
  }

  //===--- From one execution to the next ---===//

  /// Carried edges, as tokens; then those that go that the others imply. Those within a pipe go
  /// first: flags of other pipes imply most of them.
  void placeTokens() {
    std::vector<Flag> tokens;
    for (auto &[destination, edges] : carriedInto)
      for (const Edge *edge : edges) {
        Flag token = flagOf(*edge, state.program.position.at(edge->cause));
        if (!state.knownAtEnd(token))
          tokens.push_back(token);
      }
    llvm::stable_sort(tokens, [&](const Flag &a, const Flag &b) {
      bool aWithin = a.from == a.to, bWithin = b.from == b.to;
      if (aWithin != bWithin)
        return aWithin;
      return state.program.position.at(a.effect) > state.program.position.at(b.effect);
    });
    dropDominated(tokens);
    std::vector<bool> gone(tokens.size(), false);
    auto others = [&](size_t i) {
      SmallVector<const Flag *> kept;
      for (size_t other = 0; other < tokens.size(); ++other)
        if (other != i && !gone[other])
          kept.push_back(&tokens[other]);
      return kept;
    };
    for (size_t i = 0; i < tokens.size(); ++i)
      gone[i] = state.implied(tokens[i], others(i));
    // What implied one may have gone later because of a third that does not imply the first.
    for (size_t i = 0; i < tokens.size(); ++i)
      gone[i] = gone[i] && state.implied(tokens[i], others(i));
    // A barrier before the first destination in a block lies in the way of all later ones too.
    for (size_t i = tokens.size(); i-- > 0;)
      if (!gone[i] && tokens[i].from == tokens[i].to)
        placeCarriedBarrier(tokens[i]);
    for (size_t i = 0; i < tokens.size(); ++i)
      if (!gone[i] && tokens[i].from != tokens[i].to)
        placeToken(tokens[i], others(i));
  }

  /// Of tokens of one block, pipes and slots only those stay that no other implies by itself: there
  /// are many, and the search for chains is cubic. One that stays for others orders what they do.
  void dropDominated(std::vector<Flag> &tokens) {
    auto dominates = [&](const Flag &strong, const Flag &weak) {
      return strong.from == weak.from && strong.to == weak.to && strong.slots == weak.slots &&
             strong.source->getBlock() == weak.source->getBlock() &&
             state.order.at(strong.source) >= state.order.at(weak.source) &&
             state.order.at(strong.destination) <= state.order.at(weak.destination) &&
             state.after.at(strong.source).last[index(weak.from)] >= weak.causePosition;
    };
    std::vector<Flag> kept;
    for (Flag &token : tokens) {
      auto stronger =
          llvm::find_if(kept, [&](const Flag &other) { return dominates(other, token); });
      if (stronger != kept.end()) {
        stronger->causePosition = std::max(stronger->causePosition, token.causePosition);
        continue;
      }
      std::erase_if(kept, [&](const Flag &other) {
        bool goes = dominates(token, other);
        if (goes)
          token.causePosition = std::max(token.causePosition, other.causePosition);
        return goes;
      });
      kept.push_back(token);
    }
    tokens = std::move(kept);
  }

  /// A barrier anywhere behind the source or before the destination does, if it is always met.
  void placeCarriedBarrier(const Flag &token) {
    Block *block = token.source->getBlock();
    for (const PlannedBarrier &barrier : state.plan.barriers)
      if (barrier.before->getBlock() == block && (!barrier.pipe || *barrier.pipe == token.from) &&
          (state.order.at(barrier.before) <= state.order.at(token.destination) ||
           state.order.at(barrier.before) > state.order.at(token.source)))
        return;
    state.plan.barriers.push_back({token.destination, token.from, {}});
  }

  /// The set of a token must know that the last wait for its id is over: by what is known in the
  /// same execution, or, where that wait lies executions back, by another token. Else all pipes
  /// stop before the destination.
  void placeToken(const Flag &token, ArrayRef<const Flag *> others) {
    if (state.knowsWait(token.source, token.from, token.destination, token.to) ||
        state.alternates(token, others)) {
      state.plan.flags.push_back(token);
      return;
    }
    state.plan.barriers.push_back(
        {token.destination, std::nullopt, "a flag would be raised again before it is waited for"});
  }

  /// The set of a forward flag in a loop must know that the wait of the last execution is over: a
  /// token in the other direction, unless there is one that does.
  void makeAlternating() {
    for (size_t i = 0; i < state.plan.flags.size(); ++i) {
      Flag flag = state.plan.flags[i];
      if (flag.token || !loopAround(flag.source->getBlock()))
        continue;
      SmallVector<const Flag *> tokens;
      for (const Flag &other : state.plan.flags)
        if (other.token)
          tokens.push_back(&other);
      bool known = state.alternates(flag, tokens);
      if (known || state.stopsAll(flag.source->getBlock()))
        continue;
      Flag token;
      token.source = flag.destination;
      token.destination = flag.source;
      token.from = flag.to;
      token.to = flag.from;
      token.slots = flag.slots;
      token.token = true;
      token.cause = flag.effect;
      token.effect = flag.cause;
      token.causePosition = state.firstIn(flag.destination, flag.to);
      if (token.from == Pipe::S)
        continue; // the scalar unit waited: what it hands over later is behind it
      state.plan.flags.push_back(token);
    }
  }

  PlanState state;
  DenseMap<Operation *, SmallVector<const Edge *>> forwardInto;
  llvm::MapVector<Operation *, SmallVector<const Edge *>> carriedInto;
  Knowledge current;
  Positions last{};
  int64_t nextOrder = 1;
};

} // namespace

SyncPlan planSync(func::FuncOp function, unsigned ids, bool onlyUnnamed) {
  return Planner(function, onlyUnnamed).run(function, ids);
}

} // namespace kiln::npu
