//===- Convert.cpp - vconv -------------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   vconv  dst, a, rounding   each element converted, rounded once
//
// Float to integer saturates, and NaN becomes 0. An integer cut to a narrower one keeps its low
// bits. f32 to f32 rounds to integral values. `none` is for conversions that need no rounding.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Types.h"

#include <limits>

namespace kiln::sim {

namespace {

using Kernel = void (*)(std::byte *dst, const std::byte *a, int64_t count);

/// An integral float as an integer.
template <typename T> T saturate(float value) {
  constexpr float limit = float(uint64_t(1) << (std::numeric_limits<T>::digits - 1)) * 2.0f;
  constexpr float least = std::is_signed_v<T> ? -limit : 0.0f;
  const bool above = value >= limit, inside = value >= least && !above;
  using Wide = std::conditional_t<sizeof(T) <= 2, int32_t, T>;
  const T fits = T(Wide(inside ? value : 0.0f));
  return inside          ? fits
         : above         ? std::numeric_limits<T>::max()
         : value < least ? std::numeric_limits<T>::min()
                         : T(0);
}

/// An integer as a double whose rounding to f32 is the integer's own: of what does not fit into 53
/// bits an odd last bit remains.
double oddDouble(int64_t value) {
  const uint64_t magnitude = value < 0 ? 0 - uint64_t(value) : uint64_t(value);
  const double result = magnitude >> 53 == 0
                            ? double(magnitude)
                            : double(magnitude >> 11 | uint64_t((magnitude & 0x7FF) != 0)) * 2048.0;
  return value < 0 ? -result : result;
}

template <Element From, Element To, Rounding R> Stored<To> convert(Stored<From> stored) {
  const Value<From> value = Type<From>::get(stored);
  constexpr bool fromFloat = std::is_floating_point_v<Value<From>>;
  constexpr bool toFloat = std::is_floating_point_v<Value<To>>;
  if constexpr (fromFloat && To == Element::F16)
    return toF16<R>(value);
  else if constexpr (fromFloat && To == Element::BF16)
    return toBF16<R>(value);
  else if constexpr (From == Element::F32 && To == Element::F32)
    return roundIntegral<R>(value);
  else if constexpr (fromFloat && toFloat)
    return canonical(value);
  else if constexpr (fromFloat)
    return saturate<Stored<To>>(roundIntegral<R>(value));
  else if constexpr (!toFloat)
    return Stored<To>(value);
  else if constexpr (sizeof(value) <= 2 && To == Element::F16)
    return toF16<R>(float(value)); // exact in f32
  else if constexpr (sizeof(value) <= 2)
    return float(value);
  else if constexpr (To == Element::F16)
    return toF16<R>(toF32<Rounding::Odd>(double(value)));
  else if constexpr (sizeof(value) == 4)
    return toF32<R>(double(value));
  else
    return toF32<R>(oddDouble(value));
}

template <Element From, Element To, Rounding R>
void kernel(std::byte *dst, const std::byte *a, int64_t count) {
  auto *result = reinterpret_cast<Stored<To> *>(dst);
  const auto *operand = reinterpret_cast<const Stored<From> *>(a);
  KILN_ELEMENTWISE
  for (int64_t index = 0; index < count; ++index)
    result[index] = convert<From, To, R>(operand[index]);
}

struct Row {
  Element from, to;
  std::array<Kernel, machine::roundingCount> kernels;
};

template <Element From, Element To, Rounding... Roundings> constexpr Row row() {
  Row result{From, To, {}};
  ((result.kernels[size_t(Roundings)] = kernel<From, To, Roundings>), ...);
  return result;
}

template <Element From, Element To> constexpr Row exact() {
  return row<From, To, Rounding::None>();
}

template <Element From, Element To> constexpr Row rounded() {
  return row<From, To, Rounding::Rint, Rounding::Floor, Rounding::Ceil, Rounding::Round,
             Rounding::Trunc>();
}

using enum Element;
constexpr Row table[] = {
    row<F32, F16, Rounding::Rint, Rounding::Floor, Rounding::Ceil, Rounding::Round, Rounding::Trunc,
        Rounding::Odd>(),
    rounded<F32, BF16>(),
    exact<F16, F32>(),
    exact<BF16, F32>(),
    rounded<F32, F32>(),
    rounded<F32, I16>(),
    rounded<F32, I32>(),
    rounded<F32, I64>(),
    exact<I16, F32>(),
    rounded<I32, F32>(),
    rounded<I64, F32>(),
    rounded<F16, I8>(),
    rounded<F16, U8>(),
    rounded<F16, I16>(),
    rounded<F16, I32>(),
    exact<I8, F16>(),
    exact<U8, F16>(),
    rounded<I16, F16>(),
    row<I32, F16, Rounding::Rint>(),
    exact<I32, I16>(),
    exact<I16, I32>(),
    exact<I32, I64>(),
    exact<I64, I32>(),
};

} // namespace

void vectorConvert(Context &context) {
  if (!context.count(2, 0) || !context.claim(0, Form::Vector, Access::Write) ||
      !context.claim(1, Form::Vector, Access::Read) || !context.sameShape({1}) ||
      !context.apart({1}))
    return;
  const Element to = context.element(0), from = context.element(1);
  const uint8_t rounding = context.instruction.attribute;
  Kernel kernel = nullptr;
  for (const Row &row : table)
    if (row.from == from && row.to == to && rounding < machine::roundingCount)
      kernel = row.kernels[rounding];
  const machine::Conversion *known =
      context.memories.machine.conversion(context.instruction.opcode, from, to);
  if (!known || !known->roundings.contains(static_cast<Rounding>(rounding)))
    kernel = nullptr;
  if (!kernel)
    return void(context.illegal("vconv does not convert " + std::string(machine::name(from)) +
                                " to " + std::string(machine::name(to)) + " with rounding " +
                                (rounding < machine::roundingCount
                                     ? std::string(machine::name(static_cast<Rounding>(rounding)))
                                     : std::to_string(rounding))));
  if (!context.begin())
    return;
  const Rows<2> rows(context, {0, 1});
  const View dst = context.views[0], a = context.views[1];
  rows.each([&](const std::array<int64_t, 2> &at) {
    kernel(dst.data + at[0], a.data + at[1], rows.length);
  });
  propagateRows<2>(context, rows, {0, 1});
}

} // namespace kiln::sim
