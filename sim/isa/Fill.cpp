//===- Fill.cpp - vdup, viota ----------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   vdup   dst, bits    each element = the scalar, in the low bits of its register
//   viota  dst, first   element number n, in the order of visiting, = first + n: rounded once, or
//                       wrapping
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Types.h"

namespace kiln::sim {

using machine::Opcode;

namespace {

/// Writes `count` elements, the first of which has the number `number`.
using Kernel = void (*)(std::byte *dst, uint64_t scalar, int64_t number, int64_t count);

struct Duplicate {
  template <Element E> static void kernel(std::byte *dst, uint64_t scalar, int64_t, int64_t count) {
    auto *result = reinterpret_cast<Stored<E> *>(dst);
    Stored<E> value;
    std::memcpy(&value, &scalar, sizeof value);
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < count; ++index)
      result[index] = value;
  }
};

struct Iota {
  template <Element E>
  static void kernel(std::byte *dst, uint64_t scalar, int64_t number, int64_t count) {
    auto *result = reinterpret_cast<Stored<E> *>(dst);
    const Value<E> first = fromBits<E>(scalar);
    // The double has at least 24 bits more than the number: its own rounding does not show.
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < count; ++index) {
      const double sum = double(first) + double(int32_t(number + index));
      if constexpr (std::is_integral_v<Value<E>>)
        result[index] = Stored<E>(uint32_t(first) + uint32_t(number + index));
      else if constexpr (E == Element::F32)
        result[index] = canonical(float(sum));
      else
        result[index] = Type<E>::put(toF32<Rounding::Odd>(sum));
    }
  }
};

constexpr PerElement<Kernel> duplicates =
    perElement<Kernel, Duplicate, Element::I8, Element::U8, Element::I16, Element::U16,
               Element::F16, Element::BF16, Element::I32, Element::U32, Element::F32>();
constexpr PerElement<Kernel> iotas =
    perElement<Kernel, Iota, Element::F16, Element::F32, Element::I16, Element::I32>();

} // namespace

void vectorFill(Context &context) {
  if (!context.count(1, 1) || !context.claim(0, Form::Vector, Access::Write))
    return;
  const bool duplicate = context.instruction.opcode == Opcode::VDup;
  const Kernel kernel = (duplicate ? duplicates : iotas)[size_t(context.element())];
  if (!kernel)
    return void(context.noKernel(context.element()));
  if (!context.supports(context.element()) || !context.begin())
    return;
  const Rows<1> rows(context, {0});
  const View dst = context.views[0];
  const size_t bytes = size_t(rows.length * elementBytes(context.element()));
  int64_t number = 0;
  rows.each([&](const std::array<int64_t, 1> &at) {
    kernel(dst.data + at[0], context.resolved.scalars[0], number, rows.length);
    number += rows.length;
    if (context.track)
      std::memset(dst.shadow + at[0], definedShadow, bytes);
  });
}

} // namespace kiln::sim
