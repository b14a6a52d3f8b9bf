//===- BehaviourTest.cpp - flags, stalls and ends --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "SimTest.h"

#include <cstring>
#include <map>

using namespace kiln;
using namespace kiln::sim;
using namespace kiln::sim::test;
using testing::HasSubstr;

namespace {

std::vector<Options> allModes() {
  std::vector<Options> all = {functional(), timed(), timingOnly(), random(1), random(2)};
  for (Options &options : all)
    options.check = false;
  return all;
}

/// The one finding of a program, alike in all modes.
Finding onlyFinding(const image::Image &image, uint32_t grid = 1) {
  Arrays arrays(4096);
  auto bindings = arrays.bindings();
  std::optional<Finding> found;
  for (const Options &options : allModes()) {
    Report report = run(image, bindings, grid, options);
    EXPECT_EQ(report.findings.size(), 1u);
    EXPECT_FALSE(report.trusted());
    if (report.findings.size() != 1)
      continue;
    if (!found)
      found = report.findings[0];
    EXPECT_EQ(render(*found, image), render(report.findings[0], image));
  }
  return found.value_or(Finding{});
}

const char load64[] = "load UB[0] f32 [64] <- GM[%x] f32 [64]\n";
const char add64[] = "vadd UB[512] f32 [64], UB[0] f32 [64], UB[0] f32 [64]\n";

TEST(Deadlock, AFlagThatNobodySets) {
  auto image = vectorProgram(std::string(load64) + "wait_flag MTE2 -> V, 3\n" + add64);
  Finding finding = onlyFinding(image);
  EXPECT_EQ(finding.kind, FindingKind::Deadlock);
  EXPECT_EQ(render(finding, image), "deadlock: waits for flag 3 from MTE2 to V, but nobody is left "
                                    "to end that (AIV 0, V, wait_flag #1)");
}

TEST(Deadlock, TwoPipesThatWaitForOneAnother) {
  auto image = vectorProgram("wait_flag V -> MTE2, 0\nset_flag MTE2 -> V, 0\n"
                             "wait_flag MTE2 -> V, 0\nset_flag V -> MTE2, 0\n");
  EXPECT_EQ(render(onlyFinding(image), image),
            "deadlock: 2 units wait for one another: this one waits for flag 0 from MTE2 to V (AIV "
            "0, V, wait_flag #2)\n"
            "note: waits for flag 0 from V to MTE2 (AIV 0, MTE2, wait_flag #0)");
}

TEST(Deadlock, TheScalarUnitBehindAPipe) {
  // V could set flag 1, but waits for a flag that the scalar unit would set after its own wait.
  auto image = vectorProgram("wait_flag S -> V, 0\nset_flag V -> S, 1\nwait_flag V -> S, 1\n"
                             "set_flag S -> V, 0\n");
  EXPECT_EQ(render(onlyFinding(image), image),
            "deadlock: 2 units wait for one another: this one waits for flag 0 from S to V (AIV 0, "
            "V, wait_flag #0)\n"
            "note: waits for flag 1 from V to S (AIV 0, S, wait_flag #2)");
}

TEST(Deadlock, ASetBehindItsOwnWait) {
  auto image = vectorProgram("wait_flag V -> S, 1\nset_flag V -> S, 1\n");
  EXPECT_EQ(render(onlyFinding(image), image),
            "deadlock: waits for flag 1 from V to S, and only what stands behind it could end that "
            "(AIV 0, S, wait_flag #0)");
}

TEST(Deadlock, AFullQueue) {
  // V never gets on, so its queue fills before the scalar unit comes to the set.
  auto image = vectorProgram("wait_flag MTE2 -> V, 0\nloop %i = 0 to 40 step 1 {\n" +
                             std::string(add64) + "}\nset_flag MTE2 -> V, 0\n");
  Finding finding = onlyFinding(image);
  EXPECT_EQ(finding.kind, FindingKind::Deadlock);
  ASSERT_EQ(finding.notes.size(), 1u);
  EXPECT_EQ(finding.notes[0].first, "waits for a place in the queue of V");
}

TEST(Deadlock, AnotherCoreThatDoesNotCome) {
  auto image = vectorProgram("%is = cmps.eq.i64 %coreIndex, 0\nif %is {\n"
                             "cross_wait MTE2, all, 5\n}\n");
  Finding finding = onlyFinding(image, 2);
  EXPECT_EQ(finding.kind, FindingKind::Deadlock);
  EXPECT_THAT(finding.message, HasSubstr("waits for cross-core flag 5 of mode all"));
  auto sync = vectorProgram("%is = cmps.eq.i64 %coreIndex, 0\nif %is {\nsync_all\n}\n");
  finding = onlyFinding(sync, 2);
  EXPECT_EQ(finding.kind, FindingKind::Deadlock);
  EXPECT_THAT(finding.message, HasSubstr("waits in a sync_all"));
}

TEST(Flags, MisuseIsFound) {
  Finding finding = onlyFinding(vectorProgram("set_flag MTE2 -> V, 8\n"));
  EXPECT_EQ(finding.kind, FindingKind::FlagMisuse);
  EXPECT_EQ(finding.message, "flag 8, expected an id from 0 to 7");
  finding = onlyFinding(vectorProgram("set_flag MTE2 -> V, 1\nset_flag MTE2 -> V, 1\n"
                                      "wait_flag MTE2 -> V, 1\n"));
  EXPECT_EQ(finding.message, "flag 1 from MTE2 to V is set again before its wait");
  finding = onlyFinding(vectorProgram("loop %i = 0 to 16 step 1 {\ncross_set MTE3, all, 0\n}\n"));
  EXPECT_EQ(finding.message, "more than 15 sets of cross-core flag 0 without a wait");
}

TEST(Ends, ALoopThatNeverEnds) {
  Arrays arrays(64);
  auto bindings = arrays.bindings();
  auto image = vectorProgram("%a = const.i64 0\nrepeat {\n%a = add.i64 %a, 1\n" +
                             std::string(add64) + "}\n");
  for (Options options : allModes()) {
    options.cycleLimit = 100000;
    Report report = run(image, bindings, 2, options);
    ASSERT_EQ(report.findings.size(), 1u);
    EXPECT_EQ(report.findings[0].kind, FindingKind::Runaway);
    EXPECT_LT(report.kernelCycles, 110000);
  }
}

TEST(Ends, ATrapSaysItsMessage) {
  auto image = vectorProgram("%ok = cmps.lt.i64 %n, 5\ntrap_unless %ok, \"n is too large\"\n" +
                             std::string(load64));
  Finding finding = onlyFinding(image);
  EXPECT_EQ(finding.kind, FindingKind::Trap);
  EXPECT_EQ(render(finding, image), "trap: n is too large (AIV 0, S, trap_unless #1)");
}

TEST(Ends, TheCallerEndsIt) {
  Arrays arrays(64);
  auto bindings = arrays.bindings();
  auto image = vectorProgram("%a = const.i64 0\nrepeat {\n%a = add.i64 %a, 1\n}\n");
  for (Options options : allModes()) {
    int asked = 0;
    options.cancelled = [&] { return ++asked > 3; };
    auto report = simulate(image, chip(), bindings, {1, 1, 1}, options);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().kind, ErrorKind::Cancelled);
  }
}

