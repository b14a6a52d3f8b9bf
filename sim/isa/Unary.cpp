//===- Unary.cpp - vector instructions with one operand --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   vexp vln vrsqrt vrec   dst, a   f16 f32, as sim/isa/Math.h defines them
//   vsqrt                  dst, a   f16 f32, rounded once
//   vabs                   dst, a   f16 f32
//   vrelu                  dst, a   f16 f32: the larger of a and +0, so +0 for a NaN
//   vnot                   dst, a   i16 u16
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Math.h"
#include "sim/isa/Types.h"

namespace kiln::sim {

using machine::Opcode;

namespace {

using Kernel = void (*)(std::byte *dst, const std::byte *a, int64_t count);

float relu(float value) { return MaxOp::apply(value, 0.0f); }

template <float (*Function)(float)> struct Elementwise {
  template <Element E> static void kernel(std::byte *dst, const std::byte *a, int64_t count) {
    auto *result = reinterpret_cast<Stored<E> *>(dst);
    const auto *operand = reinterpret_cast<const Stored<E> *>(a);
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < count; ++index)
      result[index] = Type<E>::put(Function(Type<E>::get(operand[index])));
  }
};

template <float (*Function)(float)> constexpr PerElement<Kernel> floats() {
  return perElement<Kernel, Elementwise<Function>, Element::F16, Element::F32>();
}

struct Complement {
  template <Element E> static void kernel(std::byte *dst, const std::byte *a, int64_t count) {
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < count * int64_t(sizeof(Stored<E>)); ++index)
      dst[index] = ~a[index];
  }
};

struct Row {
  Opcode opcode;
  PerElement<Kernel> kernels;
};

constexpr Row table[] = {
    {Opcode::VExp, floats<exponential>()},
    {Opcode::VLn, floats<logarithm>()},
    {Opcode::VSqrt, floats<squareRoot>()},
    {Opcode::VRsqrt, floats<reciprocalRoot>()},
    {Opcode::VRec, floats<reciprocal>()},
    {Opcode::VAbs, floats<absolute>()},
    {Opcode::VRelu, floats<relu>()},
    {Opcode::VNot, perElement<Kernel, Complement, Element::I16, Element::U16>()},
};

} // namespace

void vectorUnary(Context &context) {
  if (!context.count(2, 0) || !context.claim(0, Form::Vector, Access::Write) ||
      !context.claim(1, Form::Vector, Access::Read) || !context.sameElement({1}) ||
      !context.sameShape({1}) || !context.apart({1}))
    return;
  const Opcode opcode = context.instruction.opcode;
  const Kernel kernel =
      table[size_t(opcode) - size_t(Opcode::VExp)].kernels[size_t(context.element())];
  if (!kernel)
    return void(context.noKernel(context.element()));
  if (!context.supports(context.element()) || !context.begin())
    return;
  const Rows<2> rows(context, {0, 1});
  const View dst = context.views[0], a = context.views[1];
  rows.each([&](const std::array<int64_t, 2> &at) {
    kernel(dst.data + at[0], a.data + at[1], rows.length);
    if (context.track && opcode == Opcode::VNot) // bit by bit
      std::memmove(dst.shadow + at[0], a.shadow + at[1],
                   size_t(rows.length * elementBytes(context.element())));
  });
  if (opcode != Opcode::VNot)
    propagateRows<2>(context, rows, {0, 1});
}

} // namespace kiln::sim
