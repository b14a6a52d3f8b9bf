//===- Operands.cpp - an instruction's regions, checked and found ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Operands.h"

#include "sim/isa/Overlap.h"

#include <cstdlib>

namespace kiln::sim {

using machine::Memory;

namespace {

/// Of one region, repeated ones counted. Keeps what a single instruction can take bounded.
constexpr int64_t maxElements = int64_t(1) << 24;

std::string text(int64_t value) { return std::to_string(value); }

std::string sizeText(const ResolvedRegion &region) {
  std::string result;
  for (unsigned d = 0; d < 3; ++d)
    if (d == 2 || region.size[d] != 1 || !result.empty())
      result += (result.empty() ? "" : "x") + text(region.size[d]);
  return result;
}

bool isWrite(Access access) { return access != Access::Read && access != Access::AtomicRead; }
bool isAtomic(Access access) {
  return access == Access::AtomicRead || access == Access::AtomicUpdate;
}

/// Alignment of starts and strides, and that elements of a row are adjacent.
bool checkForm(Context &context, unsigned index, Form form) {
  const ResolvedRegion &region = context.region(index);
  const int64_t bytes = elementBytes(region.element);
  const bool local = region.memory != Memory::GM;
  auto who = [&] { return operandName(index); };

  if (form == Form::Bits) {
    if (region.element != Element::I1)
      return context.illegal(who() + " has elements of " +
                             std::string(machine::name(region.element)) + ", expected i1");
    if (region.size[0] != 1 || region.size[1] != 1)
      return context.illegal(who() + " has " + sizeText(region) +
                             " bits, expected one dimension of packed ones");
  } else if (region.element == Element::I1) {
    return context.illegal(who() + " is packed bits, expected whole elements");
  }

  int64_t start = bytes, rows = bytes;
  if (form == Form::Vector || form == Form::Bits || (form == Form::Transfer && local)) {
    start = int64_t(context.memories.machine.memory(region.memory).alignment);
    rows = context.memories.machine.limits.dmaBlockBytes;
  } else if (form == Form::Transfer) {
    start = rows = 1;
  }
  if (start > 1 && region.address % uint64_t(start) != 0)
    return context.fail(FindingKind::Misaligned, who() + " starts at byte " +
                                                     std::to_string(region.address) + " of " +
                                                     std::string(machine::name(region.memory)) +
                                                     ", expected a multiple of " + text(start));
  if (form == Form::Bits || form == Form::Single)
    return true;
  if (form != Form::Elements && region.size[2] != 1 && region.stride[2] != bytes)
    return context.illegal(who() + " has elements every " + text(region.stride[2]) +
                           " bytes, expected adjacent ones, every " + text(bytes));
  for (unsigned d = 0; d < (form == Form::Elements ? 3u : 2u); ++d)
    if (rows > 1 && region.size[d] > 1 && region.stride[d] % rows != 0)
      return context.fail(FindingKind::Misaligned,
                          who() + " has rows every " + text(region.stride[d]) +
                              " bytes, expected a multiple of " + text(rows));
  return true;
}

/// Finds the bytes of a region that is not empty.
bool locate(Context &context, unsigned index, bool write) {
  const ResolvedRegion &region = context.region(index);
  View &view = context.views[index];
  const Extent reach = extent(region);
  const __int128 low = __int128(region.address) + reach.low;
  const __int128 high = __int128(region.address) + reach.high;

  if (region.memory != Memory::GM) {
    LocalMemory *memory = context.memories.local(region.memory);
    if (!memory)
      return context.illegal(operandName(index) + " lies in " +
                             std::string(machine::name(region.memory)) +
                             ", which this core does not have");
    if (low < 0 || high > __int128(memory->size()))
      return context.fail(FindingKind::OutOfBounds,
                          operandName(index) + " covers bytes " + text(int64_t(low)) + " to " +
                              text(int64_t(high)) + " of " +
                              std::string(machine::name(region.memory)) + ", expected 0 to " +
                              std::to_string(memory->size()) + " at most");
    view.data = memory->data() + region.address;
    view.shadow = memory->shadow() + region.address;
    return true;
  }

  constexpr __int128 most = __int128(1) << 62;
  GlobalBlock *block =
      low >= 0 && high < most ? context.memories.block(uint64_t(low), uint64_t(high)) : nullptr;
  if (!block || !block->span(uint64_t(low), uint64_t(high), write))
    return context.fail(FindingKind::OutOfBounds,
                        operandName(index) + " covers " +
                            context.memories.global.explain(uint64_t(low), uint64_t(high), write));
  view.block = block;
  if (!block->data)
    return !context.run || context.illegal(operandName(index) + " is " +
                                           block->span(uint64_t(low), uint64_t(high), write)->name +
                                           ", which has no values in this run");
  const int64_t offset = int64_t(region.address - block->address);
  view.data = block->data + offset;
  view.shadow = block->shadow ? block->shadow.get() + offset : nullptr;
  return true;
}

} // namespace

std::string operandName(unsigned index) {
  return index == 0 ? "the destination" : "operand " + std::to_string(index);
}

Extent extent(const ResolvedRegion &region) {
  if (region.element == Element::I1)
    return {0, (__int128(region.size[2]) + 7) / 8};
  Extent result{0, elementBytes(region.element)};
  for (unsigned d = 0; d < 3; ++d) {
    const __int128 reach = __int128(region.size[d] - 1) * region.stride[d];
    (reach < 0 ? result.low : result.high) += reach;
  }
  return result;
}

void addTouches(std::vector<Touch> &touches, const ResolvedRegion &region, Access access) {
  Touch touch;
  touch.memory = region.memory;
  touch.write = isWrite(access);
  touch.atomic = isAtomic(access);
  touch.address = region.address;
  if (region.element == Element::I1) {
    touch.runBytes = uint32_t((region.size[2] + 7) / 8);
    touches.push_back(touch);
    return;
  }
  // Dimensions that follow one another without gaps join the run; the others, without those that
  // stay in place, are counted. A touch has two of them; of three, the outermost is unrolled.
  uint64_t run = uint64_t(elementBytes(region.element));
  std::array<int64_t, 3> counts{1, 1, 1}, strides{0, 0, 0};
  unsigned outer = 0;
  for (int d = 2; d >= 0; --d) {
    const int64_t size = region.size[d], stride = region.stride[d];
    if (size == 1 || stride == 0)
      continue;
    if (outer == 0 && stride == int64_t(run) && run * uint64_t(size) <= UINT32_MAX) {
      run *= uint64_t(size);
      continue;
    }
    counts[outer] = size;
    strides[outer++] = stride;
  }
  touch.runBytes = uint32_t(run);
  touch.count = {counts[1], counts[0]};
  touch.stride = {strides[1], strides[0]};
  for (int64_t index = 0; index < counts[2]; ++index) {
    touch.address = region.address + uint64_t(index * strides[2]);
    touches.push_back(touch);
  }
}

bool Context::fail(FindingKind kind, std::string text) {
  outcome.fail(kind, std::move(text));
  return false;
}

bool Context::noKernel(Element element) {
  return illegal(std::string(machine::name(instruction.opcode)) + " does not work on " +
                 std::string(machine::name(element)));
}

bool Context::count(unsigned regions, unsigned scalars) {
  if (resolved.regionCount != regions)
    return illegal(text(resolved.regionCount) + " regions, expected " + text(regions));
  if (instruction.operands.size() != scalars)
    return illegal(text(int64_t(instruction.operands.size())) + " scalars, expected " +
                   text(scalars));
  return true;
}

bool Context::claim(unsigned index, Form form, Access access) {
  const ResolvedRegion &operand = region(index);
  accesses[index] = access;
  if (form != Form::Transfer && form != Form::Single && operand.memory != Memory::UB)
    return illegal(operandName(index) + " lies in " + std::string(machine::name(operand.memory)) +
                   ", expected UB");
  for (int64_t size : operand.size)
    if (size <= 0)
      return illegal(operandName(index) + " is empty, but the destination is not");
  if (form == Form::Single && (operand.size[0] | operand.size[1] | operand.size[2]) != 1)
    return illegal(operandName(index) + " has " + sizeText(operand) + " elements, expected one");
  if (!checkForm(*this, index, form) || !locate(*this, index, isWrite(access)))
    return false;
  // What repeats itself can name more elements than there are; a destination must not.
  const Extent reach = extent(operand);
  const __int128 elements = __int128(operand.size[0]) * operand.size[1] * operand.size[2];
  if (elements > maxElements)
    return illegal(operandName(index) + " names more elements than any memory has");
  if (isWrite(access) && elements * machine::bits(operand.element) > (reach.high - reach.low) * 8)
    return illegal(operandName(index) + " names some bytes several times, expected a written "
                                        "region to name each once");
  return true;
}

bool Context::sameElement(std::initializer_list<unsigned> indices) {
  for (unsigned index : indices)
    if (element(index) != element(0))
      return illegal(operandName(index) + " has elements of " +
                     std::string(machine::name(element(index))) + ", expected the destination's " +
                     std::string(machine::name(element(0))));
  return true;
}

bool Context::sameShape(std::initializer_list<unsigned> indices) {
  for (unsigned index : indices)
    if (region(index).size != region(0).size)
      return illegal(operandName(index) + " has " + sizeText(region(index)) +
                     " elements, expected the destination's " + sizeText(region(0)));
  return true;
}

bool Context::apart(std::initializer_list<unsigned> indices) {
  for (unsigned index : indices)
    if (!isSame(region(0), region(index)) && overlap(region(0), region(index)))
      return illegal(operandName(index) + " shares bytes with the destination, expected it to be "
                                          "the destination itself or apart from it");
  return true;
}

bool Context::disjoint(std::initializer_list<unsigned> indices) {
  for (unsigned index : indices)
    if (overlap(region(0), region(index)))
      return illegal(operandName(index) + " shares bytes with the destination");
  return true;
}

bool Context::begin(unsigned own) {
  if (track)
    for (unsigned index = 0; index < resolved.regionCount; ++index) {
      if (own >> index & 1)
        continue;
      if (accesses[index] == Access::Update)
        addTouches(outcome.touches, region(index), Access::Read);
      addTouches(outcome.touches, region(index), accesses[index]);
    }
  return run;
}

} // namespace kiln::sim
