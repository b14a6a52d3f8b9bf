//===- MemoryOrder.cpp - which accesses may be reordered or cut ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Analysis/MemoryOrder.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

//===-----------------------------------------------------------------------------------------===//
// Where pointers come from
//===-----------------------------------------------------------------------------------------===//

/// Collects the kernel arguments a pointer can come from; false if it can come from elsewhere.
static bool collectOrigins(Value pointer, SmallVectorImpl<BlockArgument> &origins) {
  if (auto argument = dyn_cast<BlockArgument>(pointer)) {
    origins.push_back(argument);
    return isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  }
  Operation *op = pointer.getDefiningOp();
  if (isa<AddPtrOp, PtrCastOp, HintOp, tensor::SplatOp>(op))
    return collectOrigins(op->getOperand(0), origins);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return collectOrigins(select.getTrueValue(), origins) &&
           collectOrigins(select.getFalseValue(), origins);
  return false;
}

static std::optional<int64_t> aliasSetOf(BlockArgument argument) {
  auto function = cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  auto set = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kAliasSetAttr);
  return set ? std::optional(set.getInt()) : std::nullopt;
}

/// Memory that pointers from elsewhere do not reach?
static bool isPrivate(BlockArgument argument) {
  auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function && function.getArgAttr(argument.getArgNumber(), kPrivateAttr);
}

bool MemoryOrder::mayAlias(Value pointerA, Value pointerB) {
  SmallVector<BlockArgument> originsA, originsB;
  bool knownA = collectOrigins(pointerA, originsA), knownB = collectOrigins(pointerB, originsB);
  if (!knownA || !knownB)
    return !(knownA && llvm::all_of(originsA, isPrivate)) &&
           !(knownB && llvm::all_of(originsB, isPrivate));
  for (BlockArgument a : originsA)
    for (BlockArgument b : originsB) {
      if (a != b && (isPrivate(a) || isPrivate(b)))
        continue;
      std::optional<int64_t> setA = aliasSetOf(a), setB = aliasSetOf(b);
      if (a == b || !setA || !setB || setA == setB)
        return true;
    }
  return false;
}

//===-----------------------------------------------------------------------------------------===//
// What an access touches
//===-----------------------------------------------------------------------------------------===//

namespace {
/// Elements `base + offset + sum_d stride_d * i_d`, 0 <= i_d < size_d, of which only those with
/// i_d < upper_d are touched (where there is an upper bound). Wrapped dimensions are not described.
struct Footprint {
  Value base;
  LinearExpr offset;
  SmallVector<LinearExpr> strides;
  SmallVector<int64_t> sizes;
  SmallVector<std::optional<LinearExpr>> uppers;
  bool wraps = false;
};
} // namespace

bool MemoryOrder::isAccess(Operation *op) {
  return isa<LoadOp, StoreOp, GatherOp, ScatterOp, PtrLoadOp, PtrStoreOp>(op);
}

bool MemoryOrder::isWrite(Operation *op) { return isa<StoreOp, ScatterOp, PtrStoreOp>(op); }

static bool isVolatile(Operation *op) { return op->hasAttr("is_volatile"); }

/// The pointer of an access: the base of a view, gather or scatter, else the pointer operand.
static Value pointerOf(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    op = load.getView().getDefiningOp();
  else if (auto store = dyn_cast<StoreOp>(op))
    op = store.getView().getDefiningOp();
  if (!op)
    return {};
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return scatter.getBase();
  return op->getOperand(0); // view, gather, ptr_load, ptr_store
}

/// Moves scalar pointer arithmetic from the base into the offset.
static void peelBase(Footprint &print, LinearExprs &exprs) {
  while (auto add = print.base.getDefiningOp<AddPtrOp>()) {
    print.base = add.getPtr();
    print.offset = print.offset + exprs.get(add.getOffset());
  }
}

