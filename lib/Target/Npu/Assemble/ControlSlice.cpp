//===- ControlSlice.cpp - which instructions decide what runs --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A simulation of time alone has to run only what feeds branches, trip counts, addresses and sizes.
// Backwards from those: values through scalar ops, loops and branches; a scalar that was read from
// memory through every instruction that may write there, and what that one reads. Memory is
// compared by bytes on chip and by arguments in global memory; whatever cannot be told apart
// belongs to the slice.
//
//===-----------------------------------------------------------------------------------------===//

#include "Assembler.h"

using namespace mlir;

namespace kiln::npu {

BlockArgument rootOf(Value pointer) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(pointer))
      return isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) ? argument
                                                                          : BlockArgument();
    Operation *op = pointer.getDefiningOp();
    if (!isa<tile::AddPtrOp, tile::PtrCastOp, tile::HintOp>(op))
      return {};
    pointer = op->getOperand(0);
  }
}

namespace {

/// One place that an instruction or a pointer op reads or writes.
struct Place {
  Value pointer; ///< of global memory
  Value alloc;   ///< on chip; null if that cannot be told
  machine::Memory memory = machine::Memory::GM;
  bool write = false;
};

/// The buffer that a memref is a part of.
Value allocOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer.getDefiningOp<AllocOp>() ? buffer : Value();
}

Place globalPlace(Value pointer, bool write) {
  Place place;
  place.pointer = pointer;
  place.write = write;
  return place;
}

SmallVector<Place> placesOf(Operation *op) {
  SmallVector<Place> places;
  if (auto load = dyn_cast<tile::PtrLoadOp>(op))
    places.push_back(globalPlace(load.getPtr(), false));
  else if (auto store = dyn_cast<tile::PtrStoreOp>(op))
    places.push_back(globalPlace(store.getPtr(), true));
  else if (auto instruction = dyn_cast<InstructionOpInterface>(op))
    for (const Access &access : instruction.accesses()) {
      if (access.isGlobal()) {
        places.push_back(globalPlace(access.buffer, access.write));
        continue;
      }
      Place place;
      place.alloc = allocOf(access.buffer);
      place.memory = memoryOf(access.buffer.getType());
      place.write = access.write;
      places.push_back(place);
    }
  return places;
}

bool mayAlias(Value left, Value right) {
  BlockArgument a = rootOf(left), b = rootOf(right);
  if (!a || !b || a == b)
    return true;
  auto function = cast<func::FuncOp>(a.getOwner()->getParentOp());
  auto setOf = [&](BlockArgument argument) {
    return function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), tile::kAliasSetAttr);
  };
  IntegerAttr first = setOf(a), second = setOf(b);
  return !first || !second || first == second;
}

bool shareBytes(Value left, Value right) {
  if (!left || !right || left == right)
    return true;
  auto range = [](Value alloc) {
    int64_t start = int64_t(alloc.getDefiningOp<AllocOp>().getAddress().value_or(0));
    auto type = cast<MemRefType>(alloc.getType());
    int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
    return std::pair(start, start + (bits + 7) / 8);
  };
  auto [firstStart, firstEnd] = range(left);
  auto [secondStart, secondEnd] = range(right);
  return firstStart < secondEnd && secondStart < firstEnd;
}

bool overlap(const Place &left, const Place &right) {
  if (left.memory != right.memory)
    return false;
  return left.pointer ? mayAlias(left.pointer, right.pointer) : shareBytes(left.alloc, right.alloc);
}

class Slicer {
public:
  explicit Slicer(func::FuncOp function) {
    function.walk([&](Operation *op) {
      for (const Place &place : placesOf(op))
        if (place.write)
          writers.push_back({op, place});
    });
    function.walk([&](Operation *op) { seed(op); });
    while (!values.empty())
      follow(values.pop_back_val());
  }

  DenseSet<Operation *> slice;

private:
  void need(Value value) {
    if (isNeeded.insert(value).second)
      values.push_back(value);
  }
  void need(ValueRange values) {
    for (Value value : values)
      need(value);
  }

  /// What decides about control and places.
  void seed(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      need({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      need(branch.getCondition());
    else if (auto condition = dyn_cast<scf::ConditionOp>(op))
      need(condition.getCondition());
    else if (isa<SetOp, WaitOp>(op))
      need(op->getOperands());
    else if (auto assertion = dyn_cast<tile::AssertOp>(op))
      need(assertion.getCondition());
    else
      needPlaces(op);
  }

  /// Addresses and sizes, not the data.
  void needPlaces(Operation *op) {
    if (auto load = dyn_cast<tile::PtrLoadOp>(op)) {
      need(load.getPtr());
      if (load.getMask())
        need(load.getMask());
    } else if (auto store = dyn_cast<tile::PtrStoreOp>(op)) {
      need(store.getPtr());
      if (store.getMask())
        need(store.getMask());
    } else if (auto instruction = dyn_cast<InstructionOpInterface>(op)) {
      for (const Access &access : instruction.accesses()) {
        need(access.buffer);
        for (Value value : {access.offset, access.index})
          if (value)
            need(value);
        for (const auto &list : {access.sizes, access.strides})
          for (OpFoldResult entry : list)
            if (auto value = dyn_cast<Value>(entry))
              need(value);
      }
    }
  }

  void follow(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return followArgument(argument);
    Operation *op = value.getDefiningOp();
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return need(loop.getRegionIterArg(number));
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return need(loop.getConditionOp().getArgs()[number]);
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      need(branch.thenYield().getOperand(number));
      return need(branch.elseYield().getOperand(number));
    }
    need(op->getOperands());
    if (isa<SLoadOp, tile::PtrLoadOp>(op))
      include(op);
  }

  void followArgument(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (number == 0)
        return; // bounds are needed anyway
      need(loop.getInitArgs()[number - 1]);
      return need(loop.getBody()->getTerminator()->getOperand(number - 1));
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      if (argument.getOwner() == loop.getAfterBody())
        return need(loop.getConditionOp().getArgs()[number]);
      need(loop.getInits()[number]);
      return need(loop.getYieldOp().getOperand(number));
    }
  }

  /// An instruction whose value counts: so do all that wrote what it reads.
  void include(Operation *op) {
    if (!slice.insert(op).second)
      return;
    need(op->getOperands());
    for (const Place &place : placesOf(op))
      for (const auto &[writer, target] : writers)
        if (!place.write && overlap(place, target))
          include(writer);
  }

  SmallVector<std::pair<Operation *, Place>> writers;
  SmallVector<Value> values;
  DenseSet<Value> isNeeded;
};

} // namespace

DenseSet<Operation *> controlSlice(func::FuncOp function) {
  return std::move(Slicer(function).slice);
}

} // namespace kiln::npu
