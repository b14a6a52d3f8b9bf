//===- Cost.h - what instructions cost -------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The one place that turns the constants of a chip into cycles; the compiler ranks by these
// functions and the simulator runs by them. They are pure and know one instruction at a time: what
// overlaps, waits or shares a pool is the business of the caller.
//
// The time of an instruction on V is head + body + tail. The body holds the pipe. The head is paid
// by an instruction that finds the pipe empty. The tail is the time until the last result may be
// read: an independent instruction runs over it, a flag or a barrier waits for it.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_MACHINE_COST_H
#define KILN_MACHINE_COST_H

#include "machine/Machine.h"

namespace kiln::machine {

/// The region an instruction works on, in bytes of its widest operand (so an f16→f32 conversion has
/// 4 an element; a comparison, those of what it compares).
struct VectorShape {
  uint64_t rows = 1;
  uint64_t rowBytes = 0;
  bool contiguous = true; ///< the rows of all operands follow each other without gaps
};

struct VectorCost {
  double head = 0;
  double body = 0;
  double tail = 0;
  /// Vector instructions that the scalar unit issues for it, each at control.scalarIssueCycles.
  uint64_t issues = 0;

  double total() const { return head + body + tail; }
};

/// Cost of an instruction of pipe V; the opcode must be one that the chip has. Nothing is to do for
/// an empty region: no cost.
VectorCost vectorCost(const Machine &machine, Opcode opcode, const VectorShape &shape);

/// Repeats that a region takes: rows with gaps begin a new one each.
uint64_t vectorRepeats(const Machine &machine, const VectorShape &shape);

/// Where the data of a path from GM lie.
enum class Residence : uint8_t { L2, HBM };

struct TransferCost {
  double start = 0;   ///< nothing moves yet, the pipe is held
  double stream = 0;  ///< at the highest rate, shared pools permitting
  double latency = 0; ///< until a waiter sees the data; the pipe is free

  double pipe() const { return start + stream; }
  double total() const { return start + stream + latency; }
};

/// Cost of a transfer that has the machine for itself. No bytes: no cost.
TransferCost transferCost(const Machine &machine, const Path &path, uint64_t bytes,
                          Residence residence = Residence::L2);

/// total() of it: from the start until a waiter sees the data, L2 warm.
double transferCycles(const Machine &machine, const Path &path, uint64_t bytes);

/// Bytes that a transfer of rows moves: each row in whole blocks of the DMA engine. Contiguous rows
/// are one.
uint64_t transferBytes(const Machine &machine, uint64_t rows, uint64_t rowBytes, bool contiguous);

/// Cycles of M for m × n × k; the pair of types must be one that the chip has.
double cubeCycles(const Machine &machine, const CubeType &type, uint64_t m, uint64_t n, uint64_t k);

/// Bytes per core cycle of a pool whose rate is per second.
double bytesPerCycle(const Machine &machine, double bytesPerSecond);

double microseconds(const Machine &machine, double cycles);

} // namespace kiln::machine

#endif // KILN_MACHINE_COST_H
