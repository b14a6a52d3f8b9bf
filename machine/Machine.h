//===- Machine.h - the facts of one chip -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Everything that a chip may differ in: capacities, legal paths, element types per instruction,
// timing constants. The compiler chooses by these numbers and the simulator runs by them; both get
// them from one chip file (machine/MachineFile.h). Costs made of them are in machine/Cost.h.
//
// Units: bytes; cycles of the core clock; rates in bytes per cycle and core, except those of the
// pools that cores share, which are in bytes per second.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_MACHINE_MACHINE_H
#define KILN_MACHINE_MACHINE_H

#include "machine/Opcode.h"
#include "runtime/base/Hash.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace kiln::machine {

/// Where a number comes from.
enum class Provenance : uint8_t { Published, Fitted, Assumed, Derived };
inline constexpr unsigned provenanceCount = 4;
std::string_view name(Provenance provenance);

/// One number of the chip file. Numbers that are assumed have a range: figures that depend on them
/// are intervals.
struct Constant {
  std::string path; ///< in the chip file: "control.scalar_issue_cycles", "opcodes.vadd.cost[1]"
  double value = 0;
  Provenance provenance = Provenance::Published;
  std::string source;
  std::optional<std::array<double, 2>> range;
};

/// A set of enumerators, as bits.
template <typename Enum> class EnumSet {
public:
  void insert(Enum value) { bits |= uint32_t(1) << static_cast<unsigned>(value); }
  bool contains(Enum value) const { return bits >> static_cast<unsigned>(value) & 1; }
  bool empty() const { return !bits; }
  bool operator==(const EnumSet &) const = default;

private:
  uint32_t bits = 0;
};

using ElementSet = EnumSet<Element>;

struct MemoryFacts {
  uint64_t bytes = 0;       ///< of one core's copy; of the chip for GM
  uint64_t usableBytes = 0; ///< what a program may use; the rest is reserved
  uint64_t alignment = 1;   ///< of the start of a buffer
};

/// How long a transfer holds its pipe: (half + bytes) / peak cycles when it is alone. With `half` 0
/// the rate is constant; otherwise a transfer of `half` bytes reaches half the peak. half / peak is
/// the part in which nothing moves: no shared bandwidth is drawn in it.
struct RateLaw {
  double peakBytesPerCycle = 0;
  double halfBytes = 0;

  double startCycles() const { return halfBytes / peakBytesPerCycle; }
};

/// A legal way for data. Bytes of a path are those that leave the source (so for L0C 4 an element).
struct Path {
  Memory from = Memory::GM;
  Memory to = Memory::GM;
  Core core = Core::AIC;
  Pipe pipe = Pipe::MTE2;
  RateLaw rate;
  /// From the end of the transfer in the pipe until a waiter sees it; the pipe goes on meanwhile.
  double latencyCycles = 0;
};

/// What vector work of one instruction costs: see machine/Cost.h.
struct VectorRow {
  double headCycles = 0;  ///< only if the pipe was empty
  double slopeCycles = 0; ///< per repeat or row
  double tailCycles = 0;  ///< until the last result can be read
  double unitBytes = 0;   ///< what one slope is for: a repeat of the wider operand. 0: a row
  double furtherRepeatCycles = 0; ///< row instructions: for each repeat of a row after the first
};

/// A legal pair of types of a conversion, with the rounding modes it knows.
struct Conversion {
  Element from = Element::F32;
  Element to = Element::F32;
  EnumSet<Rounding> roundings;
};

/// What a chip can do with an opcode.
struct OpcodeFacts {
  bool present = false;        ///< the chip has the instruction
  ElementSet elements;         ///< of the data operands; of conversions, those on either side
  ElementSet equalityElements; ///< comparisons: elements that know only Predicate::EQ
  std::array<ElementSet, atomicCount> atomicElements; ///< stores and scalar atomics, by Atomic
  std::vector<Conversion> conversions;                ///< of VConv and Fixpipe
  std::optional<VectorRow> cost;                      ///< of what runs on V
};

/// A pair of types that the matrix unit multiplies.
struct CubeType {
  Element from = Element::F16; ///< of both operands
  Element to = Element::F32;   ///< of the accumulator
  unsigned kStep = 0;          ///< elements of k in one step
  double cyclesPerStep = 0;    ///< of one 16 × 16 fractal of the result
};

struct CubeFacts {
  unsigned fractalRows = 0;          ///< m and n are multiples of it, in hardware
  unsigned fractalBytes = 0;         ///< of one operand fractal
  double fixedCycles = 0;            ///< per instruction
  unsigned maxDimension = 0;         ///< of m, n and k
  unsigned barrierBelowProducts = 0; ///< a smaller ceil(m/16)·ceil(n/16) needs a barrier on M
  std::vector<CubeType> types;
};

