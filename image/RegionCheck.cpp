//===- RegionCheck.cpp - alignment and extents of an instruction's regions -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "image/RegionCheck.h"

#include "image/Region.h"

namespace kiln::image {

using machine::Element;
using machine::Machine;
using machine::Memory;
using machine::OpClass;
using machine::Opcode;

namespace {

using MaybeFault = std::optional<Fault>;

/// What an instruction demands of a region.
enum class Form : uint8_t {
  Rows,     ///< adjacent elements in rows that begin at the machine's blocks
  Transfer, ///< the same, but anywhere in GM
  Elements, ///< each aligned to itself
  Single,   ///< one element, aligned to itself
  Free,     ///< its own law, which the simulator knows
};

Form formOf(const Instruction &it, size_t region) {
  switch (machine::info(it.opcode).opClass) {
  case OpClass::Load:
    return it.opcode == Opcode::LoadNz && region == 0 ? Form::Free : Form::Transfer;
  case OpClass::Store:
    return Form::Transfer;
  case OpClass::SMemory:
  case OpClass::SAtomic:
    return Form::Single;
  case OpClass::VReduce: // one result per row or block
    return region == 0 ? Form::Elements : Form::Rows;
  case OpClass::VBroadcast: // one source per row
    return region == 1 ? Form::Elements : Form::Rows;
  case OpClass::Extract:
    return Form::Free;
  default:
    return Form::Rows;
  }
}

/// The regions that have the sizes of the first of them, as bits.
unsigned sameShape(OpClass opClass) {
  switch (opClass) {
  case OpClass::Store:
  case OpClass::Copy:
  case OpClass::VUnary:
  case OpClass::VScalar:
  case OpClass::VCast:
  case OpClass::VGather:
    return 0b0011;
  case OpClass::VBinary:
  case OpClass::VTernary:
    return 0b0111;
  case OpClass::VCmp:
    return 0b0110;
  case OpClass::VSel:
    return 0b1101;
  default:
    return 0;
  }
}

std::string sizeText(const Region &region) {
  std::string text;
  for (size_t d = 0; d < region.rank; ++d) {
    const Operand &size = region.dims[d].size;
    text += (d ? "x" : "") + (size.isRegister ? "?" : std::to_string(size.value));
  }
  return text;
}

/// Size of a dimension counted from the innermost; 1 beyond the rank.
Operand sizeFromInside(const Region &region, size_t d) {
  return d < region.rank ? region.dims[region.rank - 1 - d].size : Operand::immediate(1);
}

bool isEmpty(const Region &region) {
  for (size_t d = 0; d < region.rank; ++d)
    if (!region.dims[d].size.isRegister && region.dims[d].size.value <= 0)
      return true;
  return false;
}

class RegionCheck {
public:
  RegionCheck(const Region &region, Form form, std::string who, const Machine &machine)
      : region(region), form(form), who(std::move(who)), machine(machine) {}

  MaybeFault run() {
    for (auto step :
         {&RegionCheck::single, &RegionCheck::alignment, &RegionCheck::rows, &RegionCheck::extent})
      if (MaybeFault fault = (this->*step)())
        return fault;
    return std::nullopt;
  }

private:
  bool isLocal() const { return region.memory != Memory::GM; }
  bool atBlocks() const { return (form == Form::Rows || form == Form::Transfer) && isLocal(); }
  int64_t elementBytes() const { return std::max<int64_t>(1, machine::bits(region.element) / 8); }

  MaybeFault single() {
    for (size_t d = 0; form == Form::Single && d < region.rank; ++d)
      if (const Operand &size = region.dims[d].size; size.isRegister || size.value != 1)
        return Fault{who + " of " + sizeText(region) + " elements", "one"};
    return std::nullopt;
  }

  MaybeFault alignment() {
    if (region.address.isRegister)
      return std::nullopt;
    auto unit = int64_t(atBlocks() ? machine.memory(region.memory).alignment
                        : form == Form::Elements || form == Form::Single ? uint64_t(elementBytes())
                                                                         : 1);
    if (region.address.value % unit == 0)
      return std::nullopt;
    return Fault{who + " at byte " + std::to_string(region.address.value) + " of " +
                     std::string(machine::name(region.memory)),
                 "a multiple of " + std::to_string(unit)};
  }

