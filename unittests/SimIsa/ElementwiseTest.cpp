//===- ElementwiseTest.cpp - arithmetic, comparison, selection, conversion -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Every opcode on every element type of the chip, on several shapes and placements of its operands,
// against the plain arithmetic of Reference.h.
//
//===-----------------------------------------------------------------------------------------===//

#include "World.h"

#include "sim/isa/Math.h"

namespace kiln::sim::test {

using machine::Predicate;

namespace {

using Floats = std::function<long double(long double, long double)>;
using Integers = std::function<int64_t(int64_t, int64_t)>;

uint64_t cut(Element element, int64_t value) {
  const unsigned width = machine::bits(element);
  return width == 64 ? uint64_t(value) : uint64_t(value) & ((uint64_t(1) << width) - 1);
}

uint64_t apply(Element element, uint64_t a, uint64_t b, const Floats &floats,
               const Integers &integers) {
  if (machine::isFloat(element))
    return encode(element, floats(decode(element, a), decode(element, b)));
  return cut(element, integers(decodeInteger(element, a), decodeInteger(element, b)));
}

/// Where operands of a shape lie: rows apart, rows adjacent as far as they may be, repeated rows.
struct Placement {
  ResolvedRegion dst, a, b;
};

std::vector<Placement> placements(Element to, Element from, const Sizes &sizes) {
  std::vector<Placement> result;
  result.push_back({ub(to, 0, sizes), ub(from, 65536, sizes), ub(from, 131072, sizes)});
  if (machine::bits(to) == machine::bits(from)) // in place
    result.push_back({ub(to, 64, sizes), ub(from, 64, sizes), ub(from, 131072 + 32, sizes)});
  Placement wide = result[0];
  for (ResolvedRegion *region : {&wide.dst, &wide.a})
    for (unsigned d = 0; d < 2; ++d)
      region->stride[d] += 96 * (d == 0 ? region->size[1] : 1);
  for (unsigned d = 0; d < 2; ++d) // one row for all
    wide.b.stride[d] = 0;
  result.push_back(wide);
  Placement backwards = result[0];
  backwards.a.address += uint64_t(backwards.a.stride[1] * (backwards.a.size[1] - 1));
  backwards.a.stride[1] *= -1;
  result.push_back(backwards);
  return result;
}

struct BinaryRow {
  Opcode opcode, scalar; ///< the form with a scalar, or the same opcode
  Floats floats;
  Integers integers;
};

const BinaryRow binaries[] = {
    {Opcode::VAdd, Opcode::VAdds, [](auto a, auto b) { return a + b; },
     [](int64_t a, int64_t b) { return a + b; }},
    {Opcode::VSub, Opcode::VSub, [](auto a, auto b) { return a - b; },
     [](int64_t a, int64_t b) { return a - b; }},
    {Opcode::VMul, Opcode::VMuls, [](auto a, auto b) { return a * b; },
     [](int64_t a, int64_t b) { return a * b; }},
    {Opcode::VDiv, Opcode::VDiv, [](auto a, auto b) { return a / b; }, nullptr},
    {Opcode::VMax, Opcode::VMaxs, larger, [](int64_t a, int64_t b) { return std::max(a, b); }},
    {Opcode::VMin, Opcode::VMins, smaller, [](int64_t a, int64_t b) { return std::min(a, b); }},
    {Opcode::VAnd, Opcode::VAnd, nullptr, [](int64_t a, int64_t b) { return a & b; }},
    {Opcode::VOr, Opcode::VOr, nullptr, [](int64_t a, int64_t b) { return a | b; }},
    {Opcode::VLrelu, Opcode::VLrelu, [](auto a, auto b) { return a > 0 ? a : a * b; }, nullptr},
    {Opcode::VShl, Opcode::VShl, nullptr, nullptr},
    {Opcode::VShr, Opcode::VShr, nullptr, nullptr},
};

TEST(Elementwise, binary) {
  for (const BinaryRow &row : binaries) {
    if (machine::info(row.opcode).opClass != machine::OpClass::VBinary)
      continue;
    World world;
    const std::vector<Element> elements = elementsOf(world, row.opcode);
    ASSERT_FALSE(elements.empty());
    for (Element element : elements)
      for (const Sizes &sizes : shapes)
        for (const Placement &p : placements(element, element, sizes)) {
          const auto a = world.fill(p.a), b = world.fill(p.b);
          ASSERT_FALSE(world.run(row.opcode, {p.dst, p.a, p.b}).failed) << world.outcome.message;
          const auto result = world.read(p.dst);
          for (size_t n = 0; n < result.size(); ++n)
            ASSERT_EQ(result[n], apply(element, a[n], b[n], row.floats, row.integers))
                << machine::name(row.opcode) << ' ' << machine::name(element) << ' ' << a[n] << ' '
                << b[n];
          EXPECT_TRUE(world.defined(p.dst));
        }
  }
}

TEST(Elementwise, withScalar) {
  for (const BinaryRow &row : binaries) {
    if (machine::info(row.scalar).opClass != machine::OpClass::VScalar)
      continue;
    World world;
    const std::vector<Element> elements = elementsOf(world, row.scalar);
    ASSERT_FALSE(elements.empty());
    for (Element element : elements)
      for (const Sizes &sizes : shapes)
        for (const Placement &p : placements(element, element, sizes)) {
          const bool shifts = row.opcode == Opcode::VShl || row.opcode == Opcode::VShr;
          const uint64_t scalar = shifts ? world.random() % 40 : randomBits(element, world.random);
          Integers integers = row.integers;
          if (row.opcode == Opcode::VShl)
            integers = [](int64_t a, int64_t s) { return int64_t(uint64_t(a) << s); };
          if (row.opcode == Opcode::VShr)
            integers = [](int64_t a, int64_t s) { return a >> s; };
          const auto a = world.fill(p.a);
          ASSERT_FALSE(world.run(row.scalar, {p.dst, p.a}, {scalar}).failed)
              << world.outcome.message;
          const auto result = world.read(p.dst);
          for (size_t n = 0; n < result.size(); ++n)
            ASSERT_EQ(result[n], apply(element, a[n], scalar, row.floats, integers))
                << machine::name(row.scalar) << ' ' << machine::name(element) << ' ' << a[n] << ' '
                << scalar;
        }
  }
}

TEST(Elementwise, unary) {
  const std::pair<Opcode, std::function<long double(long double)>> rows[] = {
      {Opcode::VSqrt, [](long double a) { return std::sqrt(a); }},
      {Opcode::VRec, [](long double a) { return 1 / a; }},
      {Opcode::VAbs, [](long double a) { return std::fabs(a); }},
      {Opcode::VRelu, [](long double a) { return larger(a, 0); }},
      {Opcode::VExp, [](long double a) { return exponential(float(a)); }},
      {Opcode::VLn, [](long double a) { return logarithm(float(a)); }},
      {Opcode::VRsqrt, [](long double a) { return reciprocalRoot(float(a)); }},
  };
  for (const auto &[opcode, function] : rows) {
    World world;
    ASSERT_EQ(elementsOf(world, opcode).size(), 2u);
    for (Element element : elementsOf(world, opcode))
      for (const Sizes &sizes : shapes)
        for (const Placement &p : placements(element, element, sizes)) {
          const auto a = world.fill(p.a);
          ASSERT_FALSE(world.run(opcode, {p.dst, p.a}).failed) << world.outcome.message;
          const auto result = world.read(p.dst);
          for (size_t n = 0; n < result.size(); ++n)
            ASSERT_EQ(result[n], encode(element, function(decode(element, a[n]))))
                << machine::name(opcode) << ' ' << machine::name(element) << ' ' << a[n];
        }
  }
  World world;
  for (Element element : {Element::I16, Element::U16}) {
    const ResolvedRegion a = ub(element, 0, {37}), dst = ub(element, 512, {37});
    const auto before = world.fill(a);
    ASSERT_FALSE(world.run(Opcode::VNot, {dst, a}).failed);
    const auto after = world.read(dst);
    for (size_t n = 0; n < before.size(); ++n)
      EXPECT_EQ(after[n], ~before[n] & 0xFFFF);
  }
}

TEST(Elementwise, multiplyAdd) {
  World world;
  for (Element element : {Element::F16, Element::F32})
    for (const Sizes &sizes : shapes)
      for (const Placement &p : placements(element, element, sizes)) {
        // std::fma in double is exact for f16, and for f32 in float.
        auto fused = [&](uint64_t a, uint64_t b, uint64_t c) -> uint64_t {
          const long double x = decode(element, a), y = decode(element, b), z = decode(element, c);
          return encode(element, element == Element::F32 ? std::fma(float(x), float(y), float(z))
                                                         : x * y + z);
        };
        auto a = world.fill(p.a), b = world.fill(p.b);
        auto c = p.dst.address == p.a.address ? a : world.fill(p.dst);
        ASSERT_FALSE(world.run(Opcode::VMulAdd, {p.dst, p.a, p.b}).failed);
        auto result = world.read(p.dst);
        for (size_t n = 0; n < result.size(); ++n)
          ASSERT_EQ(result[n], fused(a[n], b[n], c[n])) << a[n] << ' ' << b[n] << ' ' << c[n];

        const uint64_t factor = randomBits(element, world.random);
        a = world.fill(p.a);
        c = world.read(p.dst);
        ASSERT_FALSE(world.run(Opcode::VAxpy, {p.dst, p.a}, {factor}).failed);
        result = world.read(p.dst);
        for (size_t n = 0; n < result.size(); ++n)
          ASSERT_EQ(result[n], fused(a[n], factor, c[n])) << a[n] << ' ' << factor << ' ' << c[n];
      }
}

bool relation(Predicate predicate, long double a, long double b) {
  const bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
  return results[unsigned(predicate)];
}

TEST(Elementwise, compareAndSelect) {
  World world;
  for (Element element : {Element::F16, Element::F32, Element::I32})
    for (unsigned p = 0; p < machine::predicateCount; ++p)
      for (const Sizes &sizes : shapes) {
        const auto predicate = static_cast<Predicate>(p);
        if (element == Element::I32 && predicate != Predicate::EQ)
          continue;
        const ResolvedRegion a = ub(element, 0, sizes), b = ub(element, 32768, sizes);
        const ResolvedRegion dst = ub(element, 65536, sizes);
        const ResolvedRegion mask = ub(Element::I1, 98304, {a.elements()}, {0});
        auto x = world.fill(a), y = world.fill(b);
        for (size_t n = 0; n < x.size(); n += 3) // some that are equal
          world.put(b.address + uint64_t(offsets(b)[n]), element, y[n] = x[n]);
        auto value = [&](uint64_t bits) {
          return machine::isFloat(element) ? decode(element, bits)
                                           : (long double)decodeInteger(element, bits);
        };
        auto check = [&](auto second) {
          for (int64_t n = 0; n < (a.elements() + 7) / 8 * 8; ++n) {
            const bool bit = uint8_t(world.ubData()[98304 + n / 8]) >> (n % 8) & 1;
            const bool known = world.ubShadow()[98304 + n / 8] >> (n % 8) & 1;
            ASSERT_EQ(known, n < a.elements());
            ASSERT_EQ(bit, n < a.elements() &&
                               relation(predicate, value(x[size_t(n)]), value(second(size_t(n)))));
          }
        };
        ASSERT_FALSE(world.run(Opcode::VCmp, {mask, a, b}, {}, uint8_t(p)).failed)
            << world.outcome.message;
        check([&](size_t n) { return y[n]; });

        ASSERT_FALSE(world.run(Opcode::VSel, {dst, mask, a, b}).failed) << world.outcome.message;
        auto chosen = world.read(dst);
        for (size_t n = 0; n < chosen.size(); ++n)
          ASSERT_EQ(chosen[n], relation(predicate, value(x[n]), value(y[n])) ? x[n] : y[n]);
        EXPECT_TRUE(world.defined(dst));

        const uint64_t scalar = x[x.size() / 2];
        ASSERT_FALSE(world.run(Opcode::VCmps, {mask, a}, {scalar}, uint8_t(p)).failed);
        check([&](size_t) { return scalar; });
        const uint64_t other = 0x1234;
        ASSERT_FALSE(world.run(Opcode::VSels, {dst, mask, a}, {other}).failed);
        chosen = world.read(dst);
        for (size_t n = 0; n < chosen.size(); ++n)
          ASSERT_EQ(chosen[n], relation(predicate, value(x[n]), value(scalar)) ? x[n] : other);
      }
}

TEST(Elementwise, selectOnAllTypes) {
  World world;
  for (Element element : elementsOf(world, Opcode::VSel)) {
    const ResolvedRegion a = ub(element, 0, {3, 11}),
                         b = ub(element, 4096, {3, 11}, {0, a.stride[2]});
    const ResolvedRegion dst = ub(element, 0, {3, 11}), mask = ub(Element::I1, 8192, {33}, {0});
    const auto x = world.fill(a), y = world.fill(b);
    std::vector<uint8_t> bits;
    for (unsigned byte = 0; byte < 5; ++byte) {
      bits.push_back(uint8_t(world.random()));
      world.put(8192 + byte, Element::U8, bits.back());
    }
    ASSERT_FALSE(world.run(Opcode::VSel, {dst, mask, a, b}).failed) << world.outcome.message;
    const auto result = world.read(dst);
    for (size_t n = 0; n < result.size(); ++n)
      EXPECT_EQ(result[n], bits[n / 8] >> (n % 8) & 1 ? x[n] : y[n]);
  }
}

uint64_t convertReference(Element from, Element to, Rounding rounding, uint64_t bits) {
  const bool fromFloat = machine::isFloat(from), toFloat = machine::isFloat(to);
  if (!fromFloat && !toFloat)
    return cut(to, decodeInteger(from, bits));
  if (!fromFloat)
    return encode(to, (long double)decodeInteger(from, bits), rounding);
  const long double value = decode(from, bits);
  if (toFloat && from != to)
    return encode(to, value, rounding);
  long double whole = value; // to an integer, or f32 to integral f32
  if (std::isfinite(value)) {
    const long double magnitude = std::fabs(value), floor = std::floor(magnitude);
    whole = std::copysign(floor + stepsOut(rounding, magnitude - floor, std::fmod(floor, 2.0L) == 1,
                                           std::signbit(value)),
                          value);
  }
  if (toFloat)
    return encode(to, whole);
  if (whole != whole)
    return 0;
  const unsigned width = machine::bits(to);
  const bool isSigned = machine::isSignedInteger(to);
  const long double most = std::ldexp(1.0L, int(width - isSigned)) - 1;
  const long double least = isSigned ? -most - 1 : 0;
  return cut(to, int64_t(std::min(std::max(whole, least), most)));
}

TEST(Elementwise, conversions) {
  World world;
  unsigned pairs = 0;
  for (const machine::Conversion &conversion : world.machine->facts(Opcode::VConv).conversions)
    for (unsigned r = 0; r < machine::roundingCount; ++r) {
      if (!conversion.roundings.contains(static_cast<Rounding>(r)))
        continue;
      ++pairs;
      for (const Sizes &sizes : {Sizes{1021}, Sizes{3, 5}, Sizes{2, 4, 33}}) {
        for (const Placement &p : placements(conversion.to, conversion.from, sizes)) {
          auto a = world.fill(p.a);
          const auto place = offsets(p.a);
          for (size_t n = 0; n < a.size(); n += 5) // fractions, ties and large numbers
            if (machine::isFloat(conversion.from))
              world.put(p.a.address + uint64_t(place[n]), conversion.from,
                        a[n] = encode(conversion.from,
                                      std::ldexp((long double)(int64_t(world.random() % 512) - 256),
                                                 n % 2 ? -1 : int(world.random() % 60) - 6)));
          ASSERT_FALSE(world.run(Opcode::VConv, {p.dst, p.a}, {}, uint8_t(r)).failed)
              << world.outcome.message;
          const auto result = world.read(p.dst);
          for (size_t n = 0; n < result.size(); ++n)
            ASSERT_EQ(result[n], convertReference(conversion.from, conversion.to,
                                                  static_cast<Rounding>(r), a[n]))
                << machine::name(conversion.from) << " to " << machine::name(conversion.to) << ' '
                << machine::name(static_cast<Rounding>(r)) << ' ' << a[n];
          EXPECT_TRUE(world.defined(p.dst));
        }
      }
    }
  EXPECT_GT(pairs, 60u);
}

} // namespace

} // namespace kiln::sim::test
