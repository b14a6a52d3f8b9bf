//===- ConformanceTest.cpp - the suite on the drivers of Kiln ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "TestSupport.h"

#include "runtime/conformance/DeviceConformance.h"
#include "runtime/device/DriverRegistry.h"

namespace kiln::runtime {
namespace {

std::vector<ConformanceTarget> targets() {
  std::vector<ConformanceTarget> result;
  for (const std::string &name : DriverRegistry().names())
    result.push_back({name, [name] { return DriverRegistry().open(name); }, kernelPath("Scale")});
  return result;
}

INSTANTIATE_TEST_SUITE_P(Drivers, DeviceConformance, testing::ValuesIn(targets()),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace kiln::runtime