TEST(Ends, FindingsBeyondTheLimitAreCounted) {
  Arrays arrays(64);
  auto bindings = arrays.bindings();
  auto image =
      vectorProgram("loop %i = 0 to 10 step 1 {\nload UB[0] f32 [128] <- GM[%x] f32 [128]\n}");
  Options options = timed();
  options.maxFindings = 3;
  Report report = run(image, bindings, 1, options);
  ASSERT_EQ(report.findings.size(), 3u);
  EXPECT_EQ(report.findings[0].kind, FindingKind::OutOfBounds);
  EXPECT_EQ(report.moreFindings, 7u);
}

TEST(Ends, WhatTheMachineDoesNotHaveIsAnError) {
  Arrays arrays(64);
  auto bindings = arrays.bindings();
  auto errorOf = [&](const std::string &lines) {
    auto report = simulate(vectorProgram(lines), chip(), bindings, {1, 1, 1});
    return report ? "none" : report.error().message();
  };
  EXPECT_THAT(errorOf("load L1[0] f32 [64] <- GM[%x] f32 [64]"), HasSubstr("expected a path"));
  EXPECT_THAT(errorOf("set_flag FIX -> V, 0"), HasSubstr("expected pipes of an AIV"));
  Options both = timed();
  both.order = 1;
  EXPECT_FALSE(simulate(vectorProgram(""), chip(), bindings, {1, 1, 1}, both).ok());
  auto report = simulate(vectorProgram(""), chip(), std::span(bindings).first(3), {1, 1, 1});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message(), "launch of 'test': 3 arguments, expected 4");
}

