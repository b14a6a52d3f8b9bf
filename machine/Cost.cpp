//===- Cost.cpp - what instructions cost -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "machine/Cost.h"

#include <algorithm>
#include <cassert>

namespace kiln::machine {

namespace {

uint64_t ceilDiv(uint64_t value, uint64_t by) { return value / by + (value % by != 0); }

/// Rows as the instruction sees them: without gaps, all are one.
VectorShape folded(const VectorShape &shape) {
  return shape.contiguous ? VectorShape{1, shape.rows * shape.rowBytes, true} : shape;
}

} // namespace

uint64_t vectorRepeats(const Machine &machine, const VectorShape &shape) {
  VectorShape seen = folded(shape);
  return seen.rows * ceilDiv(seen.rowBytes, machine.limits.repeatBytes);
}

VectorCost vectorCost(const Machine &machine, Opcode opcode, const VectorShape &shape) {
  const OpcodeFacts &facts = machine.facts(opcode);
  assert(facts.cost && "the chip has no such vector instruction");
  if (!shape.rows || !shape.rowBytes)
    return {};
  const VectorRow &row = *facts.cost;
  const LimitFacts &limits = machine.limits;
  VectorCost cost{row.headCycles, 0, row.tailCycles, 0};

  // Reductions and broadcasts go row by row, gaps or not.
  if (row.unitBytes == 0) {
    uint64_t repeats = ceilDiv(shape.rowBytes, limits.repeatBytes);
    double perRow = row.slopeCycles + static_cast<double>(repeats - 1) * row.furtherRepeatCycles;
    cost.body = static_cast<double>(shape.rows) * perRow;
    cost.issues = repeats * ceilDiv(shape.rows, limits.maxRepeats);
    return cost;
  }

  VectorShape seen = folded(shape);
  uint64_t units = seen.rows * ceilDiv(seen.rowBytes,
                                       std::max<uint64_t>(1, static_cast<uint64_t>(row.unitBytes)));
  cost.body = row.slopeCycles * static_cast<double>(units);
  // A part of a repeat switches the unit from masks to a count of elements.
  if (info(opcode).opClass == OpClass::VBinary && seen.rowBytes % limits.repeatBytes)
    cost.body = std::max(cost.body, limits.countModeMinCycles);
  // One instruction steps through the repeats of a row, or through one column of repeats over the
  // rows; the better of the two.
  uint64_t repeatsPerRow = ceilDiv(seen.rowBytes, limits.repeatBytes);
  cost.issues = std::min(seen.rows * ceilDiv(repeatsPerRow, limits.maxRepeats),
                         repeatsPerRow * ceilDiv(seen.rows, limits.maxRepeats));
  return cost;
}

TransferCost transferCost(const Machine &machine, const Path &path, uint64_t bytes,
                          Residence residence) {
  if (!bytes)
    return {};
  double rate = path.rate.peakBytesPerCycle;
  TransferCost cost{path.rate.startCycles(), 0, path.latencyCycles};
  if (path.from == Memory::GM && residence == Residence::HBM) {
    rate = std::min(rate, machine.shared.hbmBytesPerCyclePerCore);
    cost.latency += machine.shared.hbmLatencyCycles;
  }
  cost.stream = static_cast<double>(bytes) / rate;
  return cost;
}

double transferCycles(const Machine &machine, const Path &path, uint64_t bytes) {
  return transferCost(machine, path, bytes).total();
}

uint64_t transferBytes(const Machine &machine, uint64_t rows, uint64_t rowBytes, bool contiguous) {
  uint64_t block = machine.limits.dmaBlockBytes;
  if (contiguous)
    return ceilDiv(rows * rowBytes, block) * block;
  return rows * ceilDiv(rowBytes, block) * block;
}

double cubeCycles(const Machine &machine, const CubeType &type, uint64_t m, uint64_t n,
                  uint64_t k) {
  const CubeFacts &cube = machine.cube;
  uint64_t fractals = ceilDiv(m, cube.fractalRows) * ceilDiv(n, cube.fractalRows);
  double steps = static_cast<double>(ceilDiv(k, type.kStep)) * type.cyclesPerStep;
  return cube.fixedCycles + static_cast<double>(fractals) * steps;
}

double bytesPerCycle(const Machine &machine, double bytesPerSecond) {
  return bytesPerSecond / (machine.clockGhz * 1e9);
}

double microseconds(const Machine &machine, double cycles) {
  return cycles / (machine.clockGhz * 1e3);
}

} // namespace kiln::machine
