//===- Select.cpp - vsel, vsels --------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   vsel   dst, mask, a, b   element n = a where bit n of the mask is 1, else b
//   vsels  dst, mask, a, s   else the scalar
//
// Any 16- or 32-bit pattern. Where the bit is undefined, the element is: lanes in the gap behind a
// row are, and nobody stores them.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Bits.h"
#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Types.h"

#include <algorithm>

namespace kiln::sim {

using machine::Opcode;

namespace {

constexpr int64_t chunk = 256;

/// dst = flag ? a : b. `keep`: the flags of defined mask bits, for shadows; null for values.
template <typename Word>
void choose(void *dst, const void *a, const void *b, bool scalar, const uint8_t *flags,
            const uint8_t *keep, int64_t count) {
  auto *result = static_cast<Word *>(dst);
  const auto *first = static_cast<const Word *>(a), *second = static_cast<const Word *>(b);
  if (scalar) {
    const Word other = second[0];
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < count; ++index)
      result[index] = flags[index] ? first[index] : other;
  } else {
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < count; ++index)
      result[index] = flags[index] ? first[index] : second[index];
  }
  if (keep) {
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < count; ++index)
      result[index] = keep[index] ? result[index] : Word(0);
  }
}

template <size_t N> void run(Context &context, std::array<unsigned, N> indices) {
  constexpr bool scalar = N == 2;
  const Rows<N> rows(context, indices);
  const View dst = context.views[0], mask = context.views[1], a = context.views[2],
             b = scalar ? View{} : context.views[3];
  const auto *bits = reinterpret_cast<const uint8_t *>(mask.data);
  const int64_t bytes = elementBytes(context.element());
  const auto select = bytes == 2 ? choose<uint16_t> : choose<uint32_t>;
  const uint64_t defined = ~uint64_t(0);
  int64_t number = 0;
  uint8_t flags[chunk], keep[chunk];
  rows.each([&](const std::array<int64_t, N> &at) {
    for (int64_t first = 0; first < rows.length; first += chunk) {
      const int64_t count = std::min(chunk, rows.length - first), offset = first * bytes;
      const int64_t atDst = at[0] + offset, atA = at[1] + offset, atB = at[N - 1] + offset;
      unpackBits(flags, bits, number, count);
      if (context.track) {
        unpackBits(keep, mask.shadow, number, count);
        select(dst.shadow + atDst, a.shadow + atA,
               scalar ? static_cast<const void *>(&defined) : b.shadow + atB, scalar, flags, keep,
               count);
      }
      select(dst.data + atDst, a.data + atA,
             scalar ? static_cast<const void *>(&context.resolved.scalars[0]) : b.data + atB,
             scalar, flags, nullptr, count);
      number += count;
    }
  });
}

} // namespace

void vectorSelect(Context &context) {
  const bool scalar = context.instruction.opcode == Opcode::VSels;
  if (!context.count(scalar ? 3 : 4, scalar ? 1 : 0) ||
      !context.claim(0, Form::Vector, Access::Write) ||
      !context.claim(1, Form::Bits, Access::Read) ||
      !context.claim(2, Form::Vector, Access::Read) || !context.sameElement({2}) ||
      !context.sameShape({2}) || !context.disjoint({1}) || !context.apart({2}) ||
      !context.supports(context.element()))
    return;
  if (!scalar && (!context.claim(3, Form::Vector, Access::Read) || !context.sameElement({3}) ||
                  !context.sameShape({3}) || !context.apart({3})))
    return;
  if (elementBytes(context.element()) != 2 && elementBytes(context.element()) != 4)
    return void(context.noKernel(context.element()));
  if (context.region(1).size[2] != context.region(0).elements())
    return void(context.illegal("the mask has " + std::to_string(context.region(1).size[2]) +
                                " bits for " + std::to_string(context.region(0).elements()) +
                                " elements"));
  if (!context.begin())
    return;
  if (scalar)
    run<2>(context, {0, 2});
  else
    run<3>(context, {0, 2, 3});
}

} // namespace kiln::sim
