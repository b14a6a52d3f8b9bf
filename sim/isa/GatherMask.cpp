//===- GatherMask.cpp - vreducev2 ------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   vreducev2  dst, mask, a   the elements of a whose bit is 1, packed at the start of dst
//
// Any 16- or 32-bit pattern. dst is one row; what lies behind the packed elements stays as it was.
// An undefined bit of the mask is a finding: it would decide where all later elements go.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Bits.h"
#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"

namespace kiln::sim {

namespace {

bool bit(const uint8_t *bits, int64_t number) { return bits[number / 8] >> (number % 8) & 1; }

} // namespace

void vectorGatherMask(Context &context) {
  if (!context.count(3, 0) || !context.claim(0, Form::Vector, Access::Write) ||
      !context.claim(1, Form::Bits, Access::Read) ||
      !context.claim(2, Form::Vector, Access::Read) || !context.sameElement({2}) ||
      !context.disjoint({1, 2}) || !context.supports(context.element()))
    return;
  const ResolvedRegion &dst = context.region(0);
  const int64_t elements = context.region(2).elements(), bits = context.region(1).size[2];
  if (bits != elements)
    return void(context.illegal("the mask has " + std::to_string(bits) + " bits for " +
                                std::to_string(elements) + " elements"));
  const Rows<1> target(context, {0});
  if (target.count[0] * target.count[1] != 1)
    return void(context.illegal("the destination has several rows, expected one"));

  const auto *mask = reinterpret_cast<const uint8_t *>(context.views[1].data);
  int64_t chosen = 0;
  for (int64_t number = 0; number < elements; ++number) {
    if (context.track && !bit(context.views[1].shadow, number))
      return void(context.fail(FindingKind::Undefined,
                               "bit " + std::to_string(number) + " of the mask is undefined"));
    chosen += bit(mask, number);
  }
  if (chosen > target.length)
    return void(
        context.fail(FindingKind::OutOfBounds, std::to_string(chosen) +
                                                   " elements are chosen, but the destination "
                                                   "has " +
                                                   std::to_string(target.length)));
  const int64_t bytes = elementBytes(context.element());
  const bool run = context.begin(1u << 0);
  if (context.track && chosen > 0) {
    Touch touch;
    touch.memory = dst.memory;
    touch.write = true;
    touch.address = dst.address;
    touch.runBytes = uint32_t(chosen * bytes);
    context.outcome.touches.push_back(touch);
  }
  if (!run)
    return;
  const View to = context.views[0], from = context.views[2];
  ElementCursor cursor(context.region(2));
  int64_t out = 0;
  for (int64_t number = 0; number < elements; ++number) {
    const int64_t source = cursor.next();
    if (!bit(mask, number))
      continue;
    std::memcpy(to.data + out, from.data + source, size_t(bytes));
    if (context.track)
      std::memcpy(to.shadow + out, from.shadow + source, size_t(bytes));
    out += bytes;
  }
}

} // namespace kiln::sim
