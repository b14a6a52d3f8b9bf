//===- TileScalars.cpp - scalar ops of tile and what the launch gives ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Assembler.h"

#include "kiln/Support/Refusal.h"

using namespace mlir;

namespace kiln::npu {

using image::FirstRegister;
using image::Op;
using image::Operand;
using machine::Element;
using machine::Memory;
using machine::Opcode;

/// The byte address of one element; an error if the pointer is a tensor of them.
static FailureOr<Element> pointeeOf(Operation *op, Value pointer) {
  auto type = dyn_cast<tile::PtrType>(pointer.getType());
  if (!type)
    return op->emitError() << "has a pointer of type " << pointer.getType()
                           << ", expected one scalar pointer";
  if (std::optional<Element> element = elementOf(type.getPointee()))
    return *element;
  return op->emitError() << "points to " << type.getPointee() << ", which the NPU has not";
}

/// A lane that is off yields `other`, or zero, and does not touch memory.
LogicalResult Assembler::pointerLoad(tile::PtrLoadOp load) {
  FailureOr<Element> element = pointeeOf(load, load.getPtr());
  if (failed(element))
    return failure();
  Operand result = builder.newRegister();
  define(load, result);
  if (load.getMask()) {
    builder.move(result, load.getOther() ? at(load.getOther()) : Operand::immediate(0));
    builder.append(builder.control(Op::If, {at(load.getMask())}));
  }
  image::Instruction instruction;
  instruction.opcode = Opcode::SLoad;
  instruction.result = uint16_t(result.value);
  instruction.regions = {oneElement(Memory::GM, *element, at(load.getPtr()))};
  if (slice.contains(load))
    instruction.flags |= image::FeedsControl;
  builder.append(std::move(instruction));
  if (load.getMask())
    builder.append(builder.control(Op::End));
  return success();
}

LogicalResult Assembler::pointerStore(tile::PtrStoreOp store) {
  FailureOr<Element> element = pointeeOf(store, store.getPtr());
  if (failed(element))
    return failure();
  if (store.getMask())
    builder.append(builder.control(Op::If, {at(store.getMask())}));
  image::Instruction instruction;
  instruction.opcode = Opcode::SStore;
  instruction.operands = {at(store.getValue())};
  instruction.regions = {oneElement(Memory::GM, *element, at(store.getPtr()))};
  if (slice.contains(store))
    instruction.flags |= image::FeedsControl;
  builder.append(std::move(instruction));
  if (store.getMask())
    builder.append(builder.control(Op::End));
  return success();
}

LogicalResult Assembler::check(tile::AssertOp assertion) {
  if (!assertion.getCondition().getType().isInteger(1))
    return assertion.emitError() << "has a condition of type " << assertion.getCondition().getType()
                                 << ", expected i1";
  auto message = llvm::find(image.messages, assertion.getMessage());
  int64_t index = message - image.messages.begin();
  if (message == image.messages.end())
    image.messages.push_back(assertion.getMessage().str());
  builder.append(
      builder.control(Op::TrapUnless, {at(assertion.getCondition()), Operand::immediate(index)}));
  return success();
}

FailureOr<bool> Assembler::tileOp(Operation *op) {
  auto launch = [&](FirstRegister which) {
    define(op->getResult(0), Operand::reg(image.launchRegister(which)));
    return true;
  };
  auto done = [](LogicalResult result) -> FailureOr<bool> {
    if (failed(result))
      return failure();
    return true;
  };
  if (isa<CoreIndexOp>(op))
    return launch(FirstRegister::CoreIndex);
  if (isa<CoreCountOp>(op))
    return launch(FirstRegister::CoreCount);
  if (auto programs = dyn_cast<tile::NumProgramsOp>(op))
    return launch(FirstRegister(unsigned(FirstRegister::GridX) + unsigned(programs.getAxis())));
  if (isa<tile::ProgramIdOp>(op))
    return op->emitError(
        "has no form in a program image, expected kiln-npu-map-grid to replace it");
  if (auto load = dyn_cast<tile::PtrLoadOp>(op))
    return done(pointerLoad(load));
  if (auto store = dyn_cast<tile::PtrStoreOp>(op))
    return done(pointerStore(store));
  if (auto assertion = dyn_cast<tile::AssertOp>(op))
    return done(check(assertion));
  if (isa<tile::AssumeOp>(op))
    return true; // a fact for passes, which have run
  if (isa<tile::PrintOp>(op))
    return refuse(op, "printing on the NPU is not there yet");
  bool isScalarPointer =
      op->getNumOperands() && isa<tile::PtrType, IntegerType>(op->getOperand(0).getType());
  if (auto add = dyn_cast<tile::AddPtrOp>(op); add && isScalarPointer) {
    FailureOr<Element> element = pointeeOf(op, add.getPtr());
    if (failed(element))
      return failure();
    Operand offset = builder.multiply(at(add.getOffset()), bytesOf(*element));
    define(add, builder.add(at(add.getPtr()), offset));
    return true;
  }
  if (isa<tile::HintOp>(op) || (isa<tile::PtrCastOp>(op) && isScalarPointer)) {
    define(op->getResult(0), at(op->getOperand(0)));
    return true;
  }
  if (isa<tile::PtrToIntOp, tile::IntToPtrOp>(op) && isScalarPointer) {
    // An address is 64 bits wide: only a narrower result is cut.
    Type type = op->getResult(0).getType();
    FailureOr<Element> element = elementAt(op, type);
    if (failed(element))
      return failure();
    Operand address = at(op->getOperand(0));
    bool isWhole = machine::bits(*element) == 64;
    define(op->getResult(0),
           isWhole ? address : builder.scalar(Op::SExt, *element, {address}, 0, *element));
    return true;
  }
  return false;
}

} // namespace kiln::npu
