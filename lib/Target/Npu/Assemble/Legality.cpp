//===- Legality.cpp - can the chip do this instruction? --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Legality.h"

#include "Elements.h"

#include "kiln/Analysis/IntegerFacts.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace kiln::npu {

using machine::Atomic;
using machine::Core;
using machine::Element;
using machine::Memory;
using machine::OpClass;
using machine::Opcode;
using machine::Pipe;

static Type elementTypeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

LogicalResult Legality::check(Operation *op) const {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](AllocOp op) { return alloc(op); })
      .Case<SetOp, WaitOp>([&](auto op) {
        std::optional<int64_t> id = getConstantIntValue(op.getId());
        if (id && (*id < 0 || *id >= int64_t(machine.limits.flagIds)))
          return LogicalResult(op.emitError() << "has flag id " << *id << ", expected 0 to "
                                              << machine.limits.flagIds - 1);
        return pipes(op, {op.getSource().getValue(), op.getDestination().getValue()});
      })
      .Case([&](BarrierOp op) {
        return op.getPipeAttr() ? pipes(op, op.getPipeAttr().getValue()) : success();
      })
      .Case([&](InstructionOpInterface op) { return instruction(op); })
      .Default([](Operation *) { return success(); });
}

LogicalResult Legality::alloc(AllocOp op) const {
  Memory memory = memoryOf(op.getType());
  const machine::MemoryFacts &facts = machine.memory(memory);
  if (!op.getAddress())
    return op.emitError("has no address, expected one from kiln-npu-plan-memory");
  uint64_t address = *op.getAddress();
  if (address % facts.alignment != 0)
    return op.emitError() << "starts at byte " << address << ", expected a multiple of "
                          << facts.alignment << " in " << lowerName(memory);
  auto type = cast<MemRefType>(op.getType());
  uint64_t bits = uint64_t(type.getNumElements()) * type.getElementTypeBitWidth();
  uint64_t end = address + (bits + 7) / 8;
  if (end > facts.usableBytes)
    return op.emitError() << "ends at byte " << end << ", but " << lowerName(memory) << " has "
                          << facts.usableBytes;
  return success();
}

LogicalResult Legality::pipes(Operation *op, ArrayRef<Pipe> pipes) const {
  // A core has the pipes that some instruction or path of it uses.
  auto has = [&](Pipe pipe) {
    for (unsigned index = 0; index < machine::opcodeCount; ++index) {
      const machine::OpcodeInfo &info = machine::info(Opcode(index));
      if (info.pipe == pipe && machine::runsOn(Opcode(index), core))
        return true;
    }
    return llvm::any_of(machine.paths, [&](const machine::Path &path) {
      return path.core == core && path.pipe == pipe;
    });
  };
  for (Pipe pipe : pipes)
    if (!has(pipe))
      return op->emitError() << "names pipe " << lowerName(pipe) << ", which a core of kind "
                             << std::string(machine::name(core)) << " has not";
  return success();
}

LogicalResult Legality::instruction(InstructionOpInterface op) const {
  Opcode opcode = op.opcode();
  if (!machine.facts(opcode).present)
    return op->emitError() << "'" << lowerName(opcode) << "' is not an instruction of "
                           << machine.name;
  if (!machine::runsOn(opcode, core))
    return op->emitError() << "'" << lowerName(opcode) << "' does not run on a core of kind "
                           << std::string(machine::name(core));
  if (failed(pipes(op, op.pipe())) || failed(path(op)) || failed(types(op)))
    return failure();
  return layout(op);
}

//===-----------------------------------------------------------------------------------------===//
// Types
//===-----------------------------------------------------------------------------------------===//

static std::string nameOf(Element element) { return std::string(machine::name(element)); }

