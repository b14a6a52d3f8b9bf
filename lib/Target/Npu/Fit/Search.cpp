//===- Search.cpp - which axis to cut, and into what -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Search.h"

#include "Sink.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln::npu::fit {

namespace {

/// Smaller transfers reach 50 to 70 % of the path's rate, larger ones more than 80 %.
constexpr int64_t kTransferBytes = 20 << 10;
/// Pieces that a tile makes at least, where they are large enough: loads, work and stores overlap.
constexpr int64_t kPieces = 4;
/// An instruction handles 256 bytes in one repeat.
constexpr int64_t kUnitBits = 256 * 8;
/// Shorter rows of several are moved at a poor rate.
constexpr int64_t kShortRowBits = 2048 * 8;
/// Unrelated tiles of one program that are cut.
constexpr int kMaxCuts = 8;

/// CSE, as it runs after the pass: what phases share lives from one to the other. Removes from
/// `kept` what goes away.
void shareValues(func::FuncOp function, SmallVectorImpl<Operation *> &kept) {
  struct Erased : RewriterBase::Listener {
    void notifyOperationErased(Operation *op) override { ops.insert(op); }
    llvm::DenseSet<Operation *> ops;
  } erased;
  IRRewriter rewriter(function.getContext(), &erased);
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  llvm::erase_if(kept, [&](Operation *op) { return erased.ops.contains(op); });
}

class Search {
public:
  Search(func::FuncOp function, const machine::Machine &machine, int64_t budget, int depth = 0)
      : function(function), machine(machine), budget(budget), depth(depth) {}

  Outcome run();

private:
  struct Choice {
    unsigned axis = 0;
    int64_t piece = 0;
    int64_t need = 0;
    bool fits = false;
    bool isShort = false; ///< rows of pieces are short transfers
  };

  /// True if the function has changed.
  bool cutOnce(Outcome &outcome, bool mayReduce);
  bool cutTwice(Outcome &outcome, const Choice &first);
  SmallVector<unsigned> candidates(const Axes &axes, const Footprint &now) const;
  /// What the pieces of a copy of the function need.
  int64_t needOf(unsigned axis, int64_t piece);
  Choice choose(const Cut &cut, unsigned axis);
  int64_t shape(const Cut &cut, int64_t most, int64_t unit) const;
  void apply(const Choice &choice, Outcome &outcome);

  func::FuncOp function;
  const machine::Machine &machine;
  int64_t budget;
  int depth; ///< dimensions that are cut already, of those that are cut together
};

Outcome Search::run() {
  Outcome outcome;
  for (int round = 0; round != kMaxCuts; ++round) {
    outcome.footprint = footprintOf(function, machine);
    outcome.fits = outcome.footprint.live <= budget;
    // A tile that fits as it is may be cut for the sake of overlap, unless it would be read twice.
    bool isDone =
        outcome.fits && (round > 0 || depth > 0 || outcome.footprint.withRings() <= budget);
    if (isDone || !cutOnce(outcome, /*mayReduce=*/!outcome.fits))
      break;
  }
  return outcome;
}

SmallVector<unsigned> Search::candidates(const Axes &axes, const Footprint &now) const {
  llvm::SetVector<unsigned> found;
  for (const Tenant &tenant : now.tenants)
    for (unsigned dim = 0, rank = cast<RankedTensorType>(tenant.tensor.getType()).getRank();
         dim < rank; ++dim)
      if (std::optional<unsigned> axis = axes.of(tenant.tensor, dim))
        found.insert(*axis);
  SmallVector<unsigned> order(found.begin(), found.end());
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    auto key = [&](unsigned axis) {
      return std::pair(!axes.all()[axis].reductions.empty(), axes.all()[axis].members[0].dim);
    };
    return key(a) < key(b);
  });
  return order;
}

bool Search::cutOnce(Outcome &outcome, bool mayReduce) {
  Axes axes(function);
  std::optional<Choice> narrow, partial;
  outcome.stops.clear();
  int64_t now = outcome.footprint.live;
  for (unsigned axis : candidates(axes, outcome.footprint)) {
    Cut cut(axes, axis);
    Refusal refusal;
    if (!mayReduce && cut.isReduced())
      continue;
    if (!cut.plan(refusal)) {
      outcome.stops.push_back({cut.size(), refusal});
      continue;
    }
    Choice choice = choose(cut, axis);
    if (choice.fits && !choice.isShort) {
      apply(choice, outcome);
      return true;
    }
    if (choice.fits && !narrow)
      narrow = choice;
    if (choice.fits)
      continue;
    outcome.stops.push_back({cut.size(), {}});
    if (choice.piece && choice.need < now - now / 8 && (!partial || choice.need < partial->need))
      partial = choice;
  }
  if (!mayReduce)
    return false;
  if (partial && depth == 0 && cutTwice(outcome, *partial))
    return true;
  if (narrow) {
    apply(*narrow, outcome);
    return true;
  }
  return sinkIntoLoops(function);
}

