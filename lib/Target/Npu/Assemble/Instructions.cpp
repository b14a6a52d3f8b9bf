//===- Instructions.cpp - tile instructions, their regions, and flags ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Assembler.h"
#include "image/Signature.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kiln::npu {

using image::Dim;
using image::Operand;
using image::Region;
using machine::Element;
using machine::Memory;
using machine::OpClass;

/// Bytes of a block that vbrcb fills.
static constexpr int64_t kBlockBytes = 32;

//===-----------------------------------------------------------------------------------------===//
// Buffers
//===-----------------------------------------------------------------------------------------===//

LogicalResult Assembler::buffer(Operation *op) {
  if (auto alloc = dyn_cast<AllocOp>(op)) {
    std::optional<uint64_t> address = alloc.getAddress();
    if (!address)
      return op->emitError("has no address, expected one from kiln-npu-plan-memory");
    define(alloc, Operand::immediate(int64_t(*address)));
    return success();
  }
  if (auto window = dyn_cast<WindowOp>(op)) {
    int64_t bits = cast<MemRefType>(window.getSource().getType()).getElementTypeBitWidth();
    Operand start = builder.add(at(window.getSource()),
                                Operand::immediate(int64_t(window.getOffset()) * bits / 8));
    if (Value more = window.getDynamic())
      start = builder.add(start, builder.multiply(at(more), bits / 8));
    define(window, start);
    return success();
  }
  auto slot = cast<SlotOp>(op);
  auto type = cast<MemRefType>(slot.getType());
  int64_t depth = cast<MemRefType>(slot.getRing().getType()).getDimSize(0);
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  Operand start = builder.multiply(builder.remainder(at(slot.getNumber()), depth), bytes);
  define(slot, builder.add(at(slot.getRing()), start));
  return success();
}

//===-----------------------------------------------------------------------------------------===//
// Regions
//===-----------------------------------------------------------------------------------------===//

Region Assembler::oneElement(Memory memory, Element element, Operand address) {
  Region region;
  region.memory = memory;
  region.element = element;
  region.address = address;
  region.dims[0] = {Operand::immediate(1), Operand::immediate(bytesOf(element))};
  return region;
}

FailureOr<Region> Assembler::globalRegion(Operation *op, const Access &access) {
  FailureOr<Element> element =
      elementAt(op, cast<tile::PtrType>(access.buffer.getType()).getPointee());
  if (failed(element))
    return failure();
  int64_t bytes = bytesOf(*element);
  Operand address = builder.add(at(access.buffer), builder.multiply(at(access.offset), bytes));
  Region region = oneElement(Memory::GM, *element, address);
  if (access.sizes.empty())
    return region;
  region.rank = uint8_t(access.sizes.size());
  for (unsigned d = 0; d < region.rank; ++d)
    region.dims[d] = {at(access.sizes[d]), builder.multiply(at(access.strides[d]), bytes)};
  return region;
}

FailureOr<Region> Assembler::region(Operation *op, const Access &access, bool isUnsigned) {
  if (access.isGlobal())
    return globalRegion(op, access);
  auto type = cast<MemRefType>(access.buffer.getType());
  std::optional<Element> element = elementOf(type.getElementType(), isUnsigned);
  if (!element)
    return op->emitError() << "has a buffer of " << type.getElementType()
                           << ", which the NPU has not";
  Region region = oneElement(memoryOf(type), *element, at(access.buffer));
  int64_t bytes = bytesOf(*element);
  if (access.index) {
    region.address = builder.add(region.address, builder.multiply(at(access.index), bytes));
    return region;
  }
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return op->emitError() << "has a buffer of type " << type << ", expected static strides";
  region.rank = uint8_t(type.getRank());
  for (unsigned d = 0; d < region.rank; ++d)
    region.dims[d] = {Operand::immediate(type.getDimSize(d)),
                      Operand::immediate(*element == Element::I1 ? 0 : strides[d] * bytes)};
  return region;
}

/// The first `count` regions that are not masks go element by element: dimensions that follow one
/// another without a gap in all of them become one, outer dimensions of size 1 go.
static void collapse(MutableArrayRef<Region> regions) {
  SmallVector<Region *> data;
  for (Region &region : regions)
    if (region.element != Element::I1)
      data.push_back(&region);
  auto isOne = [](const Region &region, unsigned d) {
    return region.dims[d].size == Operand::immediate(1);
  };
  auto isGapless = [](const Region &region, unsigned d) {
    const Dim &outer = region.dims[d], &inner = region.dims[d + 1];
    return !outer.size.isRegister && !outer.stride.isRegister && !inner.size.isRegister &&
           !inner.stride.isRegister && outer.stride.value == inner.size.value * inner.stride.value;
  };
  for (int d = int(data.front()->rank) - 2; d >= 0; --d) {
    bool drop = llvm::all_of(data, [&](Region *region) { return isOne(*region, d); });
    bool merge = llvm::all_of(data, [&](Region *region) { return isGapless(*region, d); });
    if (!drop && !merge)
      continue;
    for (Region *region : data) {
      if (!drop)
        region->dims[d + 1].size.value *= region->dims[d].size.value;
      for (unsigned i = d; i + 1 < region->rank; ++i)
        region->dims[i] = region->dims[i + 1];
      region->dims[--region->rank] = Dim{};
    }
  }
}

