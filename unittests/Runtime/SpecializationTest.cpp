//===- SpecializationTest.cpp - tests of facts, key and slots --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "TestSupport.h"

#include "runtime/launch/Specialization.h"

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

namespace kiln::runtime {
namespace {

using Fact = Specialization::Fact;

constexpr uint64_t MiB = 1 << 20;
constexpr uint64_t cacheBytes = 36 * MiB;

Signature signatureOf(size_t count) {
  Signature signature;
  for (size_t i = 0; i < count; ++i)
    signature.parameters.push_back({.name = std::string(1, static_cast<char>('a' + i))});
  return signature;
}

Argument array(uint64_t begin, uint64_t bytes, DType type = DType::F32) {
  return Argument::pointer(type, begin, begin, begin + bytes);
}

struct Launch {
  Result<void> result;
  Specialization facts;
};

Launch derive(const Signature &signature, const std::vector<Argument> &arguments,
              std::string_view options = {}) {
  Launch launch;
  launch.result = specialize(signature, arguments, options, cacheBytes, launch.facts);
  return launch;
}

Specialization factsOf(const std::vector<Argument> &arguments) {
  Launch launch = derive(signatureOf(arguments.size()), arguments);
  EXPECT_TRUE(launch.result.ok()) << messageOf(launch.result);
  return std::move(launch.facts);
}

std::string keyOf(const std::vector<Argument> &arguments) {
  return std::string(factsOf(arguments).key());
}

std::vector<int> aliasSets(const std::vector<Argument> &arguments) {
  std::vector<int> sets;
  Specialization facts = factsOf(arguments);
  for (const Fact &fact : facts.facts())
    sets.push_back(fact.aliasSet);
  return sets;
}

TEST(Specialization, ChoosesTheTypeOfIntegers) {
  Specialization facts =
      factsOf({Argument::integer(int64_t(5)), Argument::integer(int64_t(INT32_MIN)),
               Argument::integer(int64_t(INT32_MAX) + 1), Argument::integer(int64_t(INT32_MIN) - 1),
               Argument::integer(uint64_t(7)), Argument::integer(UINT64_MAX)});
  DType expected[] = {DType::I32, DType::I32, DType::I64, DType::I64, DType::I32, DType::U64};
  for (size_t i = 0; i < 6; ++i)
    EXPECT_EQ(facts.facts()[i].type, expected[i]) << i;
  EXPECT_EQ(facts.slots()[1], static_cast<uint64_t>(int64_t(INT32_MIN)));
  EXPECT_EQ(facts.slots()[5], UINT64_MAX);
}

TEST(Specialization, FindsOnesAndMultiplesOf16) {
  Specialization facts = factsOf({Argument::integer(int64_t(1)), Argument::integer(int64_t(16)),
                                  Argument::integer(int64_t(0)), Argument::integer(int64_t(-32)),
                                  Argument::integer(int64_t(17)), Argument::boolean(true),
                                  array(0x1000, 64), array(0x2004, 64)});
  EXPECT_EQ(facts.facts()[0].kind, Fact::Kind::One);
  EXPECT_TRUE(facts.facts()[1].divisibleBy16);
  EXPECT_TRUE(facts.facts()[2].divisibleBy16);
  EXPECT_TRUE(facts.facts()[3].divisibleBy16);
  EXPECT_FALSE(facts.facts()[4].divisibleBy16);
  EXPECT_EQ(facts.facts()[5].kind, Fact::Kind::Scalar); // True is no integer 1
  EXPECT_TRUE(facts.facts()[6].divisibleBy16);
  EXPECT_FALSE(facts.facts()[7].divisibleBy16);
  EXPECT_EQ(facts.slots().size(), 8u);
  EXPECT_EQ(facts.slots()[0], 1u);
}

TEST(Specialization, LeavesFactsOutWhereAsked) {
  Signature signature = signatureOf(4);
  signature.parameters[0].doNotSpecialize = true;
  signature.parameters[1].doNotSpecialize = true;
  signature.parameters[2].doNotSpecializeOnAlignment = true;
  signature.parameters[3].doNotSpecializeOnAlignment = true;
  Specialization facts = derive(signature, {Argument::integer(int64_t(1)), array(0x1000, 64),
                                            Argument::integer(int64_t(1)), array(0x2000, 64)})
                             .facts;
  EXPECT_EQ(facts.facts()[0].kind, Fact::Kind::Scalar);
  EXPECT_FALSE(facts.facts()[1].divisibleBy16);
  EXPECT_EQ(facts.facts()[2].kind, Fact::Kind::One);
  EXPECT_FALSE(facts.facts()[3].divisibleBy16);
}

TEST(Specialization, PacksFloatsIntoSlots) {
  Signature signature = signatureOf(4);
  signature.parameters[1].scalarType = DType::F64;
  signature.parameters[2].scalarType = DType::F16;
  signature.parameters[3].scalarType = DType::BF16;
  Specialization facts = derive(signature, {Argument::floating(0.1), Argument::floating(0.1),
                                            Argument::floating(0.1), Argument::floating(0.1)})
                             .facts;
  EXPECT_EQ(facts.facts()[0].type, DType::F32);
  EXPECT_EQ(facts.slots()[0], std::bit_cast<uint32_t>(0.1f));
  EXPECT_EQ(facts.slots()[1], std::bit_cast<uint64_t>(0.1));
  EXPECT_EQ(facts.slots()[2], 0x2e66u);
  EXPECT_EQ(facts.slots()[3], 0x3dcdu);
}

TEST(Specialization, RoundsHalfsToNearestEven) {
  Signature signature = signatureOf(1);
  auto half = [&](double value, DType type = DType::F16) {
    signature.parameters[0].scalarType = type;
    return derive(signature, {Argument::floating(value)}).facts.slots()[0];
  };
  EXPECT_EQ(half(0.0), 0u);
  EXPECT_EQ(half(-0.0), 0x8000u);
  EXPECT_EQ(half(65504), 0x7bffu);
  EXPECT_EQ(half(65519.99), 0x7bffu);
  EXPECT_EQ(half(65520), 0x7c00u);
  EXPECT_EQ(half(1e300), 0x7c00u);
  EXPECT_EQ(half(-INFINITY), 0xfc00u);
  EXPECT_EQ(half(NAN) & 0x7fff, 0x7e00u);
  EXPECT_EQ(half(std::ldexp(1, -24)), 1u);      // the smallest subnormal
  EXPECT_EQ(half(std::ldexp(1, -25)), 0u);      // a tie, to even
  EXPECT_EQ(half(std::ldexp(1.5, -24)), 2u);    // a tie, to even
  EXPECT_EQ(half(std::ldexp(1, -14)), 0x0400u); // the smallest normal
  EXPECT_EQ(half(1 + std::ldexp(1, -11)), 0x3c00u);
  EXPECT_EQ(half(1 + std::ldexp(3, -11)), 0x3c02u);
  // Through f32 this would be a tie; it lies above one.
  EXPECT_EQ(half(1 + std::ldexp(1, -11) + std::ldexp(1, -40)), 0x3c01u);
  EXPECT_EQ(half(1.0, DType::BF16), 0x3f80u);
  EXPECT_EQ(half(3.4e38, DType::BF16), 0x7f80u);
  EXPECT_EQ(half(1e-40, DType::BF16), 0x0001u);
}

TEST(Specialization, ChecksAnnotatedScalars) {
  Signature signature = signatureOf(1);
  auto message = [&](DType type, Argument argument) {
    signature.parameters[0].scalarType = type;
    return messageOf(derive(signature, {argument}).result);
  };
  EXPECT_EQ(message(DType::I8, Argument::integer(int64_t(127))), "success");
  EXPECT_EQ(message(DType::I8, Argument::integer(int64_t(-128))), "success");
  EXPECT_EQ(message(DType::I8, Argument::integer(int64_t(128))),
            "argument 'a': has the value 128, expected a value of type i8");
  EXPECT_NE(message(DType::I8, Argument::integer(int64_t(-129))), "success");
  EXPECT_EQ(message(DType::U8, Argument::integer(int64_t(255))), "success");
  EXPECT_NE(message(DType::U8, Argument::integer(int64_t(-1))), "success");
  EXPECT_NE(message(DType::U32, Argument::integer(int64_t(1) << 32)), "success");
  EXPECT_EQ(message(DType::U64, Argument::integer(UINT64_MAX)), "success");
  EXPECT_EQ(message(DType::I64, Argument::integer(INT64_MIN)), "success");
  EXPECT_NE(message(DType::I64, Argument::integer(UINT64_MAX)), "success");
  EXPECT_EQ(message(DType::I1, Argument::integer(int64_t(1))), "success");
  EXPECT_NE(message(DType::I1, Argument::integer(int64_t(2))), "success");
  EXPECT_EQ(message(DType::F32, Argument::integer(int64_t(3))), "success");
  EXPECT_TRUE(contains(message(DType::I32, Argument::floating(1.5)), "expected an integer"));
  EXPECT_TRUE(contains(message(DType::I32, array(0x1000, 4)), "is an array of f32"));
}

TEST(Specialization, ChecksCountAndConstants) {
  Signature signature = signatureOf(2);
  signature.parameters[1].isConstexpr = true;
  EXPECT_EQ(messageOf(derive(signature, {Argument::none()}).result),
            "launch: got 1 arguments, expected 2");
  EXPECT_TRUE(contains(
      messageOf(derive(signature, {Argument::none(), Argument::integer(int64_t(3))}).result),
      "argument 'b': is no constant"));
  EXPECT_TRUE(contains(
      messageOf(derive(signature, {Argument::constant("{}"), Argument::constant("{}")}).result),
      "argument 'a': is a constant"));
  EXPECT_TRUE(contains(integerOutOfRange("n", "18446744073709551616").message(),
                       "argument 'n': has the value 18446744073709551616, expected an integer"));
}

TEST(Specialization, DisjointArraysHaveSetsOfTheirOwn) {
  EXPECT_EQ(aliasSets({array(0x1000, 0x100), array(0x1100, 0x100), array(0x1200, 0x100)}),
            (std::vector<int>{0, 1, 2}));
  // Numbered by argument, not by address.
  EXPECT_EQ(aliasSets({array(0x3000, 16), array(0x1000, 16), array(0x2000, 16)}),
            (std::vector<int>{0, 1, 2}));
}

TEST(Specialization, OverlappingArraysShareASet) {
  EXPECT_EQ(aliasSets({array(0x1000, 0x100), array(0x1000, 0x100)}), (std::vector<int>{0, 0}));
  EXPECT_EQ(aliasSets({array(0x1000, 0x101), array(0x1100, 0x100)}), (std::vector<int>{0, 0}));
  // Two that are disjoint, joined by a third.
  EXPECT_EQ(aliasSets({array(0x1000, 0x100), array(0x2000, 0x100), array(0x10ff, 0xf02),
                       array(0x5000, 1)}),
            (std::vector<int>{0, 0, 0, 1}));
  // A short array inside a long one does not end the long one.
  EXPECT_EQ(aliasSets({array(0x1000, 0x1000), array(0x1100, 0x10), array(0x1800, 0x10)}),
            (std::vector<int>{0, 0, 0}));
  // The address need not be the beginning: negative strides.
  EXPECT_EQ(aliasSets({Argument::pointer(DType::F32, 0x10fc, 0x1000, 0x1100), array(0x1000, 0x10),
                       array(0x1100, 0x10)}),
            (std::vector<int>{0, 0, 1}));
}

TEST(Specialization, EmptyArraysOverlapNothing) {
  EXPECT_EQ(aliasSets({array(0x1000, 0x100), array(0x1010, 0), array(0x1020, 0x10), array(0, 0)}),
            (std::vector<int>{0, 1, 0, 2}));
}

TEST(Specialization, UnknownSpansOverlapEverything) {
  Specialization facts = factsOf({array(0x1000, 0x100), array(0x5000, 0x100),
                                  Argument::pointerOfUnknownSpan(DType::F32, 0x9000)});
  for (const Fact &fact : facts.facts())
    EXPECT_EQ(fact.aliasSet, 0);
  EXPECT_FALSE(facts.streaming());
}

TEST(Specialization, AgreesWithPairwiseOverlap) {
  uint32_t random = 1;
  for (int round = 0; round < 500; ++round) {
    std::vector<Argument> arguments;
    for (int i = 0; i < 6; ++i) {
      random = random * 1664525 + 1013904223;
      arguments.push_back(array(0x1000 + (random >> 8) % 64, (random >> 20) % 24));
    }
    std::vector<int> expected(6);
    for (int i = 0; i < 6; ++i)
      expected[i] = i;
    for (int pass = 0; pass < 6; ++pass)
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
          if (std::max(arguments[i].begin, arguments[j].begin) <
              std::min(arguments[i].end, arguments[j].end))
            expected[i] = expected[j] = std::min(expected[i], expected[j]);
    std::vector<int> sets = aliasSets(arguments);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        EXPECT_EQ(sets[i] == sets[j], expected[i] == expected[j]);
  }
}

TEST(Specialization, StreamsArraysFarLargerThanTheCache) {
  auto streams = [](const std::vector<Argument> &arguments) {
    return factsOf(arguments).streaming();
  };
  EXPECT_FALSE(streams({array(1 << 30, MiB), array(2 << 20, MiB), array(3ull << 30, MiB)}));
  EXPECT_TRUE(streams({array(1 << 30, 64 * MiB), array(uint64_t(2) << 30, 64 * MiB)}));
  EXPECT_TRUE(streams({array(1 << 30, 64 * MiB), array(uint64_t(2) << 30, 64 * MiB),
                       array(uint64_t(3) << 30, 64 * MiB)}));
  // One array, given twice, counts once.
  EXPECT_FALSE(streams({array(1 << 30, 64 * MiB), array(1 << 30, 64 * MiB)}));
  Specialization unknownCache;
  std::vector<Argument> arguments = {array(1 << 30, 1024 * MiB)};
  ASSERT_TRUE(specialize(signatureOf(1), arguments, {}, 0, unknownCache).ok());
  EXPECT_FALSE(unknownCache.streaming());
}

TEST(Specialization, KeysDifferWithEveryFact) {
  std::vector<std::vector<Argument>> launches = {
      {array(0x1000, 64), array(0x2000, 64)},
      {array(0x1000, 64), array(0x1020, 64)},
      {array(0x1004, 64), array(0x2000, 64)},
      {array(0x1000, 64), array(0x2004, 64)},
      {array(0x1000, 64, DType::I32), array(0x2000, 64)},
      {array(0x1000, 64), Argument::none()},
      {array(0x1000, 64), Argument::integer(int64_t(2))},
      {array(0x1000, 64), Argument::integer(int64_t(1))},
      {array(0x1000, 64), Argument::integer(int64_t(16))},
      {array(0x1000, 64), Argument::integer(int64_t(1) << 40)},
      {array(0x1000, 64), Argument::floating(1)},
      {array(0x1000, 64), Argument::boolean(true)},
      {array(0x1000, 64 * MiB), array(0x40000000, 64 * MiB)},
  };
  for (size_t i = 0; i < launches.size(); ++i)
    for (size_t j = 0; j < launches.size(); ++j)
      EXPECT_EQ(keyOf(launches[i]) == keyOf(launches[j]), i == j) << i << " " << j;
}

TEST(Specialization, KeysAgreeWhereTheFactsDo) {
  EXPECT_EQ(keyOf({array(0x1000, 64), Argument::integer(int64_t(2))}),
            keyOf({array(0x7000, 128), Argument::integer(int64_t(1000003))}));
}

TEST(Specialization, ConstantsAndOptionsAreInTheKey) {
  Signature signature = signatureOf(2);
  signature.parameters[0].isConstexpr = signature.parameters[1].isConstexpr = true;
  auto key = [&](std::string_view first, std::string_view second, std::string_view options) {
    return std::string(
        derive(signature, {Argument::constant(first), Argument::constant(second)}, options)
            .facts.key());
  };
  EXPECT_NE(key("1", "2", ""), key("1", "3", ""));
  EXPECT_NE(key("12", "3", ""), key("1", "23", ""));
  EXPECT_NE(key("1", "2", "x"), key("1", "2", "y"));
  EXPECT_EQ(key("1", "2", "x"), key("1", "2", "x"));
}

TEST(Specialization, WritesTheSignature) {
  Signature signature = signatureOf(6);
  signature.parameters[5].isConstexpr = true;
  Specialization facts = derive(signature, {array(0x1000, 64), array(0x1024, 64, DType::BF16),
                                            Argument::integer(int64_t(1)), Argument::none(),
                                            Argument::integer(int64_t(32)),
                                            Argument::constant(R"({"t":"int","v":"1024"})")})
                             .facts;
  EXPECT_EQ(nlohmann::json::parse(facts.signatureJson()), nlohmann::json::parse(R"([
    {"kind": "arg", "type": "*f32", "divisibility": 16, "alias_set": 0},
    {"kind": "arg", "type": "*bf16", "alias_set": 0},
    {"kind": "one", "type": "i32"}, {"kind": "none"},
    {"kind": "arg", "type": "i32", "divisibility": 16},
    {"kind": "constexpr", "value": {"t": "int", "v": "1024"}}])"));
  EXPECT_EQ(facts.slots().size(), 4u);
}

TEST(Specialization, ReadOnlyArraysMayOnlyBeRead) {
  Signature signature = signatureOf(4);
  signature.parameters[0].isConstexpr = true;
  Specialization facts =
      derive(signature, {Argument::constant("1"), Argument::none(), array(0x1000, 64),
                         Argument::pointer(DType::F32, 0x2000, 0x2000, 0x2040,
                                           /*readOnly=*/true)})
          .facts;
  EXPECT_TRUE(checkReadOnly(signature, facts, {true, false}).ok());
  EXPECT_EQ(messageOf(checkReadOnly(signature, facts, {false, true})),
            "argument 'd': is a read-only array, and the kernel writes to it, expected a writable "
            "array");
}

} // namespace
} // namespace kiln::runtime