/// Describes a load or store of a view, or of a scalar pointer; nothing for other accesses.
static std::optional<Footprint> footprintOf(Operation *op, LinearExprs &exprs) {
  Footprint print;
  ValueRange uppers;
  ViewOp view;
  if (auto load = dyn_cast<LoadOp>(op)) {
    view = load.getView().getDefiningOp<ViewOp>();
    uppers = load.getUpper();
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    view = store.getView().getDefiningOp<ViewOp>();
    uppers = store.getUpper();
  } else if (isa<PtrLoadOp, PtrStoreOp>(op) && isa<PtrType>(op->getOperand(0).getType())) {
    print.base = op->getOperand(0);
    peelBase(print, exprs);
    return print;
  }
  if (!view)
    return std::nullopt;
  print.base = view.getBase();
  print.offset = exprs.get(view.getOffset());
  print.wraps = !view.getWrapDims().empty();
  llvm::append_range(print.sizes, view.getType().getShape());
  for (OpFoldResult stride : view.getMixedStrides())
    if (auto value = dyn_cast<Value>(stride))
      print.strides.push_back(exprs.get(value));
    else
      print.strides.emplace_back(cast<IntegerAttr>(cast<Attribute>(stride)).getInt());
  print.uppers.resize(print.sizes.size());
  for (auto [index, upper] : llvm::enumerate(uppers))
    print.uppers[index] = exprs.get(upper);
  peelBase(print, exprs);
  return print;
}

//===-----------------------------------------------------------------------------------------===//
// Comparing two of them
//===-----------------------------------------------------------------------------------------===//

/// Do the touched lanes of one access have addresses that differ pairwise? Dimensions are taken
/// from the smallest stride up; each must step over all that the smaller ones reach. A stride that
/// is a scalar `s` does so if the smaller ones reach less than `s` because a bound says so (rows of
/// a dense matrix): for s <= 0 no lane is left.
static bool isInjective(const Footprint &print) {
  if (print.wraps)
    return false;
  SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < print.sizes.size(); ++dim)
    if (print.sizes[dim] > 1)
      order.push_back(dim);
  auto magnitude = [&](unsigned dim) {
    std::optional<int64_t> stride = print.strides[dim].asConstant();
    return stride ? std::abs(*stride) : std::numeric_limits<int64_t>::max();
  };
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(magnitude(a), a) < std::pair(magnitude(b), b);
  });

  int64_t reach = 0; // largest distance within the smaller dimensions
  std::optional<LinearExpr> boundedReach =
      LinearExpr(0); // the same, by their bounds, plus one below
  for (unsigned dim : order) {
    std::optional<int64_t> stride = print.strides[dim].asConstant();
    bool byBound = false;
    if (!stride) {
      if (!boundedReach)
        return false;
      // stride - boundedReach >= 1, where boundedReach = stride_inner * (upper - 1).
      std::optional<int64_t> slack = (print.strides[dim] - *boundedReach).asConstant();
      byBound = slack && *slack >= 1;
      if (!byBound)
        return false;
      boundedReach = std::nullopt;
      reach = std::numeric_limits<int64_t>::max();
      continue;
    }
    if (std::abs(*stride) <= reach)
      return false;
    int64_t extent;
    if (__builtin_mul_overflow(std::abs(*stride), print.sizes[dim] - 1, &extent) ||
        __builtin_add_overflow(reach, extent, &reach))
      return false;
    if (boundedReach && *stride > 0 && print.uppers[dim])
      boundedReach = *boundedReach + (*print.uppers[dim] - 1) * *stride;
    else
      boundedReach = boundedReach ? std::optional(*boundedReach + extent) : std::nullopt;
  }
  return true;
}

