//===- Avx2.cpp - the row kernels with 256-bit vectors ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "benchmarks/cpu/reference/RowKernels.h"

#include <immintrin.h>

namespace kiln::bench {
namespace {

struct Avx2 {
  using Vec = __m256;
  static constexpr uint64_t kLanes = 8;
  static Vec load(const float *from) { return _mm256_loadu_ps(from); }
  static void store(float *to, Vec value) { _mm256_storeu_ps(to, value); }
  static Vec set(float value) { return _mm256_set1_ps(value); }
  static Vec add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
  static Vec sub(Vec a, Vec b) { return _mm256_sub_ps(a, b); }
  static Vec mul(Vec a, Vec b) { return _mm256_mul_ps(a, b); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
  static Vec max(Vec a, Vec b) { return _mm256_max_ps(a, b); }
  static Vec round(Vec a) {
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  /// Adds the exponent to the bits: right while the result is a normal number, which exp's clamp
  /// ensures.
  static Vec scale(Vec a, Vec exponent) {
    __m256i shift = _mm256_slli_epi32(_mm256_cvtps_epi32(exponent), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), shift));
  }
  static Vec exp(Vec a) { return expByPieces<Avx2>(a); }
  static __m128 fold(__m128 low, __m128 high, __m128 (*op)(__m128, __m128)) {
    __m128 four = op(low, high);
    __m128 two = op(four, _mm_movehl_ps(four, four));
    return op(two, _mm_shuffle_ps(two, two, 1));
  }
  static float sum(Vec a) {
    return _mm_cvtss_f32(fold(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1),
                              [](__m128 x, __m128 y) { return _mm_add_ps(x, y); }));
  }
  static float largest(Vec a) {
    return _mm_cvtss_f32(fold(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1),
                              [](__m128 x, __m128 y) { return _mm_max_ps(x, y); }));
  }
};

} // namespace

const RowKernelTable kAvx2Kernels = RowKernels<Avx2>::table();

} // namespace kiln::bench
