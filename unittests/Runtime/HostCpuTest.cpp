//===- HostCpuTest.cpp - tests of the detection of the CPU -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "TestSupport.h"

#include "runtime/launch/HostCpu.h"

#include <fstream>

namespace kiln::runtime {
namespace {

/// A Cascade Lake server: the registers that /proc/cpuinfo's flags stand for.
CpuidFacts cascadeLake() {
  CpuidFacts facts;
  facts.vendor = "GenuineIntel";
  facts.family = 6;
  facts.model = 0x55;
  facts.leaf1.ecx = 0xfffa3203 | 1u << 25;
  facts.leaf7.ebx = 0xd19f4fbb;
  facts.leaf7.ecx = 1u << 11; // avx512vnni
  facts.extended1.ecx = 0x121;
  facts.xcr0 = 0x2e7;
  return facts;
}

TEST(HostCpu, NamesTheModel) {
  HostCpu cpu = describeCpu(cascadeLake());
  EXPECT_EQ(cpu.name, "cascadelake");
  for (const char *feature : {"+avx2", "+fma", "+f16c", "+avx512f", "+avx512bw", "+avx512vl",
                              "+avx512dq", "+avx512vnni", "+bmi2", "+lzcnt"})
    EXPECT_TRUE(contains("," + cpu.features + ",", "," + std::string(feature) + ","))
        << feature << " in " << cpu.features;
  EXPECT_FALSE(contains(cpu.features, "avx512bf16"));
}

TEST(HostCpu, TellsVariantsOfAModelApart) {
  CpuidFacts facts = cascadeLake();
  facts.leaf7.ecx = 0;
  EXPECT_EQ(describeCpu(facts).name, "skylake-avx512");
  facts = cascadeLake();
  facts.leaf7sub1.eax = 1u << 5;
  EXPECT_EQ(describeCpu(facts).name, "cooperlake");
}

TEST(HostCpu, TakesALevelWhereTheHostHidesFeatures) {
  CpuidFacts facts = cascadeLake();
  facts.xcr0 = 0x7; // the system does not save the AVX-512 state
  HostCpu cpu = describeCpu(facts);
  EXPECT_EQ(cpu.name, "x86-64-v3");
  EXPECT_FALSE(contains(cpu.features, "avx512"));
  facts.xcr0 = 0x3;
  cpu = describeCpu(facts);
  EXPECT_EQ(cpu.name, "x86-64-v2");
  EXPECT_FALSE(contains(cpu.features, "avx"));
  EXPECT_EQ(describeCpu(CpuidFacts()).name, "x86-64");
}

TEST(HostCpu, TakesALevelForAnUnknownModel) {
  CpuidFacts facts = cascadeLake();
  facts.model = 0xfe;
  EXPECT_EQ(describeCpu(facts).name, "x86-64-v4");
  facts.vendor = "SomethingElse";
  EXPECT_EQ(describeCpu(facts).name, "x86-64-v4");
}

TEST(HostCpu, AgreesWithTheSystem) {
  const HostCpu &cpu = hostCpu();
  EXPECT_FALSE(cpu.name.empty());
  EXPECT_GE(cpu.threads, 1u);
  std::ifstream file("/proc/cpuinfo");
  std::string line, flags;
  while (flags.empty() && std::getline(file, line))
    if (line.rfind("flags", 0) == 0)
      flags = line + " ";
  if (flags.empty())
    GTEST_SKIP() << "/proc/cpuinfo has no flags";
  for (auto [feature, flag] : {std::pair("+avx2", " avx2 "),
                               {"+fma", " fma "},
                               {"+f16c", " f16c "},
                               {"+avx512f", " avx512f "},
                               {"+avx512vl", " avx512vl "},
                               {"+avx512bf16", " avx512_bf16 "},
                               {"+avx512vnni", " avx512_vnni "},
                               {"+avxvnni", " avx_vnni "}})
    EXPECT_EQ(contains("," + cpu.features + ",", "," + std::string(feature) + ","),
              contains(flags, flag))
        << feature;
}

} // namespace
} // namespace kiln::runtime
