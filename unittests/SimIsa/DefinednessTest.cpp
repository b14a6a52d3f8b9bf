//===- DefinednessTest.cpp - undefined bits travel, and are found where they matter ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "World.h"

namespace kiln::sim::test {

namespace {

/// Makes elements of a defined region undefined: every `step`th one, in a single byte.
std::vector<bool> spoil(World &world, const ResolvedRegion &r, int64_t step) {
  std::vector<bool> defined;
  int64_t n = 0;
  for (int64_t offset : offsets(r)) {
    defined.push_back(n++ % step != 0);
    if (!defined.back())
      world.ubShadow()[r.address + uint64_t(offset) + (n % (machine::bits(r.element) / 8))] = 0x7F;
  }
  return defined;
}

std::vector<bool> definedElements(World &world, const ResolvedRegion &r) {
  std::vector<bool> result;
  for (int64_t offset : offsets(r)) {
    bool all = true, any = false;
    for (unsigned byte = 0; byte < machine::bits(r.element) / 8; ++byte) {
      const uint8_t shadow = world.ubShadow()[r.address + uint64_t(offset) + byte];
      all &= shadow == definedShadow;
      any |= shadow != 0;
    }
    EXPECT_EQ(all, any) << "arithmetic defines elements wholly or not at all";
    result.push_back(all);
  }
  return result;
}

bool allDefinedAt(World &world, uint64_t address) {
  return world.defined(ub(Element::F32, address, {1}));
}

const Sizes odd = {3, 301};

TEST(Definedness, arithmeticNeedsAllBitsOfItsOperands) {
  World world;
  for (Element element : {Element::F16, Element::F32}) {
    const ResolvedRegion a = ub(element, 0, odd), b = ub(element, 32768, odd),
                         dst = ub(element, 65536, odd);
    world.fill(a);
    world.fill(b);
    world.fill(dst);
    const auto x = spoil(world, a, 3), y = spoil(world, b, 5), z = spoil(world, dst, 7);
    std::vector<bool> both, three;
    for (size_t n = 0; n < x.size(); ++n) {
      both.push_back(x[n] && y[n]);
      three.push_back(x[n] && y[n] && z[n]);
    }
    world.run(Opcode::VMulAdd, {dst, a, b});
    EXPECT_EQ(definedElements(world, dst), three);
    world.run(Opcode::VAdd, {dst, a, b});
    EXPECT_EQ(definedElements(world, dst), both);
    world.run(Opcode::VExp, {dst, a});
    EXPECT_EQ(definedElements(world, dst), x);
    world.run(Opcode::VAxpy, {dst, b}, {0});
    EXPECT_EQ(definedElements(world, dst), both);
    world.run(Opcode::VMuls, {b, b}, {0});
    EXPECT_EQ(definedElements(world, b), y);
    EXPECT_FALSE(world.outcome.failed) << "computing with undefined values is no fault";
  }
}

TEST(Definedness, conversionsKeepItByElement) {
  World world;
  const ResolvedRegion wide = ub(Element::F32, 0, odd), half = ub(Element::F16, 32768, odd),
                       long64 = ub(Element::I64, 65536, odd);
  world.fill(wide);
  const auto x = spoil(world, wide, 4);
  world.run(Opcode::VConv, {half, wide}, {}, uint8_t(Rounding::Rint));
  EXPECT_EQ(definedElements(world, half), x);
  world.run(Opcode::VConv, {long64, wide}, {}, uint8_t(Rounding::Rint));
  EXPECT_EQ(definedElements(world, long64), x);
  world.fill(wide);
  world.run(Opcode::VConv, {wide, half}, {}, uint8_t(Rounding::None));
  EXPECT_EQ(definedElements(world, wide), x);
}

TEST(Definedness, masksAreDefinedBitByBit) {
  World world;
  const int64_t count = 100;
  const ResolvedRegion a = ub(Element::F32, 0, {count}), dst = ub(Element::F32, 4096, {count});
  const ResolvedRegion mask = ub(Element::I1, 8192, {count}, {0});
  world.fill(a);
  const auto x = spoil(world, a, 3);
  world.run(Opcode::VCmps, {mask, a}, {0}, 0);
  for (int64_t n = 0; n < count; ++n)
    EXPECT_EQ(world.ubShadow()[8192 + n / 8] >> (n % 8) & 1, x[size_t(n)]);
  world.fill(a);
  world.run(Opcode::VSels, {dst, mask, a}, {7});
  EXPECT_FALSE(world.outcome.failed);
  EXPECT_EQ(definedElements(world, dst), x) << "an undefined bit selects nothing defined";
}

TEST(Definedness, selectionTakesItFromTheChosenOperand) {
  World world;
  const int64_t count = 300;
  const ResolvedRegion a = ub(Element::I16, 0, {count}), b = ub(Element::I16, 4096, {count}),
                       dst = ub(Element::I16, 12288, {count});
  const ResolvedRegion mask = ub(Element::I1, 8192, {count}, {0});
  world.fill(a);
  world.fill(b);
  for (int64_t n = 0; n < count; ++n)
    std::memset(world.ubShadow() + (n % 2 ? 0 : 4096) + n * 2, 0, 2);
  for (uint64_t byte = 0; byte < 38; ++byte)
    world.put(8192 + byte, Element::U8, 0x55); // even ones from a
  world.run(Opcode::VSel, {dst, mask, a, b});
  EXPECT_TRUE(world.defined(dst));
}

TEST(Definedness, bitwiseOperationsWorkOnBits) {
  World world;
  const ResolvedRegion a = ub(Element::U16, 0, {1}), b = ub(Element::U16, 32, {1}),
                       dst = ub(Element::U16, 64, {1});
  world.put(0, Element::U16, 0x00FF);
  world.put(32, Element::U16, 0xFFFF);
  world.ubShadow()[32] = 0x0F;
  world.ubShadow()[33] = 0x0F;
  world.run(Opcode::VAnd, {dst, a, b});
  EXPECT_EQ(world.ubShadow()[64], 0x0F);
  EXPECT_EQ(world.ubShadow()[65], 0xFF) << "0 and anything is 0";
  world.run(Opcode::VOr, {dst, b, a});
  EXPECT_EQ(world.ubShadow()[64], 0xFF) << "1 or anything is 1";
  EXPECT_EQ(world.ubShadow()[65], 0x0F);
  world.run(Opcode::VNot, {dst, b});
  EXPECT_EQ(world.ubShadow()[64], 0x0F);
  world.run(Opcode::VAnd, {b, b, a}); // in place
  EXPECT_EQ(world.ubShadow()[33], 0xFF);
}

TEST(Definedness, reductionsNeedTheWholeRow) {
  World world;
  const ResolvedRegion a = ub(Element::F32, 0, {3, 20}), rows = ub(Element::F32, 8192, {3}),
                       blocks = ub(Element::F32, 8224, {9});
  world.fill(a);
  world.ubShadow()[96 + 4 * 9] = 0; // row 1, block 1
  world.run(Opcode::VCadd, {rows, a});
  EXPECT_EQ(definedElements(world, rows), (std::vector<bool>{true, false, true}));
  world.run(Opcode::VCgmax, {blocks, a});
  EXPECT_EQ(definedElements(world, blocks),
            (std::vector<bool>{true, true, true, true, false, true, true, true, true}));
}

TEST(Definedness, movesKeepIt) {
  World world;
  const ResolvedRegion a = ub(Element::F32, 0, {5, 8}), b = ub(Element::F32, 4096, {8, 5}),
                       column = ub(Element::F32, 8192, {5}), wide = ub(Element::F32, 12288, {5, 8});
  world.fill(a);
  const auto x = spoil(world, a, 3);
  world.run(Opcode::VTrans, {b, a});
  for (size_t j = 0; j < 5; ++j)
    for (size_t k = 0; k < 8; ++k)
      EXPECT_EQ(allDefinedAt(world, 4096 + k * 32 + j * 4), x[j * 8 + k]);
  world.fill(column);
  world.ubShadow()[8192 + 8] = 0;
  world.run(Opcode::VBrcb, {wide, column});
  for (size_t j = 0; j < 5; ++j)
    EXPECT_EQ(allDefinedAt(world, 12288 + j * 32), j != 2);
  const ResolvedRegion places = ub(Element::U32, 16384, {4}), taken = ub(Element::F32, 20480, {4});
  for (uint64_t n = 0; n < 4; ++n)
    world.put(16384 + n * 4, Element::U32, n * 4);
  world.run(Opcode::VGather, {taken, places, column});
  for (uint64_t n = 0; n < 4; ++n)
    EXPECT_EQ(allDefinedAt(world, 20480 + n * 4), n != 2);
}

TEST(Definedness, storesOfUndefinedBytesAreFoundAndRemembered) {
  World world;
  const ResolvedRegion local = ub(Element::F32, 0, {16});
  const ResolvedRegion global = region(Memory::GM, Element::F32, world.argument(0) + 64, {16});
  world.fill(local);
  ASSERT_FALSE(world.run(Opcode::Store, {global, local}).failed);
  EXPECT_EQ(world.global->find(world.argument(0))->shadow, nullptr) << "made only when needed";
  world.ubShadow()[22] = 0;
  ASSERT_TRUE(world.run(Opcode::Store, {global, local}).failed);
  EXPECT_EQ(world.outcome.kind, FindingKind::Undefined);
  EXPECT_EQ(world.outcome.message,
            "undefined bytes are stored, the first at byte 86 of argument 'x'");
  EXPECT_EQ(world.outcome.touches.size(), 2u);
  world.fill(local);
  ASSERT_FALSE(world.run(Opcode::Load, {local, global}).failed);
  EXPECT_EQ(world.ubShadow()[22], 0);
  EXPECT_EQ(world.ubShadow()[23], definedShadow);
  // An atomic store does not make it good; a plain one does.
  world.fill(local);
  ASSERT_TRUE(world.run(Opcode::Store, {global, local}, {}, 1).failed);
  ASSERT_FALSE(world.run(Opcode::Store, {global, local}).failed);
  world.run(Opcode::Load, {local, global});
  EXPECT_TRUE(world.defined(local));
}

TEST(Definedness, workspacesStartUndefined) {
  World world;
  const ResolvedRegion local = ub(Element::F32, 0, {8});
  const ResolvedRegion part = region(Memory::GM, Element::F32, world.global->workspace(0, 1), {8});
  ASSERT_FALSE(world.run(Opcode::Load, {local, part}).failed) << world.outcome.message;
  EXPECT_FALSE(world.defined(local));
  EXPECT_EQ(world.bitsAt(0, Element::U32), 0xFFFFFFFFu);
  world.fill(local);
  ASSERT_FALSE(world.run(Opcode::Store, {part, local}).failed);
  world.run(Opcode::Load, {ub(Element::F32, 64, {8}), part});
  EXPECT_TRUE(world.defined(ub(Element::F32, 64, {8})));
}

TEST(Definedness, withoutTrackingNothingIsKept) {
  World world(false);
  const ResolvedRegion a = ub(Element::F32, 0, {8});
  const ResolvedRegion global = region(Memory::GM, Element::F32, world.argument(0), {8});
  ASSERT_FALSE(world.run(Opcode::VAdd, {a, a, a}).failed);
  ASSERT_FALSE(world.run(Opcode::Store, {global, a}).failed);
  EXPECT_TRUE(world.outcome.touches.empty());
  world.run(Opcode::SLoad, {ub(Element::F32, 0, {1})});
  EXPECT_TRUE(world.outcome.defined);
}

} // namespace

} // namespace kiln::sim::test
