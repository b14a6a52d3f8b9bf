//===- ArithTest.cpp - narrow floats, conversions and division on numbers --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Each op runs on vectors of 16 lanes and, with one lane, on the scalar form, and is compared with
// exact arithmetic rounded once.
//
//===-----------------------------------------------------------------------------------------===//

#include "KernelRunner.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>

using namespace kiln::test;

namespace {

std::string shape(const std::string &type, int lanes) {
  return lanes == 1 ? type : "vector<" + std::to_string(lanes) + "x" + type + ">";
}

/// %r = `op`(%a[, %b]) on `n` elements; `$A`, `$R` in the text stand for the types.
std::string applyText(std::string op, const std::string &in, const std::string &out, int lanes) {
  std::string a = shape(in, lanes), r = shape(out, lanes);
  for (auto [key, value] : {std::pair<std::string, std::string>{"$A", a}, {"$R", r}})
    for (size_t at; (at = op.find(key)) != std::string::npos;)
      op.replace(at, 2, value);
  std::string step = std::to_string(lanes);
  return R"(
    func.func @apply(%x: !tile.ptr<i8>, %y: !tile.ptr<i8>, %z: !tile.ptr<i8>, %n: i64) attributes {tile.kernel} {
      %lx = builtin.unrealized_conversion_cast %x : !tile.ptr<i8> to !llvm.ptr
      %ly = builtin.unrealized_conversion_cast %y : !tile.ptr<i8> to !llvm.ptr
      %lz = builtin.unrealized_conversion_cast %z : !tile.ptr<i8> to !llvm.ptr
      %zero = arith.constant 0 : i64
      %step = arith.constant )" +
         step + R"( : i64
      scf.for %i = %zero to %n step %step : i64 {
        %px = llvm.getelementptr %lx[%i] : (!llvm.ptr, i64) -> !llvm.ptr, )" +
         in + R"(
        %py = llvm.getelementptr %ly[%i] : (!llvm.ptr, i64) -> !llvm.ptr, )" +
         in + R"(
        %pz = llvm.getelementptr %lz[%i] : (!llvm.ptr, i64) -> !llvm.ptr, )" +
         out + R"(
        %a = llvm.load %px {alignment = 1 : i64} : !llvm.ptr -> )" +
         a + R"(
        %b = llvm.load %py {alignment = 1 : i64} : !llvm.ptr -> )" +
         a + R"(
        %r = )" +
         op + R"(
        llvm.store %r, %pz {alignment = 1 : i64} : )" +
         r + R"(, !llvm.ptr
      }
      return
    })";
}

template <typename In, typename Out, typename Check>
void apply(const std::string &op, const char *in, const char *out, std::vector<In> x,
           std::vector<In> y, Check check) {
  x.resize(x.size() / 16 * 16);
  y.resize(x.size());
  for (int lanes : {16, 1}) {
    SCOPED_TRACE(op + " lanes " + std::to_string(lanes));
    Kernel kernel(applyText(op, in, out, lanes));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    std::vector<Out> z(x.size());
    ASSERT_EQ(kernel.run({slot(x.data()), slot(y.data()), slot(z.data()), slot(int64_t(x.size()))}),
              0);
    int shown = 0;
    for (size_t i = 0; i != x.size() && shown < 5; ++i)
      if (!check(x[i], y[i], z[i])) {
        ADD_FAILURE() << "lane " << i << ": " << +x[i] << ", " << +y[i] << " gives " << +z[i];
        ++shown;
      }
  }
}

//===--- Formats, by definition ---===//

struct Narrow {
  int digits, minExponent, width; // minExponent: of the least normal number, as 2^e
  double maximum;
};
constexpr Narrow kHalf{11, -14, 16, 65504};
const Narrow kBrain{8, -126, 16, std::ldexp(1.9921875, 127)};

template <typename Real> double roundOnce(Real value, const Narrow &format) {
  if (value == 0 || !std::isfinite(value))
    return static_cast<double>(value);
  int exponent = std::max(std::ilogb(value), format.minExponent);
  Real unit = std::ldexp(Real(1), exponent - format.digits + 1);
  Real rounded = std::nearbyint(value / unit) * unit;
  if (std::fabs(rounded) > format.maximum)
    return std::copysign(std::numeric_limits<double>::infinity(), double(value));
  return static_cast<double>(rounded);
}

