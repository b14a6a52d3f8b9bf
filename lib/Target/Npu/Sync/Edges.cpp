//===- Edges.cpp - pairs of accesses whose order matters -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Edges.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// More slots than this would use up the ids of a pair of pipes.
constexpr int64_t mostSlots = 4;

/// An instruction with what it touches.
struct Node {
  Operation *op;
  machine::Pipe pipe;
  SmallVector<Touch> touches;
};

/// The innermost block that holds ancestors of both, and those ancestors.
struct Common {
  Operation *a = nullptr, *b = nullptr;
};
Common commonAncestors(Operation *a, Operation *b) {
  for (Operation *up = a; up; up = up->getParentOp())
    if (Operation *other = up->getBlock()->findAncestorOpInBlock(*b))
      return {up, other};
  llvm_unreachable("both are in one function");
}

class EdgeFinder {
public:
  EdgeFinder(func::FuncOp function, bool onlyUnnamed)
      : dominance(function), onlyUnnamed(onlyUnnamed) {}

  void collect(func::FuncOp function, Program &program) {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      std::optional<machine::Pipe> pipe = pipeOf(op);
      if (!pipe)
        return;
      program.instructions.push_back(op);
      program.position[op] = Position(program.instructions.size());
      nodes.push_back({op, *pipe, table.touches(op)});
      if (onlyUnnamed)
        llvm::erase_if(nodes.back().touches,
                       [](const Touch &touch) { return touch.global || touch.named; });
    });
    for (size_t later = 0; later < nodes.size(); ++later)
      for (size_t earlier = 0; earlier <= later; ++earlier)
        relate(nodes[earlier], nodes[later], program);
  }

private:
  /// How the two meet, most strictly; in a slot, in which.
  struct Relation {
    Meeting meeting = Meeting::Never;
    std::optional<SlotPair> slots; ///< cause: the first in program order
  };

  void relate(const Node &first, const Node &second, Program &program) {
    Relation relation;
    bool carried = false;       // some touch meets one of another execution
    bool carriedGlobal = false; // and that in global memory, where slots say nothing
    Common common = commonAncestors(first.op, second.op);
    for (const Touch &a : first.touches)
      for (const Touch &b : second.touches) {
        if (!a.write && !b.write)
          continue;
        Meeting meeting = table.meet(a, b);
        bool laterToo = meeting != Meeting::Never;
        if (a.global && b.global) {
          // Within one iteration they may be apart, and yet meet in different ones.
          laterToo = meetInLaterIterations(a, b, common.a->getBlock());
          carriedGlobal |= laterToo;
        }
        carried |= laterToo;
        merge(relation, meeting, a, b);
      }
    if (relation.meeting == Meeting::Never && !carried)
      return;
    if (relation.meeting != Meeting::InSlot || !usable(*relation.slots, common))
      relation.slots.reset();

    bool sameInstruction = first.op == second.op;
    bool exclusive = common.a == common.b && !sameInstruction;
    bool meetNow =
        relation.meeting != Meeting::Never && (!relation.slots || relation.slots->sameNow());
    if (!sameInstruction && !exclusive && meetNow)
      add(program, first, second, common.a, common.b, relation.slots, /*carried=*/false);
    if (!carried || !loopAround(common.a->getBlock()))
      return;
    if (carriedGlobal)
      relation.slots.reset();
    std::optional<SlotPair> reversed = relation.slots;
    if (reversed)
      std::swap(reversed->cause, reversed->effect);
    add(program, second, first, common.b, common.a, reversed, /*carried=*/true);
    if (exclusive || !meetNow)
      add(program, first, second, common.a, common.b, relation.slots, /*carried=*/true);
  }

  static void merge(Relation &relation, Meeting meeting, const Touch &a, const Touch &b) {
    if (meeting == Meeting::Never)
      return;
    SlotPair slots{a.slot, b.slot};
    bool other = relation.meeting == Meeting::InSlot && meeting == Meeting::InSlot &&
                 *relation.slots != slots;
    relation.meeting = other ? Meeting::Always : std::max(relation.meeting, meeting);
    if (meeting == Meeting::InSlot && !relation.slots)
      relation.slots = slots;
  }

  /// Whether some loop around the block, other than that over programs, may bring the two together.
  bool meetInLaterIterations(const Touch &a, const Touch &b, Block *block) const {
    if ((a.aliasSet && b.aliasSet && a.aliasSet != b.aliasSet) ||
        (a.program && b.program && a.program != b.program))
      return false;
    for (Operation *loop = loopAround(block); loop; loop = loopAround(loop->getBlock()))
      if (!loop->hasAttr(kPersistentAttr) && !table.apartInLaterIterations(a, b, loop))
        return true;
    return false;
  }

  /// There can be an id for each slot, and its number is there wherever a flag of these ancestors
  /// stands. Slots that differ say something only where each execution of the block moves them on
  /// by one.
  bool usable(SlotPair &slots, const Common &common) const {
    Value base = slots.cause.base;
    Block *block = common.a->getBlock();
    Operation *loop = loopAround(block);
    slots.counted = isa_and_nonnull<scf::ForOp>(loop) &&
                    countsExecutions(base, cast<scf::ForOp>(loop).getBody());
    bool eachIteration = loop && slots.counted && block->getParentOp() == loop;
    return slots.cause.depth <= mostSlots && (eachIteration || slots.cause == slots.effect) &&
           dominance.dominates(base, common.a) && dominance.dominates(base, common.b);
  }

  void add(Program &program, const Node &cause, const Node &effect, Operation *source,
           Operation *destination, std::optional<SlotPair> slots, bool carried) {
    // Handing over orders everything behind the scalar unit.
    if (cause.pipe == machine::Pipe::S)
      return;
    program.edges.push_back(
        {cause.op, effect.op, source, destination, cause.pipe, effect.pipe, slots, carried});
  }

  TouchTable table;
  DominanceInfo dominance;
  bool onlyUnnamed;
  std::vector<Node> nodes;
};

} // namespace

