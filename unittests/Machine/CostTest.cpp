//===- CostTest.cpp - costs against published figures ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "machine/Cost.h"
#include "machine/MachineFile.h"

#include <gtest/gtest.h>

namespace kiln::machine {
namespace {

const Machine &chip() {
  static const MachineRef machine = *stockMachine("ascend910b");
  return *machine;
}

double path(Memory from, Memory to, uint64_t bytes) {
  const Path *found = chip().path(from, to);
  EXPECT_NE(found, nullptr);
  return found ? transferCost(chip(), *found, bytes).pipe() : 0;
}

TEST(Cost, CalibratedVectorRows) {
  // head + slope · 64 repeats + tail, as measured: vector calibration of the public cost model.
  struct {
    Opcode opcode;
    double head, slope, tail;
  } const rows[] = {
      {Opcode::VAdd, 10, 2, 14},  {Opcode::VSub, 10, 2, 14},   {Opcode::VMax, 10, 2, 14},
      {Opcode::VMul, 10, 2, 15},  {Opcode::VDiv, 11, 4, 19},   {Opcode::VAnd, 8, 2, 12},
      {Opcode::VOr, 8, 2, 12},    {Opcode::VExp, 13, 2, 18},   {Opcode::VLn, 13, 2, 20},
      {Opcode::VMuls, 11, 1, 15}, {Opcode::VLrelu, 11, 1, 15}, {Opcode::VMaxs, 10, 1, 13},
      {Opcode::VRelu, 10, 1, 13}, {Opcode::VRsqrt, 10, 1, 14}, {Opcode::VGather, 24, 2, 0},
  };
  constexpr uint64_t repeats = 64;
  for (const auto &row : rows) {
    VectorCost cost = vectorCost(chip(), row.opcode, {1, repeats * 256, true});
    EXPECT_EQ(cost.head, row.head) << name(row.opcode);
    EXPECT_EQ(cost.body, row.slope * repeats) << name(row.opcode);
    EXPECT_EQ(cost.tail, row.tail) << name(row.opcode);
    EXPECT_EQ(cost.total(), row.head + row.slope * repeats + row.tail) << name(row.opcode);
    EXPECT_EQ(cost.issues, 1u) << name(row.opcode);
  }
  EXPECT_EQ(vectorCost(chip(), Opcode::VMrgSort4, {1, 64 * 8, true}).total(), 20 + 78);
}

TEST(Cost, NarrowElementsTakeFewerRepeats) {
  constexpr uint64_t elements = 4096;
  VectorCost f32 = vectorCost(chip(), Opcode::VAdd, {1, elements * 4, true});
  VectorCost f16 = vectorCost(chip(), Opcode::VAdd, {1, elements * 2, true});
  EXPECT_EQ(f32.body, 2 * f16.body);
}

TEST(Cost, RowsWithGapsBeginRepeats) {
  // 100 f32: 1.56 repeats.
  EXPECT_EQ(vectorRepeats(chip(), {8, 400, true}), 13u);
  EXPECT_EQ(vectorRepeats(chip(), {8, 400, false}), 16u);
  EXPECT_EQ(vectorCost(chip(), Opcode::VMuls, {8, 400, true}).body, 13);
  EXPECT_EQ(vectorCost(chip(), Opcode::VMuls, {8, 400, false}).body, 16);
}

TEST(Cost, PartsOfARepeatHaveAMinimumWithTwoOperands) {
  EXPECT_EQ(vectorCost(chip(), Opcode::VAdd, {1, 40, true}).body, 16);
  EXPECT_EQ(vectorCost(chip(), Opcode::VAdd, {1, 256, true}).body, 2);
  EXPECT_EQ(vectorCost(chip(), Opcode::VMuls, {1, 40, true}).body, 1);
  EXPECT_EQ(vectorCost(chip(), Opcode::VAdd, {1, 256 * 100 + 4, true}).body, 202);
}

TEST(Cost, IssuesAreBoundedByTheRepeatCount) {
  EXPECT_EQ(vectorCost(chip(), Opcode::VAdd, {1, 256 * 255, true}).issues, 1u);
  EXPECT_EQ(vectorCost(chip(), Opcode::VAdd, {1, 256 * 256, true}).issues, 2u);
  EXPECT_EQ(vectorCost(chip(), Opcode::VAdd, {16, 100, false}).issues, 1u);
  EXPECT_EQ(vectorCost(chip(), Opcode::VAdd, {16, 512, false}).issues, 2u);
  EXPECT_EQ(vectorCost(chip(), Opcode::VAdd, {3, 2560, false}).issues, 3u);
}

TEST(Cost, RowInstructions) {
  // Published: 7 to 8 cycles a row over 64 to 128 f32 columns; broadcast 14 to 15 cycles a row.
  constexpr uint64_t rows = 100;
  EXPECT_EQ(vectorCost(chip(), Opcode::VCadd, {rows, 64 * 4, true}).body, 7 * rows);
  EXPECT_EQ(vectorCost(chip(), Opcode::VCadd, {rows, 128 * 4, true}).body, 8 * rows);
  EXPECT_EQ(vectorCost(chip(), Opcode::VCadd, {rows, 64 * 4, false}).body, 7 * rows);
  double broadcast = vectorCost(chip(), Opcode::VBrcb, {rows, 64 * 4, true}).body / rows;
  EXPECT_GE(broadcast, 14);
  EXPECT_LE(broadcast, 15);
}

TEST(Cost, NothingCostsNothing) {
  EXPECT_EQ(vectorCost(chip(), Opcode::VAdd, {0, 256, true}).total(), 0);
  EXPECT_EQ(vectorCost(chip(), Opcode::VCadd, {4, 0, false}).total(), 0);
  EXPECT_EQ(transferCycles(chip(), *chip().path(Memory::GM, Memory::UB), 0), 0);
}

TEST(Cost, EveryVectorInstructionHasACost) {
  for (unsigned index = 0; index < opcodeCount; ++index) {
    auto opcode = static_cast<Opcode>(index);
    EXPECT_EQ(chip().facts(opcode).cost.has_value(), info(opcode).pipe == Pipe::V) << name(opcode);
    if (info(opcode).pipe == Pipe::V)
      EXPECT_GT(vectorCost(chip(), opcode, {4, 256, true}).total(), 0) << name(opcode);
  }
}

TEST(Cost, CubeAsMeasured) {
  const CubeType &f16 = *chip().cubeType(Element::F16, Element::F32);
  const CubeType &f32 = *chip().cubeType(Element::F32, Element::F32);
  const CubeType &i8 = *chip().cubeType(Element::I8, Element::I32);
  EXPECT_EQ(cubeCycles(chip(), f16, 128, 128, 64), 262);
  EXPECT_EQ(cubeCycles(chip(), f16, 40, 50, 60), 54);
  EXPECT_EQ(cubeCycles(chip(), f32, 120, 110, 50), 902);
  EXPECT_EQ(cubeCycles(chip(), i8, 128, 128, 64), 6 + 128);
  // 8192 flop a cycle and core: 364 Tflop/s.
  double flops = 2.0 * 4080 * 4080 * 4080 / cubeCycles(chip(), f16, 4080, 4080, 4080);
  EXPECT_NEAR(flops * chip().aiCores * chip().clockGhz * 1e9 / 1e12, 364, 1);
}

TEST(Cost, TransfersAsDerivedFromPublishedKernels) {
  // The loads of the published GEMM come in pieces of 64 and 128 KiB: 81 to 85 bytes a cycle.
  constexpr uint64_t a = 64 << 10, b = 128 << 10;
  double rate = (a + b) / (path(Memory::GM, Memory::L1, a) + path(Memory::GM, Memory::L1, b));
  EXPECT_GE(rate, 81);
  EXPECT_LE(rate, 85);
  // Extracts of 16 and 32 KiB: 411 cycles.
  EXPECT_NEAR(path(Memory::L1, Memory::L0A, 16 << 10) + path(Memory::L1, Memory::L0B, 32 << 10),
              411, 2);
  // A tile of 128 KiB f32 leaves L0C in 1800 to 1875 cycles.
  double store = path(Memory::L0C, Memory::GM, 128 << 10);
  EXPECT_GE(store, 1800);
  EXPECT_LE(store, 1875);
  EXPECT_DOUBLE_EQ(path(Memory::GM, Memory::UB, 5860), 100);
  EXPECT_DOUBLE_EQ(path(Memory::UB, Memory::GM, 1094), 10);
}

TEST(Cost, SmallTransfersReachHalfTheRate) {
  // Vendor documentation: 50 to 70 % below 20 KiB, more than 80 % for large ones.
  const Path &load = *chip().path(Memory::GM, Memory::UB);
  auto share = [&](uint64_t bytes) {
    return bytes / transferCycles(chip(), load, bytes) / load.rate.peakBytesPerCycle;
  };
  EXPECT_GT(share(16 << 10), 0.5);
  EXPECT_LT(share(20 << 10), 0.7);
  EXPECT_GT(share(64 << 10), 0.8);
}

TEST(Cost, OneCoreIsBoundedByItsRequestsToHbm) {
  const Path &load = *chip().path(Memory::GM, Memory::UB);
  TransferCost far = transferCost(chip(), load, 36000, Residence::HBM);
  TransferCost near = transferCost(chip(), load, 36000, Residence::L2);
  EXPECT_DOUBLE_EQ(far.stream, 1000);
  EXPECT_EQ(far.latency, near.latency + 150);
  // A store ends in L2.
  const Path &store = *chip().path(Memory::UB, Memory::GM);
  EXPECT_EQ(transferCost(chip(), store, 4096, Residence::HBM).total(),
            transferCost(chip(), store, 4096, Residence::L2).total());
  // 24 cores together want what HBM has.
  EXPECT_NEAR(bytesPerCycle(chip(), chip().shared.hbmBytesPerSecond) / chip().aiCores,
              chip().shared.hbmBytesPerCyclePerCore, 0.1);
}

TEST(Cost, RowsMoveInWholeBlocks) {
  EXPECT_EQ(transferBytes(chip(), 4, 40, false), 256u);
  EXPECT_EQ(transferBytes(chip(), 4, 40, true), 160u);
  EXPECT_EQ(transferBytes(chip(), 1, 1, true), 32u);
}

TEST(Cost, Microseconds) { EXPECT_DOUBLE_EQ(microseconds(chip(), 1850), 1); }

TEST(Cost, RatesComeFromTheFile) {
  std::string text(stockMachines()[0].text);
  auto slower = editMachineText(text, "paths.GM->UB.peak_bytes_per_cycle", 29.3);
  ASSERT_TRUE(slower) << slower.error().message();
  auto machine = parseMachine(*slower, "slower.json");
  ASSERT_TRUE(machine) << machine.error().message();
  const Path *load = machine->path(Memory::GM, Memory::UB);
  EXPECT_DOUBLE_EQ(transferCost(*machine, *load, 5860).stream, 200);
}

} // namespace
} // namespace kiln::machine
