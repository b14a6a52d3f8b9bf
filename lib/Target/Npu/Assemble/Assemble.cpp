//===- Assemble.cpp - from the npu dialect to a program image --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   func.func @scale(%x: !tile.ptr<f32>, %s: f32) {          .kernel scale
//     %b = npu.alloc at 0 : memref<64xf32, #npu.mem<ub>>       load UB[0] f32 [64], GM[x] f32 [64]
//     npu.load %x[%c0] sizes [64] strides [1], %b …            …
// One instruction per npu op, scalar code between, in program order.
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Target/Npu/Assemble.h"

#include "Assembler.h"
#include "image/Structure.h"

#include "kiln/Support/Refusal.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;

namespace kiln::npu {

using machine::Element;

/// What the format has room for.
static constexpr unsigned kMaxRegisters = 65535;

FailureOr<image::Image> assemble(func::FuncOp function, const machine::Machine &machine) {
  return Assembler(function, machine).run();
}

Assembler::Assembler(func::FuncOp function, const machine::Machine &machine)
    : function(function), machine(machine), locations(image),
      builder(locations, function.getNumArguments() + image::launchRegisters) {}

FailureOr<image::Image> Assembler::run() {
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "has " << function.getBody().getBlocks().size()
                                << " blocks, expected one";
  if (failed(header()) || failed(parameters()))
    return failure();
  slice = controlSlice(function);
  if (failed(block(function.front())))
    return failure();
  if (builder.registers() > kMaxRegisters)
    return refuse(function, "the kernel needs " + Twine(builder.registers()) +
                                " scalar registers, but a program has " + Twine(kMaxRegisters));
  program.registers = uint16_t(builder.registers());
  program.body = builder.finish();
  image.programs.push_back(std::move(program));
  if (Result<void> checked = image::checkStructure(image, "image"); !checked)
    return function.emitError() << "internal: " << checked.error().message();
  return std::move(image);
}

LogicalResult Assembler::header() {
  FailureOr<machine::Core> core = coreOf(function);
  if (failed(core))
    return failure();
  program.core = *core;
  image.kernel = function.getName().str();
  image.chip = machine.name;
  image.machineHash = machine.fileHash;
  if (auto programs = function->getAttrOfType<IntegerAttr>(kProgramsPerIterationAttr)) {
    if (programs.getInt() < 1 || programs.getInt() > UINT32_MAX)
      return function.emitError() << "does " << programs.getInt()
                                  << " programs per iteration, expected at least 1";
    image.programsPerIteration = uint32_t(programs.getInt());
  }
  return success();
}

/// The name that the source gives an argument, or a number.
static std::string nameOf(BlockArgument argument) {
  if (auto name = argument.getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  return "arg" + std::to_string(argument.getArgNumber());
}

LogicalResult Assembler::parameters() {
  for (BlockArgument argument : function.getArguments()) {
    image::Parameter parameter;
    parameter.name = nameOf(argument);
    Type type = argument.getType();
    if (auto pointer = dyn_cast<tile::PtrType>(type)) {
      parameter.isPointer = true;
      type = pointer.getPointee();
    }
    std::optional<Element> element = elementOf(type);
    if (!element)
      return function.emitError() << "argument '" << parameter.name << "' has type " << type
                                  << ", which the NPU has not";
    parameter.element = *element;
    define(argument, image::Operand::reg(uint16_t(argument.getArgNumber())));
    image.parameters.push_back(std::move(parameter));
  }
  // Through which of them the program stores.
  function.walk([&](Operation *op) {
    Value pointer;
    if (auto store = dyn_cast<StoreOp>(op))
      pointer = store.getPtr();
    else if (auto store = dyn_cast<tile::PtrStoreOp>(op))
      pointer = store.getPtr();
    else if (auto store = dyn_cast<SStoreOp>(op); store && !isOnChip(store.getTarget().getType()))
      pointer = store.getTarget();
    if (!pointer)
      return;
    BlockArgument root = rootOf(pointer);
    for (auto [index, parameter] : llvm::enumerate(image.parameters))
      parameter.written |= parameter.isPointer && (!root || root.getArgNumber() == index);
  });
  return success();
}

LogicalResult Assembler::block(Block &block) {
  for (Operation &op : block) {
    builder.setPlace(op.getLoc());
    if (op.hasTrait<OpTrait::IsTerminator>())
      break; // yields and conditions are for the parent
    if (failed(operation(&op)))
      return failure();
  }
  return success();
}

LogicalResult Assembler::operation(Operation *op) {
  if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op) && builder.level() >= image::maxNesting)
    return refuse(op, "loops and branches nest more than " + Twine(image::maxNesting) +
                          " deep, which is the most of this device");
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return forLoop(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return whileLoop(loop);
  if (auto choice = dyn_cast<scf::IfOp>(op))
    return branch(choice);
  if (isa<AllocOp, SlotOp, WindowOp>(op))
    return buffer(op);
  if (isa<SetOp, WaitOp, BarrierOp>(op))
    return order(op);
  if (auto tile = dyn_cast<InstructionOpInterface>(op))
    return instruction(tile);
  FailureOr<bool> known = scalarOp(op);
  if (failed(known))
    return failure();
  if (*known)
    return success();
  return op->emitError() << "'" << op->getName()
                         << "' has no form in a program image: the scalar unit cannot do it";
}

image::Operand Assembler::at(Value value) const {
  auto operand = operands.find(value);
  assert(operand != operands.end() && "values are assembled before their uses");
  return operand->second;
}

image::Operand Assembler::at(OpFoldResult value) const {
  if (auto constant = dyn_cast<Attribute>(value))
    return image::Operand::immediate(cast<IntegerAttr>(constant).getInt());
  return at(cast<Value>(value));
}

FailureOr<Element> Assembler::elementAt(Operation *op, Type type) {
  if (std::optional<Element> element = elementOf(type))
    return *element;
  return op->emitError() << "'" << op->getName() << "' has type " << type
                         << ", which the scalar unit has not";
}

} // namespace kiln::npu
