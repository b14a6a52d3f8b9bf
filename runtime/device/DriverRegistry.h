//===- DriverRegistry.h - drivers by name ----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_DEVICE_DRIVERREGISTRY_H
#define KILN_RUNTIME_DEVICE_DRIVERREGISTRY_H

#include "runtime/device/Device.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::runtime {

/// The drivers that a program knows. Starts with those of Kiln (`cpu`, `null`, and the built-in
/// chips of machine/, which are simulated); more may be added.
class DriverRegistry {
public:
  using Factory = std::function<Result<std::shared_ptr<Device>>()>;

  DriverRegistry();

  /// Refuses a name that is taken.
  Result<void> add(std::string name, Factory factory);

  /// A new device; an unknown name is an error that lists the known ones. The path of a chip file
  /// (ending in ".json") is the simulated chip that it describes.
  Result<std::shared_ptr<Device>> open(std::string_view name) const;

  std::vector<std::string> names() const;

private:
  struct Driver {
    std::string name;
    Factory factory;
  };
  std::vector<Driver> drivers;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_DEVICE_DRIVERREGISTRY_H
