//===- TransferTest.cpp - loads, stores, copies, scalar accesses -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "World.h"

namespace kiln::sim::test {

using machine::Atomic;

namespace {

ResolvedRegion gm(Element element, uint64_t address, Sizes sizes, Sizes strides = {}) {
  return region(Memory::GM, element, address, std::move(sizes), std::move(strides));
}

uint64_t hostBits(const World &world, unsigned argument, int64_t offset, Element element) {
  uint64_t bits = 0;
  std::memcpy(&bits, world.hosts[argument].data() + offset, machine::bits(element) / 8);
  return bits;
}

TEST(Transfer, loadAndStoreMoveRows) {
  for (const Sizes &sizes : {Sizes{1}, Sizes{13}, Sizes{1000}, Sizes{3, 50}, Sizes{2, 4, 33}}) {
    World world;
    for (Element element : elementsOf(world, Opcode::Load)) {
      if (machine::bits(element) == 8 && sizes.back() == 13)
        continue;
      for (auto &byte : world.hosts[0])
        byte = std::byte(world.random());
      const ResolvedRegion local = ub(element, 64, sizes);
      // Rows of an array that is a little wider, from an odd column.
      const int64_t bytes = machine::bits(element) / 8, pitch = (sizes.back() + 3) * bytes;
      Sizes strides(sizes.size());
      for (size_t n = 0; n < sizes.size(); ++n)
        strides[sizes.size() - 1 - n] = n == 0 ? bytes : n == 1 ? pitch : 5 * pitch;
      const ResolvedRegion from = gm(element, world.argument(0) + uint64_t(bytes), sizes, strides);
      const ResolvedRegion to =
          gm(element, world.argument(1) + 3 * uint64_t(bytes), sizes, strides);
      ASSERT_FALSE(world.run(Opcode::Load, {local, from}).failed) << world.outcome.message;
      EXPECT_TRUE(world.defined(local));
      const auto loaded = world.read(local);
      ASSERT_FALSE(world.run(Opcode::Store, {to, local}).failed) << world.outcome.message;
      const auto places = offsets(from);
      for (size_t n = 0; n < places.size(); ++n) {
        ASSERT_EQ(loaded[n], hostBits(world, 0, places[n] + bytes, element));
        ASSERT_EQ(loaded[n], hostBits(world, 1, places[n] + 3 * bytes, element));
      }
    }
  }
}

TEST(Transfer, emptyRegionsDoNothing) {
  World world;
  EXPECT_FALSE(
      world.run(Opcode::Load, {ub(Element::F32, 4, {0, 8}), gm(Element::F32, 1, {0, 8})}).failed);
  EXPECT_TRUE(world.outcome.touches.empty());
  EXPECT_FALSE(world
                   .run(Opcode::VAdd, {ub(Element::F32, 0, {-3}), ub(Element::F32, 0, {-3}),
                                       ub(Element::F32, 0, {-3})})
                   .failed);
}

TEST(Transfer, copy) {
  World world;
  for (Element element : elementsOf(world, Opcode::Copy))
    for (const Sizes &sizes : shapes) {
      const ResolvedRegion from = ub(element, 0, sizes), to = ub(element, 65536, sizes);
      const auto x = world.fill(from);
      ASSERT_FALSE(world.run(Opcode::Copy, {to, from}).failed) << world.outcome.message;
      EXPECT_EQ(world.read(to), x);
    }
}

TEST(Transfer, atomicStores) {
  for (Atomic mode : {Atomic::Add, Atomic::Max, Atomic::Min}) {
    World world;
    unsigned types = 0;
    for (unsigned e = 0; e < machine::elementCount; ++e) {
      const auto element = static_cast<Element>(e);
      if (!world.machine->supportsAtomic(Opcode::Store, element, mode))
        continue;
      ++types;
      const int64_t bytes = machine::bits(element) / 8, count = 77;
      const ResolvedRegion from = ub(element, 0, {count});
      const auto value = world.fill(from);
      std::vector<uint64_t> old;
      for (int64_t n = 0; n < count; ++n) {
        old.push_back(randomBits(element, world.random));
        std::memcpy(world.hosts[0].data() + n * bytes, &old.back(), size_t(bytes));
      }
      ASSERT_FALSE(world
                       .run(Opcode::Store, {gm(element, world.argument(0), {count}), from}, {},
                            uint8_t(mode))
                       .failed)
          << world.outcome.message;
      for (int64_t n = 0; n < count; ++n) {
        uint64_t expected;
        if (machine::isFloat(element)) {
          const long double a = decode(element, old[size_t(n)]),
                            b = decode(element, value[size_t(n)]);
          expected = encode(element, mode == Atomic::Add   ? a + b
                                     : mode == Atomic::Max ? larger(a, b)
                                                           : smaller(a, b));
        } else {
          const int64_t a = decodeInteger(element, old[size_t(n)]),
                        b = decodeInteger(element, value[size_t(n)]);
          const int64_t result = mode == Atomic::Add   ? a + b
                                 : mode == Atomic::Max ? std::max(a, b)
                                                       : std::min(a, b);
          expected = uint64_t(result) & ((uint64_t(1) << (bytes * 8)) - 1);
        }
        ASSERT_EQ(hostBits(world, 0, n * bytes, element), expected) << machine::name(element);
      }
      ASSERT_EQ(world.outcome.touches.size(), 2u);
      EXPECT_TRUE(world.outcome.touches[0].atomic && world.outcome.touches[0].write);
    }
    EXPECT_EQ(types, 6u);
  }
}

TEST(Transfer, scalarAccess) {
  World world;
  for (Element element : elementsOf(world, Opcode::SLoad)) {
    const uint64_t bits = randomBits(element, world.random) | 1ull << (machine::bits(element) - 1);
    for (const ResolvedRegion &place :
         {ub(element, 8, {1}), gm(element, world.argument(1) + 24, {1})}) {
      ASSERT_FALSE(world.run(Opcode::SStore, {place}, {bits}).failed) << world.outcome.message;
      ASSERT_FALSE(world.run(Opcode::SLoad, {place}).failed);
      EXPECT_EQ(world.outcome.value,
                machine::isFloat(element) ? bits : uint64_t(decodeInteger(element, bits)));
      EXPECT_TRUE(world.outcome.defined);
    }
  }
  world.run(Opcode::SLoad, {ub(Element::I32, 2048, {1})});
  EXPECT_FALSE(world.outcome.failed);
  EXPECT_FALSE(world.outcome.defined);
}

TEST(Transfer, scalarAtomics) {
  World world;
  const uint64_t place = world.argument(1);
  auto atomic = [&](Element element, Atomic mode, uint64_t old, std::vector<uint64_t> scalars) {
    std::memcpy(world.hosts[1].data(), &old, machine::bits(element) / 8);
    EXPECT_FALSE(
        world.run(Opcode::SAtomic, {gm(element, place, {1})}, scalars, uint8_t(mode)).failed)
        << world.outcome.message;
    EXPECT_EQ(world.outcome.value, old);
    return hostBits(world, 1, 0, element);
  };
  EXPECT_EQ(atomic(Element::I32, Atomic::Add, 5, {uint64_t(-7)}), 0xFFFFFFFEu);
  EXPECT_EQ(atomic(Element::I64, Atomic::Max, 5, {uint64_t(-7)}), 5u);
  EXPECT_EQ(atomic(Element::U64, Atomic::Max, 5, {uint64_t(-7)}), uint64_t(-7));
  EXPECT_EQ(atomic(Element::I64, Atomic::Min, 5, {uint64_t(-7)}), uint64_t(-7));
  EXPECT_EQ(atomic(Element::U32, Atomic::And, 12, {10}), 8u);
  EXPECT_EQ(atomic(Element::U32, Atomic::Or, 12, {10}), 14u);
  EXPECT_EQ(atomic(Element::U32, Atomic::Xor, 12, {10}), 6u);
  EXPECT_EQ(atomic(Element::F32, Atomic::Exchange, 1, {2}), 2u);
  EXPECT_EQ(atomic(Element::F32, Atomic::Add, 0x3F800000, {0x40000000}), 0x40400000u);
  EXPECT_EQ(atomic(Element::I32, Atomic::CompareExchange, 3, {3, 9}), 9u);
  EXPECT_EQ(atomic(Element::I32, Atomic::CompareExchange, 4, {3, 9}), 4u);
}

} // namespace

} // namespace kiln::sim::test
