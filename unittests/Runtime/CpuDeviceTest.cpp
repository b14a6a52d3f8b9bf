//===- CpuDeviceTest.cpp - tests of the driver of CPUs -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "TestSupport.h"

#include "runtime/drivers/cpu/CpuDevice.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kiln::runtime {
namespace {

std::shared_ptr<Executable> loadTalk(Device &device) {
  return valueOf(device.load({.path = kernelPath("Talk"), .name = "talk"}));
}

/// Launches `talk` on `programs` programs.
Result<void> talk(Device &device, const Executable &kernel, std::vector<int64_t> &out,
                  int64_t failFrom = INT64_MAX, bool printing = false) {
  const uint64_t args[] = {reinterpret_cast<uint64_t>(out.data()), printing,
                           static_cast<uint64_t>(failFrom)};
  return device.launch(kernel, {static_cast<int64_t>(out.size())}, args);
}

TEST(CpuDevice, RunsAKernelWithoutPython) {
  auto device = valueOf(createCpuDevice());
  auto kernel = valueOf(device->load({.path = kernelPath("Scale"), .name = "scale"}));
  std::vector<float> x = {1, 2, 3, 4};
  const uint64_t args[] = {reinterpret_cast<uint64_t>(x.data()), 3, std::bit_cast<uint32_t>(0.5f)};
  ASSERT_TRUE(device->launch(*kernel, {4}, args).ok());
  EXPECT_EQ(x, (std::vector<float>{0.5f, 1, 1.5f, 4}));
}

TEST(CpuDevice, LoadsFromMemory) {
  auto device = valueOf(createCpuDevice());
  std::string object = readAll(kernelPath("Scale"));
  std::string other = readAll(kernelPath("Talk"));
  auto load = [&](const std::string &bytes) {
    return valueOf(device->load({.bytes = std::as_bytes(std::span(bytes)), .name = "memory"}));
  };
  // Several at a time: each has to be the one that was asked for.
  auto first = load(object), second = load(other), third = load(object);
  second.reset();
  auto fourth = load(object);
  for (const auto &kernel : {first, third, fourth}) {
    float x = 3;
    const uint64_t args[] = {reinterpret_cast<uint64_t>(&x), 1, std::bit_cast<uint32_t>(2.0f)};
    ASSERT_TRUE(device->launch(*kernel, {1}, args).ok());
    EXPECT_EQ(x, 6);
  }
}

TEST(CpuDevice, RunsEveryProgramOnce) {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    auto device = valueOf(createCpuDevice(threads));
    EXPECT_EQ(device->properties().threads, threads);
    auto kernel = loadTalk(*device);
    for (size_t programs : {1, 2, 3, 7, 64, 1000, 20001}) {
      std::vector<int64_t> out(programs);
      for (int round = 1; round <= 3; ++round) {
        ASSERT_TRUE(talk(*device, *kernel, out).ok());
        ASSERT_EQ(static_cast<size_t>(std::count(out.begin(), out.end(), round)), programs);
      }
    }
  }
}