/// Costs of the scalar units, flags and starts.
struct ControlFacts {
  double scalarIssueCycles = 0;   ///< of any scalar operation and of issuing an instruction
  double loopIterationCycles = 0; ///< on top of the body
  unsigned queueDepth = 0;        ///< instructions waiting per pipe; a full queue stalls the issue
  double ubElementCycles = 0;     ///< one element of UB by the scalar unit, after V and MTE drained
  double gmElementCycles = 0;     ///< one element of GM by the scalar unit, through its cache
  double gmAtomicCycles = 0;      ///< one scalar atomic on GM
  double flagCycles = 0;          ///< a set, or a wait that does not wait
  double maskCycles = 0;          ///< a write of the vector mask
  double barrierMinCycles = 0;    ///< pipe_barrier: the drain of what is in flight, but at least it
  double crossCoreCycles = 0;     ///< from a cross-core set to its waiter
  double dispatchCycles = 0;      ///< per block on a core
  double launchMicroseconds = 0;  ///< host side; never part of kernel time
  double startUpCycles = 0;       ///< device side, as measured; reported beside kernel time
};

/// What all cores share.
struct SharedFacts {
  double l2ReadBytesPerSecond = 0;
  double l2WriteBytesPerSecond = 0;
  double l2CombinedBytesPerSecond = 0; ///< reads and writes together
  double hbmBytesPerSecond = 0;
  double hbmBytesPerCyclePerCore = 0; ///< what one AI core (AIC and both AIVs) draws from HBM
  double hbmLatencyCycles = 0;        ///< on top of a path's latency if L2 misses
  double sameLineBytesPerCycle = 0;   ///< all cores together, reading the same lines at one time
  uint64_t l2Bytes = 0;
  uint64_t l2LineBytes = 0;
};

/// Bounds that programs have to keep.
struct LimitFacts {
  unsigned dmaBlockBytes = 0;    ///< rows in local memories begin at multiples of it
  unsigned dmaMinRowBytes = 0;   ///< of transfers of several rows
  uint64_t nzMaxRowStride = 0;   ///< of the source of load_nz, in elements
  unsigned nzFullRateStride = 0; ///< load_nz reaches its rate if the source stride is a multiple
  unsigned repeatBytes = 0;      ///< that a vector instruction handles in one repeat
  unsigned maxRepeats = 0;       ///< per issued vector instruction
  unsigned blockBytes = 0;       ///< vector block: vcg* reduce one
  unsigned compareBytes = 0;     ///< operands of comparisons are padded to multiples of it
  double countModeMinCycles = 0; ///< body of a two-operand instruction on a part of a repeat
  unsigned flagIds = 0;          ///< per pair of pipes
  unsigned crossFlagIds = 0;
  unsigned crossUserIds =
      0; ///< ids below it may be named by a user; the rest are for grid barriers
  unsigned crossFlagDepth = 0; ///< unmatched sets per id
};

struct Machine {
  std::string name;
  std::string description;
  Digest fileHash{}; ///< of the chip file's text; part of cache keys and images

  unsigned aiCores = 0;
  unsigned vectorsPerCore = 0;
  double clockGhz = 0;

  std::array<MemoryFacts, memoryCount> memories;
  std::vector<Path> paths;
  std::array<OpcodeFacts, opcodeCount> opcodes;
  CubeFacts cube;
  ControlFacts control;
  SharedFacts shared;
  LimitFacts limits;
  std::vector<Constant> constants; ///< all numbers above, in the order of the chip file

  unsigned vectorCores() const { return aiCores * vectorsPerCore; }
  const MemoryFacts &memory(Memory memory) const { return memories[static_cast<size_t>(memory)]; }
  const OpcodeFacts &facts(Opcode opcode) const { return opcodes[static_cast<size_t>(opcode)]; }

  /// The legal path between two memories; null if there is none.
  const Path *path(Memory from, Memory to) const;

  /// True if the instruction works on data of this type (a comparison: with some predicate; a
  /// conversion: on one of its sides).
  bool supports(Opcode opcode, Element element) const;
  /// True for VCmp and VCmps on this type with this predicate.
  bool compares(Opcode opcode, Element element, Predicate predicate) const;
  /// True for Store, Fixpipe and SAtomic in this mode on this type.
  bool supportsAtomic(Opcode opcode, Element element, Atomic atomic) const;
  /// The pair of types of VConv or Fixpipe; null if it is not legal.
  const Conversion *conversion(Opcode opcode, Element from, Element to) const;
  /// The pair of types of Mmad; null if it is not legal.
  const CubeType *cubeType(Element from, Element to) const;

  /// The number that the chip file has at this path; null if there is none.
  const Constant *constant(std::string_view path) const;
};

} // namespace kiln::machine

#endif // KILN_MACHINE_MACHINE_H
