//===- FindingsTest.cpp - what instructions at fault are told --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "World.h"

namespace kiln::sim::test {

namespace {

constexpr uint64_t ubBytes = 196352;

struct Case {
  Opcode opcode;
  std::vector<ResolvedRegion> regions;
  FindingKind kind;
  std::string message; ///< a part of it
  std::vector<uint64_t> scalars = {};
  uint8_t attribute = 0;
};

class Findings : public testing::Test {
protected:
  World world;
  uint64_t x = world.argument(0), z = world.argument(2);

  ResolvedRegion gm(uint64_t address, Sizes sizes, Sizes strides = {}) {
    return region(Memory::GM, Element::F32, address, std::move(sizes), std::move(strides));
  }
  ResolvedRegion f32(uint64_t address, Sizes sizes, Sizes strides = {}) {
    return ub(Element::F32, address, std::move(sizes), std::move(strides));
  }

  void check(const std::vector<Case> &cases) {
    for (const Case &c : cases) {
      const std::vector<std::byte> before(world.ubData(), world.ubData() + ubBytes);
      world.run(c.opcode, c.regions, c.scalars, c.attribute);
      EXPECT_TRUE(world.outcome.failed) << c.message;
      EXPECT_EQ(world.outcome.kind, c.kind) << world.outcome.message;
      EXPECT_NE(world.outcome.message.find(c.message), std::string::npos)
          << "found:    " << world.outcome.message << "\nexpected: " << c.message;
      EXPECT_TRUE(world.outcome.touches.empty()) << c.message;
      EXPECT_TRUE(std::equal(before.begin(), before.end(), world.ubData())) << c.message;
      world.touchesOf(c.opcode, c.regions, c.scalars, c.attribute);
      EXPECT_TRUE(world.outcome.failed) << c.message;
    }
  }
};

TEST_F(Findings, bounds) {
  const auto a = f32(0, {64});
  check({
      {Opcode::VAdd,
       {f32(ubBytes - 128, {64}), a, a},
       FindingKind::OutOfBounds,
       "the destination covers bytes 196224 to 196480 of UB, expected 0 to 196352 at most"},
      {Opcode::VAdd,
       {a, a, f32(32, {2, 64}, {32, 4})},
       FindingKind::IllegalInstruction,
       "operand 2 has 2x64 elements, expected the destination's 64"},
      {Opcode::VCadd,
       {f32(0, {2}), f32(32, {2, 64}, {-64, 4})},
       FindingKind::OutOfBounds,
       "operand 1 covers bytes -32 to 288 of UB"},
      {Opcode::Load,
       {a, gm(x + World::argumentBytes - 128, {64})},
       FindingKind::OutOfBounds,
       "operand 1 covers bytes 262016 to 262272 of argument 'x', expected 0 to 262144 at most"},
      {Opcode::Load,
       {a, gm(x - 4, {64})},
       FindingKind::OutOfBounds,
       "bytes -4 to 252 of argument 'x'"},
      {Opcode::Load, {a, gm(0, {64})}, FindingKind::OutOfBounds, "belong to no argument"},
      {Opcode::Store,
       {gm(z, {64}), a},
       FindingKind::OutOfBounds,
       "a write to argument 'z', which is read-only"},
      {Opcode::Load,
       {f32(0, {1024}), gm(world.global->workspace(0, 0) + 64, {1024})},
       FindingKind::OutOfBounds,
       "bytes 64 to 4160 of workspace 0 of core 0"},
      {Opcode::VAdd, {f32(0, {int64_t(1) << 62}), a, a}, FindingKind::OutOfBounds, "of UB"},
      {Opcode::Load, {a, gm(x, {64, 1}, {INT64_MAX, 4})}, FindingKind::OutOfBounds, ""},
      {Opcode::SLoad,
       {gm(x + World::argumentBytes, {1})},
       FindingKind::OutOfBounds,
       "argument 'x'"},
  });
}

TEST_F(Findings, alignment) {
  const auto a = f32(0, {64});
  check({
      {Opcode::VAdd,
       {a, a, f32(260, {64})},
       FindingKind::Misaligned,
       "operand 2 starts at byte 260 of UB, expected a multiple of 32"},
      {Opcode::VAdd,
       {f32(512, {2, 5}, {20, 4}), f32(0, {2, 5}), f32(0, {2, 5})},
       FindingKind::Misaligned,
       "the destination has rows every 20 bytes, expected a multiple of 32"},
      {Opcode::Load,
       {f32(16, {8}), gm(x, {8})},
       FindingKind::Misaligned,
       "starts at byte 16 of UB"},
      {Opcode::Load,
       {f32(0, {2, 9}, {36, 4}), gm(x, {2, 9})},
       FindingKind::Misaligned,
       "rows every 36 bytes"},
      {Opcode::VCadd, {f32(2, {1}), a}, FindingKind::Misaligned, "expected a multiple of 4"},
      {Opcode::SLoad, {f32(6, {1})}, FindingKind::Misaligned, "expected a multiple of 4"},
      {Opcode::VCmp,
       {ub(Element::I1, 1000, {64}, {0}), a, a},
       FindingKind::Misaligned,
       "the destination starts at byte 1000"},
      {Opcode::Store,
       {gm(x + 2, {8}), f32(0, {8})},
       FindingKind::Misaligned,
       "not a multiple of 4",
       {},
       1},
  });
}

TEST_F(Findings, shapes) {
  const auto a = f32(0, {64}), b = f32(512, {64}), mask = ub(Element::I1, 1024, {63}, {0});
  const auto bits = ub(Element::I1, 1024, {64}, {0});
  const auto illegal = FindingKind::IllegalInstruction;
  check({
      {Opcode::VAdd, {a, b}, illegal, "2 regions, expected 3"},
      {Opcode::VAdds, {a, b}, illegal, "0 scalars, expected 1"},
      {Opcode::VAdd,
       {a, b, f32(0, {32})},
       illegal,
       "operand 2 has 32 elements, expected the destination's 64"},
      {Opcode::VAdd, {a, b, f32(0, {0})}, illegal, "operand 2 is empty"},
      {Opcode::VAdd, {a, f32(512, {64}, {8}), b}, illegal, "elements every 8 bytes"},
      {Opcode::VAdd,
       {f32(0, {2, 8}, {0, 4}), f32(512, {2, 8}), f32(512, {2, 8})},
       illegal,
       "names some bytes several times"},
      {Opcode::VAdd, {a, b, gm(x, {64})}, illegal, "operand 2 lies in GM, expected UB"},
      {Opcode::VAdd, {a, b, bits}, illegal, "operand 2 is packed bits"},
      {Opcode::VCmp, {mask, a, b}, illegal, "has 63 bits for 64 comparisons"},
      {Opcode::VCmp, {f32(1024, {64}), a, b}, illegal, "elements of f32, expected i1"},
      {Opcode::VSel, {a, mask, a, b}, illegal, "the mask has 63 bits for 64 elements"},
      {Opcode::VCadd,
       {f32(2048, {3}), f32(0, {2, 32})},
       illegal,
       "the destination has 3 elements, expected 2, one for each row"},
      {Opcode::VCgadd,
       {f32(2048, {4}), f32(0, {2, 20})},
       illegal,
       "expected 6, one for each block"},
      {Opcode::VBrcb,
       {f32(2048, {4, 8}), f32(0, {3})},
       illegal,
       "operand 1 has 3 elements, expected 4"},
      {Opcode::VTrans, {f32(2048, {4, 8}), f32(0, {4, 8})}, illegal, "exchanged"},
      {Opcode::SLoad, {f32(0, {2})}, illegal, "has 2 elements, expected one"},
      {Opcode::VReduceV2, {f32(2048, {2, 8}, {64, 4}), bits, a}, illegal, "several rows"},
      {Opcode::Load,
       {f32(0, {4, 3}), gm(x, {4, 3}, {12, 4})},
       illegal,
       "a transfer of several rows of 12 bytes, expected rows of at least 32"},
      {Opcode::Load, {a, gm(x, {64}, {8})}, illegal, "elements every 8 bytes"},
      {Opcode::VSort32,
       {f32(0, {40}), f32(512, {20}), ub(Element::U32, 1024, {20})},
       illegal,
       "groups of 32"},
  });
}

TEST_F(Findings, typesPathsAndModes) {
  const auto illegal = FindingKind::IllegalInstruction;
  const auto bf16 = ub(Element::BF16, 0, {16});
  const auto i32 = ub(Element::I32, 0, {16}), f = f32(64, {16});
  check({
      {Opcode::VAdd, {bf16, bf16, bf16}, illegal, "vadd does not work on bf16"},
      {Opcode::VAdd,
       {i32, i32, f},
       illegal,
       "operand 2 has elements of f32, expected the destination's i32"},
      {Opcode::VConv, {i32, f}, illegal, "f32 to i32 with rounding none"},
      {Opcode::VConv, {bf16, ub(Element::F16, 64, {16})}, illegal, "f16 to bf16"},
      {Opcode::VCmp,
       {ub(Element::I1, 1024, {16}, {0}), i32, i32},
       illegal,
       "vcmp does not compare i32 by lt",
       {},
       uint8_t(machine::Predicate::LT)},
      {Opcode::Store, {gm(x, {16}), f}, illegal, "store mode 5", {}, 5},
      {Opcode::Load, {gm(x, {16}), f}, illegal, "load from UB"},
      {Opcode::Load,
       {f, region(Memory::L1, Element::F32, 0, {16})},
       illegal,
       "which this core does not have"},
      {Opcode::SAtomic, {gm(x, {1})}, illegal, "satomic does not work on f32", {1}, 4},
      {Opcode::Mmad, {f, f, f}, illegal, "the cube's instructions are not simulated yet"},
      {Opcode::LoadNz, {f, f}, illegal, "the cube's instructions are not simulated yet"},
      {Opcode::Barrier, {}, illegal, "orders pipes"},
  });
}

TEST_F(Findings, overlaps) {
  const auto illegal = FindingKind::IllegalInstruction;
  check({
      {Opcode::VAdd,
       {f32(0, {64}), f32(32, {64}), f32(512, {64})},
       illegal,
       "operand 1 shares bytes with the destination"},
      {Opcode::VConv, {f32(0, {64}), ub(Element::F16, 0, {64})}, illegal, "shares bytes", {}, 0},
      {Opcode::VTrans, {f32(0, {8, 8}), f32(0, {8, 8})}, illegal, "shares bytes"},
      {Opcode::VAdd,
       {f32(0, {4, 8}), f32(0, {4, 8}, {0, 4}), f32(512, {4, 8})},
       illegal,
       "operand 1 shares bytes"},
  });
  // Rows that lie between one another do not overlap.
  EXPECT_FALSE(
      world.run(Opcode::VRelu, {f32(0, {4, 8}, {64, 4}), f32(32, {4, 8}, {64, 4})}).failed);
}

TEST_F(Findings, offsetsAndMasks) {
  const auto a = f32(0, {16}), dst = f32(512, {3});
  const auto places = ub(Element::U32, 1024, {3});
  auto offsets = [&](std::vector<uint64_t> values) {
    for (size_t n = 0; n < values.size(); ++n)
      world.put(1024 + 4 * n, Element::U32, values[n]);
  };
  offsets({0, 4, 64});
  check({{Opcode::VGather,
          {dst, places, a},
          FindingKind::OutOfBounds,
          "offset 2 is 64, expected at most 60"}});
  offsets({0, 6, 4});
  check({{Opcode::VGather,
          {dst, places, a},
          FindingKind::Misaligned,
          "offset 1 is 6, expected a multiple of 4"}});
  offsets({0, 8, 4});
  world.ubShadow()[1024 + 4] = 0;
  check({{Opcode::VGather, {dst, places, a}, FindingKind::Undefined, "offset 1 is undefined"},
         {Opcode::VGather,
          {dst, ub(Element::I32, 1024, {3}), a},
          FindingKind::IllegalInstruction,
          "offsets of i32, expected u32"}});
  const auto mask = ub(Element::I1, 2048, {16}, {0});
  world.put(2048, Element::U16, 0xF);
  check({{Opcode::VReduceV2,
          {dst, mask, a},
          FindingKind::OutOfBounds,
          "4 elements are chosen, but the destination has 3"}});
  world.ubShadow()[2049] = 0xFB;
  check({{Opcode::VReduceV2,
          {dst, mask, a},
          FindingKind::Undefined,
          "bit 10 of the mask is undefined"}});
  world.put(0, Element::F32, 0x3F800000);
  world.put(8, Element::F32, 0x40000000);
  check({{Opcode::VMrgSort4,
          {f32(512, {8}), f32(0, {2, 4})},
          FindingKind::IllegalInstruction,
          "list 0 is not sorted: record 1"}});
}

TEST_F(Findings, chipFileDecides) {
  machine::Machine changed = *world.machine;
  changed.memories[size_t(Memory::UB)].usableBytes = 1024;
  Memories small(changed, machine::Core::AIV, *world.global);
  image::Instruction instruction;
  instruction.opcode = Opcode::VRelu;
  Resolved resolved;
  resolved.instruction = &instruction;
  resolved.regionCount = 2;
  resolved.regions[0] = resolved.regions[1] = f32(1024 - 32, {16});
  Outcome outcome;
  execute(resolved, small, true, outcome);
  EXPECT_TRUE(outcome.failed);
  EXPECT_EQ(outcome.kind, FindingKind::OutOfBounds);
}

} // namespace

} // namespace kiln::sim::test
