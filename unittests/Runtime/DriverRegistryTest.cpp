//===- DriverRegistryTest.cpp - tests of the table of drivers ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "TestSupport.h"

#include "runtime/device/DriverRegistry.h"
#include "runtime/drivers/null/NullDevice.h"

namespace kiln::runtime {
namespace {

TEST(DriverRegistry, KnowsTheDriversOfKiln) {
  DriverRegistry registry;
  EXPECT_EQ(registry.names(),
            (std::vector<std::string>{"cpu", "null", "ascend910b", "ascend910b3"}));
  EXPECT_EQ(valueOf(registry.open("null"))->properties().name, "null");
}

TEST(DriverRegistry, NamesTheKnownOnesForAnUnknown) {
  Result<std::shared_ptr<Device>> device = DriverRegistry().open("abacus");
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(device.error().message(),
            "device 'abacus': is not known, expected one of 'cpu', 'null', 'ascend910b', "
            "'ascend910b3', or the path of a chip file (.json)");
}

TEST(DriverRegistry, TakesFurtherDrivers) {
  DriverRegistry registry;
  ASSERT_TRUE(
      registry.add("mine", [] { return Result<std::shared_ptr<Device>>(createNullDevice()); })
          .ok());
  EXPECT_TRUE(registry.open("mine").ok());
  EXPECT_FALSE(
      registry.add("cpu", [] { return Result<std::shared_ptr<Device>>(createNullDevice()); }).ok());
}

TEST(NullDevice, RecordsLaunches) {
  auto device = std::make_shared<NullDevice>();
  auto kernel = valueOf(device->load({.path = kernelPath("Scale"), .name = "scale"}));
  const uint64_t args[] = {1, 2, 3};
  ASSERT_TRUE(device->launch(*kernel, {4, 5, 6}, args).ok());
  ASSERT_TRUE(device->launch(*kernel, {0, 5, 6}, args).ok());
  ASSERT_EQ(device->launches().size(), 1u);
  NullDevice::Launch launch = device->launches()[0];
  EXPECT_EQ(launch.kernel, "scale");
  EXPECT_EQ(launch.grid, (std::array<uint32_t, 3>{4, 5, 6}));
  EXPECT_EQ(launch.args, (std::vector<uint64_t>{1, 2, 3}));
}

} // namespace
} // namespace kiln::runtime
