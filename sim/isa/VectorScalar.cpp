//===- VectorScalar.cpp - vector instructions with an operand and a scalar -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   vadds vmuls   dst, a, s   f16 f32, rounded once; i16 i32, wrapping
//   vmaxs vmins   dst, a, s   as vmax, vmin
//   vlrelu        dst, a, s   a where a > 0, else a · s
//   vshl vshr     dst, a, s   by s bits; by the width or more: 0, or the sign of a signed vshr
//   vaxpy         dst, a, s   dst = a · s + dst, rounded once
//
// The scalar is an element in the low bits of its register (of shifts: an unsigned number).
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Math.h"
#include "sim/isa/Types.h"

#include <algorithm>

namespace kiln::sim {

using machine::Opcode;

namespace {

using Kernel = void (*)(std::byte *dst, const std::byte *a, uint64_t scalar, int64_t count);

struct LeakyOp {
  static float apply(float a, float slope) { return a > 0.0f ? a : a * slope; }
};

template <typename Op> struct Elementwise {
  template <Element E>
  static void kernel(std::byte *dst, const std::byte *a, uint64_t scalar, int64_t count) {
    auto *result = reinterpret_cast<Stored<E> *>(dst);
    const auto *operand = reinterpret_cast<const Stored<E> *>(a);
    const Value<E> right = fromBits<E>(scalar);
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < count; ++index)
      result[index] = Type<E>::put(Op::apply(Type<E>::get(operand[index]), right));
  }
};

struct ShiftLeft {
  template <Element E>
  static void kernel(std::byte *dst, const std::byte *a, uint64_t scalar, int64_t count) {
    using Bits = std::make_unsigned_t<Stored<E>>;
    auto *result = reinterpret_cast<Bits *>(dst);
    const auto *operand = reinterpret_cast<const Bits *>(a);
    constexpr uint64_t width = sizeof(Bits) * 8;
    const unsigned shift = unsigned(std::min(scalar, width - 1));
    const Bits keep = scalar < width ? Bits(~Bits(0)) : Bits(0);
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < count; ++index)
      result[index] = Bits(uint32_t(operand[index]) << shift) & keep;
  }
};

struct ShiftRight {
  template <Element E>
  static void kernel(std::byte *dst, const std::byte *a, uint64_t scalar, int64_t count) {
    using Number = Stored<E>;
    auto *result = reinterpret_cast<Number *>(dst);
    const auto *operand = reinterpret_cast<const Number *>(a);
    constexpr uint64_t width = sizeof(Number) * 8;
    const unsigned shift = unsigned(std::min(scalar, width - 1));
    const Number keep = scalar < width || std::is_signed_v<Number> ? Number(~Number(0)) : Number(0);
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < count; ++index)
      result[index] = Number(operand[index] >> shift) & keep;
  }
};

struct Axpy {
  template <Element E>
  static void kernel(std::byte *dst, const std::byte *a, uint64_t scalar, int64_t count) {
    auto *result = reinterpret_cast<Stored<E> *>(dst);
    const auto *operand = reinterpret_cast<const Stored<E> *>(a);
    const float factor = fromBits<E>(scalar);
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < count; ++index)
      result[index] = multiplyAdd<E>(operand[index], Type<E>::put(factor), result[index]);
  }
};

using enum Element;
template <typename Op> constexpr PerElement<Kernel> numbers() {
  return perElement<Kernel, Elementwise<Op>, F16, F32, I16, I32>();
}

struct Row {
  Opcode opcode;
  PerElement<Kernel> kernels;
};

constexpr Row table[] = {
    {Opcode::VAdds, numbers<AddOp>()},
    {Opcode::VMuls, numbers<MulOp>()},
    {Opcode::VMaxs, numbers<MaxOp>()},
    {Opcode::VMins, numbers<MinOp>()},
    {Opcode::VLrelu, perElement<Kernel, Elementwise<LeakyOp>, F16, F32>()},
    {Opcode::VShl, perElement<Kernel, ShiftLeft, I16, U16, I32, U32>()},
    {Opcode::VShr, perElement<Kernel, ShiftRight, I16, U16, I32, U32>()},
    {Opcode::VAxpy, perElement<Kernel, Axpy, F16, F32>()},
};

} // namespace

void vectorScalar(Context &context) {
  const Opcode opcode = context.instruction.opcode;
  const bool updates = opcode == Opcode::VAxpy;
  if (!context.count(2, 1) ||
      !context.claim(0, Form::Vector, updates ? Access::Update : Access::Write) ||
      !context.claim(1, Form::Vector, Access::Read) || !context.sameElement({1}) ||
      !context.sameShape({1}) || !context.apart({1}))
    return;
  const Kernel kernel =
      table[size_t(opcode) - size_t(Opcode::VAdds)].kernels[size_t(context.element())];
  if (!kernel)
    return void(context.noKernel(context.element()));
  if (!context.supports(context.element()) || !context.begin())
    return;
  const Rows<2> rows(context, {0, 1});
  const View dst = context.views[0], a = context.views[1];
  rows.each([&](const std::array<int64_t, 2> &at) {
    kernel(dst.data + at[0], a.data + at[1], context.resolved.scalars[0], rows.length);
  });
  if (updates)
    propagateRows<3>(context, Rows<3>(context, {0, 0, 1}), {0, 0, 1});
  else
    propagateRows<2>(context, rows, {0, 1});
}

} // namespace kiln::sim
