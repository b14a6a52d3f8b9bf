//===- MulAdd.cpp - vmuladd ------------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   vmuladd  dst, a, b   dst = a · b + dst, rounded once; f16 f32
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Math.h"
#include "sim/isa/Types.h"

namespace kiln::sim {

namespace {

using Kernel = void (*)(std::byte *dst, const std::byte *a, const std::byte *b, int64_t count);

struct Elementwise {
  template <Element E>
  static void kernel(std::byte *dst, const std::byte *a, const std::byte *b, int64_t count) {
    auto *result = reinterpret_cast<Stored<E> *>(dst);
    const auto *left = reinterpret_cast<const Stored<E> *>(a);
    const auto *right = reinterpret_cast<const Stored<E> *>(b);
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < count; ++index)
      result[index] = multiplyAdd<E>(left[index], right[index], result[index]);
  }
};

constexpr PerElement<Kernel> kernels =
    perElement<Kernel, Elementwise, Element::F16, Element::F32>();

} // namespace

void vectorMulAdd(Context &context) {
  if (!context.count(3, 0) || !context.claim(0, Form::Vector, Access::Update) ||
      !context.claim(1, Form::Vector, Access::Read) ||
      !context.claim(2, Form::Vector, Access::Read) || !context.sameElement({1, 2}) ||
      !context.sameShape({1, 2}) || !context.apart({1, 2}))
    return;
  const Kernel kernel = kernels[size_t(context.element())];
  if (!kernel)
    return void(context.noKernel(context.element()));
  if (!context.supports(context.element()) || !context.begin())
    return;
  const Rows<3> rows(context, {0, 1, 2});
  const View dst = context.views[0], a = context.views[1], b = context.views[2];
  rows.each([&](const std::array<int64_t, 3> &at) {
    kernel(dst.data + at[0], a.data + at[1], b.data + at[2], rows.length);
  });
  propagateRows<4>(context, Rows<4>(context, {0, 0, 1, 2}), {0, 0, 1, 2});
}

} // namespace kiln::sim
