//===- ShapesTest.cpp - fills, reductions, broadcasts, gathers, transposes, sorts ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "World.h"

#include "sim/isa/Float16.h"

#include <algorithm>

namespace kiln::sim::test {

namespace {

TEST(Shapes, fill) {
  World world;
  for (Element element : elementsOf(world, Opcode::VDup))
    for (const Sizes &sizes : shapes) {
      const ResolvedRegion dst = ub(element, 96, sizes);
      const uint64_t bits = randomBits(element, world.random);
      ASSERT_FALSE(world.run(Opcode::VDup, {dst}, {bits}).failed) << world.outcome.message;
      for (uint64_t value : world.read(dst))
        ASSERT_EQ(value, bits);
      EXPECT_TRUE(world.defined(dst));
    }
  for (Element element : elementsOf(world, Opcode::VIota))
    for (const Sizes &sizes : shapes) {
      const ResolvedRegion dst = ub(element, 96, sizes);
      const uint64_t first = randomBits(element, world.random);
      ASSERT_FALSE(world.run(Opcode::VIota, {dst}, {first}).failed) << world.outcome.message;
      uint64_t n = 0;
      for (uint64_t value : world.read(dst)) {
        const uint64_t expected =
            machine::isFloat(element)
                ? encode(element, decode(element, first) + (long double)n)
                : (first + n) & (element == Element::I16 ? 0xFFFF : 0xFFFFFFFF);
        ASSERT_EQ(value, expected) << machine::name(element) << ' ' << first << ' ' << n;
        ++n;
      }
    }
}

/// A sum in the stated order, in f32.
uint64_t sumReference(Element element, const std::vector<uint64_t> &bits, size_t lanes) {
  std::vector<float> partial;
  for (size_t n = 0; n < bits.size(); ++n) {
    const float value = float(decode(element, bits[n]));
    if (n < lanes)
      partial.push_back(value);
    else
      partial[n % lanes] += value;
  }
  for (size_t half = lanes / 2; half > 0; half /= 2)
    for (size_t lane = 0; lane < half; ++lane)
      if (lane + half < partial.size())
        partial[lane] += partial[lane + half];
  return encode(element, partial[0]);
}

TEST(Shapes, reductions) {
  World world;
  for (Opcode opcode : {Opcode::VCadd, Opcode::VCmax, Opcode::VCmin, Opcode::VCgadd, Opcode::VCgmax,
                        Opcode::VCgmin})
    for (Element element : elementsOf(world, opcode))
      for (const Sizes &sizes : shapes)
        for (int scattered = 0; scattered < 2; ++scattered) {
          const int64_t bytes = machine::bits(element) / 8;
          const bool blocks = opcode <= Opcode::VCgmin;
          const ResolvedRegion a = ub(element, 0, sizes);
          const int64_t piece = blocks ? 32 / bytes : a.size[2];
          const int64_t pieces = (a.size[2] + piece - 1) / piece;
          const int64_t count = a.size[0] * a.size[1] * pieces;
          const ResolvedRegion dst =
              scattered ? ub(element, 65536 + uint64_t(bytes), {count, 1}, {32, bytes})
                        : ub(element, 65536, {count});
          const auto x = world.fill(a);
          ASSERT_FALSE(world.run(opcode, {dst, a}).failed) << world.outcome.message;
          const auto result = world.read(dst);
          size_t from = 0;
          for (int64_t n = 0; n < count; ++n) {
            const int64_t start = n % pieces * piece;
            const size_t length = size_t(std::min(piece, a.size[2] - start));
            const std::vector<uint64_t> row(x.begin() + long(from),
                                            x.begin() + long(from + length));
            from += length;
            uint64_t expected;
            if (opcode == Opcode::VCadd || opcode == Opcode::VCgadd) {
              expected = sumReference(element, row, blocks ? size_t(piece) : 64);
            } else {
              long double best = decode(element, row[0]);
              for (uint64_t bits : row)
                best = opcode == Opcode::VCmax || opcode == Opcode::VCgmax
                           ? larger(best, decode(element, bits))
                           : smaller(best, decode(element, bits));
              expected = encode(element, best);
            }
            ASSERT_EQ(result[size_t(n)], expected) << machine::name(opcode) << ' ' << n;
          }
          EXPECT_TRUE(world.defined(dst));
        }
}

TEST(Shapes, sumOfNegativeZerosIsNegativeZero) {
  World world;
  for (uint64_t n = 0; n < 5; ++n)
    world.put(4 * n, Element::F32, 0x80000000);
  ASSERT_FALSE(
      world.run(Opcode::VCadd, {ub(Element::F32, 64, {1}), ub(Element::F32, 0, {5})}).failed);
  EXPECT_EQ(world.bitsAt(64, Element::F32), 0x80000000u);
}

TEST(Shapes, broadcast) {
  World world;
  for (Element element : elementsOf(world, Opcode::VBrcb))
    for (const Sizes &sizes : shapes) {
      const ResolvedRegion dst = ub(element, 0, sizes);
      const int64_t rows = dst.size[0] * dst.size[1];
      for (const ResolvedRegion &a :
           {ub(element, 65536, {rows}), ub(element, 65536, {rows, 1}, {32, 4})}) {
        const auto x = world.fill(a);
        ASSERT_FALSE(world.run(Opcode::VBrcb, {dst, a}).failed) << world.outcome.message;
        const auto result = world.read(dst);
        for (size_t n = 0; n < result.size(); ++n)
          ASSERT_EQ(result[n], x[n / size_t(dst.size[2])]);
      }
    }
}

TEST(Shapes, transpose) {
  World world;
  for (Element element : elementsOf(world, Opcode::VTrans))
    for (const Sizes &sizes : {Sizes{3, 5}, Sizes{16, 16}, Sizes{2, 7, 33}, Sizes{1, 9}}) {
      Sizes exchanged = sizes;
      std::swap(exchanged[sizes.size() - 1], exchanged[sizes.size() - 2]);
      const ResolvedRegion a = ub(element, 0, sizes), dst = ub(element, 65536, exchanged);
      const auto x = world.fill(a);
      ASSERT_FALSE(world.run(Opcode::VTrans, {dst, a}).failed) << world.outcome.message;
      const auto result = world.read(dst);
      const auto rows = size_t(a.size[1]), columns = size_t(a.size[2]);
      for (size_t i = 0; i < size_t(a.size[0]); ++i)
        for (size_t j = 0; j < rows; ++j)
          for (size_t k = 0; k < columns; ++k)
            ASSERT_EQ(result[(i * columns + k) * rows + j], x[(i * rows + j) * columns + k]);
      EXPECT_TRUE(world.defined(dst));
    }
}

TEST(Shapes, gather) {
  World world;
  for (Element element : elementsOf(world, Opcode::VGather))
    for (const Sizes &sizes : shapes) {
      const uint64_t bytes = machine::bits(element) / 8;
      const ResolvedRegion src = ub(element, 0, {500});
      const ResolvedRegion places = ub(Element::U32, 32768, sizes);
      const ResolvedRegion dst = ub(element, 65536, sizes);
      const auto x = world.fill(src);
      std::vector<uint64_t> chosen;
      std::vector<uint8_t> read(500 * bytes);
      for (int64_t offset : offsets(places)) {
        chosen.push_back(world.random() % 500);
        world.put(places.address + uint64_t(offset), Element::U32, chosen.back() * bytes);
        std::fill_n(read.begin() + long(chosen.back() * bytes), bytes, 1);
      }
      ASSERT_FALSE(world.run(Opcode::VGather, {dst, places, src}).failed) << world.outcome.message;
      const auto result = world.read(dst);
      for (size_t n = 0; n < result.size(); ++n)
        ASSERT_EQ(result[n], x[chosen[n]]);
      EXPECT_TRUE(world.defined(dst));
      // Of the source, exactly the bytes that were read are touched.
      for (const Touch &touch : world.outcome.touches)
        if (touch.address < 32768)
          for (uint32_t byte = 0; byte < touch.runBytes; ++byte)
            ASSERT_EQ(read[touch.address + byte]--, 1);
      EXPECT_EQ(std::count(read.begin(), read.end(), 1), 0);
    }
}

TEST(Shapes, gatherByMask) {
  World world;
  for (Element element : elementsOf(world, Opcode::VReduceV2))
    for (const Sizes &sizes : shapes) {
      const ResolvedRegion a = ub(element, 0, sizes);
      const int64_t count = a.elements();
      const ResolvedRegion mask = ub(Element::I1, 32768, {count}, {0});
      const ResolvedRegion dst = ub(element, 65536, {count});
      const auto x = world.fill(a);
      const auto old = world.fill(dst);
      std::vector<uint64_t> expected;
      for (uint64_t byte = 0; byte < uint64_t(count + 7) / 8; ++byte)
        world.put(32768 + byte, Element::U8, world.random() & 0xFF);
      for (int64_t n = 0; n < count; ++n)
        if (world.bitsAt(32768 + uint64_t(n / 8), Element::U8) >> (n % 8) & 1)
          expected.push_back(x[size_t(n)]);
      ASSERT_FALSE(world.run(Opcode::VReduceV2, {dst, mask, a}).failed) << world.outcome.message;
      const auto result = world.read(dst);
      for (size_t n = 0; n < result.size(); ++n)
        ASSERT_EQ(result[n], n < expected.size() ? expected[n] : old[n]);
      uint64_t written = 0;
      for (const Touch &touch : world.outcome.touches)
        written += touch.write ? touch.runBytes : 0;
      EXPECT_EQ(written, expected.size() * machine::bits(element) / 8);
    }
}

TEST(Shapes, sortAndMerge) {
  for (Element element : {Element::F16, Element::F32}) {
    World world;
    const int64_t bytes = machine::bits(element) / 8, words = 8 / bytes, count = 128;
    const ResolvedRegion scores = ub(element, 0, {count}),
                         numbers = ub(Element::U32, 4096, {count});
    const ResolvedRegion records = ub(element, 8192, {count * words});
    const auto x = world.fill(scores);
    for (int64_t n = 0; n < count; ++n)
      world.put(4096 + uint64_t(n) * 4, Element::U32, uint64_t(n));
    ASSERT_FALSE(world.run(Opcode::VSort32, {records, scores, numbers}).failed)
        << world.outcome.message;
    auto rank = [&](uint64_t a, uint64_t b) { // a before b
      const long double u = decode(element, x[a]), v = decode(element, x[b]);
      if ((u != u) != (v != v))
        return v != v;
      return u > v || (!(v > u) && a < b);
    };
    auto check = [&](uint64_t address, uint64_t first, uint64_t length) {
      std::vector<uint64_t> order;
      for (uint64_t n = 0; n < length; ++n)
        order.push_back(first + n);
      std::sort(order.begin(), order.end(), rank);
      for (uint64_t n = 0; n < length; ++n) {
        ASSERT_EQ(world.bitsAt(address + n * 8 + 4, Element::U32), order[n]);
        ASSERT_EQ(world.bitsAt(address + n * 8, element), x[order[n]]);
      }
    };
    for (uint64_t group = 0; group < 4; ++group)
      check(8192 + group * 256, group * 32, 32);
    const ResolvedRegion lists = ub(element, 8192, {4, 32 * words});
    const ResolvedRegion merged = ub(element, 16384, {count * words});
    ASSERT_FALSE(world.run(Opcode::VMrgSort4, {merged, lists}).failed) << world.outcome.message;
    check(16384, 0, 128);
    EXPECT_TRUE(world.defined(merged));
  }
}

} // namespace

} // namespace kiln::sim::test
