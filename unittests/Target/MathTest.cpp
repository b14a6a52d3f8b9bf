//===- MathTest.cpp - the stated errors of the math functions --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Measures each expansion against the C library in the next wider format: double for f32, long
// double for f64. The bounds are those of the table in docs/design/floating-point.md. With
// KILN_EXHAUSTIVE set, f32 covers every bit pattern (minutes); else a dense sample of patterns and
// the special values.
//
//===-----------------------------------------------------------------------------------------===//

#include "KernelRunner.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>

using namespace kiln::test;

namespace {

struct Function {
  const char *name;
  double (*single)(double);
  long double (*wide)(long double);
  double bound32, bound64; // ulp
};

double rsqrtSingle(double x) { return 1 / std::sqrt(x); }
long double rsqrtWide(long double x) { return 1 / std::sqrt(x); }

const Function kFunctions[] = {
    {"exp", std::exp, std::exp, 1.5, 1.5},       {"exp2", std::exp2, std::exp2, 1.5, 1.5},
    {"expm1", std::expm1, std::expm1, 2, 2},     {"log", std::log, std::log, 1.5, 1.5},
    {"log2", std::log2, std::log2, 1.5, 1.5},    {"log10", std::log10, std::log10, 2, 2},
    {"log1p", std::log1p, std::log1p, 2, 2},     {"tanh", std::tanh, std::tanh, 2.5, 2.5},
    {"sinh", std::sinh, std::sinh, 3.5, 3.5},    {"cosh", std::cosh, std::cosh, 3.5, 3.5},
    {"erf", std::erf, std::erf, 2, 2},           {"sin", std::sin, std::sin, 1.5, 1.5},
    {"cos", std::cos, std::cos, 1.5, 1.5},       {"tan", std::tan, std::tan, 3, 3},
    {"rsqrt", rsqrtSingle, rsqrtWide, 1.5, 1.5},
};

/// Applies the function to chunks of `lanes` elements.
std::string kernelText(const std::string &name, const std::string &type, int lanes) {
  std::string vector = "vector<" + std::to_string(lanes) + "x" + type + ">";
  return R"(
    func.func @apply(%x: !tile.ptr<)" +
         type + R"(>, %y: !tile.ptr<)" + type + R"(>, %n: i64)
        attributes {tile.kernel} {
      %lx = builtin.unrealized_conversion_cast %x : !tile.ptr<)" +
         type + R"(> to !llvm.ptr
      %ly = builtin.unrealized_conversion_cast %y : !tile.ptr<)" +
         type + R"(> to !llvm.ptr
      %zero = arith.constant 0 : i64
      %step = arith.constant )" +
         std::to_string(lanes) + R"( : i64
      scf.for %i = %zero to %n step %step : i64 {
        %px = llvm.getelementptr %lx[%i] : (!llvm.ptr, i64) -> !llvm.ptr, )" +
         type + R"(
        %py = llvm.getelementptr %ly[%i] : (!llvm.ptr, i64) -> !llvm.ptr, )" +
         type + R"(
        %v = llvm.load %px {alignment = 4 : i64} : !llvm.ptr -> )" +
         vector + R"(
        %r = math.)" +
         name + " %v : " + vector + R"(
        llvm.store %r, %py {alignment = 4 : i64} : )" +
         vector + R"(, !llvm.ptr
      }
      return
    })";
}

template <typename T> using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
template <typename T> using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;

/// |result - exact| in units of the last place of the result's format at `exact`.
template <typename T> double ulps(T result, Wide<T> exact) {
  if (std::isnan(exact))
    return std::isnan(result) ? 0 : INFINITY;
  T rounded = static_cast<T>(exact);
  if (std::isinf(rounded) || std::isinf(result))
    return rounded == result                             ? 0
           : (std::isinf(rounded) && std::isinf(result)) ? INFINITY
           : std::fabs(result) == std::numeric_limits<T>::max() ||
                   std::fabs(rounded) == std::numeric_limits<T>::max()
               ? 1
               : INFINITY;
  if (result == 0 && rounded == 0)
    return std::signbit(result) == std::signbit(rounded) ? 0 : INFINITY;
  int exponent = 0;
  std::frexp(exact, &exponent);
  int least = std::numeric_limits<T>::min_exponent, digits = std::numeric_limits<T>::digits;
  Wide<T> unit = std::ldexp(Wide<T>(1), std::max(exponent, least) - digits);
  return static_cast<double>(std::fabs(Wide<T>(result) - exact) / unit);
}

template <typename T> std::vector<T> samples(bool exhaustive, uint64_t block) {
  std::vector<T> x;
  if (exhaustive) {
    for (uint64_t i = 0; i != 1 << 20; ++i)
      x.push_back(std::bit_cast<T>(static_cast<Bits<T>>((block << 20) + i)));
    return x;
  }
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> near(-12, 12), unit(-1.5, 1.5), exponents(-746, 710);
  for (int i = 0; i != 1 << 16; ++i) {
    x.push_back(std::bit_cast<T>(static_cast<Bits<T>>(random())));
    x.push_back(static_cast<T>(near(random)));
    x.push_back(static_cast<T>(unit(random)));
    x.push_back(static_cast<T>(exponents(random)));
    x.push_back(static_cast<T>(exponents(random) / 7));
    x.push_back(static_cast<T>(1 + unit(random) * 0x1p-8));
    x.push_back(static_cast<T>(exponents(random) * 1000));
    x.push_back(static_cast<T>(i * (M_PI / 4)));
  }
  using Limits = std::numeric_limits<T>;
  for (T special :
       {T(0), Limits::denorm_min(), Limits::min(), T(1), Limits::max(), Limits::infinity(),
        Limits::quiet_NaN(), Limits::epsilon(), T(88.72284), T(709.782712893384), T(0.5)})
    for (T sign : {T(1), T(-1)})
      x.push_back(sign * special);
  x.resize((x.size() + 63) / 64 * 64, T(1));
  return x;
}

template <typename T>
void measure(const Function &function, Wide<T> (*reference)(Wide<T>), const char *type, int lanes,
             double bound) {
  Kernel kernel(kernelText(function.name, type, lanes));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  bool exhaustive = sizeof(T) == 4 && std::getenv("KILN_EXHAUSTIVE");
  double worst = 0;
  T at = 0, got = 0;
  for (uint64_t block = 0; block != (exhaustive ? 4096 : 1); ++block) {
    std::vector<T> x = samples<T>(exhaustive, block), y(x.size());
    ASSERT_EQ(kernel.run({slot(x.data()), slot(y.data()), slot(int64_t(x.size()))}), 0);
    for (size_t i = 0; i != x.size(); ++i) {
      double error = ulps<T>(y[i], reference(x[i]));
      if (error > worst) {
        worst = error;
        at = x[i];
        got = y[i];
      }
    }
  }
  std::printf("%-6s %s  %.3f ulp at %a (%a)\n", function.name, type, worst, double(at),
              double(got));
  EXPECT_LE(worst, bound) << function.name << " " << type << " at " << at;
}

class MathTest : public testing::TestWithParam<Function> {};

TEST_P(MathTest, F32) {
  measure<float>(GetParam(), GetParam().single, "f32", 16, GetParam().bound32);
}
TEST_P(MathTest, F64) {
  measure<double>(GetParam(), GetParam().wide, "f64", 8, GetParam().bound64);
}

INSTANTIATE_TEST_SUITE_P(Functions, MathTest, testing::ValuesIn(kFunctions),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
