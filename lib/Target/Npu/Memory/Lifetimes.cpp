//===- Lifetimes.cpp - from when to when a buffer is needed ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Lifetimes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kiln::npu::memory {

uint64_t bytesOf(Type type) {
  auto buffer = cast<MemRefType>(type);
  return llvm::divideCeil(uint64_t(buffer.getNumElements()) * buffer.getElementTypeBitWidth(), 8);
}

namespace {

bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

struct Touch {
  InstructionOpInterface op;
  bool writes, reads;
  Value window; ///< that the instruction names
};

class Analysis {
public:
  explicit Analysis(func::FuncOp function) { number(function); }
  Buffer of(AllocOp alloc);

private:
  void number(Operation *op);
  void collect(Value buffer, SmallVectorImpl<Touch> &touches, SetVector<Operation *> &slotLoops);
  void steppingLoops(Value number, SetVector<Operation *> &loops);

  void countEpochs(Operation *op);

  unsigned next = 0, epoch = 0;
  DenseMap<Operation *, std::pair<unsigned, unsigned>> range;
  SmallVector<unsigned> epochs;         ///< by number of the operation
  DenseMap<Value, bool> touchedInEpoch; ///< by alloc: whether it is written
};

/// The alloc that a buffer is part of.
Value rootOf(Value buffer) {
  while (Operation *def = buffer.getDefiningOp()) {
    if (auto window = dyn_cast<WindowOp>(def))
      buffer = window.getSource();
    else if (auto slot = dyn_cast<SlotOp>(def))
      buffer = slot.getRing();
    else
      break;
  }
  return buffer;
}

void Analysis::number(Operation *op) {
  unsigned start = next++;
  countEpochs(op);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        number(&inner);
  range[op] = {start, start};
  if (op->getNumRegions()) {
    range[op].second = next++;
    epochs.push_back(epoch);
  }
}

/// A new epoch begins where an instruction needs what one of this epoch does.
void Analysis::countEpochs(Operation *op) {
  if (auto instruction = dyn_cast<InstructionOpInterface>(op)) {
    SmallVector<Access> accesses = instruction.accesses();
    auto depends = [&](const Access &access) {
      auto found = touchedInEpoch.find(rootOf(access.buffer));
      return found != touchedInEpoch.end() && (access.write || found->second);
    };
    if (llvm::any_of(accesses, depends)) {
      ++epoch;
      touchedInEpoch.clear();
    }
    for (const Access &access : accesses)
      touchedInEpoch[rootOf(access.buffer)] |= access.write;
  }
  epochs.push_back(epoch);
}

/// The loops whose steps the slot's number counts.
void Analysis::steppingLoops(Value number, SetVector<Operation *> &loops) {
  SmallVector<Value> open{number};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (Operation *def = value.getDefiningOp()) {
      llvm::append_range(open, def->getOperands());
      continue;
    }
    Operation *owner = value.getParentBlock()->getParentOp();
    if (!isLoop(owner))
      continue;
    loops.insert(owner);
    // A count that comes in from outside may go on through the outer loop.
    auto loop = dyn_cast<scf::ForOp>(owner);
    if (loop && value == loop.getInductionVar())
      open.push_back(loop.getLowerBound());
    else if (loop)
      open.push_back(loop.getTiedLoopInit(cast<BlockArgument>(value))->get());
    else
      llvm::append_range(open, owner->getOperands());
  }
}

void Analysis::collect(Value buffer, SmallVectorImpl<Touch> &touches,
                       SetVector<Operation *> &slotLoops) {
  for (Operation *user : buffer.getUsers()) {
    if (auto slot = dyn_cast<SlotOp>(user))
      steppingLoops(slot.getNumber(), slotLoops);
    if (isa<SlotOp, WindowOp>(user)) {
      collect(user->getResult(0), touches, slotLoops);
      continue;
    }
    auto instruction = dyn_cast<InstructionOpInterface>(user);
    if (!instruction)
      continue;
    Touch touch{instruction, false, false, buffer};
    for (const Access &access : instruction.accesses())
      if (access.buffer == buffer)
        (access.write ? touch.writes : touch.reads) = true;
    touches.push_back(touch);
  }
}

