//===- Scalar.h - the scalar unit's arithmetic -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Values of registers: an integer is extended from its width to 64 bits (signed or unsigned, by its
// element type), i1 is 0 or 1, a float is its bit pattern. What each op does stands in
// image/ScalarOp.def. Control ops and moves have no arithmetic and are the interpreter's.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ISA_SCALAR_H
#define KILN_SIM_ISA_SCALAR_H

#include "image/Image.h"

#include <cstdint>

namespace kiln::sim {

/// An integer cut to the element's width and extended again; floats keep their own bits.
inline uint64_t normalize(uint64_t value, machine::Element element) {
  using machine::Element;
  switch (element) {
  case Element::I1:
    return value & 1;
  case Element::I8:
    return uint64_t(int64_t(int8_t(value)));
  case Element::U8:
    return uint8_t(value);
  case Element::I16:
    return uint64_t(int64_t(int16_t(value)));
  case Element::U16:
  case Element::F16:
  case Element::BF16:
    return uint16_t(value);
  case Element::I32:
    return uint64_t(int64_t(int32_t(value)));
  case Element::U32:
  case Element::F32:
    return uint32_t(value);
  case Element::I64:
  case Element::U64:
    return value;
  }
  return value;
}

/// Every op that is not in `evaluate` itself.
uint64_t evaluateRare(image::Op op, machine::Element element, machine::Element from,
                      uint8_t attribute, uint64_t a, uint64_t b, uint64_t c);

/// The result of a value op. `from` counts for conversions, `attribute` for comparisons.
inline uint64_t evaluate(image::Op op, machine::Element element, machine::Element from,
                         uint8_t attribute, uint64_t a, uint64_t b, uint64_t c) {
  using image::Op;
  switch (op) {
  case Op::Add:
    return normalize(a + b, element);
  case Op::Sub:
    return normalize(a - b, element);
  case Op::Mul:
    return normalize(a * b, element);
  case Op::And:
    return a & b;
  case Op::Move:
    return a;
  case Op::Const:
    return a << 32 | uint32_t(b);
  case Op::Select:
    return a ? b : c;
  case Op::CmpS: {
    const int64_t x = int64_t(a), y = int64_t(b);
    switch (static_cast<machine::Predicate>(attribute)) {
    case machine::Predicate::EQ:
      return x == y;
    case machine::Predicate::NE:
      return x != y;
    case machine::Predicate::LT:
      return x < y;
    case machine::Predicate::LE:
      return x <= y;
    case machine::Predicate::GT:
      return x > y;
    case machine::Predicate::GE:
      return x >= y;
    }
    return 0;
  }
  default:
    return evaluateRare(op, element, from, attribute, a, b, c);
  }
}

} // namespace kiln::sim

#endif // KILN_SIM_ISA_SCALAR_H
