//===- Touches.cpp - which bytes an instruction touches --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Touches.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln::npu {
namespace {

int64_t bitsOf(Type element) { return element.getIntOrFloatBitWidth(); }

/// Bytes that a memref spans from its start, and its outermost strided run.
struct Extent {
  int64_t bytes = 0, run = 0, stride = 0;
};

Extent extentOf(MemRefType type) {
  int64_t bits = bitsOf(type.getElementType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  bool known = succeeded(type.getStridesAndOffset(strides, offset));
  assert(known && "npu memrefs are strided");
  (void)known;
  Extent extent;
  if (bits == 1) { // packed
    extent.bytes = llvm::divideCeil(type.getNumElements(), 8);
    return extent;
  }
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
    last += (size - 1) * stride;
  extent.bytes = (last + 1) * bits / 8;
  if (type.getRank() > 1 && type.getDimSize(0) > 1 && strides[0] > 0) {
    int64_t inner = 0;
    for (int64_t d = 1; d < type.getRank(); ++d)
      inner += (type.getDimSize(d) - 1) * strides[d];
    extent.run = (inner + 1) * bits / 8;
    extent.stride = strides[0] * bits / 8;
  }
  return extent;
}

/// The product of known sizes and strides that bounds what an access of global memory spans.
std::optional<int64_t> spanOf(ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides,
                              ArrayRef<int64_t> bounds) {
  int64_t last = 0;
  for (auto [dim, pair] : llvm::enumerate(llvm::zip_equal(sizes, strides))) {
    auto [size, stride] = pair;
    std::optional<int64_t> step = getConstantIntValue(stride);
    int64_t count = bounds[dim];
    if (std::optional<int64_t> known = getConstantIntValue(size))
      count = std::min(count, *known);
    if (count <= 1)
      continue;
    if (!step || *step < 0)
      return std::nullopt;
    last += (count - 1) * *step;
  }
  return last + 1;
}

/// A slot's number, as a value and a constant behind it.
Slot slotOf(Value number, int64_t depth) {
  Slot slot{number, 0, depth};
  while (auto sum = slot.base.getDefiningOp<arith::AddIOp>()) {
    std::optional<int64_t> constant = getConstantIntValue(sum.getRhs());
    if (!constant)
      break;
    slot.offset += *constant;
    slot.base = sum.getLhs();
  }
  return slot;
}

bool runsMeet(const Touch &a, const Touch &b) {
  if (a.begin >= b.end || b.begin >= a.end)
    return false;
  if (a.stride == 0 || a.stride != b.stride)
    return true;
  // Rows of one pitch: columns that lie beside each other do not meet.
  int64_t first = (b.begin - a.begin) % a.stride;
  if (first < 0)
    first += a.stride;
  return first < a.run || first + b.run > a.stride;
}

} // namespace

std::optional<machine::Pipe> pipeOf(Operation *op) {
  if (auto instruction = dyn_cast<InstructionOpInterface>(op))
    return instruction.pipe();
  if (isa<tile::PtrLoadOp, tile::PtrStoreOp>(op))
    return machine::Pipe::S;
  return std::nullopt;
}

SmallVector<Touch> TouchTable::touches(Operation *op) {
  SmallVector<Touch> result;
  auto global = [&](const Access &access) {
    Touch touch;
    if (auto program = op->getAttrOfType<IntegerAttr>(kProgramAttr))
      touch.program = program.getInt();
    touch.write = access.write;
    touch.global = true;
    locateGlobal(touch, access);
    result.push_back(touch);
  };
  if (auto load = dyn_cast<tile::PtrLoadOp>(op)) {
    Access access;
    access.buffer = load.getPtr();
    global(access);
  } else if (auto store = dyn_cast<tile::PtrStoreOp>(op)) {
    Access access;
    access.buffer = store.getPtr();
    access.write = true;
    global(access);
  } else if (auto instruction = dyn_cast<InstructionOpInterface>(op)) {
    ArrayRef<int64_t> bounds;
    SmallVector<Access> accesses = instruction.accesses();
    for (const Access &access : accesses) {
      if (access.isGlobal()) {
        global(access);
        continue;
      }
      Touch touch;
      touch.write = access.write;
      locate(touch, access.buffer);
      result.push_back(touch);
    }
    // A transfer moves no more than its buffer holds.
    for (const Access &access : accesses)
      if (!access.isGlobal())
        bounds = cast<MemRefType>(access.buffer.getType()).getShape();
    for (auto [access, touch] : llvm::zip_equal(accesses, result))
      if (touch.global && !access.sizes.empty() && bounds.size() == access.sizes.size())
        touch.spanElements = spanOf(access.sizes, access.strides, bounds);
  }
  return result;
}

void TouchTable::locate(Touch &touch, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Extent extent = extentOf(type);
  touch.memory = memoryOf(type);
  touch.run = extent.run;
  touch.stride = extent.stride;
  int64_t offset = 0, inSlot = 0;
  auto anywhereIn = [&](Value source) {
    extent = extentOf(cast<MemRefType>(source.getType()));
    touch.run = touch.stride = 0;
    touch.ring = nullptr;
  };
  while (Operation *op = buffer.getDefiningOp()) {
    if (auto window = dyn_cast<WindowOp>(op)) {
      auto source = cast<MemRefType>(window.getSource().getType());
      if (window.getDynamic()) {
        anywhereIn(window.getSource());
        offset = 0;
      } else {
        offset += int64_t(window.getOffset()) * bitsOf(source.getElementType()) / 8;
      }
      buffer = window.getSource();
    } else if (auto slot = dyn_cast<SlotOp>(op)) {
      // A slot of a slot: the outer number is followed.
      if (touch.ring) {
        anywhereIn(touch.ring);
        offset -= inSlot;
      }
      inSlot = offset;
      auto ring = cast<MemRefType>(slot.getRing().getType());
      touch.slot = slotOf(slot.getNumber(), ring.getDimSize(0));
      touch.slotBytes = llvm::divideCeil(ring.getNumElements() * bitsOf(ring.getElementType()), 8) /
                        ring.getDimSize(0);
      buffer = slot.getRing();
      touch.ring = buffer;
    } else {
      auto alloc = cast<AllocOp>(op);
      assert(alloc.getAddress() && "plan-memory comes first");
      touch.named = alloc.getName().has_value();
      touch.begin = int64_t(*alloc.getAddress()) + offset;
      touch.end = touch.begin + extent.bytes;
      return;
    }
  }
  llvm_unreachable("on-chip buffers come from npu.alloc");
}

void TouchTable::locateGlobal(Touch &touch, const Access &access) {
  Value pointer = access.buffer;
  LinearExpr offset;
  bool known = true;
  if (Value value = access.offset ? access.offset : access.index)
    offset = exprs.get(value);
  touch.spanElements = 1;
  while (true) {
    if (auto add = pointer.getDefiningOp<tile::AddPtrOp>()) {
      offset = offset + exprs.get(add.getOffset());
      pointer = add.getPtr();
    } else if (auto cast = pointer.getDefiningOp<tile::PtrCastOp>()) {
      known = false; // elements of another size
      pointer = cast.getPtr();
    } else {
      break;
    }
  }
  auto argument = dyn_cast<BlockArgument>(pointer);
  auto function =
      argument ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()) : nullptr;
  if (!function)
    return; // anything
  touch.pointer = pointer;
  if (auto set =
          function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tile::kAliasSetAttr))
    touch.aliasSet = set.getInt();
  if (known)
    touch.offset = offset;
}

