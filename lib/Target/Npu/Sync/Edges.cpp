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
  explicit EdgeFinder(func::FuncOp function) : dominance(function) {}

  void collect(func::FuncOp function, Program &program) {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      std::optional<machine::Pipe> pipe = pipeOf(op);
      if (!pipe)
        return;
      program.instructions.push_back(op);
      program.position[op] = Position(program.instructions.size());
      nodes.push_back({op, *pipe, table.touches(op)});
    });
    for (size_t later = 0; later < nodes.size(); ++later)
      for (size_t earlier = 0; earlier <= later; ++earlier)
        relate(nodes[earlier], nodes[later], program);
  }

private:
  /// How the two meet, most strictly; in a slot, which.
  struct Relation {
    Meeting meeting = Meeting::Never;
    std::optional<Slot> slot;
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
        merge(relation, meeting, a);
      }
    if (relation.meeting == Meeting::Never && !carried)
      return;
    if (relation.meeting == Meeting::InSlot && !usable(*relation.slot, common))
      relation.slot.reset();
    if (relation.meeting != Meeting::InSlot)
      relation.slot.reset();

    bool sameInstruction = first.op == second.op;
    bool exclusive = common.a == common.b && !sameInstruction;
    if (!sameInstruction && !exclusive && relation.meeting != Meeting::Never)
      add(program, first, second, common.a, common.b, relation.slot, /*carried=*/false);
    if (!carried || !loopAround(common.a->getBlock()))
      return;
    if (carriedGlobal)
      relation.slot.reset();
    add(program, second, first, common.b, common.a, relation.slot, /*carried=*/true);
    if (exclusive)
      add(program, first, second, common.a, common.b, relation.slot, /*carried=*/true);
  }

  static void merge(Relation &relation, Meeting meeting, const Touch &touch) {
    if (meeting == Meeting::Never)
      return;
    bool other = relation.meeting == Meeting::InSlot && meeting == Meeting::InSlot &&
                 *relation.slot != touch.slot;
    relation.meeting = other ? Meeting::Always : std::max(relation.meeting, meeting);
    if (meeting == Meeting::InSlot && !relation.slot)
      relation.slot = touch.slot;
  }

  /// Whether some loop around the block, other than that over programs, may bring the two together.
  bool meetInLaterIterations(const Touch &a, const Touch &b, Block *block) const {
    if (a.aliasSet && b.aliasSet && a.aliasSet != b.aliasSet)
      return false;
    for (Operation *loop = loopAround(block); loop; loop = loopAround(loop->getBlock()))
      if (!loop->hasAttr(kPersistentAttr) && !table.apartInLaterIterations(a, b, loop))
        return true;
    return false;
  }

  /// There can be an id for each slot, and its number is there wherever a flag of these ancestors
  /// stands.
  bool usable(const Slot &slot, const Common &common) const {
    return slot.depth <= mostSlots && dominance.dominates(slot.number, common.a) &&
           dominance.dominates(slot.number, common.b);
  }

  void add(Program &program, const Node &cause, const Node &effect, Operation *source,
           Operation *destination, std::optional<Slot> slot, bool carried) {
    // Handing over orders everything behind the scalar unit.
    if (cause.pipe == machine::Pipe::S)
      return;
    program.edges.push_back(
        {cause.op, effect.op, source, destination, cause.pipe, effect.pipe, slot, carried});
  }

  TouchTable table;
  DominanceInfo dominance;
  std::vector<Node> nodes;
};

} // namespace

Operation *loopAround(Block *block) {
  for (Operation *op = block->getParentOp(); op; op = op->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(op))
      return op;
  return nullptr;
}

Program readProgram(func::FuncOp function) {
  Program program;
  EdgeFinder(function).collect(function, program);
  return program;
}

} // namespace kiln::npu
