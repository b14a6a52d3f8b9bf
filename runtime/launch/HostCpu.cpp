//===- HostCpu.cpp - the CPU that this process runs on -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/launch/HostCpu.h"

#include <algorithm>
#include <cpuid.h>
#include <cstring>
#include <initializer_list>
#include <sched.h>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace kiln::runtime {
namespace {

enum class Register { Leaf1Ecx, Leaf7Ebx, Leaf7Ecx, Leaf7Edx, Leaf7Sub1Eax, Extended1Ecx };
/// What the system has to save on a context switch for a feature to be usable.
enum class State { None, Avx, Avx512 };

struct Feature {
  std::string_view name; ///< LLVM's
  Register place;
  unsigned bit;
  State state;
};

// Bits: Intel's Software Developer's Manual, volume 2, CPUID; AMD's manual for the extended leaf.
constexpr Feature features[] = {
    {"sse3", Register::Leaf1Ecx, 0, State::None},
    {"pclmul", Register::Leaf1Ecx, 1, State::None},
    {"ssse3", Register::Leaf1Ecx, 9, State::None},
    {"fma", Register::Leaf1Ecx, 12, State::Avx},
    {"cx16", Register::Leaf1Ecx, 13, State::None},
    {"sse4.1", Register::Leaf1Ecx, 19, State::None},
    {"sse4.2", Register::Leaf1Ecx, 20, State::None},
    {"movbe", Register::Leaf1Ecx, 22, State::None},
    {"popcnt", Register::Leaf1Ecx, 23, State::None},
    {"aes", Register::Leaf1Ecx, 25, State::None},
    {"avx", Register::Leaf1Ecx, 28, State::Avx},
    {"f16c", Register::Leaf1Ecx, 29, State::Avx},
    {"bmi", Register::Leaf7Ebx, 3, State::None},
    {"avx2", Register::Leaf7Ebx, 5, State::Avx},
    {"bmi2", Register::Leaf7Ebx, 8, State::None},
    {"avx512f", Register::Leaf7Ebx, 16, State::Avx512},
    {"avx512dq", Register::Leaf7Ebx, 17, State::Avx512},
    {"avx512ifma", Register::Leaf7Ebx, 21, State::Avx512},
    {"avx512cd", Register::Leaf7Ebx, 28, State::Avx512},
    {"avx512bw", Register::Leaf7Ebx, 30, State::Avx512},
    {"avx512vl", Register::Leaf7Ebx, 31, State::Avx512},
    {"avx512vbmi", Register::Leaf7Ecx, 1, State::Avx512},
    {"avx512vbmi2", Register::Leaf7Ecx, 6, State::Avx512},
    {"gfni", Register::Leaf7Ecx, 8, State::None},
    {"vaes", Register::Leaf7Ecx, 9, State::Avx},
    {"vpclmulqdq", Register::Leaf7Ecx, 10, State::Avx},
    {"avx512vnni", Register::Leaf7Ecx, 11, State::Avx512},
    {"avx512bitalg", Register::Leaf7Ecx, 12, State::Avx512},
    {"avx512vpopcntdq", Register::Leaf7Ecx, 14, State::Avx512},
    {"avx512fp16", Register::Leaf7Edx, 23, State::Avx512},
    {"avxvnni", Register::Leaf7Sub1Eax, 4, State::Avx},
    {"avx512bf16", Register::Leaf7Sub1Eax, 5, State::Avx512},
    {"lzcnt", Register::Extended1Ecx, 5, State::None},
};

/// What LLVM takes for granted with the name of a model. A machine that lacks some of it (a guest
/// whose host hides them) is called by its level instead, or code would use what is not there.
enum class Level { V2, V3, V4, Vnni, Bf16, IceLake, AlderLake, SapphireRapids };

std::initializer_list<std::string_view> newIn(Level level) {
  static constexpr std::initializer_list<std::string_view> v2 = {"sse3",   "ssse3", "sse4.1",
                                                                 "sse4.2", "cx16",  "popcnt"};
  static constexpr std::initializer_list<std::string_view> v3 = {"avx", "avx2", "fma",   "f16c",
                                                                 "bmi", "bmi2", "lzcnt", "movbe"};
  static constexpr std::initializer_list<std::string_view> v4 = {"avx512f", "avx512dq", "avx512cd",
                                                                 "avx512bw", "avx512vl"};
  static constexpr std::initializer_list<std::string_view> vnni = {"avx512vnni"};
  static constexpr std::initializer_list<std::string_view> bf16 = {"avx512bf16"};
  static constexpr std::initializer_list<std::string_view> iceLake = {
      "avx512vnni",      "avx512ifma", "avx512vbmi", "avx512vbmi2", "avx512bitalg",
      "avx512vpopcntdq", "gfni",       "vaes",       "vpclmulqdq"};
  static constexpr std::initializer_list<std::string_view> alderLake = {"avxvnni", "gfni", "vaes",
                                                                        "vpclmulqdq"};
  static constexpr std::initializer_list<std::string_view> sapphireRapids = {
      "avxvnni", "avx512bf16", "avx512fp16"};
  switch (level) {
  case Level::V2:
    return v2;
  case Level::V3:
    return v3;
  case Level::V4:
    return v4;
  case Level::Vnni:
    return vnni;
  case Level::Bf16:
    return bf16;
  case Level::IceLake:
    return iceLake;
  case Level::AlderLake:
    return alderLake;
  case Level::SapphireRapids:
    return sapphireRapids;
  }
  return {};
}

struct Model {
  std::string_view vendor;
  unsigned family, firstModel, lastModel;
  std::string_view name; ///< LLVM's
  std::initializer_list<Level> levels;
};

constexpr std::string_view intel = "GenuineIntel", amd = "AuthenticAMD";
#define LEVELS_V3 {Level::V2, Level::V3}
#define LEVELS_V4 {Level::V2, Level::V3, Level::V4}

// The first row that fits wins: of one model, the richer variant comes first.
const Model models[] = {
    {intel,
     6,
     0x55,
     0x55,
     "cooperlake",
     {Level::V2, Level::V3, Level::V4, Level::Vnni, Level::Bf16}},
    {intel, 6, 0x55, 0x55, "cascadelake", {Level::V2, Level::V3, Level::V4, Level::Vnni}},
    {intel, 6, 0x55, 0x55, "skylake-avx512", LEVELS_V4},
    {intel, 6, 0x6a, 0x6a, "icelake-server", {Level::V2, Level::V3, Level::V4, Level::IceLake}},
    {intel, 6, 0x6c, 0x6c, "icelake-server", {Level::V2, Level::V3, Level::V4, Level::IceLake}},
    {intel, 6, 0x7d, 0x7e, "icelake-client", {Level::V2, Level::V3, Level::V4, Level::IceLake}},
    {intel, 6, 0x8c, 0x8d, "tigerlake", {Level::V2, Level::V3, Level::V4, Level::IceLake}},
    {intel, 6, 0xa7, 0xa7, "rocketlake", {Level::V2, Level::V3, Level::V4, Level::IceLake}},
    {intel,
     6,
     0x8f,
     0x8f,
     "sapphirerapids",
     {Level::V2, Level::V3, Level::V4, Level::IceLake, Level::SapphireRapids}},
    {intel,
     6,
     0xcf,
     0xcf,
     "emeraldrapids",
     {Level::V2, Level::V3, Level::V4, Level::IceLake, Level::SapphireRapids}},
    {intel,
     6,
     0xad,
     0xad,
     "graniterapids",
     {Level::V2, Level::V3, Level::V4, Level::IceLake, Level::SapphireRapids}},
    {intel,
     6,
     0xae,
     0xae,
     "graniterapids-d",
     {Level::V2, Level::V3, Level::V4, Level::IceLake, Level::SapphireRapids}},
    {intel, 6, 0x97, 0x97, "alderlake", {Level::V2, Level::V3, Level::AlderLake}},
    {intel, 6, 0x9a, 0x9a, "alderlake", {Level::V2, Level::V3, Level::AlderLake}},
    {intel, 6, 0xb7, 0xb7, "raptorlake", {Level::V2, Level::V3, Level::AlderLake}},
    {intel, 6, 0xba, 0xba, "raptorlake", {Level::V2, Level::V3, Level::AlderLake}},
    {intel, 6, 0xbf, 0xbf, "raptorlake", {Level::V2, Level::V3, Level::AlderLake}},
    {intel, 6, 0xaa, 0xaa, "meteorlake", {Level::V2, Level::V3, Level::AlderLake}},
    {intel, 6, 0xac, 0xac, "meteorlake", {Level::V2, Level::V3, Level::AlderLake}},
    {intel, 6, 0x4e, 0x4e, "skylake", LEVELS_V3},
    {intel, 6, 0x5e, 0x5e, "skylake", LEVELS_V3},
    {intel, 6, 0x8e, 0x8e, "skylake", LEVELS_V3},
    {intel, 6, 0x9e, 0x9e, "skylake", LEVELS_V3},
    {intel, 6, 0xa5, 0xa6, "skylake", LEVELS_V3},
    {intel, 6, 0x3d, 0x3d, "broadwell", LEVELS_V3},
    {intel, 6, 0x47, 0x47, "broadwell", LEVELS_V3},
    {intel, 6, 0x4f, 0x4f, "broadwell", LEVELS_V3},
    {intel, 6, 0x56, 0x56, "broadwell", LEVELS_V3},
    {intel, 6, 0x3c, 0x3c, "haswell", LEVELS_V3},
    {intel, 6, 0x3f, 0x3f, "haswell", LEVELS_V3},
    {intel, 6, 0x45, 0x46, "haswell", LEVELS_V3},
    {amd, 0x17, 0x00, 0x2f, "znver1", LEVELS_V3},
    {amd, 0x17, 0x30, 0xff, "znver2", LEVELS_V3},
    {amd,
     0x19,
     0x10,
     0x1f,
     "znver4",
     {Level::V2, Level::V3, Level::V4, Level::IceLake, Level::Bf16}},
    {amd,
     0x19,
     0x60,
     0x7f,
     "znver4",
     {Level::V2, Level::V3, Level::V4, Level::IceLake, Level::Bf16}},
    {amd,
     0x19,
     0xa0,
     0xaf,
     "znver4",
     {Level::V2, Level::V3, Level::V4, Level::IceLake, Level::Bf16}},
    {amd, 0x19, 0x00, 0x5f, "znver3", LEVELS_V3},
    {amd,
     0x1a,
     0x00,
     0xff,
     "znver5",
     {Level::V2, Level::V3, Level::V4, Level::IceLake, Level::Bf16}},
};

#undef LEVELS_V3
#undef LEVELS_V4

uint32_t registerOf(const CpuidFacts &facts, Register place) {
  switch (place) {
  case Register::Leaf1Ecx:
    return facts.leaf1.ecx;
  case Register::Leaf7Ebx:
    return facts.leaf7.ebx;
  case Register::Leaf7Ecx:
    return facts.leaf7.ecx;
  case Register::Leaf7Edx:
    return facts.leaf7.edx;
  case Register::Leaf7Sub1Eax:
    return facts.leaf7sub1.eax;
  case Register::Extended1Ecx:
    return facts.extended1.ecx;
  }
  return 0;
}

CpuidLeaf readLeaf(uint32_t leaf, uint32_t subleaf) {
  CpuidLeaf result;
  __get_cpuid_count(leaf, subleaf, &result.eax, &result.ebx, &result.ecx, &result.edx);
  return result;
}

CpuidFacts readFacts() {
  CpuidFacts facts;
  CpuidLeaf leaf0 = readLeaf(0, 0);
  char vendor[12];
  std::memcpy(vendor, &leaf0.ebx, 4);
  std::memcpy(vendor + 4, &leaf0.edx, 4);
  std::memcpy(vendor + 8, &leaf0.ecx, 4);
  facts.vendor.assign(vendor, sizeof vendor);
  facts.leaf1 = readLeaf(1, 0);
  facts.leaf7 = readLeaf(7, 0);
  if (facts.leaf7.eax >= 1) // eax of leaf 7 is the last subleaf
    facts.leaf7sub1 = readLeaf(7, 1);
  facts.extended1 = readLeaf(0x80000001, 0);
  unsigned family = facts.leaf1.eax >> 8 & 15, model = facts.leaf1.eax >> 4 & 15;
  if (family == 6 || family == 15)
    model += (facts.leaf1.eax >> 16 & 15) << 4;
  if (family == 15)
    family += facts.leaf1.eax >> 20 & 255;
  facts.family = family;
  facts.model = model;
  if (facts.leaf1.ecx & 1u << 27) { // the system uses XSAVE: xgetbv exists
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    facts.xcr0 = uint64_t(high) << 32 | low;
  }
  return facts;
}

uint64_t lastLevelCacheBytes() {
  for (int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
    if (long bytes = ::sysconf(level); bytes > 0)
      return static_cast<uint64_t>(bytes);
  return 0;
}

unsigned usableThreads() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  // More CPUs than the set has bits.
  return static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

} // namespace

HostCpu describeCpu(const CpuidFacts &facts) {
  constexpr uint64_t avxState = 0x6, avx512State = 0xe6;
  std::vector<std::string_view> present;
  HostCpu cpu;
  for (const Feature &feature : features) {
    uint64_t needed = feature.state == State::Avx512 ? avx512State
                      : feature.state == State::Avx  ? avxState
                                                     : 0;
    if (!(registerOf(facts, feature.place) >> feature.bit & 1) || (facts.xcr0 & needed) != needed)
      continue;
    present.push_back(feature.name);
    cpu.features += (cpu.features.empty() ? "+" : ",+") + std::string(feature.name);
  }
  auto has = [&](std::initializer_list<Level> levels) {
    return std::all_of(levels.begin(), levels.end(), [&](Level level) {
      auto names = newIn(level);
      return std::all_of(names.begin(), names.end(), [&](std::string_view name) {
        return std::find(present.begin(), present.end(), name) != present.end();
      });
    });
  };
  for (const Model &model : models)
    if (model.vendor == facts.vendor && model.family == facts.family &&
        model.firstModel <= facts.model && facts.model <= model.lastModel && has(model.levels)) {
      cpu.name = model.name;
      return cpu;
    }
  cpu.name = has({Level::V2, Level::V3, Level::V4}) ? "x86-64-v4"
             : has({Level::V2, Level::V3})          ? "x86-64-v3"
             : has({Level::V2})                     ? "x86-64-v2"
                                                    : "x86-64";
  return cpu;
}

const HostCpu &hostCpu() {
  static const HostCpu cpu = [] {
    HostCpu result = describeCpu(readFacts());
    result.cacheBytes = lastLevelCacheBytes();
    result.threads = usableThreads();
    return result;
  }();
  return cpu;
}

} // namespace kiln::runtime
