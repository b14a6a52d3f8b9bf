//===- Simulator.h - runs an image: values, time, checks -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// `simulate` runs one launch of an image on a machine. What it computes is what the described
// machine would leave in memory; the time it reports is modelled, never measured.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_SIMULATOR_H
#define KILN_SIM_SIMULATOR_H

#include "image/Image.h"
#include "machine/Machine.h"
#include "runtime/base/Result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kiln::sim {

/// What one parameter is bound to. A pointer: host memory of `bytes`; data may be null in
/// timing-only runs where no value of it is needed. Bindings whose host ranges overlap get virtual
/// addresses that overlap alike; `scalar` is how many bytes the pointer points behind the start of
/// the range (the register is the virtual address of the start plus it). A scalar: its register's
/// bits.
struct Binding {
  std::byte *data = nullptr;
  uint64_t bytes = 0;
  bool readOnly = false;
  uint64_t scalar = 0;
};

struct Grid {
  uint32_t x = 1, y = 1, z = 1;
};

enum class Mode : uint8_t {
  Functional,      ///< values, no time
  FunctionalTimed, ///< values and modelled time
  TimingOnly,      ///< time; only instructions that feed control are executed
};

struct Options {
  Mode mode = Mode::FunctionalTimed;
  bool check = true; ///< races, bounds, alignment, flags, definedness (not in TimingOnly)
  std::optional<uint64_t> order; ///< Functional: a random legal order of the pipes with this seed
  bool warmL2 = false;           ///< arguments lie in L2 at the start, as far as they fit
  bool trace = false;            ///< keep every instruction's times in Report::trace
  bool controlTrace =
      false; ///< hash branches, trip counts, addresses and sizes: Report::controlHash
  uint64_t cycleLimit =
      uint64_t(1)
      << 40; ///< chip cycles (Functional: instructions of one core) after which a run ends
  uint32_t maxFindings = 64;       ///< further ones are counted, not kept
  std::function<bool()> cancelled; ///< polled now and then; true ends the run
};

enum class FindingKind : uint8_t {
  Race,        ///< two accesses that nothing orders, one of them a write
  Deadlock,    ///< pipes wait for one another, or for a flag that nobody sets
  OutOfBounds, ///< beyond the argument or the memory
  Misaligned,
  FlagMisuse, ///< a second set before the wait, an id out of range, a flag left set at the end
  Undefined,  ///< an undefined byte reaches a global store, a branch, an address or a size
  IllegalInstruction, ///< operands that the instruction does not take, found when it runs
  Runaway,            ///< the cycle limit
  Trap,               ///< `trap_unless`
};
std::string_view name(FindingKind kind);

/// Where an instruction stands and runs.
struct Place {
  machine::Core core = machine::Core::AIV;
  uint32_t coreIndex = 0;
  machine::Pipe pipe = machine::Pipe::S;
  uint32_t instruction = 0; ///< index into Program::body
  uint32_t location = 0;    ///< index into Image::locations
};

struct Finding {
  FindingKind kind = FindingKind::Race;
  std::string message; ///< what was found and what was expected
  Place place;
  std::vector<std::pair<std::string, Place>> notes; ///< the other access, the waits of a cycle
};
/// "kernel.py:12:5: race: … (AIV 3, V, vadd #17)", followed by one line per note.
std::string render(const Finding &finding, const image::Image &image);

/// One instruction in a trace, times in cycles.
struct TraceEvent {
  Place place;
  double issued = 0, start = 0, end = 0;
  uint64_t bytes = 0; ///< of a transfer
  int64_t flag = -1;  ///< of a flag between pipes that is set or waited for: its id
};

/// Of one kind of core, summed over its cores.
struct CoreUse {
  uint32_t cores = 0;
  std::array<double, machine::pipeCount> busyCycles{}; ///< per pipe
  std::array<uint64_t, machine::pipeCount> instructions{};
};

struct Report {
  double kernelCycles = 0; ///< first instruction of any core to the last store that has reached L2
  double writeBackCycles = 0; ///< writing the dirty lines of L2 back to HBM afterwards
  double dispatchCycles = 0;  ///< block dispatch, not part of kernelCycles
  double launchMicroseconds = 0;
  double microseconds(double cycles) const { return cycles / (clockGHz * 1e3); }
  double clockGHz = 0;
  std::array<CoreUse, machine::coreKinds> use;
  uint64_t hbmReadBytes = 0, hbmWriteBytes = 0, l2ReadBytes = 0, l2WriteBytes = 0;
  uint64_t dirtyBytes = 0;   ///< left in L2 at the end of the kernel
  uint64_t instructions = 0; ///< executed by all scalar units
  std::string busiest;       ///< "MTE2 of AIV, 87 %" or "HBM, 91 %": the binding resource
  double busiestShare = 0;
  std::vector<Finding> findings;
  uint64_t moreFindings = 0; ///< beyond Options::maxFindings
  bool
  trusted() const; ///< no finding of a kind that makes values meaningless (races, undefined, …)
  uint64_t controlHash = 0;
  std::vector<TraceEvent> trace;
};

/// Runs one launch. An Error is a bad image or binding, or a cancelled run; what is wrong with the
/// program's behaviour are findings.
Result<Report> simulate(const image::Image &image, const machine::Machine &machine,
                        std::span<const Binding> bindings, Grid grid, const Options &options = {});

/// Chrome/Perfetto trace events: a process per core, a thread per pipe, flow arrows from sets to
/// waits.
std::string perfettoTrace(const Report &report, const image::Image &image);
/// The report as one JSON object (without the trace).
std::string reportJson(const Report &report, const image::Image &image);
/// A table for people: cycles, microseconds, busy share per pipe, bytes.
std::string reportText(const Report &report, const image::Image &image);

} // namespace kiln::sim

#endif // KILN_SIM_SIMULATOR_H