double decode(uint16_t bits, const Narrow &format) {
  if (format.digits == 8)
    return std::bit_cast<float>(uint32_t(bits) << 16);
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31)
    return fraction ? NAN : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

bool same(double result, double expected) {
  return std::isnan(expected)
             ? std::isnan(result)
             : result == expected && std::signbit(result) == std::signbit(expected);
}

struct NarrowType {
  const char *name;
  Narrow format;
};
const NarrowType kNarrowTypes[] = {{"f16", kHalf}, {"bf16", kBrain}};

std::vector<uint16_t> patterns(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint16_t> values(1 << 14);
  for (uint16_t &value : values)
    value = random();
  return values;
}

TEST(NarrowFloats, EachOperationRoundsOnce) {
  using Op = double (*)(double, double);
  const std::pair<const char *, Op> ops[] = {
      {"addf", [](double a, double b) { return a + b; }},
      {"subf", [](double a, double b) { return a - b; }},
      {"mulf", [](double a, double b) { return a * b; }},
      {"divf", [](double a, double b) { return a / b; }},
      {"maximumf",
       [](double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b); }},
      {"maxnumf",
       [](double a, double b) { return std::isnan(a)            ? b
                                       : std::isnan(b) || a > b ? a
                                                                : b; }},
  };
  for (const NarrowType &type : kNarrowTypes)
    for (auto &[name, reference] : ops)
      apply<uint16_t, uint16_t>(
          std::string("arith.") + name + " %a, %b : $A", type.name, type.name, patterns(1),
          patterns(2), [&, reference = reference](uint16_t a, uint16_t b, uint16_t r) {
            double x = decode(a, type.format), y = decode(b, type.format),
                   got = decode(r, type.format);
            double expected = roundOnce(reference(x, y), type.format);
            return same(got, expected) || (x == y && got == expected); // max of both zeros: either
          });
}

TEST(NarrowFloats, SignsAndMath) {
  for (const NarrowType &type : kNarrowTypes) {
    apply<uint16_t, uint16_t>("arith.negf %a : $A", type.name, type.name, patterns(3), patterns(4),
                              [](uint16_t a, uint16_t, uint16_t r) { return r == (a ^ 0x8000); });
    apply<uint16_t, uint16_t>("math.absf %a : $A", type.name, type.name, patterns(3), patterns(4),
                              [](uint16_t a, uint16_t, uint16_t r) { return r == (a & 0x7fff); });
    apply<uint16_t, uint16_t>("math.sqrt %a : $A", type.name, type.name, patterns(3), patterns(4),
                              [&](uint16_t a, uint16_t, uint16_t r) {
                                return same(
                                    decode(r, type.format),
                                    roundOnce(std::sqrt(decode(a, type.format)), type.format));
                              });
  }
}

/// Doubles around every kind of tie of the format.
std::vector<double> nearTies(const Narrow &format) {
  std::mt19937_64 random(5);
  std::vector<double> values;
  for (int i = 0; i != 1 << 14; ++i) {
    double base = decode(static_cast<uint16_t>(random()), format);
    if (!std::isfinite(base))
      continue;
    int exponent = std::max(base == 0 ? -200 : std::ilogb(base), format.minExponent);
    double half = std::ldexp(0.5, exponent - format.digits + 1);
    double tie = base + half;
    for (double value : {base, tie, std::nextafter(tie, INFINITY), std::nextafter(tie, -INFINITY)})
      values.push_back(value);
  }
  values.push_back(1e300);
  values.push_back(-1e300);
  values.push_back(65520);
  values.push_back(NAN);
  values.push_back(INFINITY);
  values.push_back(5e-324);
  values.push_back(-0.0);
  values.resize((values.size() + 15) / 16 * 16);
  return values;
}

