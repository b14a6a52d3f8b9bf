//===- Search.cpp - which axis to cut, and into what -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Search.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/OwningOpRef.h"
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
/// Rows, then columns, of several unrelated tiles.
constexpr int kMaxCuts = 8;

class Search {
public:
  Search(func::FuncOp function, const machine::Machine &machine, int64_t budget)
      : function(function), machine(machine), budget(budget) {}

  Outcome run();

private:
  struct Choice {
    unsigned axis = 0;
    int64_t piece = 0;
    int64_t need = 0;
  };

  /// True if a cut was made.
  bool cutOnce(Outcome &outcome, bool mayReduce);
  SmallVector<unsigned> candidates(const Axes &axes, const Footprint &now) const;
  /// What the pieces of a copy of the function need.
  int64_t needOf(unsigned axis, int64_t piece);
  /// The piece for one axis; `fits` is false if even the smallest is too large.
  Choice choose(const Cut &cut, unsigned axis, int64_t now, bool &fits);
  int64_t shape(const Cut &cut, int64_t most, int64_t unit) const;
  void apply(const Choice &choice, Outcome &outcome);

  func::FuncOp function;
  const machine::Machine &machine;
  int64_t budget;
};

Outcome Search::run() {
  Outcome outcome;
  for (int round = 0; round != kMaxCuts; ++round) {
    outcome.footprint = footprintOf(function, machine);
    outcome.fits = outcome.footprint.live <= budget;
    outcome.stops.clear();
    // A tile that fits as it is may be cut for the sake of overlap, unless it would be read twice.
    if (outcome.fits && (round > 0 || outcome.footprint.withRings() <= budget))
      break;
    if (!cutOnce(outcome, /*mayReduce=*/!outcome.fits))
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
  std::optional<Choice> best;
  int64_t now = mayReduce ? outcome.footprint.live : outcome.footprint.withRings();
  for (unsigned axis : candidates(axes, outcome.footprint)) {
    Cut cut(axes, axis);
    Refusal refusal;
    if (!mayReduce && cut.isReduced())
      continue;
    if (!cut.plan(refusal)) {
      outcome.stops.push_back({cut.size(), refusal});
      continue;
    }
    bool fits = false;
    Choice choice = choose(cut, axis, outcome.footprint.withRings(), fits);
    if (fits) {
      apply(choice, outcome);
      return true;
    }
    outcome.stops.push_back({cut.size(), {}});
    if (choice.piece && choice.need < now - now / 8 && (!best || choice.need < best->need))
      best = choice;
  }
  // The other dimension in the next round.
  if (!best || !mayReduce)
    return false;
  apply(*best, outcome);
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
  return footprintOf(*copy, machine, made).withRings();
}

int64_t Search::shape(const Cut &cut, int64_t most, int64_t unit) const {
  int64_t size = cut.size();
  int64_t large = llvm::divideCeil(kTransferBytes * 8, cut.elementBits().second * cut.otherLanes());
  int64_t piece =
      std::min({most, std::max<int64_t>(llvm::divideCeil(size, kPieces), large), size - 1});
  piece = std::max(piece / unit * unit, unit);
  for (int64_t even = piece; even >= unit && even * 4 >= piece * 3; even -= unit)
    if (size % even == 0)
      return even;
  int64_t count = llvm::divideCeil(size, piece);
  return std::min<int64_t>(piece, llvm::alignTo(llvm::divideCeil(size, count), unit));
}

Search::Choice Search::choose(const Cut &cut, unsigned axis, int64_t now, bool &fits) {
  int64_t unit = cut.isInnermost() ? kUnitBits / cut.elementBits().first : 1;
  Choice choice{axis, 0, std::numeric_limits<int64_t>::max()};
  if (cut.size() <= unit)
    return choice;
  int64_t least = needOf(axis, unit);
  if (least > budget)
    return {axis, unit, least};
  // What pieces need grows linearly with their size.
  int64_t probe = std::max<int64_t>(unit * 2, cut.size() / 2 / unit * unit);
  probe = std::min(probe, cut.size() - 1);
  int64_t most = cut.size() - 1;
  if (probe > unit) {
    int64_t more = needOf(axis, probe);
    if (more > least)
      most = std::min(most, unit + int64_t(double(budget - least) / double(more - least) *
                                           double(probe - unit)));
  }
  while (true) {
    choice.piece = shape(cut, std::max(most, unit), unit);
    choice.need = needOf(axis, choice.piece);
    fits = choice.need <= budget;
    if (fits || choice.piece <= unit)
      return choice;
    most = choice.piece - std::max(unit, choice.piece / 8);
  }
}

void Search::apply(const Choice &choice, Outcome &outcome) {
  Axes axes(function);
  Cut cut(axes, choice.axis);
  Refusal refusal;
  [[maybe_unused]] bool isLegal = cut.plan(refusal);
  assert(isLegal && "planned before");
  Location loc =
      cut.getPhases().empty() ? function.getLoc() : cut.getPhases().back().ends.back()->getLoc();
  outcome.cuts.push_back(
      {loc, cut.size(), choice.piece, int64_t(cut.getPhases().size()), cut.isReduced()});
  cut.apply(choice.piece);
}

} // namespace

Outcome cutToFit(func::FuncOp function, const machine::Machine &machine, int64_t budget) {
  return Search(function, machine, budget).run();
}

} // namespace kiln::npu::fit
