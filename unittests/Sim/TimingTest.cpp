//===- TimingTest.cpp - modelled time against the cost functions -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "SimTest.h"

#include "machine/Cost.h"

using namespace kiln;
using namespace kiln::sim;
using namespace kiln::sim::test;
using machine::Memory;
using machine::Opcode;
using testing::DoubleNear;

namespace {

constexpr double accuracy = 1e-3; // cycles

double cyclesOf(const std::string &lines, uint32_t grid = 1, bool warm = false,
                const machine::Machine &machine = chip()) {
  Arrays arrays(size_t(48) << 13);
  auto bindings = arrays.bindings();
  Options options = timingOnly();
  options.warmL2 = warm;
  return run(vectorProgram(lines), bindings, grid, options, machine).kernelCycles;
}

double issue() { return chip().control.scalarIssueCycles; }

std::string add(unsigned elements, unsigned target = 65536) {
  const std::string size = " f32 [" + std::to_string(elements) + "]";
  return "vadd UB[" + std::to_string(target) + "]" + size + ", UB[0]" + size + ", UB[32768]" +
         size + "\n";
}

const machine::VectorShape shape640{1, 640 * 4, true};

TEST(Timing, OneVectorInstruction) {
  double cost = machine::vectorCost(chip(), Opcode::VAdd, shape640).total();
  EXPECT_THAT(cyclesOf(add(640)), DoubleNear(issue() + cost, accuracy));
}

TEST(Timing, IndependentOnesPayHeadAndTailOnce) {
  auto cost = machine::vectorCost(chip(), Opcode::VAdd, shape640);
  EXPECT_THAT(cyclesOf(add(640) + add(640, 98304)),
              DoubleNear(issue() + cost.head + 2 * cost.body + cost.tail, accuracy));
}

TEST(Timing, ABarrierIsTheDrainButAtLeastItsMinimum) {
  auto cost = machine::vectorCost(chip(), Opcode::VAdd, shape640);
  double first = issue() + cost.head + cost.body;
  double barrier = std::max(cost.tail, chip().control.barrierMinCycles);
  EXPECT_THAT(cyclesOf(add(640) + "pipe_barrier V\n" + add(640, 98304)),
              DoubleNear(first + barrier + cost.total(), accuracy));
  // A longer tail: the minimum is not on top of it.
  auto machine = chipWith({{"control.barrier_min_cycles", 3}});
  EXPECT_THAT(cyclesOf(add(640) + "pipe_barrier V\n" + add(640, 98304), 1, false, machine),
              DoubleNear(first + cost.tail + cost.total(), accuracy));
}

TEST(Timing, AnEmptyRegionCostsNothing) {
  EXPECT_THAT(cyclesOf("vdup UB[0] f32 [0], 1.0"), DoubleNear(issue(), accuracy));
  EXPECT_THAT(cyclesOf("load UB[0] f32 [0] <- GM[%x] f32 [0]"), DoubleNear(issue(), accuracy));
}

TEST(Timing, ScalarCodeAndLoops) {
  const auto &control = chip().control;
  // The constant, the loop, and ten times the addition and the way back.
  EXPECT_THAT(cyclesOf("%a = const.i64 0\nloop %i = 0 to 10 step 1 {\n%a = add.i64 %a, %i\n}"),
              DoubleNear(2 * control.scalarIssueCycles +
                             10 * (control.scalarIssueCycles + control.loopIterationCycles),
                         accuracy));
}

const char load32K[] = "load UB[0] f32 [8192] <- GM[%x] f32 [8192]";
constexpr double bytes32K = 32768;

TEST(Timing, OneLoad) {
  const machine::Path &path = *chip().path(Memory::GM, Memory::UB);
  for (bool warm : {false, true})
    EXPECT_THAT(cyclesOf(load32K, 1, warm),
                DoubleNear(issue() + machine::transferCost(chip(), path, 32768,
                                                           warm ? machine::Residence::L2
                                                                : machine::Residence::HBM)
                                         .total(),
                           accuracy));
}

TEST(Timing, OneStore) {
  const machine::Path &path = *chip().path(Memory::UB, Memory::GM);
  EXPECT_THAT(cyclesOf("store GM[%z] f32 [8192] <- UB[0] f32 [8192]"),
              DoubleNear(issue() + machine::transferCost(chip(), path, 32768).total(), accuracy));
}

TEST(Timing, AStartHoldsThePipeAndDrawsNothing) {
  auto machine = chipWith({{"paths.GM->UB.half_bytes", 5860}});
  const machine::Path &path = *machine.path(Memory::GM, Memory::UB);
  EXPECT_THAT(
      cyclesOf(load32K, 1, true, machine),
      DoubleNear(issue() + 100 + bytes32K / path.rate.peakBytesPerCycle + path.latencyCycles,
                 accuracy));
}

/// Cycles that each core's own 32 KiB takes on cores whose index is below `cores`, a multiple of
/// `step`.
double streamOf(unsigned cores, unsigned step, bool warm) {
  const std::string only = "%m = rems.i64 %coreIndex, " + std::to_string(step) +
                           "\n%is = cmps.eq.i64 %m, 0\n%o = mul.i64 %coreIndex, 32768\n"
                           "%p = add.i64 %x, %o\nif %is {\n";
  const std::string text = only + "load UB[0] f32 [8192] <- GM[%p] f32 [8192]\n}\n";
  const machine::Path &path = *chip().path(Memory::GM, Memory::UB);
  double latency = path.latencyCycles + (warm ? 0 : chip().shared.hbmLatencyCycles);
  // Four scalar instructions, the if, and the issue.
  return cyclesOf(text, cores, warm) - 6 * issue() - latency;
}

TEST(Timing, AnAiCoreSharesItsAccessToHbm) {
  const double perCore = chip().shared.hbmBytesPerCyclePerCore;
  EXPECT_THAT(streamOf(1, 1, false), DoubleNear(bytes32K / perCore, accuracy));
  EXPECT_THAT(streamOf(2, 1, false), DoubleNear(bytes32K / (perCore / 2), accuracy));
  EXPECT_THAT(streamOf(3, 2, false), DoubleNear(bytes32K / perCore, accuracy));
  // From L2 nobody is in the way.
  const double peak = chip().path(Memory::GM, Memory::UB)->rate.peakBytesPerCycle;
  EXPECT_THAT(streamOf(2, 1, true), DoubleNear(bytes32K / peak, accuracy));
}

TEST(Timing, AllCoresShareThePools) {
  auto pool = [](double perSecond) { return machine::bytesPerCycle(chip(), perSecond); };
  const double hbm = std::min(pool(chip().shared.hbmBytesPerSecond) / 48,
                              chip().shared.hbmBytesPerCyclePerCore / 2);
  EXPECT_THAT(streamOf(48, 1, false), DoubleNear(bytes32K / hbm, accuracy));
  const double l2 = pool(chip().shared.l2ReadBytesPerSecond) / 48;
  ASSERT_LT(l2, chip().path(Memory::GM, Memory::UB)->rate.peakBytesPerCycle);
  EXPECT_THAT(streamOf(48, 1, true), DoubleNear(bytes32K / l2, accuracy));
}

TEST(Timing, ReadersOfTheSameLinesShareThem) {
  const machine::Path &path = *chip().path(Memory::GM, Memory::UB);
  double rate = std::min(chip().shared.sameLineBytesPerCycle / 24, path.rate.peakBytesPerCycle);
  EXPECT_THAT(cyclesOf(load32K, 24, true),
              DoubleNear(issue() + bytes32K / rate + path.latencyCycles, accuracy));
}

TEST(Timing, AFlagWaitsForTheTail) {
  const machine::Path &path = *chip().path(Memory::UB, Memory::GM);
  auto cost = machine::vectorCost(chip(), Opcode::VAdd, shape640);
  double expected =
      issue() + cost.total() + 1 /* the wait */ + machine::transferCost(chip(), path, 2560).total();
  EXPECT_THAT(cyclesOf(add(640) + "set_flag V -> MTE3, 0\nwait_flag V -> MTE3, 0\n"
                                  "store GM[%z] f32 [640] <- UB[65536] f32 [640]"),
              DoubleNear(expected, accuracy));
}

TEST(Timing, ADependenceOnAUbElementDrains) {
  auto cost = machine::vectorCost(chip(), Opcode::VAdd, shape640);
  EXPECT_THAT(cyclesOf(add(640) + "set_flag V -> S, 0\nwait_flag V -> S, 0\n"
                                  "%e = sload UB[65536] f32 [1]"),
              DoubleNear(issue() + cost.total() + 1 + chip().control.ubElementCycles, accuracy));
}

TEST(Timing, AFullQueueStallsTheScalarUnit) {
  auto machine = chipWith({{"control.queue_depth", 4}});
  Arrays arrays(1 << 16);
  auto bindings = arrays.bindings();
  Options options = timingOnly();
  options.trace = true;
  auto image = vectorProgram("loop %i = 0 to 12 step 1 {\n" + add(6400) + "}\n");
  Report report = run(image, bindings, 1, options, machine);
  ASSERT_EQ(report.trace.size(), 12u);
  for (size_t i = 4; i < 12; ++i)
    EXPECT_NEAR(report.trace[i].issued,
                std::max(report.trace[i - 4].start,
                         report.trace[i - 1].issued + machine.control.loopIterationCycles) +
                    1,
                accuracy)
        << i;
  // The queue is what holds it up: with a deep one all is handed over while the first one runs.
  Report deep = run(image, bindings, 1, options);
  EXPECT_LT(deep.trace[11].issued, deep.trace[1].start);
}

TEST(Timing, TwoBuffersOverlapWhatOneDoesNot) {
  const size_t count = 1 << 20;
  Arrays arrays(count);
  auto bindings = arrays.bindings();
  double one = run(vectorAdd(4096), bindings, programsOf(count, 4096), timingOnly()).kernelCycles;
  double two =
      run(doubleBufferedAdd(4096), bindings, programsOf(count, 4096), timingOnly()).kernelCycles;
  // Loads alone: 2 of 16 KiB for each of 256 programs on 48 cores, 6 at most for one.
  double loads = 6 * 32768 / (chip().shared.hbmBytesPerCyclePerCore / 2);
  EXPECT_GT(one, two * 1.05);
  EXPECT_GT(two, loads);
  EXPECT_LT(two, loads * 1.2);
}

TEST(Timing, ValuesDoNotChangeIt) {
  Arrays arrays(50000);
  auto bindings = arrays.bindings();
  for (const image::Image &image : {vectorAdd(1024), doubleBufferedAdd(1024)}) {
    Options options = timed();
    options.controlTrace = true;
    Report with = run(image, bindings, programsOf(50000, 1024), options);
    options.mode = Mode::TimingOnly;
    Report without = run(image, bindings, programsOf(50000, 1024), options);
    EXPECT_EQ(with.kernelCycles, without.kernelCycles);
    EXPECT_EQ(with.controlHash, without.controlHash);
    EXPECT_NE(with.controlHash, 0u);
    EXPECT_EQ(with.hbmReadBytes, without.hbmReadBytes);
    options.mode = Mode::Functional;
    EXPECT_EQ(run(image, bindings, programsOf(50000, 1024), options).controlHash, with.controlHash);
  }
}

TEST(Timing, TwoRunsAreEqual) {
  Arrays arrays(123457);
  auto bindings = arrays.bindings();
  auto image = doubleBufferedAdd(2048);
  Options options = timed();
  options.trace = true;
  Report first = run(image, bindings, programsOf(123457, 2048), options);
  Report second = run(image, bindings, programsOf(123457, 2048), options);
  EXPECT_EQ(reportJson(first, image), reportJson(second, image));
  EXPECT_EQ(perfettoTrace(first, image), perfettoTrace(second, image));
}

TEST(Timing, MemoryIsNotNeeded) {
  std::vector<Binding> bindings(4);
  for (unsigned i = 0; i < 3; ++i)
    bindings[i].bytes = 50000 * 4;
  bindings[3].scalar = 50000;
  Arrays arrays(50000);
  auto real = arrays.bindings();
  auto image = vectorAdd(1024);
  EXPECT_EQ(run(image, bindings, 49, timingOnly()).kernelCycles,
            run(image, real, 49, timingOnly()).kernelCycles);
  auto refused = simulate(image, chip(), bindings, {49, 1, 1}, timed());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message(),
            "argument 'x': no memory for its 200000 bytes, expected memory, where values are "
            "computed");
}

TEST(Timing, WhatBindsIsNamed) {
  Arrays arrays(1 << 20);
  auto bindings = arrays.bindings();
  Report memory = run(doubleBufferedAdd(4096), bindings, 256, timingOnly());
  EXPECT_THAT(memory.busiest, testing::StartsWith("HBM"));
  EXPECT_GT(memory.busiestShare, 0.8);
  Report vector = run(vectorProgram("loop %i = 0 to 100 step 1 {\n" + add(6400) + "}\n"), bindings,
                      1, timingOnly());
  EXPECT_THAT(vector.busiest, testing::StartsWith("V of AIV, "));
}

} // namespace