/// Tries on a copy whether another dimension makes it fit.
bool Search::cutTwice(Outcome &outcome, const Choice &first) {
  OwningOpRef<func::FuncOp> copy = function.clone();
  Search inner(*copy, machine, budget, depth + 1);
  Outcome both;
  inner.apply(first, both);
  Outcome rest = inner.run();
  if (!rest.fits)
    return false;
  llvm::append_range(outcome.cuts, both.cuts);
  llvm::append_range(outcome.cuts, rest.cuts);
  function.getBody().takeBody(copy->getBody());
  return true;
}

int64_t Search::needOf(unsigned axis, int64_t piece) {
  OwningOpRef<func::FuncOp> copy = function.clone();
  Axes axes(*copy);
  Cut cut(axes, axis);
  Refusal refusal;
  if (!cut.plan(refusal))
    return std::numeric_limits<int64_t>::max();
  SmallVector<Operation *> made = cut.apply(piece);
  shareValues(*copy, made);
  return footprintOf(*copy, machine, made).withRings();
}

int64_t Search::shape(const Cut &cut, int64_t most, int64_t unit) const {
  int64_t size = cut.size();
  int64_t large = llvm::divideCeil(kTransferBytes * 8, cut.elementBits().second * cut.otherLanes());
  int64_t piece =
      std::min({most, std::max<int64_t>(llvm::divideCeil(size, kPieces), large), size - 1});
  piece = std::max(piece / unit * unit, unit);
  // Reductions of more than one operation halve rows again and again.
  if (cut.reducesInOrder())
    return std::max<int64_t>(llvm::bit_floor(uint64_t(piece)), unit);
  // What is left over is a piece of its own where there are reductions: the smaller the better.
  // Elsewhere equal pieces need no bounds.
  int64_t best = piece;
  auto rest = [&](int64_t piece) {
    int64_t left = size % piece;
    // A few lanes are no row to work on.
    return left >= unit ? left : piece + left;
  };
  for (int64_t next = piece; next >= unit && next * 4 >= piece * 3; next -= unit) {
    if (size % next == 0 && !cut.isReduced())
      return next;
    if (rest(next) < rest(best))
      best = next;
  }
  if (cut.isReduced())
    return best;
  int64_t count = llvm::divideCeil(size, piece);
  return std::min<int64_t>(piece, llvm::alignTo(llvm::divideCeil(size, count), unit));
}

Search::Choice Search::choose(const Cut &cut, unsigned axis) {
  int64_t unit = cut.isInnermost() ? kUnitBits / cut.elementBits().first : 1;
  Choice choice{axis, 0, std::numeric_limits<int64_t>::max()};
  if (cut.size() <= unit)
    return choice;
  int64_t least = needOf(axis, unit);
  if (least > budget)
    return {axis, unit, least};
  // What pieces need grows linearly with their size.
  int64_t most = cut.size() - 1;
  int64_t probe = std::min(std::max(unit * 2, cut.size() / 2 / unit * unit), most);
  if (probe > unit) {
    int64_t more = needOf(axis, probe);
    if (more > least)
      most = std::min(most, unit + int64_t(double(budget - least) / double(more - least) *
                                           double(probe - unit)));
  }
  while (true) {
    choice.piece = shape(cut, std::max(most, unit), unit);
    choice.need = needOf(axis, choice.piece);
    choice.fits = choice.need <= budget;
    if (choice.fits || choice.piece <= unit)
      break;
    most = choice.piece - std::max(unit, choice.piece / 8);
  }
  choice.isShort = cut.isInnermost() && cut.otherLanes() > 1 &&
                   choice.piece * cut.elementBits().second < kShortRowBits;
  return choice;
}

void Search::apply(const Choice &choice, Outcome &outcome) {
  Axes axes(function);
  Cut cut(axes, choice.axis);
  Refusal refusal;
  [[maybe_unused]] bool isLegal = cut.plan(refusal);
  assert(isLegal && "planned before");
  Location loc = function.getLoc();
  if (!cut.getPhases().empty())
    loc = cut.getPhases().back().ends.back()->getLoc();
  outcome.cuts.push_back({loc, cut.size(), choice.piece, cut.getPhases().size()});
  SmallVector<Operation *> made = cut.apply(choice.piece);
  shareValues(function, made);
}

} // namespace

Outcome cutToFit(func::FuncOp function, const machine::Machine &machine, int64_t budget) {
  return Search(function, machine, budget).run();
}

} // namespace kiln::npu::fit