TEST(Conversions, DoubleToNarrowRoundsOnce) {
  for (const NarrowType &type : kNarrowTypes) {
    auto check = [&](auto a, auto, uint16_t r) {
      return same(decode(r, type.format), roundOnce<double>(a, type.format));
    };
    std::vector<double> wide = nearTies(type.format);
    apply<double, uint16_t>("arith.truncf %a : $A to $R", "f64", type.name, wide, wide, check);
    std::vector<float> single(wide.begin(), wide.end());
    apply<float, uint16_t>("arith.truncf %a : $A to $R", "f32", type.name, single, single, check);
  }
}

TEST(Conversions, TowardZero) {
  for (const NarrowType &type : kNarrowTypes) {
    std::vector<double> wide = nearTies(type.format);
    apply<double, uint16_t>("arith.truncf %a toward_zero : $A to $R", "f64", type.name, wide, wide,
                            [&](double a, double, uint16_t r) {
                              double got = decode(r, type.format);
                              if (!std::isfinite(a))
                                return same(got, a);
                              double nearest = roundOnce(a, type.format);
                              bool exact = nearest == a;
                              return std::isfinite(got) && std::signbit(got) == std::signbit(a) &&
                                     std::fabs(got) <= std::fabs(a) &&
                                     (exact ? got == a : std::fabs(got) < std::fabs(a)) &&
                                     (got == nearest || std::fabs(nearest) > std::fabs(a));
                            });
  }
}

template <typename T> std::vector<T> integers(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values{0, T(-1), 1, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
                        2, 3};
  while (values.size() != 4096)
    values.push_back(static_cast<T>(static_cast<T>(random()) >> (random() % (sizeof(T) * 8))));
  return values;
}

template <typename T> void integersToNarrow(const char *name, bool isSigned) {
  for (const NarrowType &type : kNarrowTypes) {
    std::vector<T> values = integers<T>(9);
    if (sizeof(T) == 8) // a hair above a tie, beyond double's digits
      for (int shift = 12; shift != 55; ++shift)
        values.push_back(static_cast<T>((uint64_t(257) << shift) + 1));
    values.resize((values.size() + 15) / 16 * 16);
    std::string op = std::string("arith.") + (isSigned ? "si" : "ui") + "tofp %a : $A to $R";
    apply<T, uint16_t>(op, name, type.name, values, values, [&](T a, T, uint16_t r) {
      return decode(r, type.format) == roundOnce<long double>(a, type.format);
    });
  }
}

TEST(Conversions, IntegersToNarrowRoundOnce) {
  integersToNarrow<int8_t>("i8", true);
  integersToNarrow<uint16_t>("i16", false);
  integersToNarrow<int32_t>("i32", true);
  integersToNarrow<uint32_t>("i32", false);
  integersToNarrow<int64_t>("i64", true);
  integersToNarrow<uint64_t>("i64", false);
}

template <typename T> void wideIntegers(const char *name, bool isSigned) {
  std::vector<T> values = integers<T>(10);
  std::string to = std::string("arith.") + (isSigned ? "si" : "ui") + "tofp %a : $A to $R";
  apply<T, float>(to, name, "f32", values, values,
                  [](T a, T, float r) { return r == static_cast<float>(a); });
  apply<T, double>(to, name, "f64", values, values,
                   [](T a, T, double r) { return r == static_cast<double>(a); });
  std::vector<double> reals;
  for (T value : values)
    if (std::fabs(double(value)) < std::ldexp(1, sizeof(T) * 8 - 2))
      reals.push_back(double(value) * 0.75);
  std::string from = std::string("arith.fpto") + (isSigned ? "si" : "ui") + " %a : $A to $R";
  apply<double, T>(from, "f64", name, reals, reals,
                   [](double a, double, T r) { return r == static_cast<T>(a); });
}

TEST(Conversions, IntegersAndFloats) {
  wideIntegers<int8_t>("i8", true);
  wideIntegers<uint8_t>("i8", false);
  wideIntegers<int16_t>("i16", true);
  wideIntegers<int32_t>("i32", true);
  wideIntegers<uint32_t>("i32", false);
  wideIntegers<int64_t>("i64", true);
  wideIntegers<uint64_t>("i64", false);
}