/// One of the ways to write how far past its offset an access can touch: by the static sizes, and,
/// in the dimension `boundDim`, by the upper bound. Only for constant strides; `least` likewise for
/// the other side.
static std::optional<LinearExpr> farthest(const Footprint &print, int boundDim) {
  LinearExpr end;
  for (unsigned dim = 0; dim < print.sizes.size(); ++dim) {
    std::optional<int64_t> stride = print.strides[dim].asConstant();
    if (!stride)
      return std::nullopt;
    if (*stride <= 0)
      continue;
    if (int(dim) == boundDim)
      end = end + (*print.uppers[dim] - 1) * *stride;
    else
      end = end + *stride * (print.sizes[dim] - 1);
  }
  return end;
}

static std::optional<int64_t> nearest(const Footprint &print) {
  int64_t start = 0;
  for (unsigned dim = 0; dim < print.sizes.size(); ++dim) {
    std::optional<int64_t> stride = print.strides[dim].asConstant();
    if (!stride)
      return std::nullopt;
    start += std::min<int64_t>(0, *stride) * (print.sizes[dim] - 1);
  }
  return start;
}

/// Does `low` end before `high` starts? `distance` is high's offset minus low's.
static bool endsBefore(const Footprint &low, const Footprint &high, const LinearExpr &distance,
                       IntegerFacts &facts) {
  std::optional<int64_t> start = nearest(high);
  if (!start)
    return false;
  for (int boundDim = -1; boundDim < int(low.sizes.size()); ++boundDim) {
    if (boundDim >= 0 && !low.uppers[boundDim])
      continue;
    std::optional<LinearExpr> end = farthest(low, boundDim);
    if (end && facts.get(distance + *start - *end).lower >= 1)
      return true;
  }
  return false;
}

/// Even and odd elements: all strides are multiples of g, the distance is not.
static bool inOtherResidue(const Footprint &a, const Footprint &b, const LinearExpr &distance) {
  int64_t divisor = 0;
  auto include = [&](const LinearExpr &expr) {
    divisor = std::gcd(divisor, expr.getConstant());
    for (const LinearTerm &term : expr.getTerms())
      divisor = std::gcd(divisor, term.coefficient);
  };
  for (const Footprint *print : {&a, &b})
    for (auto [stride, size] : llvm::zip(print->strides, print->sizes))
      if (size > 1)
        include(stride);
  include(distance - distance.getConstant());
  return divisor > 1 && distance.getConstant() % divisor != 0;
}

/// One `step * n` of a difference of addresses, first <= n <= last.
struct Steps {
  int64_t step, first, last;
};

/// Can the steps sum up to `distance`? They are sorted, the largest first, so that each leaves few
/// choices to reach what the smaller ones can make up. True where that takes too long to tell.
static bool canReach(ArrayRef<Steps> steps, int64_t distance, int &budget) {
  if (steps.empty())
    return distance == 0;
  if (--budget < 0)
    return true;
  int64_t least = 0, most = 0; // of the smaller ones
  for (const Steps &inner : steps.drop_front()) {
    least += inner.step * inner.first;
    most += inner.step * inner.last;
  }
  auto [step, first, last] = steps.front();
  first = std::max(first, llvm::divideCeilSigned(distance - most, step));
  last = std::min(last, llvm::divideFloorSigned(distance - least, step));
  for (int64_t n = first; n <= last; ++n)
    if (canReach(steps.drop_front(), distance - step * n, budget))
      return true;
  return false;
}

