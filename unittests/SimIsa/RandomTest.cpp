//===- RandomTest.cpp - instructions made of anything ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Whatever an image says, an instruction is executed or refused: it ends, and touches only what it
// may. Two runs give the same.
//
//===-----------------------------------------------------------------------------------------===//

#include "World.h"

namespace kiln::sim::test {

namespace {

/// Numbers that are often sensible, and sometimes at the ends of their range.
int64_t number(std::mt19937_64 &random, int64_t sensible, int64_t multiple) {
  switch (random() % 24) {
  case 0:
    return int64_t(random());
  case 1:
    return INT64_MAX - int64_t(random() % 3);
  case 2:
    return INT64_MIN + int64_t(random() % 3);
  case 3:
    return int64_t(random() % 7) - 3;
  default:
    return int64_t(random() % uint64_t(sensible)) * multiple;
  }
}

ResolvedRegion randomRegion(World &world, const ResolvedRegion *like) {
  std::mt19937_64 &random = world.random;
  ResolvedRegion r;
  if (like && random() % 8)
    r = *like;
  else {
    r.element = static_cast<Element>(random() % machine::elementCount);
    const int64_t bytes = std::max<int64_t>(machine::bits(r.element) / 8, 1);
    r.size = {random() % 2 ? 1 : number(random, 4, 1), random() % 2 ? 1 : number(random, 9, 1),
              number(random, 300, 1)};
    r.stride = {number(random, 64, 32), number(random, 64, 32),
                random() % 8 ? bytes : number(random, 8, 1)};
  }
  r.memory = random() % 16 == 0 ? static_cast<Memory>(random() % machine::memoryCount)
             : random() % 3     ? Memory::UB
                                : Memory::GM;
  r.address = r.memory == Memory::GM && random() % 16
                  ? world.argument(random() % 3) + uint64_t(number(random, 1000, 4))
                  : uint64_t(number(random, 6136, 32));
  if (random() % 6 == 0) {
    r.element = Element::I1;
    r.size = {1, 1, like ? like->size[2] : number(random, 300, 1)};
  }
  return r;
}

uint64_t runRandom(uint64_t seed, unsigned &executed) {
  World world;
  world.random.seed(seed);
  std::memset(world.ubShadow(), definedShadow, 100000);
  uint64_t hash = 0;
  executed = 0;
  for (int n = 0; n < 200000; ++n) {
    std::vector<ResolvedRegion> regions;
    const unsigned count = world.random() % 5;
    for (unsigned index = 0; index < count; ++index)
      regions.push_back(randomRegion(world, index ? &regions[0] : nullptr));
    std::vector<uint64_t> scalars;
    for (unsigned index = world.random() % 3; index > 0; --index)
      scalars.push_back(world.random());
    const auto opcode = static_cast<Opcode>(world.random() % machine::opcodeCount);
    const Outcome &outcome =
        world.run(opcode, regions, scalars, uint8_t(world.random() % 4 ? world.random() % 9 : 255));
    executed += !outcome.failed;
    hash = hash * 31 + outcome.failed + outcome.touches.size() + outcome.value;
    for (const Touch &touch : outcome.touches)
      EXPECT_TRUE(touch.memory == Memory::UB || touch.memory == Memory::GM);
  }
  for (uint64_t byte = 0; byte < 196352; ++byte)
    hash = hash * 31 + uint64_t(world.ubData()[byte]) + world.ubShadow()[byte];
  return hash;
}

TEST(Random, anythingIsExecutedOrRefused) {
  unsigned executed = 0, again = 0;
  EXPECT_EQ(runRandom(1, executed), runRandom(1, again));
  EXPECT_EQ(executed, again);
  EXPECT_GT(executed, 2000u);
}

} // namespace

} // namespace kiln::sim::test
