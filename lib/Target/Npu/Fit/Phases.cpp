//===- Phases.cpp - which ends of an axis go into one loop -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Cut.h"

#include "kiln/Analysis/MemoryOrder.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln::npu::fit {

namespace {

SmallVector<Operation *> accessesIn(Operation *op) {
  SmallVector<Operation *> accesses;
  op->walk([&](Operation *inner) {
    if (MemoryOrder::isAccess(inner))
      accesses.push_back(inner);
  });
  return accesses;
}

/// All values that the operation, or what is inside, takes from outside.
SmallVector<Value> usesOf(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  if (op->getNumRegions())
    getUsedValuesDefinedAbove(op->getRegions(), values);
  return values.takeVector();
}

} // namespace

class PhasePlanner {
public:
  PhasePlanner(Cut &cut, Refusal &refusal) : cut(cut), refusal(refusal) {}

  bool run() {
    if (!findMembers() || !checkMembers())
      return false;
    for (Operation &op : *cut.block)
      if (!visit(&op))
        return false;
    close(cut.block->getTerminator());
    return checkReloads();
  }

private:
  bool refuse(Operation *op, std::string reason, Operation *other = nullptr) {
    refusal = {op, std::move(reason), other};
    return false;
  }

  bool isAlong(Value value) const { return cut.axes.dimAlong(value, cut.axis).has_value(); }
  bool isAlong(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value v) { return isAlong(v); }) ||
           llvm::any_of(op->getResults(), [&](Value v) { return isAlong(v); });
  }
  bool isReduction(Operation *op) const {
    return llvm::is_contained(cut.axes.all()[cut.axis].reductions, op);
  }

  bool findMembers();
  bool checkMembers();
  bool checkNested(Operation *member);
  bool visit(Operation *op);
  bool addEnd(Operation *op);
  void close(Operation *before);
  SmallVector<Operation *> sliceOf(Operation *end) const;

  // Memory.
  bool inLoop(Operation *access) const;
  bool isSameEachTime(Operation *write);
  bool mayMix(Operation *a, Operation *b);
  bool mayReorder(Operation *a, Operation *b);
  bool fits(Operation *end, Operation *&first, Operation *&second);
  bool checkReloads();

  Cut &cut;
  Refusal &refusal;
  MemoryOrder order;
  llvm::DenseSet<Operation *> members;
  llvm::DenseMap<Operation *, unsigned> phaseOf; ///< of ends
  /// The first phase that may use the results of an operation, if not the first of all.
  llvm::DenseMap<Operation *, unsigned> ready;
  llvm::SetVector<Operation *> open; ///< the slices of the phase that is not closed
  SmallVector<Operation *> openEnds;
};

//===-----------------------------------------------------------------------------------------===//
// Members
//===-----------------------------------------------------------------------------------------===//

bool PhasePlanner::findMembers() {
  SmallVector<Operation *> direct;
  auto take = [&](Operation *op) {
    if (!isa<scf::YieldOp>(op) && !isa<tile::ReduceOp>(op->getParentOp()))
      direct.push_back(op);
  };
  llvm::DenseSet<Operation *> seen;
  for (Axis::Member member : cut.axes.all()[cut.axis].members) {
    Operation *def = member.value.getDefiningOp();
    if (!def)
      def = member.value.getParentBlock()->getParentOp();
    if (seen.insert(def).second)
      take(def);
    for (Operation *user : member.value.getUsers())
      if (seen.insert(user).second)
        take(user);
  }
  Block *common = direct.front()->getBlock();
  for (Operation *op : direct)
    while (!common->findAncestorOpInBlock(*op))
      common = common->getParentOp()->getBlock();
  cut.block = common;
  for (Operation *op : direct)
    members.insert(common->findAncestorOpInBlock(*op));
  for (Operation &op : *common)
    if (members.contains(&op))
      cut.members.push_back(&op);
  return true;
}

bool PhasePlanner::checkMembers() {
  const Axis &axis = cut.axes.all()[cut.axis];
  if (axis.fixedBy)
    return refuse(axis.fixedBy, axis.reason);
  for (Operation *op : cut.members) {
    if (isa<scf::WhileOp>(op))
      return refuse(op, "it runs as long as a condition holds");
    if (isa<scf::ForOp, scf::IfOp>(op) && !checkNested(op))
      return false;
    if (op->hasAttr("is_volatile"))
      return refuse(op, "it is volatile");
    bool isOuter = true;
    for (Value value : op->getOperands())
      if (std::optional<unsigned> dim = cut.axes.dimAlong(value, cut.axis))
        if (auto view = dyn_cast<tile::ViewType>(value.getType()))
          isOuter &=
              llvm::all_of(view.getShape().take_front(*dim), [](int64_t n) { return n == 1; });
    if (auto scatter = dyn_cast<tile::ScatterOp>(op)) {
      auto shape = scatter.getOffsets().getType().getShape();
      unsigned dim = *cut.axes.dimAlong(scatter.getOffsets(), cut.axis);
      isOuter = llvm::all_of(shape.take_front(dim), [](int64_t n) { return n == 1; });
    }
    // Pieces of an inner dimension change which of two lanes with one address comes last.
    if (MemoryOrder::isWrite(op) && !isOuter && order.relate(op, op) != Relation::SameLanes)
      return refuse(op, "several of its lanes may have one address, and the last of them counts");
  }
  return true;
}

