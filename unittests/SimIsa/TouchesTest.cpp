//===- TouchesTest.cpp - touches name exactly the bytes that are visited ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "World.h"

#include "sim/isa/Operands.h"
#include "sim/isa/Overlap.h"

#include <set>

namespace kiln::sim::test {

namespace {

std::set<uint64_t> bytesOf(const ResolvedRegion &r) {
  std::set<uint64_t> bytes;
  for (int64_t offset : offsets(r))
    for (unsigned byte = 0; byte < machine::bits(r.element) / 8; ++byte)
      bytes.insert(r.address + uint64_t(offset) + byte);
  return bytes;
}

std::set<uint64_t> bytesOf(const std::vector<Touch> &touches) {
  std::set<uint64_t> bytes;
  for (const Touch &touch : touches)
    for (int64_t i = 0; i < touch.count[0]; ++i)
      for (int64_t j = 0; j < touch.count[1]; ++j)
        for (uint32_t byte = 0; byte < touch.runBytes; ++byte)
          bytes.insert(touch.address + uint64_t(i * touch.stride[0] + j * touch.stride[1]) + byte);
  return bytes;
}

ResolvedRegion randomRegion(std::mt19937_64 &random) {
  ResolvedRegion r;
  r.element = random() % 2 ? Element::F32 : Element::F16;
  const int64_t bytes = machine::bits(r.element) / 8;
  r.size = {int64_t(random() % 3 + 1), int64_t(random() % 4 + 1), int64_t(random() % 5 + 1)};
  r.stride[2] = random() % 3 ? bytes : (int64_t(random() % 7) - 3) * bytes;
  r.stride[1] = random() % 3 ? r.size[2] * bytes : (int64_t(random() % 21) - 10) * bytes;
  r.stride[0] =
      random() % 3 ? r.size[1] * r.size[2] * bytes : (int64_t(random() % 41) - 20) * bytes;
  r.address = 1000 + random() % 100 * uint64_t(bytes);
  return r;
}

TEST(Touches, areTheBytesOfTheRegion) {
  std::mt19937_64 random(5);
  size_t touchCount = 0;
  for (int n = 0; n < 20000; ++n) {
    const ResolvedRegion r = randomRegion(random);
    std::vector<Touch> touches;
    addTouches(touches, r, Access::Read);
    ASSERT_EQ(bytesOf(touches), bytesOf(r));
    touchCount += touches.size();
  }
  EXPECT_LT(touchCount, 40000u) << "few touches say much";
}

TEST(Touches, overlapIsExact) {
  std::mt19937_64 random(6);
  unsigned overlapping = 0;
  for (int n = 0; n < 20000; ++n) {
    const ResolvedRegion a = randomRegion(random), b = randomRegion(random);
    const std::set<uint64_t> left = bytesOf(a), right = bytesOf(b);
    bool expected = false;
    for (uint64_t byte : left)
      expected |= right.count(byte) != 0;
    ASSERT_EQ(overlap(a, b), expected);
    overlapping += expected;
  }
  EXPECT_GT(overlapping, 1000u);
  EXPECT_LT(overlapping, 19000u);
}

TEST(Touches, saysWhoReadsAndWrites) {
  World world;
  const ResolvedRegion a = ub(Element::F32, 0, {4, 8}, {64, 4}),
                       dst = ub(Element::F32, 4096, {4, 8});
  auto check = [&](Opcode opcode, std::vector<ResolvedRegion> regions,
                   std::vector<uint64_t> scalars, unsigned reads, unsigned writes) {
    world.touchesOf(opcode, regions, scalars);
    ASSERT_FALSE(world.outcome.failed) << world.outcome.message;
    unsigned read = 0, written = 0;
    for (const Touch &touch : world.outcome.touches)
      ++(touch.write ? written : read);
    EXPECT_EQ(read, reads) << machine::name(opcode);
    EXPECT_EQ(written, writes) << machine::name(opcode);
    EXPECT_FALSE(world.defined(dst)) << "memory stays as it is";
  };
  world.fill(a);
  check(Opcode::VRelu, {dst, a}, {}, 1, 1);
  check(Opcode::VAdd, {dst, a, a}, {}, 2, 1);
  check(Opcode::VAxpy, {dst, a}, {0}, 2, 1);
  check(Opcode::VMulAdd, {dst, a, a}, {}, 3, 1);
  check(Opcode::VDup, {dst}, {0}, 0, 1);
  check(Opcode::SLoad, {ub(Element::F32, 4, {1})}, {}, 1, 0);
  check(Opcode::SStore, {ub(Element::F32, 4, {1})}, {1}, 0, 1);
}

} // namespace

} // namespace kiln::sim::test
