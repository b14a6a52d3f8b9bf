//===- RowKernels.h - hand-written row kernels over an instruction set ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The yardstick for arrays that fit the caches: what a careful programmer writes with intrinsics.
// `Simd` names one instruction set: Vec, kLanes, load, store, set, add, sub, mul, fma (a * b + c),
// max, exp, sum, largest. Rows of any length: whole vectors, then one lane at a time.
//
// Accuracy as usual for such code: exp within 2 ulp, sums in four partial vectors.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_BENCHMARKS_CPU_REFERENCE_ROWKERNELS_H
#define KILN_BENCHMARKS_CPU_REFERENCE_ROWKERNELS_H

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kiln::bench {

/// One instruction set's kernels over the rows or elements [begin, end).
struct RowKernelTable {
  void (*add)(float *out, const float *x, const float *y, uint64_t begin, uint64_t end);
  void (*softmax)(float *out, const float *x, uint64_t begin, uint64_t end, uint64_t columns);
  void (*layerNorm)(float *out, const float *x, const float *weight, const float *bias,
                    uint64_t begin, uint64_t end, uint64_t columns, float eps);
};

extern const RowKernelTable kAvx2Kernels;
extern const RowKernelTable kAvx512Kernels;

template <typename Simd> struct RowKernels {
  using Vec = typename Simd::Vec;
  static constexpr uint64_t kLanes = Simd::kLanes;
  static constexpr uint64_t kChains = 4; // independent partial results hide the latency of adds

  static void add(float *out, const float *x, const float *y, uint64_t begin, uint64_t end) {
    uint64_t at = begin;
    for (; at + 2 * kLanes <= end; at += 2 * kLanes) {
      Vec first = Simd::add(Simd::load(x + at), Simd::load(y + at));
      Vec second = Simd::add(Simd::load(x + at + kLanes), Simd::load(y + at + kLanes));
      Simd::store(out + at, first);
      Simd::store(out + at + kLanes, second);
    }
    for (; at < end; ++at)
      out[at] = x[at] + y[at];
  }

  /// Folds `step(vector, partial)` over whole groups of kChains vectors; returns where it stopped.
  template <typename Step>
  static uint64_t fold(uint64_t columns, Vec (&partial)[kChains], Step step) {
    uint64_t at = 0;
    for (; at + kChains * kLanes <= columns; at += kChains * kLanes)
      for (uint64_t chain = 0; chain < kChains; ++chain)
        partial[chain] = step(at + chain * kLanes, partial[chain]);
    for (; at + kLanes <= columns; at += kLanes)
      partial[0] = step(at, partial[0]);
    return at;
  }

  static float total(const Vec (&partial)[kChains]) {
    return Simd::sum(
        Simd::add(Simd::add(partial[0], partial[1]), Simd::add(partial[2], partial[3])));
  }

  static void softmaxRow(float *out, const float *x, uint64_t columns) {
    Vec partial[kChains];
    std::fill_n(partial, kChains, Simd::set(-INFINITY));
    uint64_t at = fold(columns, partial,
                       [&](uint64_t i, Vec part) { return Simd::max(part, Simd::load(x + i)); });
    float largest = Simd::largest(
        Simd::max(Simd::max(partial[0], partial[1]), Simd::max(partial[2], partial[3])));
    for (; at < columns; ++at)
      largest = std::max(largest, x[at]);

    Vec shift = Simd::set(largest);
    std::fill_n(partial, kChains, Simd::set(0.0f));
    at = fold(columns, partial, [&](uint64_t i, Vec part) {
      Vec value = Simd::exp(Simd::sub(Simd::load(x + i), shift));
      Simd::store(out + i, value);
      return Simd::add(part, value);
    });
    float sum = total(partial);
    for (; at < columns; ++at)
      sum += out[at] = std::exp(x[at] - largest);

    float inverse = 1.0f / sum;
    Vec scale = Simd::set(inverse);
    for (at = 0; at + kLanes <= columns; at += kLanes)
      Simd::store(out + at, Simd::mul(Simd::load(out + at), scale));
    for (; at < columns; ++at)
      out[at] *= inverse;
  }

  static void layerNormRow(float *out, const float *x, const float *weight, const float *bias,
                           uint64_t columns, float eps) {
    Vec partial[kChains];
    std::fill_n(partial, kChains, Simd::set(0.0f));
    uint64_t at = fold(columns, partial,
                       [&](uint64_t i, Vec part) { return Simd::add(part, Simd::load(x + i)); });
    float sum = total(partial);
    for (; at < columns; ++at)
      sum += x[at];
    float mean = sum / float(columns);

    Vec shift = Simd::set(mean);
    std::fill_n(partial, kChains, Simd::set(0.0f));
    at = fold(columns, partial, [&](uint64_t i, Vec part) {
      Vec centred = Simd::sub(Simd::load(x + i), shift);
      return Simd::fma(centred, centred, part);
    });
    float squares = total(partial);
    for (; at < columns; ++at)
      squares += (x[at] - mean) * (x[at] - mean);

    float rstd = 1.0f / std::sqrt(squares / float(columns) + eps);
    Vec scale = Simd::set(rstd);
    for (at = 0; at + kLanes <= columns; at += kLanes) {
      Vec normed = Simd::mul(Simd::sub(Simd::load(x + at), shift), scale);
      Simd::store(out + at, Simd::fma(normed, Simd::load(weight + at), Simd::load(bias + at)));
    }
    for (; at < columns; ++at)
      out[at] = (x[at] - mean) * rstd * weight[at] + bias[at];
  }

  static void softmax(float *out, const float *x, uint64_t begin, uint64_t end, uint64_t columns) {
    for (uint64_t row = begin; row < end; ++row)
      softmaxRow(out + row * columns, x + row * columns, columns);
  }

  static void layerNorm(float *out, const float *x, const float *weight, const float *bias,
                        uint64_t begin, uint64_t end, uint64_t columns, float eps) {
    for (uint64_t row = begin; row < end; ++row)
      layerNormRow(out + row * columns, x + row * columns, weight, bias, columns, eps);
  }

  static constexpr RowKernelTable table() { return {add, softmax, layerNorm}; }
};

/// exp(x) = 2^n * e^r with n = round(x / ln 2), |r| <= ln 2 / 2: ln 2 in two pieces keeps r exact,
/// and the Taylor terms up to r^7 leave less than half an ulp. The smallest results flush to zero.
template <typename Simd> typename Simd::Vec expByPieces(typename Simd::Vec x) {
  auto set = [](float value) { return Simd::set(value); };
  x = Simd::max(x, set(-87.0f));
  auto n = Simd::round(Simd::mul(x, set(1.44269504f)));
  auto r = Simd::fma(n, set(-0.693359375f), x);
  r = Simd::fma(n, set(2.12194440e-4f), r);
  auto p = set(1.0f / 5040);
  for (float coefficient : {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f})
    p = Simd::fma(p, r, set(coefficient));
  return Simd::scale(p, n);
}

} // namespace kiln::bench

#endif // KILN_BENCHMARKS_CPU_REFERENCE_ROWKERNELS_H
