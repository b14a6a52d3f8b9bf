//===- Transpose.cpp - vtrans ----------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   vtrans  dst, a   dst[i][k][j] = a[i][j][k]: the two inner dimensions change places
//
// Any 8-, 16- or 32-bit pattern; dst and a share no bytes.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Types.h"

namespace kiln::sim {

namespace {

/// One matrix: `rows` x `columns` of the source, with the bytes between rows of each.
template <typename Word>
void transpose(void *dst, int64_t dstStride, const void *src, int64_t srcStride, int64_t rows,
               int64_t columns) {
  for (int64_t column = 0; column < columns; ++column) {
    auto *target = reinterpret_cast<Word *>(static_cast<std::byte *>(dst) + column * dstStride);
    const auto *source = static_cast<const std::byte *>(src) + column * int64_t(sizeof(Word));
    for (int64_t row = 0; row < rows; ++row)
      std::memcpy(target + row, source + row * srcStride, sizeof(Word));
  }
}

} // namespace

void vectorTranspose(Context &context) {
  if (!context.count(2, 0) || !context.claim(0, Form::Vector, Access::Write) ||
      !context.claim(1, Form::Vector, Access::Read) || !context.sameElement({1}) ||
      !context.disjoint({1}) || !context.supports(context.element()))
    return;
  const ResolvedRegion &dst = context.region(0), &a = context.region(1);
  if (dst.size[0] != a.size[0] || dst.size[1] != a.size[2] || dst.size[2] != a.size[1])
    return void(context.illegal("the destination has rows of " + std::to_string(dst.size[2]) +
                                ", expected the inner dimensions of operand 1 exchanged"));
  const int64_t bytes = elementBytes(context.element());
  const auto move = bytes == 1   ? transpose<uint8_t>
                    : bytes == 2 ? transpose<uint16_t>
                    : bytes == 4 ? transpose<uint32_t>
                                 : nullptr;
  if (!move)
    return void(context.noKernel(context.element()));
  if (!context.begin())
    return;
  const View to = context.views[0], from = context.views[1];
  for (int64_t i = 0; i < a.size[0]; ++i) {
    const int64_t target = i * dst.stride[0], source = i * a.stride[0];
    move(to.data + target, dst.stride[1], from.data + source, a.stride[1], a.size[1], a.size[2]);
    if (context.track)
      move(to.shadow + target, dst.stride[1], from.shadow + source, a.stride[1], a.size[1],
           a.size[2]);
  }
}

} // namespace kiln::sim