TEST(Scalars, ValuesOfMemoryControlTheProgram) {
  // z[i] = 7 for i below the number that stands in x[0] (as bits) plus one that is counted down in
  // a repeat.
  auto image = vectorProgram("%c = sload GM[%x] i32 [1] control\n"
                             "repeat {\n"
                             "  %go = cmps.gt.i64 %c, 0\n"
                             "  exit_unless %go\n"
                             "  %c = sub.i64 %c, 1\n"
                             "  %o = mul.i64 %c, 4\n"
                             "  %p = add.i64 %z, %o\n"
                             "  sstore GM[%p] f32 [1], 7.0\n"
                             "}\n");
  std::vector<double> cycles;
  for (const Options &options : allModes()) {
    Arrays arrays(16);
    int count = 5;
    std::memcpy(arrays.x.data(), &count, sizeof count);
    auto bindings = arrays.bindings();
    Report report = run(image, bindings, 1, options);
    EXPECT_TRUE(report.trusted());
    if (options.mode != Mode::Functional)
      cycles.push_back(report.kernelCycles);
    if (options.mode != Mode::TimingOnly)
      for (int i = 0; i < 16; ++i)
        EXPECT_EQ(arrays.z[i], i < 5 ? 7 : -1) << i;
  }
  ASSERT_EQ(cycles.size(), 2u);
  EXPECT_EQ(cycles[0], cycles[1]);
  EXPECT_GT(cycles[0], 6 * chip().control.gmElementCycles);
}

TEST(Scalars, AtomicsOfAllCoresAddUp) {
  auto image = vectorProgram("loop %i = 0 to 3 step 1 {\n%o = satomic.add GM[%z] i32 [1], 1\n}\n");
  for (const Options &options : allModes()) {
    if (options.mode == Mode::TimingOnly)
      continue;
    Arrays arrays(16);
    std::memset(arrays.z.data(), 0, 64);
    auto bindings = arrays.bindings();
    run(image, bindings, 48, options);
    int sum;
    std::memcpy(&sum, arrays.z.data(), sizeof sum);
    EXPECT_EQ(sum, 48 * 3);
  }
}

TEST(Scalars, ACoreMayWaitInALoopForAnother) {
  // Core 1 raises what core 0 spins on; without time neither may starve the other.
  auto image = vectorProgram("%is = cmps.eq.i64 %coreIndex, 0\n"
                             "if %is {\n"
                             "  repeat {\n"
                             "    %v = satomic.add GM[%z] i32 [1], 0 control\n"
                             "    %go = cmps.eq.i64 %v, 0\n"
                             "    exit_unless %go\n"
                             "  }\n"
                             "} else {\n"
                             "  loop %i = 0 to 1000 step 1 {\n  }\n"
                             "  %o = satomic.add GM[%z] i32 [1], 1 control\n"
                             "}\n");
  for (Options options : allModes()) {
    options.cycleLimit = 10000000;
    Arrays arrays(16);
    std::memset(arrays.z.data(), 0, 64);
    auto bindings = arrays.bindings();
    EXPECT_TRUE(run(image, bindings, 2, options).trusted());
  }
}

TEST(Cores, ExchangeThroughGlobalMemory) {
  // Every core stores its part of x into z, all meet, and each loads its neighbour's part and
  // stores it into y.
  for (const char *meet : {"cross_set MTE3, all, 2\ncross_wait MTE2, all, 2\n", "sync_all\n"}) {
    auto image =
        imageOf("kernel \"exchange\"\n"
                "param %x : *f32 param %y : *f32 written param %z : *f32 written param %n : i32\n"
                "program aiv {\n"
                "%o = mul.i64 %coreIndex, 256\n%p = add.i64 %x, %o\n%q = add.i64 %z, %o\n"
                "load UB[0] f32 [64] <- GM[%p] f32 [64]\n"
                "set_flag MTE2 -> MTE3, 0\nwait_flag MTE2 -> MTE3, 0\n"
                "store GM[%q] f32 [64] <- UB[0] f32 [64]\n" +
                std::string(meet) +
                "%m = add.i64 %coreIndex, 1\n%m = rems.i64 %m, %coreCount\n"
                "%o2 = mul.i64 %m, 256\n%r = add.i64 %z, %o2\n%s = add.i64 %y, %o\n"
                "load UB[1024] f32 [64] <- GM[%r] f32 [64]\n"
                "set_flag MTE2 -> MTE3, 0\nwait_flag MTE2 -> MTE3, 0\n"
                "store GM[%s] f32 [64] <- UB[1024] f32 [64]\n}\n");
    std::vector<Options> all = allModes();
    for (uint64_t seed = 3; seed < 12; ++seed)
      all.push_back(random(seed));
    for (const Options &options : all) {
      Arrays arrays(8 * 64);
      auto bindings = arrays.bindings();
      bindings[1].readOnly = false;
      std::fill(arrays.y.begin(), arrays.y.end(), 0.0f);
      Report report = run(image, bindings, 8, options);
      EXPECT_TRUE(report.trusted()) << reportText(report, image);
      if (options.mode == Mode::TimingOnly) {
        EXPECT_GT(report.kernelCycles, chip().control.crossCoreCycles);
        continue;
      }
      for (size_t i = 0; i < arrays.y.size(); ++i)
        ASSERT_EQ(arrays.y[i], arrays.x[(i + 64) % arrays.x.size()]) << i;
    }
  }
}