/// The instruction does to each lane what depends on this lane of its operands only, in one go.
bool isLaneOnLane(Operation *op, Value operand, Value dst) {
  return isa<VBinaryOp, VUnaryOp, VScalarOp, VSelOp, VCastOp, CopyOp>(op) &&
         operand.getType() == dst.getType();
}

bool startsAtSource(WindowOp window) { return window.getOffset() == 0 && !window.getDynamic(); }

Buffer Analysis::of(AllocOp alloc) {
  Buffer buffer;
  buffer.alloc = alloc;
  buffer.bytes = bytesOf(alloc.getType());
  SmallVector<Touch> touches;
  SetVector<Operation *> slotLoops;
  collect(alloc, touches, slotLoops);
  if (touches.empty())
    return buffer;
  buffer.isUsed = true;
  auto startOf = [&](const Touch &touch) { return range.lookup(touch.op).first; };
  llvm::sort(touches, [&](const Touch &a, const Touch &b) { return startOf(a) < startOf(b); });
  buffer.begin = startOf(touches.front());
  buffer.end = startOf(touches.back());

  // Innermost loops first, so that outer ones see what inner ones stretched.
  SetVector<Operation *> loops;
  for (Touch &touch : touches) {
    buffer.pipes |= 1u << unsigned(touch.op.pipe());
    for (Operation *up = touch.op->getParentOp(); up; up = up->getParentOp())
      if (isLoop(up))
        loops.insert(up);
  }
  SmallVector<Operation *> inner = llvm::to_vector(loops);
  llvm::sort(inner, [&](Operation *a, Operation *b) {
    return range.lookup(a).second < range.lookup(b).second;
  });
  for (Operation *loop : inner) {
    auto [start, end] = range.lookup(loop);
    const Touch *first = nullptr;
    for (const Touch &touch : touches)
      if (!first && loop->isProperAncestor(touch.op))
        first = &touch;
    // Of a buffer that the author named, one pass may write a part and the next another.
    bool isNamed = alloc.getName() && !loop->hasAttr(kPersistentAttr);
    bool comesIn = buffer.begin < start || first->reads || slotLoops.contains(loop) || isNamed;
    if (!comesIn)
      continue;
    buffer.begin = std::min(buffer.begin, start);
    buffer.end = std::max(buffer.end, end);
  }
  buffer.firstEpoch = epochs[buffer.begin];
  buffer.lastEpoch = epochs[buffer.end];
  for (Operation *up = touches.front().op->getParentOp(); up; up = up->getParentOp())
    buffer.depth += isLoop(up);
  // Another buffer that the author put on the same bytes may carry on what this one holds; and the
  // author's flags do not order buffers that came to share bytes.
  auto function = cast<func::FuncOp>(alloc->getParentOp());
  if (alloc.getPinned() || (alloc.getName() && function->hasAttr(kAuthorSyncAttr))) {
    buffer.begin = 0;
    buffer.end = range.lookup(function).second;
  }

  // Operands of the first write, for buffers of their own that end there.
  Touch &first = touches.front();
  if (buffer.begin == startOf(first) && first.writes && !first.reads)
    for (const Access &access : first.op.accesses())
      if (!access.write && isOnChip(access.buffer.getType()) &&
          isLaneOnLane(first.op, access.buffer, first.window)) {
        Value root = access.buffer;
        if (auto window = root.getDefiningOp<WindowOp>())
          root = startsAtSource(window) ? window.getSource() : Value();
        auto own = first.window.getDefiningOp<WindowOp>();
        if (root && root.getDefiningOp<AllocOp>() && (!own || startsAtSource(own)))
          buffer.inPlaceOf.push_back(root.getDefiningOp());
      }
  return buffer;
}

} // namespace

SmallVector<Buffer> lifetimes(func::FuncOp function) {
  Analysis analysis(function);
  SmallVector<Buffer> buffers;
  function.walk([&](AllocOp alloc) { buffers.push_back(analysis.of(alloc)); });
  return buffers;
}

} // namespace kiln::npu::memory
