//===- ScalarAccess.cpp - sload, sstore, satomic ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   sload    place                 result = the element, extended to 64 bits
//   sstore   place, value          place = the low bits of the value
//   satomic  place, value          result = the old element; place = old (add, max, min, and, or,
//                                  xor) value, or the value (xchg)
//   satomic  place, wanted, value  cas: place = value if it holds `wanted`
//
// `place` is one element, aligned to itself. Whether the value of an sload is defined is told to
// the engine, which knows what it is used for.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Scalar.h"
#include "sim/isa/Types.h"

namespace kiln::sim {

using image::Op;
using machine::Atomic;
using machine::Opcode;

namespace {

uint64_t readBits(const View &view, Element element) {
  uint64_t bits = 0;
  std::memcpy(&bits, view.data, size_t(elementBytes(element)));
  return normalize(bits, element);
}

void markDefined(Context &context) {
  View &view = context.views[0];
  const int64_t bytes = elementBytes(context.element());
  if (context.track && view.shadow)
    std::memset(view.shadow, definedShadow, size_t(bytes));
}

/// As defined as the value is.
void markStored(Context &context) {
  const View &view = context.views[0];
  const uint64_t definedBits = ~context.resolved.undefinedBits;
  if (context.track && view.shadow)
    std::memcpy(view.shadow, &definedBits, size_t(elementBytes(context.element())));
}

/// What has been read into `value`, bit by bit; a sign that is undefined is so in all its copies.
void readDefinedness(Context &context, const View &view) {
  const Element element = context.element();
  const int64_t bytes = elementBytes(element);
  Outcome &outcome = context.outcome;
  outcome.defined = !context.track || allDefined(view.shadow, bytes);
  if (outcome.defined)
    return;
  uint64_t definedBits = 0;
  std::memcpy(&definedBits, view.shadow, size_t(bytes));
  outcome.undefinedBits = normalize(~definedBits, element);
}

/// What the scalar unit does to the old value: an op for signed integers, unsigned ones and floats.
struct AtomicRow {
  Atomic mode;
  Op onSigned, onUnsigned, onFloat;
};

constexpr AtomicRow atomics[] = {
    {Atomic::Add, Op::Add, Op::Add, Op::FAdd},
    {Atomic::Max, Op::MaxS, Op::MaxU, Op::FMax},
    {Atomic::Min, Op::MinS, Op::MinU, Op::FMin},
    {Atomic::And, Op::And, Op::And, Op::And},
    {Atomic::Or, Op::Or, Op::Or, Op::Or},
    {Atomic::Xor, Op::Xor, Op::Xor, Op::Xor},
    {Atomic::Exchange, Op::Move, Op::Move, Op::Move},
};

uint64_t combine(Atomic mode, Element element, uint64_t old, uint64_t value) {
  for (const AtomicRow &row : atomics) {
    if (row.mode != mode)
      continue;
    const Op op = machine::isFloat(element)           ? row.onFloat
                  : machine::isSignedInteger(element) ? row.onSigned
                                                      : row.onUnsigned;
    return op == Op::Move ? value : evaluate(op, element, element, 0, old, value, 0);
  }
  return old;
}

} // namespace

void scalarMemory(Context &context) {
  const bool isStore = context.instruction.opcode == Opcode::SStore;
  if (!context.count(1, isStore ? 1 : 0) ||
      !context.claim(0, Form::Single, isStore ? Access::Write : Access::Read) ||
      !context.supports(context.element()) || !context.begin())
    return;
  const View place = context.views[0];
  const int64_t bytes = elementBytes(context.element());
  if (isStore) {
    std::memcpy(place.data, &context.resolved.scalars[0], size_t(bytes));
    markStored(context);
    return;
  }
  context.outcome.value = readBits(place, context.element());
  readDefinedness(context, place);
}

void scalarAtomic(Context &context) {
  const auto mode = static_cast<Atomic>(context.instruction.attribute);
  if (mode == Atomic::None || unsigned(mode) >= machine::atomicCount)
    return void(context.illegal("atomic mode " + std::to_string(unsigned(mode)) +
                                ", expected one that combines"));
  const bool compares = mode == Atomic::CompareExchange;
  if (!context.count(1, compares ? 2 : 1) || !context.claim(0, Form::Single, Access::AtomicUpdate))
    return;
  const Element element = context.element();
  if (!context.memories.machine.supportsAtomic(Opcode::SAtomic, element, mode))
    return void(context.noKernel(element));
  if (!context.begin())
    return;
  View &place = context.views[0];
  const uint64_t old = readBits(place, element);
  const uint64_t first = normalize(context.resolved.scalars[0], element);
  const uint64_t second = normalize(context.resolved.scalars[1], element);
  const uint64_t next =
      compares ? (old == first ? second : old) : combine(mode, element, old, first);
  std::memcpy(place.data, &next, size_t(elementBytes(element)));
  context.outcome.value = old;
  readDefinedness(context, place);
  if (mode == Atomic::Exchange)
    markDefined(context);
}

} // namespace kiln::sim