TEST(Cores, AsManyAsThereIsWorkFor) {
  Arrays arrays(4096);
  auto bindings = arrays.bindings();
  auto image = vectorProgram(add64);
  image.programsPerIteration = 4;
  for (auto [grid, cores] : {std::pair{1u, 1u}, {4u, 1u}, {5u, 2u}, {1000u, 48u}}) {
    Report report = run(image, bindings, grid, timingOnly());
    EXPECT_EQ(report.use[1].cores, cores);
    EXPECT_EQ(report.use[1].instructions[size_t(machine::Pipe::V)], cores);
  }
  Report none = run(image, bindings, 0, timed());
  EXPECT_EQ(none.kernelCycles, 0);
  EXPECT_EQ(none.use[1].cores, 0u);
}

TEST(Cores, CubeAndVectorCoresMeet) {
  // The AIC waits for both of its AIVs, and its set releases both.
  auto image = imageOf("kernel \"mixed\"\n"
                       "program aic {\ncross_wait FIX, core, 1\ncross_set FIX, core, 2\n}\n"
                       "program aiv {\ncross_set MTE3, core, 1\ncross_wait MTE2, core, 2\n}\n");
  for (const Options &options : allModes()) {
    Report report = run(image, {}, 3, options);
    EXPECT_TRUE(report.trusted()) << reportText(report, image);
    EXPECT_EQ(report.use[0].cores, 3u);
    EXPECT_EQ(report.use[1].cores, 6u);
  }
}

TEST(Memory, ArgumentsThatOverlap) {
  // In place, and one element further: z overlaps x as in the host's memory.
  auto image = doubleBufferedAdd(64);
  for (const Options &options : {functional(), timed(), random(5)}) {
    Arrays arrays(1000);
    auto bindings = arrays.bindings();
    bindings[2] = bindings[0];
    bindings[0].readOnly = bindings[2].readOnly = false;
    std::vector<float> before = arrays.x;
    run(image, bindings, 16, options);
    for (size_t i = 0; i < before.size(); ++i)
      ASSERT_EQ(arrays.x[i], before[i] + arrays.y[i]);
  }
}

TEST(Undefined, ReachesABranch) {
  Arrays arrays(64);
  auto bindings = arrays.bindings();
  auto image = vectorProgram("%v = sload UB[64] i32 [1] control\n%w = add.i32 %v, 1\n"
                             "%c = cmps.eq.i64 %w, 5\nif %c {\n}\n");
  Report report = run(image, bindings, 1, timed());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(render(report.findings[0], image),
            "undefined: a branch comes from memory that was never written (AIV 0, S, if #3)");
}

TEST(Undefined, IsKeptOnChipAndFoundWhenItLeaves) {
  Arrays arrays(64);
  auto bindings = arrays.bindings();
  const std::string copy = "%v = sload UB[64] i32 [1]\n%w = add.i32 %v, 1\n"
                           "sstore UB[128] i32 [1], %w\n";
  EXPECT_TRUE(run(vectorProgram(copy), bindings, 1, timed()).findings.empty());
  auto leaves = vectorProgram(copy + "%u = sload UB[128] i32 [1]\nsstore GM[%z] i32 [1], %u\n");
  Report report = run(leaves, bindings, 1, timed());
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(render(report.findings[0], leaves), "undefined: a scalar operand comes from memory "
                                                "that was never written (AIV 0, S, sstore #4)");
}

