//===- DispatcherTest.cpp - tests of the table of compiled variants --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "TestSupport.h"

#include "runtime/launch/Dispatcher.h"

#include <atomic>
#include <thread>

namespace kiln::runtime {
namespace {

std::shared_ptr<const Kernel> makeKernel(std::string key) {
  auto kernel = std::make_shared<Kernel>();
  kernel->cacheKey = std::move(key);
  return kernel;
}

TEST(Dispatcher, MakesOncePerKey) {
  Dispatcher dispatcher;
  int made = 0;
  auto make = [&]() -> Result<std::shared_ptr<const Kernel>> {
    return makeKernel(std::to_string(++made));
  };
  EXPECT_EQ(dispatcher.find("a"), nullptr);
  EXPECT_EQ(valueOf(dispatcher.findOrMake("a", make))->cacheKey, "1");
  EXPECT_EQ(valueOf(dispatcher.findOrMake("a", make))->cacheKey, "1");
  EXPECT_EQ(valueOf(dispatcher.findOrMake(std::string_view("a\0b", 3), make))->cacheKey, "2");
  EXPECT_EQ(dispatcher.find("a")->cacheKey, "1");
  EXPECT_EQ(dispatcher.size(), 2u);
  dispatcher.clear();
  EXPECT_EQ(dispatcher.find("a"), nullptr);
}

TEST(Dispatcher, ForgetsFailures) {
  Dispatcher dispatcher;
  auto fail = []() -> Result<std::shared_ptr<const Kernel>> {
    return makeError(ErrorKind::Compile, "kernel", "does not compile");
  };
  EXPECT_FALSE(dispatcher.findOrMake("a", fail).ok());
  EXPECT_EQ(dispatcher.find("a"), nullptr);
  EXPECT_EQ(dispatcher.size(), 0u);
  EXPECT_TRUE(
      dispatcher
          .findOrMake("a",
                      []() -> Result<std::shared_ptr<const Kernel>> { return makeKernel("good"); })
          .ok());
}

TEST(Dispatcher, ManyThreadsMakeAKernelOnce) {
  Dispatcher dispatcher;
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int key = 0; key < 20; ++key) {
        auto kernel = valueOf(dispatcher.findOrMake(std::to_string(key),
                                                    [&]() -> Result<std::shared_ptr<const Kernel>> {
                                                      ++made;
                                                      std::this_thread::yield();
                                                      return makeKernel(std::to_string(key));
                                                    }));
        EXPECT_EQ(kernel->cacheKey, std::to_string(key));
        EXPECT_EQ(dispatcher.find(std::to_string(key)), kernel);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(made, 20);
}

TEST(Dispatcher, DifferentKeysDoNotWaitForEachOther) {
  Dispatcher dispatcher;
  std::atomic<bool> innerDone{false};
  auto outer = dispatcher.findOrMake("outer", [&]() -> Result<std::shared_ptr<const Kernel>> {
    std::thread inner([&] {
      (void)dispatcher.findOrMake(
          "inner", []() -> Result<std::shared_ptr<const Kernel>> { return makeKernel("inner"); });
      innerDone = true;
    });
    inner.join();
    return makeKernel("outer");
  });
  EXPECT_TRUE(outer.ok());
  EXPECT_TRUE(innerDone);
}

} // namespace
} // namespace kiln::runtime