/// A loop or branch that the axis passes through.
bool PhasePlanner::checkNested(Operation *member) {
  bool isFine = true;
  member->walk([&](Operation *inner) {
    if (!isFine || inner == member)
      return;
    if (isReduction(inner))
      isFine = refuse(inner, "it folds the axis inside of a loop or branch that the axis passes");
    else if (isa<scf::WhileOp>(inner))
      isFine = refuse(inner, "it runs as long as a condition holds");
    else if (inner->hasAttr("is_volatile"))
      isFine = refuse(inner, "it is volatile");
    else if (isAlong(inner) && MemoryOrder::isWrite(inner) && inLoop(inner) &&
             !isSameEachTime(inner))
      isFine =
          refuse(inner, "lanes of different pieces may share addresses in different iterations");
    else if ((MemoryOrder::isWrite(inner) || isa<tile::PrintOp>(inner)) && !isAlong(inner))
      isFine = refuse(inner, "it would run once for each piece");
  });
  if (!isFine)
    return false;
  for (Value result : member->getResults())
    if (!isAlong(result))
      for (Operation *user : result.getUsers())
        if (Operation *here = cut.block->findAncestorOpInBlock(*user); !members.contains(here))
          return refuse(member, "it also makes values that do not lie along the axis");
  return true;
}

//===-----------------------------------------------------------------------------------------===//
// Phases
//===-----------------------------------------------------------------------------------------===//

SmallVector<Operation *> PhasePlanner::sliceOf(Operation *end) const {
  llvm::SetVector<Operation *> slice;
  slice.insert(end);
  for (size_t next = 0; next < slice.size(); ++next)
    for (Value value : usesOf(slice[next])) {
      Operation *def = value.getDefiningOp();
      if (def && def->getBlock() == cut.block && members.contains(def) && !isReduction(def))
        slice.insert(def);
    }
  return slice.takeVector();
}

bool PhasePlanner::visit(Operation *op) {
  unsigned from = 0;
  for (Value value : usesOf(op))
    if (Operation *def = value.getDefiningOp(); def && def->getBlock() == cut.block)
      from = std::max(from, isReduction(def) ? phaseOf.lookup(def) + 1 : ready.lookup(def));
  ready[op] = from;
  bool isMember = members.contains(op);
  bool isEnd = isMember && (isReduction(op) || !isMemoryEffectFree(op)) && !isa<tile::LoadOp>(op) &&
               !isa<tile::GatherOp>(op);
  if (isEnd && op->getNumRegions() && !isReduction(op)) {
    // A region that only reads is made again like a load.
    isEnd = false;
    op->walk([&](Operation *inner) {
      isEnd |= inner != op && !inner->getNumRegions() && !isMemoryEffectFree(inner) &&
               !isa<tile::LoadOp, tile::GatherOp, tile::PtrLoadOp>(inner);
    });
  }
  if (isEnd) {
    if (from > cut.phases.size())
      close(op);
    return addEnd(op);
  }
  if (isMember)
    return true;
  if (from > cut.phases.size()) {
    close(op);
    return true;
  }
  for (Operation *access : accessesIn(op))
    for (Operation *member : open)
      for (Operation *other : accessesIn(member))
        if (!mayReorder(access, other)) {
          close(op);
          return true;
        }
  return true;
}

bool PhasePlanner::addEnd(Operation *op) {
  Operation *first = nullptr, *second = nullptr;
  if (!fits(op, first, second)) {
    if (!openEnds.empty())
      close(op);
    if (!fits(op, first, second))
      return refuse(op, "pieces of it may overwrite what other pieces have yet to read",
                    first == op ? second : first);
  }
  for (Operation *member : sliceOf(op))
    open.insert(member);
  openEnds.push_back(op);
  phaseOf[op] = cut.phases.size();
  return true;
}

