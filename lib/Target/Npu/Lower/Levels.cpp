//===- Levels.cpp - the order of independent instructions ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   a1 = exp x1         a1 = exp x1
//   b1 = a1 + y1        a2 = exp x2
//   a2 = exp x2    =>   -- barrier
//   b2 = a2 + y2        b1 = a1 + y1
//                       b2 = a2 + y2
//
// An instruction that needs what another one of its pipe has made waits for a barrier. Its level is
// one more than the highest level of what it depends on; in the order of levels, one barrier serves
// all of a level, and the latency of an instruction hides behind its neighbours.
//
//===-----------------------------------------------------------------------------------------===//

#include "Levels.h"

#include "../Memory/Packing.h"
#include "kiln/Dialect/Npu/IR/Npu.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace kiln::npu::lower {

namespace {

/// Bytes of a buffer that one instruction touches.
struct Touch {
  int64_t begin, end;
  bool write;
  unsigned level;
};

/// Bytes from the first to the last that a window shows, relative to the buffer that it is cut
/// from; all of it where a slot is chosen at run time.
struct Span {
  Value root;
  int64_t begin, end;
};

Span spanOf(Value buffer) {
  constexpr int64_t all = std::numeric_limits<int64_t>::max();
  auto type = cast<MemRefType>(buffer.getType());
  int64_t bits = type.getElementTypeBitWidth(), last = 0, start = 0;
  for (auto [size, stride] : llvm::zip(type.getShape(), type.getStridesAndOffset().first))
    last += (size - 1) * stride;
  bool isExact = true;
  while (Operation *def = buffer.getDefiningOp()) {
    if (auto window = dyn_cast<WindowOp>(def)) {
      int64_t width = cast<MemRefType>(window.getSource().getType()).getElementTypeBitWidth();
      start += int64_t(window.getOffset()) * width;
      isExact &= !window.getDynamic();
      buffer = window.getSource();
    } else if (auto slot = dyn_cast<SlotOp>(def)) {
      isExact = false;
      buffer = slot.getRing();
    } else {
      break;
    }
  }
  if (!isExact)
    return {buffer, 0, all};
  return {buffer, start / 8, int64_t(llvm::divideCeil(uint64_t(start + (last + 1) * bits), 8))};
}

/// Operations of one stretch of a block, in levels.
class Stretch {
public:
  bool add(Operation *op);
  void reorder(Operation *before);

private:
  struct Place {
    unsigned level;
    bool isInstruction; ///< scalars of a level come first: its instructions may need them
    Operation *op;
  };

  unsigned levelOfOperands(Operation *op) const;

  SmallVector<Place> places;
  DenseMap<Operation *, unsigned> ready; ///< the first level that can use what an operation makes
  DenseMap<Value, SmallVector<Touch>> touched;
};

unsigned Stretch::levelOfOperands(Operation *op) const {
  unsigned level = 0;
  for (Value operand : op->getOperands())
    if (Operation *def = operand.getDefiningOp())
      level = std::max(level, ready.lookup(def));
  return level;
}

/// False: the operation ends the stretch.
bool Stretch::add(Operation *op) {
  unsigned level = levelOfOperands(op);
  auto instruction = dyn_cast<InstructionOpInterface>(op);
  if (!instruction) {
    if (!isPure(op) || op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>())
      return false;
    places.push_back({level, false, op});
    ready[op] = level;
    return true;
  }
  // Global memory counts as one buffer.
  SmallVector<std::pair<Span, bool>> spans;
  for (const Access &access : instruction.accesses()) {
    Span span = access.isGlobal() ? Span{Value(), 0, 1} : spanOf(access.buffer);
    spans.emplace_back(span, access.write);
    for (const Touch &touch : touched[span.root])
      if ((touch.write || access.write) && touch.begin < span.end && span.begin < touch.end)
        level = std::max(level, touch.level + 1);
  }
  for (auto &[span, write] : spans)
    touched[span.root].push_back({span.begin, span.end, write, level});
  places.push_back({level, true, op});
  ready[op] = level + 1;
  return true;
}

void Stretch::reorder(Operation *before) {
  std::stable_sort(places.begin(), places.end(), [](const Place &a, const Place &b) {
    return std::pair(a.level, a.isInstruction) < std::pair(b.level, b.isInstruction);
  });
  for (const Place &place : places)
    place.op->moveBefore(before);
}

void reorderBlock(Block &block) {
  Stretch stretch;
  for (Operation &op : llvm::make_early_inc_range(block))
    if (!stretch.add(&op)) {
      stretch.reorder(&op);
      stretch = Stretch();
    }
}

/// Whether what lives at the fullest point of a memory is more than it has.
bool overflows(func::FuncOp function, const machine::Machine &machine) {
  SmallVector<memory::Buffer> buffers = memory::lifetimes(function);
  const machine::MemoryFacts &ub = machine.memory(machine::Memory::UB);
  uint64_t sum = 0;
  for (size_t index : memory::fullestPoint(buffers, ub.alignment))
    sum += llvm::alignTo(buffers[index].bytes, ub.alignment);
  return sum > ub.usableBytes;
}

/// The author put buffers on one another: two roots may be the same bytes.
bool hasPinned(func::FuncOp function) {
  return llvm::any_of(function.front().getOps<AllocOp>(),
                      [](AllocOp alloc) { return alloc.getPinned(); });
}

} // namespace

void orderByLevel(func::FuncOp function, const machine::Machine &machine) {
  if (function->hasAttr(tile::kAsynchronousAttr) || hasPinned(function))
    return;
  SmallVector<Block *> blocks;
  function.walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks) {
    SmallVector<Operation *> order;
    for (Operation &op : *block)
      order.push_back(&op);
    reorderBlock(*block);
    bool isSame = llvm::equal(order, llvm::make_pointer_range(*block));
    if (isSame || !overflows(function, machine))
      continue;
    for (Operation *op : order)
      op->moveBefore(block, block->end());
  }
}

} // namespace kiln::npu::lower