LogicalResult Legality::conversion(VCastOp op) const {
  std::optional<Element> from = elementOf(elementTypeOf(op.getSrc()), op.getIsUnsignedSrc());
  std::optional<Element> to = elementOf(elementTypeOf(op.getDst()), op.getIsUnsignedDst());
  const machine::Conversion *conversion =
      from && to ? machine.conversion(Opcode::VConv, *from, *to) : nullptr;
  if (!conversion)
    return op.emitError() << machine.name << " does not convert " << elementTypeOf(op.getSrc())
                          << " to " << elementTypeOf(op.getDst());
  if (conversion->roundings.contains(op.getRounding().getValue()))
    return success();
  return op.emitError() << machine.name << " does not convert " << nameOf(*from) << " to "
                        << nameOf(*to) << " with rounding "
                        << lowerName(op.getRounding().getValue());
}

LogicalResult Legality::comparison(VCmpOp op) const {
  std::optional<Element> element = elementOf(elementTypeOf(op.getLhs()));
  machine::Predicate predicate = op.getPredicate().getValue();
  if (element && machine.compares(op.opcode(), *element, predicate))
    return success();
  return op.emitError() << machine.name << " does not compare " << elementTypeOf(op.getLhs())
                        << " by " << lowerName(predicate);
}

LogicalResult Legality::types(InstructionOpInterface op) const {
  if (auto convert = dyn_cast<VCastOp>(*op))
    return conversion(convert);
  if (auto compare = dyn_cast<VCmpOp>(*op))
    return comparison(compare);
  auto scalar = dyn_cast<VScalarOp>(*op);
  Access data = op.accesses().front();
  Type type = data.isGlobal() ? cast<tile::PtrType>(data.buffer.getType()).getPointee()
                              : elementTypeOf(data.buffer);
  std::optional<Element> element = elementOf(type, scalar && scalar.getIsUnsigned());
  if (!element || !machine.supports(op.opcode(), *element))
    return op->emitError() << "'" << lowerName(op.opcode()) << "' does not work on "
                           << (element ? nameOf(*element) : "such elements") << " on "
                           << machine.name;
  auto store = dyn_cast<StoreOp>(*op);
  Atomic atomic = store && store.getAtomicAttr() ? store.getAtomicAttr().getValue() : Atomic::None;
  if (atomic != Atomic::None && !machine.supportsAtomic(Opcode::Store, *element, atomic))
    return op->emitError() << machine.name << " does not combine " << nameOf(*element) << " by "
                           << lowerName(atomic) << " in global memory";
  return success();
}

//===-----------------------------------------------------------------------------------------===//
// Places
//===-----------------------------------------------------------------------------------------===//

LogicalResult Legality::path(InstructionOpInterface op) const {
  bool isTransfer = isa<LoadOp, StoreOp>(*op);
  for (const Access &access : op.accesses()) {
    if (access.isGlobal())
      continue;
    Memory memory = memoryOf(access.buffer.getType());
    Memory from = isa<LoadOp>(*op) ? Memory::GM : memory;
    Memory to = isa<LoadOp>(*op) ? memory : Memory::GM;
    const machine::Path *path = isTransfer ? machine.path(from, to) : nullptr;
    if (isTransfer && (!path || path->core != core || path->pipe != op.pipe()))
      return op->emitError() << "there is no path from " << lowerName(from) << " to "
                             << lowerName(to) << " on a core of kind "
                             << std::string(machine::name(core));
    if (!isTransfer && memory != Memory::UB)
      return op->emitError() << "works on " << lowerName(memory) << ", expected ub";
  }
  return success();
}

namespace {
/// What is known of a byte address: it is `rest` above a multiple of `unit`; unit 0: it is `rest`.
struct Address {
  int64_t unit = 0, rest = 0;
  bool isRing = true; ///< every multiple of the unit will come up
};
} // namespace

/// None for a buffer that a loop carries.
static std::optional<Address> addressOf(Value buffer) {
  if (auto alloc = buffer.getDefiningOp<AllocOp>())
    return Address{0, int64_t(alloc.getAddress().value_or(0))};
  if (auto window = buffer.getDefiningOp<WindowOp>()) {
    std::optional<Address> address = addressOf(window.getSource());
    auto type = cast<MemRefType>(window.getSource().getType());
    if (address)
      address->rest += int64_t(window.getOffset()) * type.getElementTypeBitWidth() / 8;
    if (!address || !window.getDynamic())
      return address;
    // What is not known to divide it the author may know, and the run checks.
    address->isRing = false;
    address->unit = std::gcd(address->unit, IntegerFacts().get(window.getDynamic()).divisibility *
                                                type.getElementTypeBitWidth() / 8);
    return address;
  }
  if (auto slot = buffer.getDefiningOp<SlotOp>()) {
    std::optional<Address> address = addressOf(slot.getRing());
    auto type = cast<MemRefType>(slot.getType());
    if (address)
      address->unit =
          std::gcd(address->unit, type.getNumElements() * type.getElementTypeBitWidth() / 8);
    return address;
  }
  return std::nullopt;
}

