//===- NpuSimDeviceTest.cpp - tests of the driver of simulated NPUs -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "NpuImages.h"
#include "TestSupport.h"

#include "runtime/drivers/npusim/NpuSimDevice.h"

#include <bit>
#include <vector>

namespace kiln::runtime {
namespace {

std::shared_ptr<Device> open() { return valueOf(createNpuSimDevice("ascend910b")); }

Result<std::shared_ptr<Executable>> load(Device &device, const std::string &bytes,
                                         std::optional<uint32_t> arguments = {}) {
  return device.load(
      {.bytes = std::as_bytes(std::span(bytes)), .name = "scale", .argCount = arguments});
}

/// Launches `scale` on an array of the host, whose extent the device is told.
Result<void> scale(Device &device, const Executable &kernel, std::vector<float> &x, uint64_t n) {
  const uint64_t begin = reinterpret_cast<uint64_t>(x.data());
  const uint64_t args[] = {begin, n, std::bit_cast<uint32_t>(2.0f)};
  const ArgumentSpan spans[] = {{begin, begin + x.size() * sizeof(float)}, {}, {}};
  return device.launch(kernel, {8}, args, spans);
}

TEST(NpuSimDevice, RunsAndReports) {
  auto device = open();
  auto kernel = valueOf(load(*device, npuImage(scaleHead, scaleBody)));
  std::vector<float> x = {1, 2, 3};
  ASSERT_EQ(messageOf(scale(*device, *kernel, x, 2)), "success");
  EXPECT_EQ(x, (std::vector<float>{2, 4, 3}));
  EXPECT_TRUE(contains(device->launchReport(), "\"kernel_cycles\""));
}

TEST(NpuSimDevice, RefusesDamagedImages) {
  auto device = open();
  const std::string image = npuImage(scaleHead, scaleBody);
  EXPECT_FALSE(load(*device, "").ok());
  EXPECT_FALSE(load(*device, "\x7f"
                             "ELF and more")
                   .ok());
  for (size_t size = 0; size < image.size(); size += 7)
    EXPECT_FALSE(load(*device, image.substr(0, size)).ok()) << size;
  for (size_t i = 0; i < image.size(); ++i) {
    std::string flipped = image;
    flipped[i] = char(flipped[i] ^ 0x10);
    EXPECT_FALSE(load(*device, flipped).ok()) << i;
  }
}

TEST(NpuSimDevice, RefusesImagesThatTheChipCannotRun) {
  auto device = open();
  EXPECT_FALSE(load(*device, npuImage(scaleHead, "vdup UB[1000000] f32 [64], 1.0\n")).ok());
}

TEST(NpuSimDevice, RefusesAnotherNumberOfArguments) {
  auto device = open();
  const std::string image = npuImage(scaleHead, scaleBody);
  EXPECT_TRUE(contains(messageOf(load(*device, image, 4)), "takes 3 arguments"));
  auto kernel = valueOf(load(*device, image, 3));
  const uint64_t args[] = {0, 0};
  EXPECT_TRUE(contains(messageOf(device->launch(*kernel, {1}, args)), "got 2 arguments"));
}

TEST(NpuSimDevice, FindingsAreErrors) {
  auto device = open();
  auto kernel = valueOf(load(*device, npuImage(scaleHead, scaleBody)));
  std::vector<float> x = {1, 2, 3};
  Result<void> result = scale(*device, *kernel, x, 4); // one more than there are
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::Check);
  EXPECT_TRUE(contains(messageOf(result), "out of bounds")) << messageOf(result);
}

TEST(NpuSimDevice, RefusesPointersOfUnknownExtent) {
  auto device = open();
  auto kernel = valueOf(load(*device, npuImage(scaleHead, scaleBody)));
  float x = 1;
  const uint64_t args[] = {reinterpret_cast<uint64_t>(&x), 1, 0};
  EXPECT_TRUE(contains(messageOf(device->launch(*kernel, {1}, args)), "unknown extent"));
}

TEST(NpuSimDevice, RunawaysEnd) {
  auto device = open();
  auto kernel = valueOf(load(*device, npuImage(scaleHead, "repeat {\n%a = add.i64 %n, 1\n}\n")));
  std::vector<float> x(1);
  ASSERT_TRUE(device->configure(R"({"cycle_limit": 5000})").ok());
  Result<void> limited = scale(*device, *kernel, x, 1);
  ASSERT_FALSE(limited.ok());
  EXPECT_TRUE(contains(messageOf(limited), "still running after 5000 cycles"));
  ASSERT_TRUE(device->configure(R"({"cycle_limit": null})").ok());
  device->setCancelCheck([] { return true; });
  Result<void> cancelled = scale(*device, *kernel, x, 1);
  ASSERT_FALSE(cancelled.ok());
  EXPECT_EQ(cancelled.error().kind, ErrorKind::Cancelled);
}

TEST(NpuSimDevice, RefusesUnknownSettings) {
  auto device = open();
  EXPECT_TRUE(contains(messageOf(device->configure(R"({"speed": 1})")), "control_trace"));
  EXPECT_TRUE(contains(messageOf(device->configure("[]")), "no JSON object"));
  EXPECT_TRUE(contains(messageOf(device->configure(R"({"order": 3})")), "'functional'"));
  EXPECT_TRUE(device->configure(R"({"order": 3, "mode": "functional"})").ok());
}

TEST(NpuSimDevice, RefusesUnknownChips) {
  EXPECT_FALSE(createNpuSimDevice("ascend999").ok());
  EXPECT_TRUE(contains(messageOf(createNpuSimDevice("/no/such/chip.json")), "/no/such/chip.json"));
}

} // namespace
} // namespace kiln::runtime
