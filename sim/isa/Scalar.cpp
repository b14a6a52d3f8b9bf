//===- Scalar.cpp - the scalar unit's arithmetic ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Scalar.h"

#include "sim/isa/Types.h"

#include <cmath>
#include <limits>

namespace kiln::sim {

using image::Op;
using machine::Predicate;

namespace {

/// An operand as its type means it, whatever the register's other bits are.
int64_t asSigned(uint64_t value, Element element) {
  const unsigned width = machine::bits(element);
  return width == 64 ? int64_t(value) : int64_t(value << (64 - width)) >> (64 - width);
}

uint64_t asUnsigned(uint64_t value, Element element) {
  const unsigned width = machine::bits(element);
  return width == 64 ? value : value & ((uint64_t(1) << width) - 1);
}

float asFloat(uint64_t value, Element element) {
  switch (element) {
  case Element::F16:
    return fromF16(uint16_t(value));
  case Element::BF16:
    return fromBF16(uint16_t(value));
  default:
    return std::bit_cast<float>(uint32_t(value));
  }
}

uint64_t floatBits(float value, Element element) {
  switch (element) {
  case Element::F16:
    return toF16(value);
  case Element::BF16:
    return toBF16(value);
  default:
    return std::bit_cast<uint32_t>(canonical(value));
  }
}

/// A double rounded once: the step to f32 rounds to odd where a second one follows.
uint64_t floatBits(double value, Element element) {
  if (element == Element::F32)
    return floatBits(static_cast<float>(value), element);
  return floatBits(toF32<Rounding::Odd>(value), element);
}

/// An integer as a double that rounds to any narrower float as the integer itself would: what does
/// not fit into 53 bits is kept as an odd last bit.
double oddDouble(uint64_t magnitude) {
  if (magnitude >> 53 == 0)
    return double(magnitude);
  const uint64_t rest = magnitude & 0x7FF;
  return double(magnitude >> 11 | uint64_t(rest != 0)) * 2048.0;
}

double oddDouble(int64_t value) {
  return value < 0 ? -oddDouble(0 - uint64_t(value)) : oddDouble(uint64_t(value));
}

/// Toward zero, saturating, NaN is 0.
uint64_t toSigned(float value, Element element) {
  const unsigned width = machine::bits(element);
  const int64_t most = int64_t((uint64_t(1) << (width - 1)) - 1), least = -most - 1;
  const float limit = std::bit_cast<float>((126 + width) << 23); // 2^(width - 1)
  if (value != value)
    return 0;
  if (value >= limit)
    return normalize(uint64_t(most), element);
  if (value < -limit)
    return normalize(uint64_t(least), element);
  return normalize(uint64_t(int64_t(value)), element);
}

uint64_t toUnsigned(float value, Element element) {
  const unsigned width = machine::bits(element);
  const float limit = std::bit_cast<float>((127 + width) << 23); // 2^width
  if (!(value > 0))
    return 0;
  if (value >= limit)
    return normalize(~uint64_t(0), element);
  return normalize(uint64_t(value), element);
}

uint64_t integer(Op op, Element element, uint8_t attribute, uint64_t a, uint64_t b) {
  const int64_t x = asSigned(a, element), y = asSigned(b, element);
  const uint64_t u = asUnsigned(a, element), v = asUnsigned(b, element);
  const unsigned width = machine::bits(element);
  switch (op) {
  case Op::DivS:
    return y == 0 ? 0 : y == -1 ? 0 - uint64_t(x) : uint64_t(x / y);
  case Op::DivU:
    return v == 0 ? 0 : u / v;
  case Op::RemS:
    return y == 0 ? uint64_t(x) : y == -1 ? 0 : uint64_t(x % y);
  case Op::RemU:
    return v == 0 ? u : u % v;
  case Op::And:
    return a & b;
  case Op::Or:
    return a | b;
  case Op::Xor:
    return a ^ b;
  case Op::Shl:
    return v >= width ? 0 : u << v;
  case Op::ShrS:
    return uint64_t(x >> (v >= width ? width - 1 : v));
  case Op::ShrU:
    return v >= width ? 0 : u >> v;
  case Op::MinS:
    return uint64_t(x < y ? x : y);
  case Op::MaxS:
    return uint64_t(x > y ? x : y);
  case Op::MinU:
    return u < v ? u : v;
  case Op::MaxU:
    return u > v ? u : v;
  default:
    return 0;
  }
}

uint64_t floating(Op op, Element element, uint64_t a, uint64_t b) {
  const float x = asFloat(a, element), y = asFloat(b, element);
  switch (op) {
  case Op::FAdd:
    return floatBits(x + y, element);
  case Op::FSub:
    return floatBits(x - y, element);
  case Op::FMul:
    return floatBits(x * y, element);
  case Op::FDiv:
    return floatBits(x / y, element);
  case Op::FMin:
    return floatBits(MinOp::apply(x, y), element);
  case Op::FMax:
    return floatBits(MaxOp::apply(x, y), element);
  case Op::FSqrt:
    return floatBits(std::sqrt(x), element);
  default:
    return 0;
  }
}

} // namespace

uint64_t evaluateRare(Op op, Element element, Element from, uint8_t attribute, uint64_t a,
                      uint64_t b, uint64_t c) {
  const uint64_t signBit = uint64_t(1) << (machine::bits(element) - 1);
  switch (op) {
  case Op::CmpU:
    return compare(static_cast<Predicate>(attribute), asUnsigned(a, element),
                   asUnsigned(b, element));
  case Op::FCmp:
    return compare(static_cast<Predicate>(attribute), asFloat(a, element), asFloat(b, element));
  case Op::FNeg:
    return normalize(a ^ signBit, element);
  case Op::FAbs:
    return normalize(a & ~signBit, element);
  case Op::SExt:
    return normalize(uint64_t(asSigned(a, from)), element);
  case Op::ZExt:
    return normalize(asUnsigned(a, from), element);
  case Op::SToF:
    return floatBits(oddDouble(asSigned(a, from)), element);
  case Op::UToF:
    return floatBits(oddDouble(asUnsigned(a, from)), element);
  case Op::FToS:
    return toSigned(asFloat(a, from), element);
  case Op::FToU:
    return toUnsigned(asFloat(a, from), element);
  case Op::FToF:
    return floatBits(asFloat(a, from), element);
  default:
    return machine::isFloat(element) ? floating(op, element, a, b)
                                     : normalize(integer(op, element, attribute, a, b), element);
  }
}

} // namespace kiln::sim
