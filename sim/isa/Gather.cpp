//===- Gather.cpp - vgather ------------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   vgather  dst, offsets, src   element n = the element of src at byte offsets[n] from its start
//
// Any 16- or 32-bit pattern. Offsets are u32, multiples of the element's size, and lie within src,
// all of them: hardware reads also what is thrown away later. An undefined offset is a finding.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Types.h"

#include <bit>

namespace kiln::sim {

namespace {

/// Checks all offsets; marks the elements of src that are read.
bool checkOffsets(Context &context, const Rows<2> &rows, std::vector<uint8_t> &read) {
  const int64_t bytes = elementBytes(context.element());
  const int64_t reach = int64_t(extent(context.region(2)).high);
  const View offsets = context.views[1];
  int64_t number = 0;
  bool good = true;
  rows.each([&](const std::array<int64_t, 2> &at) {
    for (int64_t index = 0; good && index < rows.length; ++index, ++number) {
      const int64_t place = at[1] + index * 4;
      uint32_t offset;
      std::memcpy(&offset, offsets.data + place, sizeof offset);
      auto which = [&] { return "offset " + std::to_string(number); };
      if (context.track && !allDefined(offsets.shadow + place, 4))
        good = context.fail(FindingKind::Undefined, which() + " is undefined");
      else if (offset % uint64_t(bytes) != 0)
        good = context.fail(FindingKind::Misaligned, which() + " is " + std::to_string(offset) +
                                                         ", expected a multiple of " +
                                                         std::to_string(bytes));
      else if (offset + bytes > reach)
        good = context.fail(FindingKind::OutOfBounds, which() + " is " + std::to_string(offset) +
                                                          ", expected at most " +
                                                          std::to_string(reach - bytes));
      else if (!read.empty())
        read[size_t(offset / bytes)] = 1;
    }
  });
  return good;
}

/// One touch for each run of elements that are read.
void addReads(Context &context, const std::vector<uint8_t> &read) {
  const int64_t bytes = elementBytes(context.element());
  for (size_t index = 0; index < read.size(); ++index) {
    if (!read[index])
      continue;
    size_t end = index;
    while (end < read.size() && read[end])
      ++end;
    Touch touch;
    touch.memory = context.region(2).memory;
    touch.address = context.region(2).address + uint64_t(index) * uint64_t(bytes);
    touch.runBytes = uint32_t((end - index) * size_t(bytes));
    context.outcome.touches.push_back(touch);
    index = end;
  }
}

template <typename Word>
void gather(void *dst, const std::byte *offsets, const void *src, int64_t count) {
  auto *result = static_cast<Word *>(dst);
  for (int64_t index = 0; index < count; ++index) {
    uint32_t offset;
    std::memcpy(&offset, offsets + index * 4, sizeof offset);
    std::memcpy(result + index, static_cast<const std::byte *>(src) + offset, sizeof(Word));
  }
}

} // namespace

void vectorGather(Context &context) {
  if (!context.count(3, 0) || !context.claim(0, Form::Vector, Access::Write) ||
      !context.claim(1, Form::Vector, Access::Read) ||
      !context.claim(2, Form::Vector, Access::Read) || !context.sameElement({2}) ||
      !context.sameShape({1}) || !context.disjoint({2}) || !context.apart({1}) ||
      !context.supports(context.element()))
    return;
  if (context.element(1) != Element::U32)
    return void(context.illegal("offsets of " + std::string(machine::name(context.element(1))) +
                                ", expected u32"));
  const int64_t bytes = elementBytes(context.element());
  if (bytes != 2 && bytes != 4)
    return void(context.noKernel(context.element()));
  const Extent reach = extent(context.region(2));
  if (reach.low < 0)
    return void(context.illegal("operand 2 runs backwards, but offsets count from its start"));

  const Rows<2> rows(context, {0, 1});
  std::vector<uint8_t> read(context.track ? size_t(int64_t(reach.high) / bytes) : 0);
  if (!checkOffsets(context, rows, read))
    return;
  const bool run = context.begin(1u << 2);
  if (context.track)
    addReads(context, read);
  if (!run)
    return;
  const auto kernel = bytes == 2 ? gather<uint16_t> : gather<uint32_t>;
  const View dst = context.views[0], offsets = context.views[1], src = context.views[2];
  rows.each([&](const std::array<int64_t, 2> &at) {
    // In place over the offsets (32-bit elements) the shadow goes first: it needs them.
    if (context.track)
      kernel(dst.shadow + at[0], offsets.data + at[1], src.shadow, rows.length);
    kernel(dst.data + at[0], offsets.data + at[1], src.data, rows.length);
  });
}

} // namespace kiln::sim
