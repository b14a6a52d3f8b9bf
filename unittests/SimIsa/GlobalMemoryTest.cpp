//===- GlobalMemoryTest.cpp - virtual addresses ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/mem/GlobalMemory.h"
#include "sim/mem/LocalMemory.h"

#include <gtest/gtest.h>

namespace kiln::sim::test {

namespace {

image::Image imageWith(unsigned pointers) {
  image::Image image;
  for (unsigned n = 0; n < pointers; ++n)
    image.parameters.push_back({"p" + std::to_string(n), true, machine::Element::F32, true});
  return image;
}

TEST(GlobalMemory, addressesDependOnTheLaunchOnly) {
  std::vector<std::byte> a(1000), b(70000);
  const Binding forward[] = {{a.data(), a.size()}, {b.data(), b.size()}};
  const Binding swapped[] = {{b.data() + 1000, a.size()}, {a.data(), 1}};
  GlobalMemory first(imageWith(2), forward, 1), second(imageWith(2), swapped, 1);
  EXPECT_EQ(first.argument(0), second.argument(0));
  EXPECT_EQ(first.argument(0) % 512, 0u);
  EXPECT_EQ(first.argument(1) % 512, 0u);
  EXPECT_EQ(first.argument(1), second.argument(1));
  EXPECT_GT(first.argument(1), first.argument(0) + a.size());
}

TEST(GlobalMemory, overlappingArgumentsOverlapAlike) {
  alignas(64) static std::byte host[4096];
  // p0 and p2 do not meet, but p3 joins them; p1 stands apart (it only touches the end).
  const Binding bindings[] = {
      {host + 100, 200}, {host + 1000, 96}, {host + 600, 200, true}, {host + 250, 750}};
  GlobalMemory memory(imageWith(4), bindings, 1);
  EXPECT_EQ(memory.argument(2) - memory.argument(0), 500u);
  EXPECT_EQ(memory.argument(3) - memory.argument(0), 150u);
  EXPECT_EQ(memory.argument(0) % 32, 100u % 32) << "what is known of alignment stays true";
  EXPECT_EQ(memory.argument(1) % 512, 0u);
  EXPECT_GE(memory.argument(1), memory.argument(0) + 900);

  GlobalBlock *block = memory.find(memory.argument(0));
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->bytes, 900u);
  EXPECT_EQ(block->data, host + 100);
  EXPECT_EQ(memory.find(memory.argument(2) + 5), block);
  const uint64_t base = memory.argument(0);
  EXPECT_NE(block->span(base, base + 200, true), nullptr);
  EXPECT_EQ(block->span(base + 100, base + 210, true), nullptr) << "no single argument has it";
  EXPECT_NE(block->span(base + 600, base + 700, true), nullptr) << "p3 may be written there";
  EXPECT_EQ(memory.find(base - 1), nullptr);
  EXPECT_EQ(memory.find(base + 900), nullptr);
}

TEST(GlobalMemory, scalarsAndNullPointersHaveNoAddress) {
  image::Image image = imageWith(3);
  image.parameters[1].isPointer = false;
  std::byte host[16];
  const Binding bindings[] = {{nullptr, 0}, {}, {host, sizeof host}};
  GlobalMemory memory(image, bindings, 1);
  EXPECT_EQ(memory.argument(0), 0u);
  EXPECT_EQ(memory.argument(1), 0u);
  EXPECT_NE(memory.argument(2), 0u);
  EXPECT_EQ(memory.all().size(), 1u);
}

TEST(GlobalMemory, argumentsWithoutValues) {
  const Binding bindings[] = {{nullptr, 4096}, {nullptr, 4096}};
  image::Image image = imageWith(2);
  image.workspaces.push_back({100});
  GlobalMemory memory(image, bindings, 4, false);
  EXPECT_NE(memory.argument(0), memory.argument(1));
  EXPECT_EQ(memory.find(memory.argument(1))->data, nullptr);
  EXPECT_EQ(memory.find(memory.workspace(0, 3))->data, nullptr);
}

TEST(GlobalMemory, workspacesHaveAPartPerCore) {
  image::Image image;
  image.workspaces = {{100}, {1024}};
  GlobalMemory memory(image, {}, 3);
  EXPECT_EQ(memory.workspace(0, 2) - memory.workspace(0, 0), 1024u);
  EXPECT_EQ(memory.workspace(1, 1) - memory.workspace(1, 0), 1024u);
  GlobalBlock *block = memory.find(memory.workspace(1, 2));
  ASSERT_NE(block, nullptr);
  EXPECT_TRUE(block->workspace);
  EXPECT_EQ(block->shadow[0], 0);
  EXPECT_EQ(block->data[0], std::byte(poison));
  const uint64_t second = memory.workspace(1, 1);
  EXPECT_NE(block->span(second, second + 1024, true), nullptr);
  EXPECT_EQ(block->span(second - 4, second + 4, true), nullptr) << "of two cores";
  EXPECT_EQ(memory.explain(second + 1020, second + 1028, false),
            "bytes 1020 to 1028 of workspace 1 of core 1, expected 0 to 1024 at most");
}

} // namespace

} // namespace kiln::sim::test
