//===- Shapes.cpp - how much an instruction works on -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/timing/Shapes.h"

#include <algorithm>

namespace kiln::sim {

using machine::Element;
using machine::OpClass;

namespace {

/// More than any memory holds, and small enough that products of three do not overflow.
constexpr int64_t largestExtent = int64_t(1) << 20;

uint64_t clampedExtent(int64_t extent) {
  return uint64_t(std::clamp<int64_t>(extent, 0, largestExtent));
}

bool isEmpty(const ResolvedRegion &region) {
  return std::any_of(region.size.begin(), region.size.end(),
                     [](int64_t size) { return size <= 0; });
}

/// Elements of the innermost dimensions that follow each other without gaps in `region`, and how
/// many dimensions those are.
struct Run {
  uint64_t elements = 1;
  int dims = 0;
};
Run runOf(const ResolvedRegion &region) {
  Run run;
  uint64_t expected = std::max<uint64_t>(1, machine::bits(region.element) / 8);
  for (int d = 2; d >= 0; --d) {
    if (region.size[d] != 1 && uint64_t(region.stride[d]) != expected)
      break;
    expected *= clampedExtent(region.size[d]);
    run.elements *= clampedExtent(region.size[d]);
    ++run.dims;
  }
  return run;
}

} // namespace

machine::VectorShape vectorShape(const machine::Machine &machine, OpClass opClass,
                                 const Resolved &resolved) {
  if (isEmpty(resolved.regions[0]))
    return {0, 0, true};
  // The region whose shape is the work: what is compared, what is reduced, otherwise the result.
  const bool fromSource = opClass == OpClass::VCmp || opClass == OpClass::VReduce ||
                          opClass == OpClass::VGatherMask || opClass == OpClass::VSort;
  const unsigned which = fromSource ? resolved.regionCount - 1u : 0;
  const ResolvedRegion &work = resolved.regions[which];
  unsigned bits = 8;
  int dims = 3; // innermost ones without gaps in all operands
  for (unsigned i = 0; i < resolved.regionCount; ++i) {
    const ResolvedRegion &region = resolved.regions[i];
    bits = std::max(bits, machine::bits(region.element));
    if (region.element != Element::I1)
      dims = std::min(dims, runOf(region).dims);
  }
  machine::VectorShape shape;
  shape.contiguous = dims == 3;
  shape.rows = clampedExtent(work.size[0]) * clampedExtent(work.size[1]);
  shape.rowBytes = clampedExtent(work.size[2]) * bits / 8;
  if (opClass == OpClass::VReduce || opClass == OpClass::VBroadcast || shape.contiguous)
    return shape;
  // A repeat takes eight blocks, a constant distance apart: rows of one block each are as good as a
  // row of all of them, wherever they lie.
  if (dims == 2 || (dims <= 1 && shape.rowBytes == machine.limits.blockBytes)) {
    shape.rows = clampedExtent(work.size[0]);
    shape.rowBytes *= clampedExtent(work.size[1]);
    if (shape.rows == 1)
      shape.contiguous = true;
  }
  return shape;
}

uint64_t transferBytes(const machine::Machine &machine, const Resolved &resolved) {
  const ResolvedRegion &target = resolved.regions[0], &source = resolved.regions[1];
  if (isEmpty(target) || isEmpty(source))
    return 0;
  uint64_t rowBytes = clampedExtent(source.size[2]) * machine::bits(source.element) / 8;
  uint64_t rows = 1;
  bool dense = true; // so far rows follow each other without gaps on both sides
  for (int d = 1; d >= 0; --d) {
    uint64_t count = clampedExtent(source.size[d]);
    uint64_t targetRow = clampedExtent(target.size[2]) * machine::bits(target.element) / 8;
    for (int inner = 1; inner > d; --inner)
      targetRow *= clampedExtent(target.size[inner]);
    dense &= count == 1 ||
             (uint64_t(source.stride[d]) == rowBytes && uint64_t(target.stride[d]) == targetRow);
    dense ? rowBytes *= count : rows *= count;
  }
  return machine::transferBytes(machine, rows, rowBytes, rows == 1);
}

} // namespace kiln::sim