/// `scattered`: elements may lie anywhere, each aligned to itself. Otherwise rows of adjacent
/// elements begin at 32-byte blocks.
LogicalResult Legality::operandLayout(Operation *op, Value buffer, bool scattered) const {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t elementBytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  int64_t block = scattered ? elementBytes : machine.limits.dmaBlockBytes;
  if (std::optional<Address> address = addressOf(buffer)) {
    int64_t rest = address->rest % std::gcd(address->unit, block);
    if (rest != 0)
      return op->emitError() << "has an operand that starts " << rest
                             << " bytes behind a multiple of " << block
                             << ", expected such a multiple";
    if (address->isRing && address->unit % block != 0)
      return op->emitError() << "has an operand in slots of a multiple of " << address->unit
                             << " bytes, expected a multiple of " << block;
  }
  if (scattered || type.getElementType().isInteger(1))
    return success();
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  (void)type.getStridesAndOffset(strides, offset);
  if (type.getShape().back() > 1 && strides.back() != 1)
    return op->emitError() << "has an operand of type " << type
                           << ", expected adjacent elements in a row";
  for (unsigned d = 0; d + 1 < strides.size(); ++d)
    if (type.getDimSize(d) > 1 && strides[d] * elementBytes % block != 0 &&
        strides[d] != type.getDimSize(d + 1) * strides[d + 1])
      return op->emitError() << "has an operand with rows every " << strides[d] * elementBytes
                             << " bytes, expected a multiple of " << block;
  return success();
}

LogicalResult Legality::layout(InstructionOpInterface op) const {
  SmallVector<Access> accesses = op.accesses();
  for (auto [index, access] : llvm::enumerate(accesses)) {
    if (access.isGlobal() || access.index)
      continue;
    bool scattered = (isa<VReduceOp>(*op) && index == 0) || (isa<VBroadcastOp>(*op) && index == 1);
    if (failed(operandLayout(op, access.buffer, scattered)))
      return failure();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LoadOp op) {
        return rows(op, op.getDst(), op.getMixedSizes(), op.getMixedStrides());
      })
      .Case([&](StoreOp op) {
        return rows(op, op.getSrc(), op.getMixedSizes(), op.getMixedStrides());
      })
      .Default([](Operation *) { return success(); });
}

/// Rows of a transfer that are too short. Rows that follow one another without a gap on both sides
/// are one; what is not static is left to the run.
LogicalResult Legality::rows(Operation *op, Value buffer, ArrayRef<OpFoldResult> sizes,
                             ArrayRef<OpFoldResult> strides) const {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> local;
  int64_t offset = 0;
  (void)type.getStridesAndOffset(local, offset);
  int64_t length = 1, count = 1;
  bool isOneRow = true;
  for (int d = int(sizes.size()) - 1; d >= 0; --d) {
    std::optional<int64_t> size = getConstantIntValue(sizes[d]);
    if (!size)
      return success();
    std::optional<int64_t> stride = getConstantIntValue(strides[d]);
    isOneRow &= *size == 1 || (stride == length && local[d] == length);
    (isOneRow ? length : count) *= *size;
  }
  int64_t bytes = length * type.getElementTypeBitWidth() / 8;
  if (count <= 1 || bytes >= int64_t(machine.limits.dmaMinRowBytes))
    return success();
  return op->emitError() << "moves " << count << " rows of " << bytes
                         << " bytes, expected rows of at least " << machine.limits.dmaMinRowBytes;
}

} // namespace kiln::npu
