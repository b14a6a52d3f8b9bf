//===- ExpertOperands.cpp - scalars, legality and order of instructions -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Expert.h"
#include "TileOps.h"

#include "machine/MachineFile.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln::frontend::tilelang::expert {

using machine::Element;
using machine::Opcode;
using machine::Pipe;

//===----------------------------------------------------------------------------------------===//
// What the machine can do
//===----------------------------------------------------------------------------------------===//

std::optional<Element> elementOf(DType dtype) {
  switch (dtype) {
  case DType::I1: // a byte in memory
  case DType::I8:
    return Element::I8;
  case DType::I16:
    return Element::I16;
  case DType::I32:
    return Element::I32;
  case DType::I64:
    return Element::I64;
  case DType::U8:
    return Element::U8;
  case DType::U16:
    return Element::U16;
  case DType::U32:
    return Element::U32;
  case DType::U64:
    return Element::U64;
  case DType::F16:
    return Element::F16;
  case DType::BF16:
    return Element::BF16;
  case DType::F32:
    return Element::F32;
  default:
    return std::nullopt;
  }
}

bool someChip(llvm::function_ref<bool(const machine::Machine &)> has) {
  for (const machine::StockMachine &stock : machine::stockMachines())
    if (auto chip = machine::stockMachine(stock.name); chip && has(**chip))
      return true;
  return false;
}

/// Where the sign makes no difference to the bits of the result.
static bool isSignless(Opcode opcode) {
  return llvm::is_contained(
      {Opcode::VAdd, Opcode::VAdds, Opcode::VSub, Opcode::VMul, Opcode::VMuls}, opcode);
}

static bool works(Opcode opcode, DType dtype) {
  if (isSignless(opcode) && (dtype == DType::U16 || dtype == DType::U32))
    dtype = dtype == DType::U16 ? DType::I16 : DType::I32;
  std::optional<Element> element = elementOf(dtype);
  return element &&
         someChip([&](const machine::Machine &chip) { return chip.supports(opcode, *element); });
}

bool expectElement(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                   Opcode opcode, DType dtype) {
  if (works(opcode, dtype))
    return true;
  static constexpr DType kAll[] = {DType::I8,  DType::I16,  DType::I32, DType::I64,
                                   DType::U8,  DType::U16,  DType::U32, DType::U64,
                                   DType::F16, DType::BF16, DType::F32};
  std::string expected;
  for (DType each : kAll)
    if (works(opcode, each))
      expected += (expected.empty() ? "" : ", ") + info(each).languageName.str();
  triton::wrongArgument(context, arguments, name, info(dtype).languageName,
                        "one of " + expected + " for " + npu::lowerName(opcode));
  return false;
}

//===----------------------------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------------------------===//

bool isScalarOperand(const Value &value) {
  if (const RegionData *region = value.asRegion())
    return region->isElement();
  return value.isNumber() || (value.isRuntime() && value.type().isScalar());
}

mlir::Value scalarArgument(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                           DType dtype) {
  Value given = oneElement(arguments[name]);
  if (!isScalarOperand(given)) {
    triton::wrongArgument(context, arguments, name, given,
                          "a number, a scalar or one element of a buffer");
    return {};
  }
  Value value = context.read(isInteger(dtype) ? asWhole(given) : given);
  value = value.isNumber() ? context.materializeAs(value, dtype)
                           : triton::castTo(context, value, dtype);
  if (isBool(dtype))
    value = triton::castTo(context, value, DType::I8);
  return value.isPoison() ? mlir::Value() : value.ir();
}

mlir::Value constantOf(CallContext &context, DType dtype, double value) {
  return isFloat(dtype)
             ? context.constant(Type(dtype), value)
             : context.constant(Type(isBool(dtype) ? DType::I8 : dtype), Integer(int64_t(value)));
}

//===----------------------------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------------------------===//

bool isOrderedByAuthor(CallContext &context) {
  return context.kernel()->hasAttr(npu::kAuthorSyncAttr);
}

/// V has been given nothing since the last barrier that it waits at.
static bool isBehindBarrier(mlir::OpBuilder &builder) {
  mlir::Block::iterator place = builder.getInsertionPoint();
  while (place != builder.getInsertionBlock()->begin()) {
    --place;
    if (auto barrier = mlir::dyn_cast<npu::BarrierOp>(*place))
      return !barrier.getPipeAttr() || barrier.getPipeAttr().getValue() == Pipe::V;
    if (!mlir::isMemoryEffectFree(&*place))
      return false;
  }
  return false;
}

void orderVector(CallContext &context) {
  if (!isOrderedByAuthor(context) || isBehindBarrier(context.builder()))
    return;
  context.create<npu::BarrierOp>(npu::PipeAttr::get(context.mlirContext(), Pipe::V),
                                 context.builder().getStringAttr("one call, several instructions"));
}

void stopAll(CallContext &context, llvm::StringRef reason) {
  if (isOrderedByAuthor(context))
    context.create<npu::BarrierOp>(npu::PipeAttr(), context.builder().getStringAttr(reason));
}

void handOver(CallContext &context, Pipe source, Pipe destination) {
  if (!isOrderedByAuthor(context))
    return;
  mlir::Value id = indexConstant(context, kFillFlag);
  context.create<npu::SetOp>(source, destination, id);
  context.create<npu::WaitOp>(source, destination, id);
}

} // namespace kiln::frontend::tilelang::expert

namespace kiln::frontend::tilelang {

Lowering npuLoweringOf(llvm::StringRef name) {
  static const llvm::StringMap<Lowering> lowerings = [] {
    llvm::StringMap<Lowering> table;
    for (auto rows :
         {expert::copyRows(), expert::vectorRows(), expert::composedRows(), expert::castRows(),
          expert::maskRows(), expert::shapeRows(), expert::orderRows()})
      for (const expert::Row &row : rows)
        table[row.name] = row.lower;
    return table;
  }();
  auto found = lowerings.find(name);
  return found == lowerings.end() ? nullptr : found->second;
}

} // namespace kiln::frontend::tilelang
