//===- Unrolled.cpp - what an npu function hands to its pipes, in order ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Unrolled.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace kiln::test {
namespace {

class Unroller {
public:
  Unroller(ArrayRef<int64_t> trips, ArrayRef<bool> conditions) {
    values.assign(trips.begin(), trips.end());
    values.append(conditions.begin(), conditions.end());
  }

  std::vector<Event> run(func::FuncOp function) {
    for (auto [argument, value] : llvm::zip(function.getArguments(), values))
      numbers[argument] = value;
    block(function.getBody().front());
    return std::move(events);
  }

private:
  int64_t number(Value value) {
    assert(numbers.count(value) && "an index that the unroller does not know");
    return numbers.lookup(value);
  }

  void block(Block &code) {
    for (Operation &op : code)
      execute(op);
  }

  void execute(Operation &op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto value = dyn_cast<IntegerAttr>(constant.getValue()))
        numbers[constant] = value.getInt();
    } else if (auto sum = dyn_cast<arith::AddIOp>(op)) {
      numbers[sum] = number(sum.getLhs()) + number(sum.getRhs());
    } else if (auto rest = dyn_cast<arith::RemUIOp>(op)) {
      numbers[rest] = number(rest.getLhs()) % number(rest.getRhs());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      runLoop(loop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Region &taken =
          number(branch.getCondition()) ? branch.getThenRegion() : branch.getElseRegion();
      if (!taken.empty())
        block(taken.front());
    } else if (auto set = dyn_cast<npu::SetOp>(op)) {
      flag(Event::Kind::Set, op, set.getSource().getValue(), set.getSource().getValue(),
           set.getDestination().getValue(), number(set.getId()));
    } else if (auto wait = dyn_cast<npu::WaitOp>(op)) {
      flag(Event::Kind::Wait, op, wait.getDestination().getValue(), wait.getSource().getValue(),
           wait.getDestination().getValue(), number(wait.getId()));
    } else if (auto barrier = dyn_cast<npu::BarrierOp>(op)) {
      Event event;
      event.kind = barrier.getPipe() ? Event::Kind::Barrier : Event::Kind::BarrierAll;
      if (barrier.getPipe())
        event.pipe = barrier.getPipe()->getValue();
      event.op = &op;
      events.push_back(event);
    } else if (auto instruction = dyn_cast<npu::InstructionOpInterface>(op)) {
      run(instruction);
    }
  }

  void runLoop(scf::ForOp loop) {
    SmallVector<int64_t> carried;
    for (Value start : loop.getInitArgs())
      carried.push_back(number(start));
    bool persistent = loop->hasAttr(npu::kPersistentAttr);
    for (int64_t i = number(loop.getLowerBound()), end = number(loop.getUpperBound()); i < end;
         i += number(loop.getStep())) {
      if (persistent)
        iteration = i;
      numbers[loop.getInductionVar()] = i;
      for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), carried))
        numbers[argument] = value;
      block(*loop.getBody());
      carried.clear();
      for (Value value : loop.getBody()->getTerminator()->getOperands())
        carried.push_back(number(value));
    }
    if (persistent)
      iteration = -1;
    for (auto [result, value] : llvm::zip(loop.getResults(), carried))
      numbers[result] = value;
  }

  void flag(Event::Kind kind, Operation &op, machine::Pipe pipe, machine::Pipe from,
            machine::Pipe to, int64_t id) {
    Event event;
    event.kind = kind;
    event.pipe = pipe;
    event.from = from;
    event.to = to;
    event.id = id;
    event.op = &op;
    events.push_back(event);
  }

  void run(npu::InstructionOpInterface instruction) {
    Event event;
    event.pipe = instruction.pipe();
    event.op = instruction;
    event.persistentIteration = iteration;
    for (const npu::Access &access : instruction.accesses())
      event.bytes.push_back(bytesOf(access));
    events.push_back(event);
  }

  Bytes bytesOf(const npu::Access &access) {
    Bytes bytes;
    bytes.write = access.write;
    if (access.isGlobal()) {
      auto argument = cast<BlockArgument>(access.buffer);
      auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
      bytes.space =
          function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "tile.alias_set")
              .getInt();
      bytes.end = 256;
      return bytes;
    }
    Value buffer = access.buffer;
    auto sizeOf = [](Value value) {
      return 4 * cast<MemRefType>(value.getType()).getNumElements();
    };
    int64_t offset = 0;
    while (!buffer.getDefiningOp<npu::AllocOp>()) {
      if (auto slot = buffer.getDefiningOp<npu::SlotOp>()) {
        int64_t depth = cast<MemRefType>(slot.getRing().getType()).getDimSize(0);
        offset += number(slot.getNumber()) % depth * sizeOf(slot);
        buffer = slot.getRing();
      } else {
        auto window = buffer.getDefiningOp<npu::WindowOp>();
        offset += 4 * int64_t(window.getOffset());
        if (Value more = window.getDynamic())
          offset += 4 * number(more);
        buffer = window.getSource();
      }
    }
    bytes.begin = int64_t(*buffer.getDefiningOp<npu::AllocOp>().getAddress()) + offset;
    bytes.end = bytes.begin + sizeOf(access.buffer);
    if (access.index) {
      bytes.begin += 4 * number(access.index);
      bytes.end = bytes.begin + 4;
    }
    return bytes;
  }

  SmallVector<int64_t> values;
  DenseMap<Value, int64_t> numbers;
  std::vector<Event> events;
  int64_t iteration = -1;
};

} // namespace

std::vector<Event> unroll(func::FuncOp function, ArrayRef<int64_t> trips,
                          ArrayRef<bool> conditions) {
  return Unroller(trips, conditions).run(function);
}

} // namespace kiln::test
