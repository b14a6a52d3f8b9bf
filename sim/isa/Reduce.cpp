//===- Reduce.cpp - vcadd, vcmax, vcmin, vcgadd, vcgmax, vcgmin ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   vcadd vcmax vcmin     dst, a   one element of dst for each row of a
//   vcgadd vcgmax vcgmin  dst, a   one element of dst for each 32-byte block of each row; the last
//                                  block of a row may be shorter
//
// The order of additions is fixed: lane l of L takes elements l, l + L, l + 2L, … one after the
// other; then the upper half of the lanes is added to the lower one until one is left. L is 64, or
// the elements of a block. Sums of f16 are kept in f32 and rounded once, at the end. Maximum and
// minimum are those of vmax and vmin. Elements of dst are taken in the order of visiting and may
// lie anywhere, each aligned to itself.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Types.h"

#include <algorithm>
#include <limits>

namespace kiln::sim {

using machine::Opcode;

namespace {

constexpr int64_t rowLanes = 64;
constexpr int64_t blockBytes = 32;

/// What leaves the other operand as it is, bit for bit.
constexpr float neutral(AddOp) { return -0.0f; }
constexpr float neutral(MaxOp) { return std::numeric_limits<float>::quiet_NaN(); }
constexpr float neutral(MinOp) { return std::numeric_limits<float>::quiet_NaN(); }

using Kernel = void (*)(std::byte *dst, const std::byte *a, int64_t count);

template <typename Op, bool Blocks> struct Reduction {
  template <Element E> static void kernel(std::byte *dst, const std::byte *a, int64_t count) {
    constexpr int64_t lanes = Blocks ? blockBytes / int64_t(sizeof(Stored<E>)) : rowLanes;
    const auto *operand = reinterpret_cast<const Stored<E> *>(a);
    float partial[lanes];
    std::fill_n(partial, lanes, neutral(Op()));
    int64_t first = 0;
    for (; first + lanes <= count; first += lanes)
      for (int64_t lane = 0; lane < lanes; ++lane)
        partial[lane] = Op::apply(partial[lane], Type<E>::get(operand[first + lane]));
    for (int64_t lane = 0; first + lane < count; ++lane)
      partial[lane] = Op::apply(partial[lane], Type<E>::get(operand[first + lane]));
    for (int64_t half = lanes / 2; half > 0; half /= 2)
      for (int64_t lane = 0; lane < half; ++lane)
        partial[lane] = Op::apply(partial[lane], partial[lane + half]);
    const Stored<E> result = Type<E>::put(partial[0]);
    std::memcpy(dst, &result, sizeof result);
  }
};

template <typename Op, bool Blocks> constexpr PerElement<Kernel> kernels() {
  return perElement<Kernel, Reduction<Op, Blocks>, Element::F16, Element::F32>();
}

struct Row {
  Opcode opcode;
  bool blocks;
  PerElement<Kernel> kernels;
};

constexpr Row table[] = {
    {Opcode::VCgadd, true, kernels<AddOp, true>()},
    {Opcode::VCgmax, true, kernels<MaxOp, true>()},
    {Opcode::VCgmin, true, kernels<MinOp, true>()},
    {Opcode::VCadd, false, kernels<AddOp, false>()},
    {Opcode::VCmax, false, kernels<MaxOp, false>()},
    {Opcode::VCmin, false, kernels<MinOp, false>()},
};

} // namespace

void vectorReduce(Context &context) {
  if (!context.count(2, 0) || !context.claim(0, Form::Elements, Access::Write) ||
      !context.claim(1, Form::Vector, Access::Read) || !context.sameElement({1}) ||
      !context.apart({1}) || !context.supports(context.element()))
    return;
  const Row &row = table[size_t(context.instruction.opcode) - size_t(Opcode::VCgadd)];
  const Kernel kernel = row.kernels[size_t(context.element())];
  if (!kernel)
    return void(context.noKernel(context.element()));
  const ResolvedRegion &a = context.region(1), &dst = context.region(0);
  const int64_t bytes = elementBytes(context.element());
  const int64_t piece = row.blocks ? blockBytes / bytes : a.size[2];
  const int64_t pieces = (a.size[2] + piece - 1) / piece;
  if (a.size[0] * a.size[1] * pieces != dst.elements())
    return void(context.illegal("the destination has " + std::to_string(dst.elements()) +
                                " elements, expected " +
                                std::to_string(a.size[0] * a.size[1] * pieces) + ", one for each " +
                                (row.blocks ? "block" : "row")));
  if (!context.begin())
    return;

  const View to = context.views[0], from = context.views[1];
  ElementCursor cursor(dst);
  for (int64_t i = 0; i < a.size[0]; ++i)
    for (int64_t j = 0; j < a.size[1]; ++j)
      for (int64_t p = 0; p < pieces; ++p) {
        const int64_t source = i * a.stride[0] + j * a.stride[1] + p * piece * bytes;
        const int64_t count = std::min(piece, a.size[2] - p * piece);
        const int64_t target = cursor.next();
        kernel(to.data + target, from.data + source, count);
        if (context.track)
          std::memset(to.shadow + target,
                      allDefined(from.shadow + source, count * bytes) ? definedShadow : 0,
                      size_t(bytes));
      }
}

} // namespace kiln::sim