void PhasePlanner::close(Operation *before) {
  if (openEnds.empty())
    return;
  Phase phase;
  phase.ends = openEnds;
  phase.slice = open.takeVector();
  llvm::sort(phase.slice, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  phase.before = before;
  phase.hasReductions = llvm::any_of(openEnds, [&](Operation *op) { return isReduction(op); });
  for (Operation *op : phase.slice)
    op->walk([&](Operation *inner) {
      phase.isExact |=
          isa<tile::GatherOp, tile::ScatterOp, tile::AssertOp>(inner) && isAlong(inner);
    });
  cut.phases.push_back(std::move(phase));
  open.clear();
  openEnds.clear();
}

//===-----------------------------------------------------------------------------------------===//
// Memory
//===-----------------------------------------------------------------------------------------===//

bool PhasePlanner::inLoop(Operation *access) const {
  for (Operation *up = access->getParentOp(); up && up != cut.block->getParentOp();
       up = up->getParentOp())
    if (isa<LoopLikeOpInterface>(up))
      return true;
  return false;
}

/// Each lane of a store in a loop has one address in all iterations, and no other lane has it.
bool PhasePlanner::isSameEachTime(Operation *write) {
  auto store = dyn_cast<tile::StoreOp>(write);
  auto view = store ? store.getView().getDefiningOp<tile::ViewOp>() : tile::ViewOp();
  return view && order.relate(write, write) == Relation::SameLanes &&
         llvm::all_of(view->getOperands(), [&](Value value) {
           return value.getParentRegion()->isAncestor(cut.block->getParent());
         });
}

/// May the pieces of both run in one loop?
bool PhasePlanner::mayMix(Operation *a, Operation *b) {
  if (!MemoryOrder::isWrite(a) && !MemoryOrder::isWrite(b))
    return true;
  if (inLoop(a) || inLoop(b)) // the analysis compares single executions
    return MemoryOrder::neverAlias(a, b);
  if (order.mayReorder(a, b))
    return true;
  if (!order.mayInterleave(a, b))
    return false;
  // The same lanes, if the axis is the same dimension of both.
  return cut.axes.dimAlong(a->getOperand(0), cut.axis) ==
             cut.axes.dimAlong(b->getOperand(0), cut.axis) &&
         isAlong(a->getOperand(0));
}

bool PhasePlanner::mayReorder(Operation *a, Operation *b) {
  if (!MemoryOrder::isWrite(a) && !MemoryOrder::isWrite(b))
    return true;
  if (inLoop(a) || inLoop(b))
    return MemoryOrder::neverAlias(a, b);
  return order.mayReorder(a, b);
}

/// Whether the end and what it needs may join the open phase.
bool PhasePlanner::fits(Operation *end, Operation *&first, Operation *&second) {
  SmallVector<Operation *> all(open.begin(), open.end());
  SmallVector<Operation *> slice = sliceOf(end);
  llvm::append_range(all, slice);
  for (Operation *member : slice)
    for (Operation *a : accessesIn(member))
      for (Operation *other : all)
        for (Operation *b : accessesIn(other))
          if (a != b && !mayMix(a, b)) {
            first = a;
            second = b;
            return false;
          }
  return true;
}

/// What a phase reads again must still be there: no write that came after the read is done earlier.
bool PhasePlanner::checkReloads() {
  for (auto [number, phase] : llvm::enumerate(cut.phases)) {
    for (Operation *member : phase.slice) {
      for (Operation *read : accessesIn(member)) {
        for (Operation &op : *cut.block) {
          bool isEarlier = members.contains(&op)
                               ? phaseOf.count(&op) && phaseOf.lookup(&op) < number
                               : op.isBeforeInBlock(phase.before);
          if (!isEarlier || !member->isBeforeInBlock(&op))
            continue;
          for (Operation *write : accessesIn(&op))
            if (!mayReorder(read, write))
              return refuse(read,
                            "it has to be read again for each pass, after a store that may "
                            "have changed it",
                            write);
        }
      }
    }
    // A loop that stores runs in one phase only.
    for (Operation *member : phase.slice)
      if (auto found = phaseOf.find(member); found != phaseOf.end() && found->second != number)
        return refuse(member, "it stores, and its values are needed in several passes");
  }
  return true;
}

bool Cut::plan(Refusal &refusal) { return PhasePlanner(*this, refusal).run(); }

std::pair<unsigned, unsigned> Cut::elementBits() const {
  unsigned least = 32, most = 8;
  for (const Axis::Member &member : axes.all()[axis].members)
    if (auto tensor = dyn_cast<RankedTensorType>(member.value.getType());
        tensor && tensor.getElementType().isIntOrFloat() && tensor.getElementTypeBitWidth() >= 8) {
      least = std::min(least, tensor.getElementTypeBitWidth());
      most = std::max(most, tensor.getElementTypeBitWidth());
    }
  return {least, most};
}

int64_t Cut::otherLanes() const {
  int64_t lanes = 1;
  for (const Axis::Member &member : axes.all()[axis].members)
    if (auto view = dyn_cast<tile::ViewType>(member.value.getType()))
      lanes = std::max(lanes, ShapedType::getNumElements(view.getShape()) / size());
  return lanes;
}

bool Cut::isInnermost() const {
  for (const Axis::Member &member : axes.all()[axis].members)
    if (auto tensor = dyn_cast<RankedTensorType>(member.value.getType()))
      if (llvm::any_of(tensor.getShape().drop_front(member.dim + 1),
                       [](int64_t n) { return n != 1; }))
        return false;
  return true;
}

} // namespace kiln::npu::fit