template <typename T> void division(const char *name, bool isSigned) {
  std::vector<T> x = integers<T>(11), y = integers<T>(12);
  for (size_t i = 0; i != 64; ++i) // every pair of the special values
    x[i] = x[i % 8], y[i] = y[i / 8];
  std::string suffix = isSigned ? "si" : "ui";
  auto quotient = [](T a, T b) -> T {
    if (b == 0 || (std::is_signed_v<T> && b == T(-1) && a == std::numeric_limits<T>::min()))
      return a;
    return a / b;
  };
  apply<T, T>("arith.div" + suffix + " %a, %b : $A", name, name, x, y,
              [&](T a, T b, T r) { return r == quotient(a, b); });
  apply<T, T>("arith.rem" + suffix + " %a, %b : $A", name, name, x, y, [&](T a, T b, T r) {
    return r == static_cast<T>(a - quotient(a, b) * (b == 0 ? 1 : b));
  });
}

TEST(Division, NeverTraps) {
  division<int8_t>("i8", true);
  division<uint8_t>("i8", false);
  division<int16_t>("i16", true);
  division<uint16_t>("i16", false);
  division<int32_t>("i32", true);
  division<uint32_t>("i32", false);
  division<int64_t>("i64", true);
  division<uint64_t>("i64", false);
}

TEST(MinMax, SingleAndDouble) {
  std::vector<float> x, y;
  float special[] = {0, 1, -2, INFINITY, -INFINITY, NAN, 1e-40f, 3};
  for (float a : special)
    for (float b : special) {
      x.push_back(a);
      y.push_back(b);
    }
  auto check = [](auto reference) {
    return [=](float a, float b, float r) { return same(r, reference(a, b)); };
  };
  apply<float, float>("arith.maxnumf %a, %b : $A", "f32", "f32", x, y,
                      check([](float a, float b) { return std::fmax(a, b); }));
  apply<float, float>("arith.minnumf %a, %b : $A", "f32", "f32", x, y,
                      check([](float a, float b) { return std::fmin(a, b); }));
  apply<float, float>("arith.maximumf %a, %b : $A", "f32", "f32", x, y, check([](float a, float b) {
                        return std::isnan(a + b) && (std::isnan(a) || std::isnan(b))
                                   ? NAN
                                   : std::fmax(a, b);
                      }));
  apply<float, float>("arith.minimumf %a, %b : $A", "f32", "f32", x, y, check([](float a, float b) {
                        return std::isnan(a + b) && (std::isnan(a) || std::isnan(b))
                                   ? NAN
                                   : std::fmin(a, b);
                      }));
}

template <typename T> void remainders(const char *name) {
  std::mt19937_64 random(13);
  std::vector<T> x, y;
  using Limits = std::numeric_limits<T>;
  T special[] = {0,
                 T(-0.0),
                 1,
                 -3,
                 Limits::max(),
                 Limits::min(),
                 Limits::denorm_min(),
                 Limits::infinity(),
                 Limits::quiet_NaN(),
                 T(0.1)};
  for (T a : special)
    for (T b : special) {
      x.push_back(a);
      y.push_back(b);
    }
  while (x.size() != 4096) {
    x.push_back(T(std::ldexp(double(random()) / 0x1p63 - 1, int(random() % 200) - 100)));
    y.push_back(T(std::ldexp(double(random()) / 0x1p63 - 1, int(random() % 200) - 100)));
  }
  apply<T, T>("arith.remf %a, %b : $A", name, name, x, y,
              [](T a, T b, T r) { return same(r, std::fmod(a, b)); });
}

TEST(Division, FloatRemainderIsExact) {
  remainders<float>("f32");
  remainders<double>("f64");
}

TEST(Contraction, OnlyWhereAllowed) {
  const char *text = R"(
    func.func @mad(%out: !tile.ptr<f32>, %a: f32, %b: f32, %c: f32) attributes {tile.kernel} {
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %p, %c : f32
      tile.ptr_store %out, %s : !tile.ptr<f32>, f32
      return
    })";
  float a = 1 + 0x1p-12f, c = -1 - 0x1p-11f, fused = 0, split = 1;
  Kernel(text, /*contract=*/true).run({slot(&fused), slot(a), slot(a), slot(c)});
  Kernel(text, /*contract=*/false).run({slot(&split), slot(a), slot(a), slot(c)});
  EXPECT_EQ(fused, 0x1p-24f);
  EXPECT_EQ(split, 0);
}

} // namespace