Meeting TouchTable::meet(const Touch &a, const Touch &b) const {
  if (a.global != b.global)
    return Meeting::Never;
  if (a.global) {
    if ((a.aliasSet && b.aliasSet && a.aliasSet != b.aliasSet) ||
        (a.program && b.program && a.program != b.program))
      return Meeting::Never;
    if (a.pointer && a.pointer == b.pointer && a.offset && b.offset && a.spanElements &&
        b.spanElements)
      if (std::optional<int64_t> distance = (*b.offset - *a.offset).asConstant())
        if (*distance >= *a.spanElements || -*distance >= *b.spanElements)
          return Meeting::Never;
    return Meeting::Always;
  }
  if (a.memory != b.memory)
    return Meeting::Never;
  if (a.ring && a.ring == b.ring && a.slot.base == b.slot.base)
    return runsMeet(a, b) ? Meeting::InSlot : Meeting::Never;
  // Of a ring whose slot says nothing to the other side: all slots.
  auto whole = [](Touch touch) {
    if (touch.ring) {
      touch.end += (touch.slot.depth - 1) * touch.slotBytes;
      touch.stride = 0;
    }
    return touch;
  };
  return runsMeet(whole(a), whole(b)) ? Meeting::Always : Meeting::Never;
}

bool TouchTable::apartInLaterIterations(const Touch &a, const Touch &b, Operation *loop) const {
  auto counted = dyn_cast<scf::ForOp>(loop);
  if (!counted || !a.pointer || a.pointer != b.pointer || !a.offset || !b.offset ||
      !a.spanElements || !b.spanElements)
    return false;
  std::optional<int64_t> step = getConstantIntValue(counted.getStep());
  if (!step || *step <= 0)
    return false;
  // Equal offsets but for a constant, which move on by more than either spans. Whatever else the
  // offset is made of must not change in the loop.
  std::optional<int64_t> distance = (*b.offset - *a.offset).asConstant();
  if (!distance)
    return false;
  int64_t pace = 0;
  for (const LinearTerm &term : a.offset->getTerms()) {
    bool moves = false;
    for (Value factor : term.factors) {
      if (factor == counted.getInductionVar())
        moves = true;
      else if (!counted.isDefinedOutsideOfLoop(factor))
        return false;
    }
    if (moves && term.factors.size() != 1)
      return false;
    if (moves)
      pace += term.coefficient * *step;
  }
  int64_t reach = std::max(*a.spanElements, *b.spanElements) + std::abs(*distance);
  return std::abs(pace) >= reach;
}

} // namespace kiln::npu
