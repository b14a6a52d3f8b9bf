//===- Broadcast.cpp - vbrcb -----------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   vbrcb  dst, a   all elements of row n of dst = element n of a, both in the order of visiting
//
// The elements of a may lie anywhere, each aligned to itself.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Types.h"

namespace kiln::sim {

namespace {

template <typename Word> void fill(void *dst, const void *element, int64_t count) {
  Word value;
  std::memcpy(&value, element, sizeof value);
  auto *result = static_cast<Word *>(dst);
  for (int64_t index = 0; index < count; ++index)
    result[index] = value;
}

} // namespace

void vectorBroadcast(Context &context) {
  if (!context.count(2, 0) || !context.claim(0, Form::Vector, Access::Write) ||
      !context.claim(1, Form::Elements, Access::Read) || !context.sameElement({1}) ||
      !context.supports(context.element()))
    return;
  const ResolvedRegion &dst = context.region(0), &a = context.region(1);
  const int64_t bytes = elementBytes(context.element());
  if (bytes != 2 && bytes != 4)
    return void(context.noKernel(context.element()));
  if (a.elements() != dst.size[0] * dst.size[1])
    return void(context.illegal("operand 1 has " + std::to_string(a.elements()) +
                                " elements, expected " + std::to_string(dst.size[0] * dst.size[1]) +
                                ", one for each row of the destination"));
  if (!context.disjoint({1}) || !context.begin())
    return;
  const auto spread = bytes == 2 ? fill<uint16_t> : fill<uint32_t>;
  const View to = context.views[0], from = context.views[1];
  ElementCursor cursor(a);
  for (int64_t i = 0; i < dst.size[0]; ++i)
    for (int64_t j = 0; j < dst.size[1]; ++j) {
      const int64_t target = i * dst.stride[0] + j * dst.stride[1], source = cursor.next();
      spread(to.data + target, from.data + source, dst.size[2]);
      if (context.track)
        spread(to.shadow + target, from.shadow + source, dst.size[2]);
    }
}

} // namespace kiln::sim
