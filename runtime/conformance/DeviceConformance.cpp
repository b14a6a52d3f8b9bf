//===- DeviceConformance.cpp - what every driver has to pass -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/conformance/DeviceConformance.h"

#include <bit>
#include <thread>

namespace kiln::runtime {
namespace {

/// Fails the test with the error's text.
template <typename T> bool succeeded(const Result<T> &result) {
  if (!result)
    ADD_FAILURE() << result.error().message();
  return result.ok();
}

template <typename T> std::string messageOf(const Result<T> &result) {
  return result ? "success" : result.error().message();
}

bool contains(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

void DeviceConformance::SetUp() {
  Result<std::shared_ptr<Device>> opened = GetParam().open();
  ASSERT_TRUE(succeeded(opened));
  device = *opened;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DeviceConformance);

TEST_P(DeviceConformance, SaysWhatItIs) {
  EXPECT_EQ(device->properties().name, GetParam().name);
  EXPECT_FALSE(device->properties().description.empty());
  EXPECT_GE(device->properties().threads, 1u);
  EXPECT_NE(device->id(), 0u);
}

TEST_P(DeviceConformance, CopiesGoThereAndBack) {
  Result<Buffer> buffer = device->allocate(64);
  ASSERT_TRUE(succeeded(buffer));
  std::vector<uint8_t> data(64), back(64);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<uint8_t>(i * 7);
  EXPECT_TRUE(succeeded(device->copyTo(*buffer, 0, data.data(), 64)));
  EXPECT_TRUE(succeeded(device->copyFrom(back.data(), *buffer, 0, 64)));
  EXPECT_EQ(data, back);
  EXPECT_TRUE(succeeded(device->copyFrom(back.data(), *buffer, 60, 4)));
  EXPECT_EQ(back[0], data[60]);
  EXPECT_TRUE(succeeded(device->free(*buffer)));
}

TEST_P(DeviceConformance, CopiesWithinMayOverlap) {
  Result<Buffer> buffer = device->allocate(8);
  ASSERT_TRUE(succeeded(buffer));
  ASSERT_TRUE(succeeded(device->copyTo(*buffer, 0, "abcdefgh", 8)));
  ASSERT_TRUE(succeeded(device->copyWithin(*buffer, 1, *buffer, 0, 7)));
  char back[9] = {};
  ASSERT_TRUE(succeeded(device->copyFrom(back, *buffer, 0, 8)));
  EXPECT_STREQ(back, "aabcdefg");
  EXPECT_TRUE(succeeded(device->free(*buffer)));
}

TEST_P(DeviceConformance, EmptyBuffersAreBuffers) {
  Result<Buffer> buffer = device->allocate(0);
  ASSERT_TRUE(succeeded(buffer));
  EXPECT_TRUE(succeeded(device->copyTo(*buffer, 0, nullptr, 0)));
  EXPECT_TRUE(succeeded(device->free(*buffer)));
}

TEST_P(DeviceConformance, RefusesCopiesBeyondTheEnd) {
  Result<Buffer> buffer = device->allocate(16);
  ASSERT_TRUE(succeeded(buffer));
  char data[32] = {};
  EXPECT_FALSE(device->copyTo(*buffer, 0, data, 17).ok());
  EXPECT_FALSE(device->copyFrom(data, *buffer, 16, 1).ok());
  EXPECT_FALSE(device->copyTo(*buffer, SIZE_MAX, data, 2).ok());
  EXPECT_FALSE(device->copyFrom(data, *buffer, 8, SIZE_MAX).ok());
  EXPECT_FALSE(device->copyWithin(*buffer, 9, *buffer, 0, 8).ok());
  EXPECT_TRUE(succeeded(device->free(*buffer)));
}

TEST_P(DeviceConformance, RefusesImpossibleSizes) {
  EXPECT_FALSE(device->allocate(SIZE_MAX).ok());
  EXPECT_FALSE(device->allocate(size_t(1) << 60).ok());
}

TEST_P(DeviceConformance, RefusesFreedBuffers) {
  Result<Buffer> buffer = device->allocate(16);
  ASSERT_TRUE(succeeded(buffer));
  ASSERT_TRUE(succeeded(device->free(*buffer)));
  // Takes the slot of the first.
  Result<Buffer> other = device->allocate(16);
  ASSERT_TRUE(succeeded(other));
  char data[16];
  EXPECT_TRUE(contains(messageOf(device->copyFrom(data, *buffer, 0, 16)), "freed already"));
  EXPECT_TRUE(contains(messageOf(device->copyTo(*buffer, 0, data, 16)), "freed already"));
  EXPECT_TRUE(contains(messageOf(device->copyWithin(*other, 0, *buffer, 0, 16)), "freed already"));
  EXPECT_TRUE(contains(messageOf(device->address(*buffer)), "freed already"));
  EXPECT_TRUE(contains(messageOf(device->free(*buffer)), "freed already"));
  EXPECT_TRUE(succeeded(device->free(*other)));
}

TEST_P(DeviceConformance, RefusesForeignBuffers) {
  Result<std::shared_ptr<Device>> second = GetParam().open();
  ASSERT_TRUE(succeeded(second));
  Result<Buffer> buffer = (*second)->allocate(16);
  ASSERT_TRUE(succeeded(buffer));
  char data[16];
  EXPECT_TRUE(contains(messageOf(device->copyFrom(data, *buffer, 0, 16)), "belongs to device"));
  EXPECT_TRUE(contains(messageOf(device->free(*buffer)), "belongs to device"));
  EXPECT_FALSE(device->address(Buffer()).ok());
  EXPECT_FALSE(device->free(Buffer{device->id(), 12345, 1, 16}).ok());
  EXPECT_TRUE(succeeded((*second)->free(*buffer)));
}

TEST_P(DeviceConformance, OwnedBuffersFreeThemselves) {
  Result<Buffer> buffer = device->allocate(16);
  ASSERT_TRUE(succeeded(buffer));
  {
    OwnedBuffer owner(device, *buffer);
  }
  EXPECT_FALSE(device->address(*buffer).ok());
  Result<Buffer> second = device->allocate(16);
  ASSERT_TRUE(succeeded(second));
  {
    OwnedBuffer owner(device, *second);
    OwnedBuffer moved = std::move(owner);
    EXPECT_EQ(moved.release(), *second);
  }
  EXPECT_TRUE(succeeded(device->free(*second)));
}

TEST_P(DeviceConformance, AllocatesFromManyThreads) {
  auto work = [this] {
    for (int i = 0; i < 100; ++i) {
      Result<Buffer> buffer = device->allocate(32);
      ASSERT_TRUE(succeeded(buffer));
      ASSERT_TRUE(succeeded(device->copyTo(*buffer, 0, &i, sizeof i)));
      int back = -1;
      ASSERT_TRUE(succeeded(device->copyFrom(&back, *buffer, 0, sizeof back)));
      ASSERT_EQ(back, i);
      ASSERT_TRUE(succeeded(device->free(*buffer)));
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
}

TEST_P(DeviceConformance, LoadsAndLaunches) {
  Result<std::shared_ptr<Executable>> kernel =
      device->load({.path = GetParam().image, .name = "scale", .argCount = 3});
  ASSERT_TRUE(succeeded(kernel));
  EXPECT_EQ((*kernel)->name(), "scale");
  EXPECT_EQ((*kernel)->device(), device->id());
  Result<Buffer> buffer = device->allocate(5 * sizeof(float));
  ASSERT_TRUE(succeeded(buffer));
  float data[5] = {1, 2, 3, 4, 5};
  ASSERT_TRUE(succeeded(device->copyTo(*buffer, 0, data, sizeof data)));
  Result<uint64_t> address = device->address(*buffer);
  ASSERT_TRUE(succeeded(address));
  const uint64_t args[] = {*address, 5, std::bit_cast<uint32_t>(2.0f)};
  EXPECT_TRUE(succeeded(device->launch(**kernel, {2, 2, 2}, args)));
  EXPECT_TRUE(succeeded(device->synchronise()));
  float back[5];
  ASSERT_TRUE(succeeded(device->copyFrom(back, *buffer, 0, sizeof back)));
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(back[i], device->properties().computes ? 2 * data[i] : data[i]);
  EXPECT_TRUE(succeeded(device->free(*buffer)));
}

TEST_P(DeviceConformance, EmptyGridsDoNothing) {
  Result<std::shared_ptr<Executable>> kernel =
      device->load({.path = GetParam().image, .name = "scale", .argCount = 3});
  ASSERT_TRUE(succeeded(kernel));
  const uint64_t wild[] = {8, 1, 0};
  EXPECT_TRUE(succeeded(device->launch(**kernel, {0, 1, 1}, wild)));
  EXPECT_TRUE(succeeded(device->launch(**kernel, {5, 0, 7}, wild)));
  EXPECT_TRUE(succeeded(device->launch(**kernel, {5, 3, 0}, wild)));
}

TEST_P(DeviceConformance, RefusesBadLaunches) {
  Result<std::shared_ptr<Executable>> kernel =
      device->load({.path = GetParam().image, .name = "scale", .argCount = 3});
  ASSERT_TRUE(succeeded(kernel));
  const uint64_t args[] = {0, 0, 0, 0};
  std::span<const uint64_t> three(args, 3);
  EXPECT_TRUE(contains(messageOf(device->launch(**kernel, {1}, {args, 2})), "got 2 arguments"));
  EXPECT_TRUE(contains(messageOf(device->launch(**kernel, {1}, {args, 4})), "got 4 arguments"));
  EXPECT_TRUE(contains(messageOf(device->launch(**kernel, {-1}, three)), "along x"));
  EXPECT_TRUE(contains(messageOf(device->launch(**kernel, {0, -1}, three)), "along y"));
  EXPECT_TRUE(contains(messageOf(device->launch(**kernel, {1, 1, INT64_MAX}, three)), "along z"));
  EXPECT_TRUE(contains(
      messageOf(device->launch(**kernel, {INT32_MAX, INT32_MAX, INT32_MAX}, three)), "2^62"));

  Result<std::shared_ptr<Device>> second = GetParam().open();
  ASSERT_TRUE(succeeded(second));
  EXPECT_TRUE(contains(messageOf((*second)->launch(**kernel, {1}, three)), "was loaded on device"));
}

TEST_P(DeviceConformance, RefusesBadImages) {
  EXPECT_FALSE(device->load({.path = "", .name = "nothing"}).ok());
  Result<std::shared_ptr<Executable>> missing =
      device->load({.path = "/nonexistent/kernel.so", .name = "missing"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::NotFound);
  EXPECT_TRUE(contains(messageOf(missing), "/nonexistent/kernel.so"));
  EXPECT_FALSE(device->load({.path = "/", .name = "folder"}).ok());
  EXPECT_FALSE(device->load({.path = "/proc/self/maps", .name = "text"}).ok());
}

TEST_P(DeviceConformance, KernelsOutliveTheirDevice) {
  Result<std::shared_ptr<Device>> second = GetParam().open();
  ASSERT_TRUE(succeeded(second));
  Result<std::shared_ptr<Executable>> kernel =
      (*second)->load({.path = GetParam().image, .name = "scale", .argCount = 3});
  ASSERT_TRUE(succeeded(kernel));
  *second = nullptr;
  EXPECT_EQ((*kernel)->name(), "scale");
}

TEST_P(DeviceConformance, EventsMeasureTime) {
  Result<Event> from = device->recordEvent();
  Result<Event> to = device->recordEvent();
  ASSERT_TRUE(succeeded(from) && succeeded(to));
  EXPECT_TRUE(succeeded(device->wait(*to)));
  Result<double> elapsed = device->elapsedMilliseconds(*from, *to);
  ASSERT_TRUE(succeeded(elapsed));
  EXPECT_GE(*elapsed, 0.0);
  EXPECT_FALSE(device->wait(Event()).ok());
  EXPECT_FALSE(device->elapsedMilliseconds(*from, Event()).ok());
}

} // namespace kiln::runtime
