//===- Compare.cpp - vcmp, vcmps -------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   vcmp   dst, a, b, predicate   f16 f32; i32: eq
//   vcmps  dst, a, s, predicate
//
// Bit n of dst is the relation of element n, in the order of visiting. Of a last byte that is not
// full the other bits become 0 and undefined. Relations with NaN are false, but ne is true.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Bits.h"
#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Types.h"

#include <algorithm>

namespace kiln::sim {

using machine::Opcode;
using machine::Predicate;

namespace {

constexpr int64_t chunk = 256;

/// Flags of `count` elements; the scalar forms have one element at `b`.
using Kernel = void (*)(uint8_t *flags, const std::byte *a, const std::byte *b, int64_t count);

template <Predicate P, Element E, bool Scalar>
void kernel(uint8_t *flags, const std::byte *a, const std::byte *b, int64_t count) {
  const auto *left = reinterpret_cast<const Stored<E> *>(a);
  const auto *right = reinterpret_cast<const Stored<E> *>(b);
  const Value<E> scalar = Type<E>::get(right[0]);
  KILN_ELEMENTWISE
  for (int64_t index = 0; index < count; ++index)
    flags[index] = compare<P, Value<E>>(Type<E>::get(left[index]),
                                        Scalar ? scalar : Type<E>::get(right[index]));
}

template <Element E, bool Scalar> Kernel kernelFor(Predicate predicate) {
  switch (predicate) {
  case Predicate::EQ:
    return kernel<Predicate::EQ, E, Scalar>;
  case Predicate::NE:
    return kernel<Predicate::NE, E, Scalar>;
  case Predicate::LT:
    return kernel<Predicate::LT, E, Scalar>;
  case Predicate::LE:
    return kernel<Predicate::LE, E, Scalar>;
  case Predicate::GT:
    return kernel<Predicate::GT, E, Scalar>;
  case Predicate::GE:
    return kernel<Predicate::GE, E, Scalar>;
  }
  return nullptr;
}

template <bool Scalar> Kernel kernelFor(Element element, Predicate predicate) {
  switch (element) {
  case Element::F16:
    return kernelFor<Element::F16, Scalar>(predicate);
  case Element::F32:
    return kernelFor<Element::F32, Scalar>(predicate);
  case Element::I32:
    return kernelFor<Element::I32, Scalar>(predicate);
  default:
    return nullptr;
  }
}

/// As many bits as the operands have elements.
bool checkCount(Context &context) {
  const int64_t bits = context.region(0).size[2], elements = context.region(1).elements();
  return bits == elements ||
         context.illegal("the destination has " + std::to_string(bits) + " bits for " +
                         std::to_string(elements) + " comparisons");
}

template <size_t N> void run(Context &context, std::array<unsigned, N> operands, Kernel kernel) {
  constexpr bool scalar = N == 1;
  auto *bits = reinterpret_cast<uint8_t *>(context.views[0].data);
  uint8_t *shadow = context.views[0].shadow;
  const int64_t elements = context.region(0).size[2];
  if (elements % 8 != 0) {
    bits[elements / 8] = 0;
    if (context.track)
      shadow[elements / 8] = 0;
  }
  const Rows<N> rows(context, operands);
  const int64_t bytes = elementBytes(context.element(1));
  const auto *scalarData = reinterpret_cast<const std::byte *>(&context.resolved.scalars[0]);
  int64_t number = 0;
  uint8_t flags[chunk];
  rows.each([&](const std::array<int64_t, N> &at) {
    for (int64_t first = 0; first < rows.length; first += chunk) {
      const int64_t count = std::min(chunk, rows.length - first);
      const int64_t offset = first * bytes;
      const std::byte *left = context.views[1].data + at[0] + offset;
      const std::byte *right = scalar ? scalarData : context.views[2].data + at[N - 1] + offset;
      kernel(flags, left, right, count);
      packBits(bits, number, flags, count);
      if (context.track) {
        std::memset(flags, definedShadow, sizeof flags);
        flagDefined(flags, {context.views[1].shadow + at[0] + offset, bytes}, count);
        if (!scalar)
          flagDefined(flags, {context.views[2].shadow + at[N - 1] + offset, bytes}, count);
        packBits(shadow, number, flags, count);
      }
      number += count;
    }
  });
}

} // namespace

void vectorCompare(Context &context) {
  const bool scalar = context.instruction.opcode == Opcode::VCmps;
  if (!context.count(scalar ? 2 : 3, scalar ? 1 : 0) ||
      !context.claim(0, Form::Bits, Access::Write) ||
      !context.claim(1, Form::Vector, Access::Read) || !checkCount(context) || !context.apart({1}))
    return;
  const Element element = context.element(1);
  if (!scalar) {
    if (!context.claim(2, Form::Vector, Access::Read) || !context.apart({2}))
      return;
    if (context.element(2) != element || context.region(2).size != context.region(1).size)
      return void(context.illegal("operand 2 differs from operand 1 in type or sizes"));
  }
  const auto predicate = static_cast<Predicate>(context.instruction.attribute);
  const Kernel kernel =
      scalar ? kernelFor<true>(element, predicate) : kernelFor<false>(element, predicate);
  if (!kernel || predicate > Predicate::GE)
    return void(context.noKernel(element));
  if (!context.memories.machine.compares(context.instruction.opcode, element, predicate))
    return void(context.illegal(std::string(machine::name(context.instruction.opcode)) +
                                " does not compare " + std::string(machine::name(element)) +
                                " by " + std::string(machine::name(predicate))));
  if (!context.begin())
    return;
  if (scalar)
    run<1>(context, {1}, kernel);
  else
    run<2>(context, {1, 2}, kernel);
}

} // namespace kiln::sim