TEST(Undefined, BitsOfAMaskAreDefinedOneByOne) {
  Arrays arrays(64);
  auto bindings = arrays.bindings();
  // Lanes 0 to 3 of eight are defined; the mask has a byte.
  const std::string mask = "vdup UB[0] f32 [4], 1.0\npipe_barrier V\n"
                           "vcmps.gt UB[512] i1 [64], UB[0] f32 [64], 0.5\npipe_barrier all\n"
                           "%m = sload UB[512] i8 [1] control\n";
  auto test = [&](const std::string &lane) {
    return run(vectorProgram(mask + "%s = shru.i8 %m, " + lane +
                             "\n%b = and.i64 %s, 1\nif %b {\n}\n"),
               bindings, 1, timed())
        .findings.size();
  };
  EXPECT_EQ(test("0"), 0u);
  EXPECT_EQ(test("3"), 0u);
  EXPECT_EQ(test("4"), 1u);
  EXPECT_EQ(test("7"), 1u);
}

TEST(Memory, ControlThatNeedsItSaysSo) {
  std::vector<Binding> bindings(4);
  bindings[0].bytes = 256;
  auto image = vectorProgram("%c = sload GM[%x] i32 [1] control\n");
  Report report = run(image, bindings, 1, timingOnly());
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_THAT(render(report.findings[0], image), HasSubstr("argument 'x'"));
}

/// Pipes run in order without overlap, queues hold no more than they can, waits end after their
/// sets, and nothing starts before it is issued.
TEST(Trace, KeepsTheRulesOfPipes) {
  for (double depth : {1, 2, 16}) {
    auto machine = chipWith({{"control.queue_depth", depth}});
    for (const image::Image &image : {vectorAdd(512), doubleBufferedAdd(512)}) {
      Arrays arrays(100000);
      auto bindings = arrays.bindings();
      Options options = timingOnly();
      options.trace = true;
      Report report = run(image, bindings, programsOf(100000, 512), options, machine);
      std::map<std::pair<uint32_t, machine::Pipe>, std::vector<TraceEvent>> pipes;
      for (const TraceEvent &event : report.trace)
        pipes[{event.place.coreIndex, event.place.pipe}].push_back(event);
      std::map<std::tuple<uint32_t, int, int64_t>, std::array<std::vector<double>, 2>> flags;
      for (auto &[key, events] : pipes) {
        const auto &body = image.programs[0].body;
        for (size_t i = 0; i < events.size(); ++i) {
          const TraceEvent &event = events[i];
          ASSERT_LE(event.issued, event.start);
          ASSERT_LE(event.start, event.end);
          if (i) {
            ASSERT_LE(events[i - 1].end, event.start + 1e-9);
            ASSERT_LT(events[i - 1].issued, event.issued + 1e-9);
          }
          if (key.second != machine::Pipe::S && i >= size_t(depth))
            ASSERT_GE(event.issued, events[i - size_t(depth)].start);
          const auto &instruction = body[event.place.instruction];
          if (event.flag >= 0)
            flags[{key.first, instruction.attribute, event.flag}]
                 [instruction.opcode == machine::Opcode::WaitFlag]
                     .push_back(event.end);
        }
      }
      EXPECT_FALSE(flags.empty());
      for (auto &[key, times] : flags) {
        ASSERT_EQ(times[0].size(), times[1].size());
        for (size_t i = 0; i < times[0].size(); ++i)
          ASSERT_GT(times[1][i], times[0][i]);
      }
    }
  }
}

TEST(Trace, HasEveryInstructionAndArrows) {
  Arrays arrays(4096);
  auto bindings = arrays.bindings();
  auto image = vectorAdd(1024);
  Options options = timed();
  options.trace = true;
  Report report = run(image, bindings, 1, options);
  EXPECT_EQ(report.trace.size(), 4u * 9);
  for (const TraceEvent &event : report.trace) {
    EXPECT_LE(event.issued, event.start);
    EXPECT_LE(event.start, event.end);
    EXPECT_LE(event.end, report.kernelCycles);
  }
  std::string text = perfettoTrace(report, image);
  EXPECT_THAT(text, HasSubstr(R"("name":"process_name","args":{"name":"AIV 0"})"));
  EXPECT_THAT(text, HasSubstr(R"("ph":"s")"));
  EXPECT_THAT(text, HasSubstr(R"("ph":"f")"));
  EXPECT_THAT(reportText(report, image), HasSubstr("MTE2  busy"));
  EXPECT_THAT(reportJson(report, image), HasSubstr("\"kernel_cycles\""));
}

} // namespace