TEST(CpuDevice, LaunchesFromSeveralThreads) {
  auto device = valueOf(createCpuDevice(2));
  auto kernel = loadTalk(*device);
  auto work = [&] {
    std::vector<int64_t> out(3000);
    for (int round = 1; round <= 20; ++round) {
      ASSERT_TRUE(talk(*device, *kernel, out).ok());
      ASSERT_EQ(std::count(out.begin(), out.end(), round), 3000);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(work);
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(device->setThreads(1 + i % 3).ok());
  for (std::thread &thread : threads)
    thread.join();
}

TEST(CpuDevice, ForkedProcessesLaunch) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the thread sanitizer does not support threads after a fork";
#endif
  auto device = valueOf(createCpuDevice(2));
  auto kernel = loadTalk(*device);
  std::vector<int64_t> out(20000);
  ASSERT_TRUE(talk(*device, *kernel, out).ok());
  // The child has the device, but none of its threads.
  pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    bool good = talk(*device, *kernel, out).ok() && std::count(out.begin(), out.end(), 2) == 20000;
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(CpuDevice, RefusesTooManyThreads) {
  EXPECT_FALSE(createCpuDevice(1u << 20).ok());
  auto device = valueOf(createCpuDevice(1));
  EXPECT_FALSE(device->setThreads(1u << 20).ok());
  EXPECT_TRUE(device->setThreads(0).ok());
}

TEST(CpuDevice, ReportsTheFirstFailedAssertion) {
  for (unsigned threads : {1u, 2u, 4u}) {
    auto device = valueOf(createCpuDevice(threads));
    auto kernel = loadTalk(*device);
    for (int64_t failFrom : {0, 1, 5, 900, 4999}) {
      std::vector<int64_t> out(5000);
      Result<void> result = talk(*device, *kernel, out, failFrom);
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(result.error().kind, ErrorKind::Assertion);
      EXPECT_EQ(result.error().message(), "kernel 'talk': failed in program (" +
                                              std::to_string(failFrom) +
                                              ", 0, 0): value is too large");
      EXPECT_EQ(std::count(out.begin(), out.begin() + failFrom, 1), failFrom);
    }
    std::vector<int64_t> out(5000);
    EXPECT_TRUE(talk(*device, *kernel, out).ok()) << "a failure must leave nothing behind";
  }
}

TEST(CpuDevice, NamesTheFailedProgramByAxis) {
  auto device = valueOf(createCpuDevice(1));
  auto kernel = loadTalk(*device);
  std::vector<int64_t> out(30);
  const uint64_t args[] = {reinterpret_cast<uint64_t>(out.data()), 0, 23};
  Result<void> result = device->launch(*kernel, {2, 3, 5}, args);
  EXPECT_TRUE(contains(messageOf(result), "program (1, 2, 3)")) << messageOf(result);
}

TEST(CpuDevice, ReportsAnUnknownStatus) {
  auto device = valueOf(createCpuDevice(1));
  auto kernel = loadTalk(*device);
  std::vector<int64_t> out(1);
  EXPECT_TRUE(contains(messageOf(talk(*device, *kernel, out, -1)), "returned status 7"));
}

TEST(CpuDevice, PrintsWholeLines) {
  auto device = valueOf(createCpuDevice(3));
  auto kernel = loadTalk(*device);
  std::vector<std::string> lines;
  device->setPrintSink([&](std::string_view line) { lines.emplace_back(line); });
  std::vector<int64_t> out(500);
  ASSERT_TRUE(talk(*device, *kernel, out, INT64_MAX, /*printing=*/true).ok());
  ASSERT_EQ(lines.size(), 500u);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "pid (17, 0, 0) idx (170) p: 17, 1.500000"), 1);

  device->setPrintSink(nullptr);
  testing::internal::CaptureStdout();
  std::vector<int64_t> one(1);
  ASSERT_TRUE(talk(*device, *kernel, one, INT64_MAX, /*printing=*/true).ok());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "pid (0, 0, 0) idx (0) p: 0, 1.500000\n");
}

TEST(CpuDevice, RefusesObjectsThatAreNoKernels) {
  auto device = valueOf(createCpuDevice(1));
  auto messageFor = [&](const std::string &name, std::optional<uint32_t> args = {}) {
    return messageOf(device->load({.path = kernelPath(name), .name = "k", .argCount = args}));
  };
  EXPECT_TRUE(contains(messageFor("WrongVersion"), "has version 2 of the kernel ABI, expected"));
  EXPECT_TRUE(contains(messageFor("NoKernel"), "does not export 'kiln_kernel'"));
  EXPECT_TRUE(contains(messageFor("Scale", 4), "takes 3 arguments, expected 4"));
}

TEST(CpuDevice, RefusesCutObjects) {
  TemporaryFolder folder;
  auto device = valueOf(createCpuDevice(1));
  std::string object = readAll(kernelPath("Scale"));
  // Beyond the last segment there may be section headers, which loading does not need.
  for (size_t size :
       {size_t(0), size_t(1), size_t(63), size_t(64), size_t(200), object.size() / 4}) {
    std::string path = folder.path() + "/" + std::to_string(size) + ".so";
    writeAll(path, object.substr(0, size));
    EXPECT_FALSE(device->load({.path = path, .name = "cut"}).ok()) << size;
  }
}

} // namespace
} // namespace kiln::runtime