  /// Elements of a row are adjacent; rows of local memories begin at blocks.
  MaybeFault rows() {
    if (form == Form::Free || form == Form::Single || region.element == Element::I1)
      return std::nullopt;
    bool adjacent = form != Form::Elements;
    int64_t unit = atBlocks()               ? machine.limits.dmaBlockBytes
                   : form == Form::Elements ? elementBytes()
                                            : 1;
    for (size_t d = 0; d < region.rank; ++d) {
      const auto &[size, stride] = region.dims[d];
      if (stride.isRegister || size.isRegister || size.value == 1)
        continue;
      bool innermost = d + 1u == region.rank;
      if (innermost && adjacent && stride.value != elementBytes())
        return Fault{who + " with elements every " + std::to_string(stride.value) + " bytes",
                     "adjacent ones, every " + std::to_string(elementBytes())};
      if (!(innermost && adjacent) && stride.value % unit)
        return Fault{who + " with rows every " + std::to_string(stride.value) + " bytes",
                     "a multiple of " + std::to_string(unit)};
    }
    return shortRows();
  }

  /// Transfers of several rows corrupt what lies behind a short one.
  MaybeFault shortRows() {
    const Operand &length = region.dims[region.rank - 1].size;
    if (form != Form::Transfer || !isLocal() || length.isRegister)
      return std::nullopt;
    int64_t least = machine.limits.dmaMinRowBytes;
    if (length.value >= least) // long enough in elements of any size, and the product may overflow
      return std::nullopt;
    int64_t bytes = length.value * elementBytes();
    for (size_t d = 0; d + 1 < region.rank; ++d)
      if (const Operand &count = region.dims[d].size;
          !count.isRegister && count.value > 1 && bytes < least)
        return Fault{"a transfer of several rows of " + std::to_string(bytes) + " bytes",
                     "rows of at least " + std::to_string(least)};
    return std::nullopt;
  }

  MaybeFault extent() {
    if (!isLocal() || region.address.isRegister)
      return std::nullopt;
    auto usable = int64_t(machine.memory(region.memory).usableBytes);
    std::optional<Extent> reach = immediateExtent(region);
    int64_t begin = region.address.value, end = begin;
    bool fits = true;
    if (reach) {
      fits = !__builtin_add_overflow(begin, reach->end, &end) &&
             !__builtin_add_overflow(begin, reach->begin, &begin);
    }
    if (fits && begin >= 0 && end <= usable)
      return std::nullopt;
    return Fault{
        who + " in bytes " +
            (fits ? std::to_string(begin) + " to " + std::to_string(end) : "beyond all bounds") +
            " of " + std::string(machine::name(region.memory)),
        "within 0 to " + std::to_string(usable)};
  }

  const Region &region;
  Form form;
  std::string who;
  const Machine &machine;
};

MaybeFault checkShapes(const Instruction &it) {
  OpClass opClass = machine::info(it.opcode).opClass;
  unsigned same = it.opcode == Opcode::Load ? 0b0011 : sameShape(opClass);
  const Region *first = nullptr;
  for (size_t i = 0; i < it.regions.size(); ++i) {
    if (!(same >> i & 1))
      continue;
    if (!first)
      first = &it.regions[i];
    for (size_t d = 0; d < first->dims.size(); ++d) {
      Operand size = sizeFromInside(it.regions[i], d), expected = sizeFromInside(*first, d);
      if (!size.isRegister && !expected.isRegister && size.value != expected.value)
        return Fault{regionName(i) + " of " + sizeText(it.regions[i]) + " elements",
                     sizeText(*first)};
    }
  }
  return std::nullopt;
}

} // namespace

std::string regionName(size_t index) {
  return index == 0 ? "the destination" : "operand " + std::to_string(index);
}

std::optional<Fault> checkRegions(const Instruction &instruction, const Machine &machine) {
  if (!instruction.regions.empty() && isEmpty(instruction.regions[0]))
    return std::nullopt;
  for (size_t i = 0; i < instruction.regions.size(); ++i) {
    const Region &region = instruction.regions[i];
    if (isEmpty(region))
      return Fault{regionName(i) + " without elements", "some: the destination has"};
    if (MaybeFault fault =
            RegionCheck(region, formOf(instruction, i), regionName(i), machine).run())
      return fault;
  }
  return checkShapes(instruction);
}

} // namespace kiln::image
