//===- HostCpu.h - the CPU that this process runs on -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_LAUNCH_HOSTCPU_H
#define KILN_RUNTIME_LAUNCH_HOSTCPU_H

#include <cstdint>
#include <string>

namespace kiln::runtime {

/// Name and features as LLVM spells them, found without LLVM.
struct HostCpu {
  std::string name;        ///< "cascadelake"; a level ("x86-64-v3") where the model is not known
  std::string features;    ///< "+avx2,+fma,…": those that code generation cares about
  uint64_t cacheBytes = 0; ///< of the last level of cache; 0 if unknown
  unsigned threads = 1;    ///< that the process may run on
};

/// Detected at the first call.
const HostCpu &hostCpu();

/// What one register leaf of cpuid holds; for tests of the detection.
struct CpuidLeaf {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// The raw facts that name and features are derived from.
struct CpuidFacts {
  std::string vendor; ///< "GenuineIntel"
  unsigned family = 0, model = 0;
  CpuidLeaf leaf1, leaf7, leaf7sub1, extended1;
  uint64_t xcr0 = 0; ///< register states that the system saves
};

/// Derives name and features; pure.
HostCpu describeCpu(const CpuidFacts &facts);

} // namespace kiln::runtime

#endif // KILN_RUNTIME_LAUNCH_HOSTCPU_H