/// One row for each block of vbrcb's destination. False if there is no room for another dimension.
static bool splitBlocks(Region &region) {
  Dim &inner = region.dims[region.rank - 1];
  int64_t block = kBlockBytes / bytesOf(region.element);
  if (inner.size.value == block)
    return true;
  if (region.rank == 3 || inner.size.value % block != 0)
    return false;
  region.dims[region.rank++] = {Operand::immediate(block), inner.stride};
  inner = {Operand::immediate(inner.size.value / block),
           Operand::immediate(inner.stride.value * block)};
  return true;
}

/// Which regions go element by element; the rest of the classes give their dimensions a meaning.
static unsigned elementwiseRegions(OpClass opClass, unsigned regions) {
  switch (opClass) {
  case OpClass::VReduce:
  case OpClass::VBroadcast:
  case OpClass::VShape:
  case OpClass::SMemory:
    return 0;
  case OpClass::VGather:
    return 2; // the source is read at offsets from its start
  default:
    return regions;
  }
}

//===-----------------------------------------------------------------------------------------===//
// Instructions
//===-----------------------------------------------------------------------------------------===//

/// Is the element type of the access number `index` unsigned?
static bool isUnsignedAccess(Operation *op, unsigned index) {
  if (auto scalar = dyn_cast<VScalarOp>(op))
    return scalar.getIsUnsigned();
  if (auto convert = dyn_cast<VCastOp>(op))
    return index == 0 ? convert.getIsUnsignedDst() : convert.getIsUnsignedSrc();
  return isa<VGatherOp>(op) && index == 1;
}

/// The scalar among the data operands; null if there is none.
static Value scalarOf(Operation *op) {
  auto scalar = [](Value value) { return isa<MemRefType>(value.getType()) ? Value() : value; };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([](VScalarOp op) { return op.getScalar(); })
      .Case([&](VCmpOp op) { return scalar(op.getRhs()); })
      .Case([&](VSelOp op) { return scalar(op.getRhs()); })
      .Case([](VDupOp op) { return op.getScalar(); })
      .Case([](VIotaOp op) { return op.getStart(); })
      .Case([](SStoreOp op) { return op.getValue(); })
      .Default([](Operation *) { return Value(); });
}

static uint8_t attributeOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, uint8_t>(op)
      .Case([](VCmpOp op) { return uint8_t(op.getPredicate().getValue()); })
      .Case([](VCastOp op) { return uint8_t(op.getRounding().getValue()); })
      .Case([](StoreOp op) {
        return op.getAtomicAttr() ? uint8_t(op.getAtomicAttr().getValue()) : uint8_t(0);
      })
      .Default([](Operation *) { return uint8_t(0); });
}

LogicalResult Assembler::instruction(InstructionOpInterface op) {
  image::Instruction result;
  result.opcode = op.opcode();
  result.attribute = attributeOf(op);
  if (slice.contains(op))
    result.flags |= image::FeedsControl;
  image::Signature signature = image::signature(result.opcode, result.attribute);
  SmallVector<Access> accesses = op.accesses();
  if (!signature.encoded || signature.regions > accesses.size())
    return op->emitError() << "'" << lowerName(result.opcode) << "' has no form in a program image";
  for (unsigned index = 0; index < signature.regions; ++index) {
    FailureOr<Region> made = region(op, accesses[index], isUnsignedAccess(op, index));
    if (failed(made))
      return failure();
    result.regions.push_back(*made);
  }
  // A transfer moves as much as its sizes say, on both sides.
  if (isa<LoadOp, StoreOp>(op)) {
    unsigned global = isa<LoadOp>(op) ? 1 : 0;
    for (unsigned d = 0; d < result.regions[global].rank; ++d)
      result.regions[1 - global].dims[d].size = result.regions[global].dims[d].size;
  }
  OpClass opClass = machine::info(result.opcode).opClass;
  if (unsigned count = elementwiseRegions(opClass, signature.regions))
    collapse(MutableArrayRef(result.regions).take_front(count));
  if (opClass == OpClass::VBroadcast && !splitBlocks(result.regions[0]))
    return op->emitError("has a destination that is not rows of 32-byte blocks");
  if (Value scalar = scalarOf(op))
    result.operands.push_back(at(scalar));
  if (op->getNumResults()) {
    define(op->getResult(0), builder.newRegister());
    result.result = uint16_t(at(op->getResult(0)).value);
  }
  builder.append(std::move(result));
  return success();
}

LogicalResult Assembler::order(Operation *op) {
  image::Instruction result;
  auto flag = [&](machine::Opcode opcode, auto op) {
    result.opcode = opcode;
    result.attribute =
        image::flagAttribute(op.getSource().getValue(), op.getDestination().getValue());
    result.operands = {at(op.getId())};
  };
  if (auto set = dyn_cast<SetOp>(op)) {
    flag(machine::Opcode::SetFlag, set);
  } else if (auto wait = dyn_cast<WaitOp>(op)) {
    flag(machine::Opcode::WaitFlag, wait);
  } else {
    PipeAttr pipe = cast<BarrierOp>(op).getPipeAttr();
    result.opcode = machine::Opcode::Barrier;
    result.attribute = pipe ? uint8_t(pipe.getValue()) : image::allPipes;
  }
  builder.append(std::move(result));
  return success();
}

} // namespace kiln::npu
