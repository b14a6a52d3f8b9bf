//===- Types.h - element types as the kernels see them ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// `Type<E>` says how an element is stored and in which C++ type the kernels compute with it: 16-bit
// floats in f32, rounded once when they are stored, which for + - * / and the square root is the
// same as rounding the exact result (24 bits are more than twice 11, plus 2).
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ISA_TYPES_H
#define KILN_SIM_ISA_TYPES_H

#include "sim/isa/Float16.h"

#include <array>
#include <type_traits>

/// Before a loop over elements of which each iteration reads and writes only its own (in place or
/// apart, never shifted): lets it be vectorised without a check at run time.
#define KILN_ELEMENTWISE _Pragma("clang loop vectorize(assume_safety)")

namespace kiln::sim {

template <typename T> struct IntegerType {
  using Stored = T;
  using Value = T;
  static Value get(Stored stored) { return stored; }
  static Stored put(Value value) { return value; }
};

template <Element E> struct Type;
template <> struct Type<Element::I8> : IntegerType<int8_t> {};
template <> struct Type<Element::U8> : IntegerType<uint8_t> {};
template <> struct Type<Element::I16> : IntegerType<int16_t> {};
template <> struct Type<Element::U16> : IntegerType<uint16_t> {};
template <> struct Type<Element::I32> : IntegerType<int32_t> {};
template <> struct Type<Element::U32> : IntegerType<uint32_t> {};
template <> struct Type<Element::I64> : IntegerType<int64_t> {};
template <> struct Type<Element::U64> : IntegerType<uint64_t> {};
template <> struct Type<Element::F16> {
  using Stored = uint16_t;
  using Value = float;
  static Value get(Stored stored) { return fromF16(stored); }
  static Stored put(Value value) { return toF16(value); }
};
template <> struct Type<Element::BF16> {
  using Stored = uint16_t;
  using Value = float;
  static Value get(Stored stored) { return fromBF16(stored); }
  static Stored put(Value value) { return toBF16(value); }
};
template <> struct Type<Element::F32> {
  using Stored = float;
  using Value = float;
  static Value get(Stored stored) { return stored; }
  static Stored put(Value value) { return canonical(value); }
};

template <Element E> using Stored = typename Type<E>::Stored;
template <Element E> using Value = typename Type<E>::Value;

/// An element from the low bits of a register.
template <Element E> Value<E> fromBits(uint64_t bits) {
  Stored<E> stored;
  std::memcpy(&stored, &bits, sizeof stored);
  return Type<E>::get(stored);
}

/// Integers that wrap: arithmetic in an unsigned type of at least 32 bits.
template <typename T> using Wrapping = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;

/// One kernel per element type; null where there is none.
template <typename Kernel> using PerElement = std::array<Kernel, machine::elementCount>;

/// The table of `Maker::kernel<E>` for these element types.
template <typename Kernel, typename Maker, Element... Elements>
constexpr PerElement<Kernel> perElement() {
  PerElement<Kernel> table{};
  ((table[static_cast<size_t>(Elements)] = &Maker::template kernel<Elements>), ...);
  return table;
}

//===-----------------------------------------------------------------------------------------===//
// Operations that several instructions and the scalar unit share.
//===-----------------------------------------------------------------------------------------===//

struct AddOp {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return T(Wrapping<T>(a) + Wrapping<T>(b));
    else
      return a + b;
  }
};

struct SubOp {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return T(Wrapping<T>(a) - Wrapping<T>(b));
    else
      return a - b;
  }
};

struct MulOp {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return T(Wrapping<T>(a) * Wrapping<T>(b));
    else
      return a * b;
  }
};

struct DivOp {
  static float apply(float a, float b) { return a / b; }
};

/// The larger one. Of floats: a number wins over a NaN, and +0 over -0.
struct MaxOp {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return a > b ? a : b;
    } else {
      const uint32_t x = std::bit_cast<uint32_t>(a), y = std::bit_cast<uint32_t>(b);
      // Equal numbers have the same bits or are zeros: then a sign bit stays only if both have it.
      const float larger = a == b ? std::bit_cast<float>(x & y) : a > b ? a : b;
      return b == b ? (a == a ? larger : b) : a;
    }
  }
};

/// The smaller one. Of floats: a number wins over a NaN, and -0 over +0.
struct MinOp {
  template <typename T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return a < b ? a : b;
    } else {
      const uint32_t x = std::bit_cast<uint32_t>(a), y = std::bit_cast<uint32_t>(b);
      const float smaller = a == b ? std::bit_cast<float>(x | y) : a < b ? a : b;
      return b == b ? (a == a ? smaller : b) : a;
    }
  }
};

/// Relations; all but NE are false of a NaN.
template <machine::Predicate P, typename T> bool compare(T a, T b) {
  using machine::Predicate;
  if constexpr (P == Predicate::EQ)
    return a == b;
  else if constexpr (P == Predicate::NE)
    return a != b;
  else if constexpr (P == Predicate::LT)
    return a < b;
  else if constexpr (P == Predicate::LE)
    return a <= b;
  else if constexpr (P == Predicate::GT)
    return a > b;
  else
    return a >= b;
}

template <typename T> bool compare(machine::Predicate predicate, T a, T b) {
  using machine::Predicate;
  switch (predicate) {
  case Predicate::EQ:
    return a == b;
  case Predicate::NE:
    return a != b;
  case Predicate::LT:
    return a < b;
  case Predicate::LE:
    return a <= b;
  case Predicate::GT:
    return a > b;
  case Predicate::GE:
    return a >= b;
  }
  return false;
}

} // namespace kiln::sim

#endif // KILN_SIM_ISA_TYPES_H
