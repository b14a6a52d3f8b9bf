//===- DriverRegistry.cpp - drivers by name ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/device/DriverRegistry.h"

#include "runtime/drivers/cpu/CpuDevice.h"
#include "runtime/drivers/npusim/NpuSimDevice.h"
#include "runtime/drivers/null/NullDevice.h"

#include "machine/MachineFile.h"

namespace kiln::runtime {

DriverRegistry::DriverRegistry()
    : drivers{{"cpu", [] { return createCpuDevice(); }},
              {"null", []() -> Result<std::shared_ptr<Device>> { return createNullDevice(); }}} {
  for (const machine::StockMachine &chip : machine::stockMachines())
    drivers.push_back({std::string(chip.name),
                       [name = std::string(chip.name)] { return createNpuSimDevice(name); }});
}

Result<void> DriverRegistry::add(std::string name, Factory factory) {
  for (const Driver &driver : drivers)
    if (driver.name == name)
      return makeError(ErrorKind::Invalid, "device '" + name + "'", "has a driver already",
                       "another name");
  drivers.push_back({std::move(name), std::move(factory)});
  return {};
}

Result<std::shared_ptr<Device>> DriverRegistry::open(std::string_view name) const {
  std::string known;
  for (const Driver &driver : drivers) {
    if (driver.name == name)
      return driver.factory();
    known += (known.empty() ? "'" : ", '") + driver.name + "'";
  }
  if (name.ends_with(".json"))
    return createNpuSimDevice(std::string(name));
  return makeError(ErrorKind::NotFound, "device '" + std::string(name) + "'", "is not known",
                   "one of " + known + ", or the path of a chip file (.json)");
}

std::vector<std::string> DriverRegistry::names() const {
  std::vector<std::string> result;
  for (const Driver &driver : drivers)
    result.push_back(driver.name);
  return result;
}

} // namespace kiln::runtime