Operation *loopAround(Block *block) {
  for (Operation *op = block->getParentOp(); op; op = op->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(op))
      return op;
  return nullptr;
}

bool countsExecutions(Value base, Block *block) {
  auto loop = dyn_cast_if_present<scf::ForOp>(block->getParentOp());
  auto argument = dyn_cast<BlockArgument>(base);
  if (!loop || !argument || argument.getOwner() != block || argument.getArgNumber() == 0)
    return false;
  unsigned carried = argument.getArgNumber() - 1;
  auto yield = cast<scf::YieldOp>(block->getTerminator());
  auto step = yield.getOperand(carried).getDefiningOp<arith::AddIOp>();
  if (!step || step.getLhs() != base || getConstantIntValue(step.getRhs()) != 1)
    return false;
  // Through all loops around, without a gap: each begins where the one before ended.
  while (!isa<func::FuncOp>(loop->getParentOp())) {
    auto outer = dyn_cast<scf::ForOp>(loop->getParentOp());
    auto start = dyn_cast<BlockArgument>(loop.getInitArgs()[carried]);
    if (!outer || !start || start.getOwner() != outer.getBody() || start.getArgNumber() == 0)
      return false;
    unsigned outerCarried = start.getArgNumber() - 1;
    auto outerYield = cast<scf::YieldOp>(outer.getBody()->getTerminator());
    if (outerYield.getOperand(outerCarried) != loop.getResult(carried))
      return false;
    loop = outer;
    carried = outerCarried;
  }
  return true;
}

Program readProgram(func::FuncOp function, bool onlyUnnamed) {
  Program program;
  EdgeFinder(function, onlyUnnamed).collect(function, program);
  return program;
}

} // namespace kiln::npu