/// Two columns, or two tiles, of one matrix: no two lanes are `distance` apart, by static sizes.
static bool skipsDistance(const Footprint &a, const Footprint &b, const LinearExpr &distance) {
  constexpr int64_t kLargest = int64_t(1) << 40; // no sum of a few products overflows
  std::optional<int64_t> target = distance.asConstant();
  auto isLarge = [](int64_t number) { return number < -kLargest || number > kLargest; };
  if (!target || isLarge(*target))
    return false;
  SmallVector<Steps> steps;
  // Offset and lane of a equal those of b: target = sum over a - sum over b.
  auto include = [&](const Footprint &print, int64_t sign) {
    for (auto [stride, size] : llvm::zip(print.strides, print.sizes)) {
      std::optional<int64_t> step = stride.asConstant();
      if (!step || isLarge(*step) || size > kLargest / std::max<int64_t>(1, std::abs(*step)))
        return false;
      if (size == 1 || *step == 0)
        continue;
      int64_t first = 0, last = size - 1;
      if (*step * sign < 0)
        std::tie(first, last) = std::pair(-last, -first);
      Steps *same =
          llvm::find_if(steps, [&](Steps &other) { return other.step == std::abs(*step); });
      if (same == steps.end())
        same = &steps.emplace_back(Steps{std::abs(*step), 0, 0});
      same->first += first;
      same->last += last;
    }
    return true;
  };
  if (!include(a, 1) || !include(b, -1))
    return false;
  llvm::sort(steps, [](const Steps &x, const Steps &y) { return x.step > y.step; });
  int budget = 1000;
  return !canReach(steps, *target, budget);
}

static bool isDisjoint(const Footprint &a, const Footprint &b, IntegerFacts &facts) {
  if (a.wraps || b.wraps)
    return false;
  LinearExpr distance = b.offset - a.offset;
  return skipsDistance(a, b, distance) || endsBefore(a, b, distance, facts) ||
         endsBefore(b, a, distance * -1, facts) || inOtherResidue(a, b, distance);
}

static bool isSameLanes(const Footprint &a, const Footprint &b) {
  if (!(a.offset == b.offset) || a.sizes != b.sizes || a.wraps || b.wraps)
    return false;
  for (auto [strideA, strideB, size] : llvm::zip(a.strides, b.strides, a.sizes))
    if (size > 1 && !(strideA == strideB))
      return false;
  if (a.sizes.empty())
    return true;
  // Lane i of one and lane j of the other differ only if the bounds that tell lanes apart hold for
  // both.
  Footprint common = a;
  for (auto [upper, other] : llvm::zip(common.uppers, b.uppers))
    if (upper && !(other && *upper == *other))
      upper = std::nullopt;
  return isInjective(common);
}

bool MemoryOrder::neverAlias(Operation *a, Operation *b) {
  Value pointerA = pointerOf(a), pointerB = pointerOf(b);
  return pointerA && pointerB && !mayAlias(pointerA, pointerB);
}

Relation MemoryOrder::relateUncached(Operation *a, Operation *b) {
  Value pointerA = pointerOf(a), pointerB = pointerOf(b);
  if (!pointerA || !pointerB)
    return Relation::Unknown;
  if (!mayAlias(pointerA, pointerB))
    return Relation::Disjoint;
  std::optional<Footprint> printA = footprintOf(a, exprs), printB = footprintOf(b, exprs);
  if (!printA || !printB || printA->base != printB->base)
    return Relation::Unknown;
  if (isDisjoint(*printA, *printB, facts))
    return Relation::Disjoint;
  return isSameLanes(*printA, *printB) ? Relation::SameLanes : Relation::Unknown;
}

Relation MemoryOrder::relate(Operation *a, Operation *b) {
  if (!isAccess(a) || !isAccess(b))
    return Relation::Unknown;
  if (std::less<>()(b, a))
    std::swap(a, b);
  auto [entry, inserted] = known.try_emplace({a, b}, Relation::Unknown);
  if (inserted)
    entry->second = relateUncached(a, b);
  return entry->second;
}

bool MemoryOrder::mayReorder(Operation *a, Operation *b) {
  if (!isAccess(a) || !isAccess(b) || (isVolatile(a) && isVolatile(b)))
    return false;
  return (!isWrite(a) && !isWrite(b)) || relate(a, b) == Relation::Disjoint;
}

bool MemoryOrder::mayInterleave(Operation *first, Operation *second) {
  return mayReorder(first, second) ||
         (isAccess(first) && isAccess(second) && relate(first, second) == Relation::SameLanes);
}
