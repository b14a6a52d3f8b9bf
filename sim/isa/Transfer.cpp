//===- Transfer.cpp - load, store, copy ------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   load   dst, src     dst = src             GM to a memory of the core
//   store  dst, src     dst = src, or dst = dst + src, max, min as one access
//   copy   dst, src     dst = src             UB to UB, by the vector unit
//
// Transfers move rows of adjacent bytes. Rows of a local memory begin at 32-byte blocks; a single
// row may have any length, several have at least 32 bytes each: shorter ones corrupt their
// neighbours on the hardware. What undefined bytes a store carries out is a finding.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Types.h"

namespace kiln::sim {

using machine::Atomic;
using machine::Memory;
using machine::Opcode;

namespace {

bool longEnough(Context &context, const Rows<2> &rows) {
  const int64_t bytes = rows.length * elementBytes(context.element());
  const int64_t least = context.memories.machine.limits.dmaMinRowBytes;
  if (rows.count[0] * rows.count[1] == 1 || bytes >= least)
    return true;
  return context.illegal("a transfer of several rows of " + std::to_string(bytes) +
                         " bytes, expected rows of at least " + std::to_string(least));
}

/// Transfers (not copies within UB) go along the machine's paths.
bool hasPath(Context &context) {
  const Memory from = context.region(1).memory, to = context.region(0).memory;
  const bool isLoad = context.instruction.opcode == Opcode::Load;
  if (isLoad != (from == Memory::GM))
    return context.illegal((isLoad ? "a load from " : "a store from ") +
                           std::string(machine::name(from)));
  if (context.memories.machine.path(from, to))
    return true;
  return context.illegal("there is no path from " + std::string(machine::name(from)) + " to " +
                         std::string(machine::name(to)));
}

/// The shadow that the destination needs, made if undefined bytes go to a block that has none.
void moveShadow(Context &context, const Rows<2> &rows) {
  View &to = context.views[0];
  const View &from = context.views[1];
  const int64_t bytes = rows.length * elementBytes(context.element());
  if (to.block) {
    bool defined = true;
    rows.each([&](const std::array<int64_t, 2> &at) {
      if (!defined || allDefined(from.shadow ? from.shadow + at[1] : nullptr, bytes))
        return;
      defined = false;
      int64_t first = 0;
      while (from.shadow[at[1] + first] == definedShadow)
        ++first;
      const uint64_t low = context.region(0).address + uint64_t(at[0] + first);
      const GlobalSpan *span = to.block->span(low, low + 1, true);
      context.fail(FindingKind::Undefined, "undefined bytes are stored, the first at byte " +
                                               std::to_string(low - span->address) + " of " +
                                               span->name);
    });
    if (defined && !to.block->shadow)
      return;
    to.shadow = to.block->needShadow() + (context.region(0).address - to.block->address);
  }
  rows.each([&](const std::array<int64_t, 2> &at) {
    if (from.shadow)
      std::memmove(to.shadow + at[0], from.shadow + at[1], size_t(bytes));
    else
      std::memset(to.shadow + at[0], definedShadow, size_t(bytes));
  });
}

void move(Context &context, Form form) {
  if (!context.count(2, 0) || !context.claim(0, form, Access::Write) ||
      !context.claim(1, form, Access::Read) || !context.sameElement({1}) ||
      !context.sameShape({1}) || !context.apart({1}) || !context.supports(context.element()))
    return;
  const Rows<2> rows(context, {0, 1});
  if (form == Form::Transfer && (!hasPath(context) || !longEnough(context, rows)))
    return;
  if (!context.begin())
    return;
  const size_t bytes = size_t(rows.length * elementBytes(context.element()));
  const View to = context.views[0], from = context.views[1];
  rows.each([&](const std::array<int64_t, 2> &at) {
    std::memmove(to.data + at[0], from.data + at[1], bytes);
  });
  if (context.track)
    moveShadow(context, rows);
}

using Combine = void (*)(std::byte *to, const std::byte *from, int64_t count);

template <typename Op> struct Combiner {
  template <Element E> static void kernel(std::byte *to, const std::byte *from, int64_t count) {
    auto *target = reinterpret_cast<Stored<E> *>(to);
    const auto *source = reinterpret_cast<const Stored<E> *>(from);
    KILN_ELEMENTWISE
    for (int64_t index = 0; index < count; ++index)
      target[index] =
          Type<E>::put(Op::apply(Type<E>::get(target[index]), Type<E>::get(source[index])));
  }
};

template <typename Op> constexpr PerElement<Combine> combine() {
  return perElement<Combine, Combiner<Op>, Element::I8, Element::I16, Element::I32, Element::F16,
                    Element::BF16, Element::F32>();
}

constexpr std::array<PerElement<Combine>, 3> combines = {combine<AddOp>(), combine<MaxOp>(),
                                                         combine<MinOp>()};

void storeAtomic(Context &context, Atomic mode) {
  if (!context.count(2, 0) || !context.claim(0, Form::Transfer, Access::AtomicUpdate) ||
      !context.claim(1, Form::Transfer, Access::Read) || !context.sameElement({1}) ||
      !context.sameShape({1}))
    return;
  const Combine kernel = combines[size_t(mode) - 1][size_t(context.element())];
  if (!kernel || !context.memories.machine.supportsAtomic(Opcode::Store, context.element(), mode))
    return void(context.noKernel(context.element()));
  const int64_t bytes = elementBytes(context.element());
  if (context.region(0).address % uint64_t(bytes) != 0)
    return void(context.fail(FindingKind::Misaligned,
                             "an atomic store to an address that is not a multiple of " +
                                 std::to_string(bytes)));
  const Rows<2> rows(context, {0, 1});
  if (!hasPath(context) || !longEnough(context, rows) || !context.begin())
    return;
  rows.each([&](const std::array<int64_t, 2> &at) {
    kernel(context.views[0].data + at[0], context.views[1].data + at[1], rows.length);
  });
  if (!context.track)
    return;
  // An element stays defined only if both were; what was undefined before is not made good.
  const View before = context.views[0];
  if (!before.shadow)
    return moveShadow(context, rows);
  bool defined = true;
  rows.each([&](const std::array<int64_t, 2> &at) {
    defined = defined && allDefined(context.views[1].shadow + at[1], rows.length * bytes) &&
              allDefined(before.shadow + at[0], rows.length * bytes);
    propagate(before.shadow + at[0], bytes,
              {{before.shadow + at[0], bytes}, {context.views[1].shadow + at[1], bytes}},
              rows.length);
  });
  if (!defined)
    context.fail(FindingKind::Undefined, "an atomic store combines undefined bytes");
}

} // namespace

void load(Context &context) { move(context, Form::Transfer); }

void copy(Context &context) { move(context, Form::Vector); }

void store(Context &context) {
  const auto mode = static_cast<Atomic>(context.instruction.attribute);
  if (mode == Atomic::None)
    return move(context, Form::Transfer);
  if (mode > Atomic::Min)
    return void(context.illegal("store mode " + std::to_string(unsigned(mode)) +
                                ", expected write, add, max or min"));
  storeAtomic(context, mode);
}

} // namespace kiln::sim
