//===- Binary.cpp - vector instructions with two operands ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   vadd vsub vmul   dst, a, b   f16 f32, rounded once; i16 i32, wrapping
//   vdiv             dst, a, b   f16 f32, rounded once
//   vmax vmin        dst, a, b   a number wins over a NaN; -0 is less than +0
//   vand vor         dst, a, b   i16 u16
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Types.h"

namespace kiln::sim {

using machine::Opcode;

namespace {

using Kernel = void (*)(std::byte *dst, const std::byte *a, const std::byte *b, int64_t count);

struct AndOp {
  template <typename T> static T apply(T a, T b) { return T(a & b); }
};
struct OrOp {
  template <typename T> static T apply(T a, T b) { return T(a | b); }
};

template <typename Op> struct Elementwise {
  template <Element E>
  static void kernel(std::byte *dst, const std::byte *a, const std::byte *b, int64_t count) {
    auto *result = reinterpret_cast<Stored<E> *>(dst);
    const auto *left = reinterpret_cast<const Stored<E> *>(a);
    const auto *right = reinterpret_cast<const Stored<E> *>(b);
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < count; ++index)
      result[index] =
          Type<E>::put(Op::apply(Type<E>::get(left[index]), Type<E>::get(right[index])));
  }
};

template <typename Op, Element... Elements> constexpr PerElement<Kernel> kernels() {
  return perElement<Kernel, Elementwise<Op>, Elements...>();
}

struct Row {
  Opcode opcode;
  PerElement<Kernel> kernels;
};

constexpr Row table[] = {
    {Opcode::VAdd, kernels<AddOp, Element::F16, Element::F32, Element::I16, Element::I32>()},
    {Opcode::VSub, kernels<SubOp, Element::F16, Element::F32, Element::I16, Element::I32>()},
    {Opcode::VMul, kernels<MulOp, Element::F16, Element::F32, Element::I16, Element::I32>()},
    {Opcode::VDiv, kernels<DivOp, Element::F16, Element::F32>()},
    {Opcode::VMax, kernels<MaxOp, Element::F16, Element::F32, Element::I16, Element::I32>()},
    {Opcode::VMin, kernels<MinOp, Element::F16, Element::F32, Element::I16, Element::I32>()},
    {Opcode::VAnd, kernels<AndOp, Element::I16, Element::U16>()},
    {Opcode::VOr, kernels<OrOp, Element::I16, Element::U16>()},
};

/// A bit of the result is defined if both are, or if one is defined and decides: a 0 for and, a 1
/// for or. Runs before the values change, for the destination may be an operand.
void propagateBits(Context &context, const Rows<3> &rows, bool isAnd) {
  const uint8_t decides = isAnd ? 0xFF : 0;
  const View &dst = context.views[0], &left = context.views[1], &right = context.views[2];
  rows.each([&](const std::array<int64_t, 3> &at) {
    uint8_t *out = dst.shadow + at[0];
    const uint8_t *a = left.shadow + at[1], *b = right.shadow + at[2];
    const std::byte *x = left.data + at[1], *y = right.data + at[2];
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < rows.length * 2; ++index) {
      const uint8_t u = uint8_t(x[index]) ^ decides, v = uint8_t(y[index]) ^ decides;
      out[index] = uint8_t((a[index] & b[index]) | (a[index] & u) | (b[index] & v));
    }
  });
}

} // namespace

void vectorBinary(Context &context) {
  if (!context.count(3, 0) || !context.claim(0, Form::Vector, Access::Write) ||
      !context.claim(1, Form::Vector, Access::Read) ||
      !context.claim(2, Form::Vector, Access::Read) || !context.sameElement({1, 2}) ||
      !context.sameShape({1, 2}) || !context.apart({1, 2}))
    return;
  const Opcode opcode = context.instruction.opcode;
  const Kernel kernel =
      table[size_t(opcode) - size_t(Opcode::VAdd)].kernels[size_t(context.element())];
  if (!kernel)
    return void(context.noKernel(context.element()));
  if (!context.supports(context.element()) || !context.begin())
    return;

  const Rows<3> rows(context, {0, 1, 2});
  const bool bitwise = opcode == Opcode::VAnd || opcode == Opcode::VOr;
  if (context.track && bitwise)
    propagateBits(context, rows, opcode == Opcode::VAnd);
  const View dst = context.views[0], a = context.views[1], b = context.views[2];
  rows.each([&](const std::array<int64_t, 3> &at) {
    kernel(dst.data + at[0], a.data + at[1], b.data + at[2], rows.length);
  });
  if (!bitwise)
    propagateRows<3>(context, rows, {0, 1, 2});
}

} // namespace kiln::sim
