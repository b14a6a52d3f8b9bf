//===- ConformanceTest.cpp - the suite on the drivers of Kiln ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "NpuImages.h"
#include "TestSupport.h"

#include "machine/MachineFile.h"
#include "runtime/conformance/DeviceConformance.h"
#include "runtime/device/DriverRegistry.h"

namespace kiln::runtime {
namespace {

/// The program image of `scale` for a simulated chip; the object of it for other devices.
std::string imageFor(const std::string &name) {
  static const TemporaryFolder folder;
  for (const machine::StockMachine &chip : machine::stockMachines())
    if (chip.name == name) {
      std::string path = folder.path() + "/" + name + ".npo";
      writeAll(path, npuImage(scaleHead, scaleBody, name));
      return path;
    }
  return kernelPath("Scale");
}

std::vector<ConformanceTarget> targets() {
  std::vector<ConformanceTarget> result;
  for (const std::string &name : DriverRegistry().names())
    result.push_back({name, [name] { return DriverRegistry().open(name); }, imageFor(name)});
  return result;
}

INSTANTIATE_TEST_SUITE_P(Drivers, DeviceConformance, testing::ValuesIn(targets()),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace kiln::runtime
