//===- Avx512.cpp - the row kernels with 512-bit vectors -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "benchmarks/cpu/reference/RowKernels.h"

#include <immintrin.h>

namespace kiln::bench {
namespace {

struct Avx512 {
  using Vec = __m512;
  static constexpr uint64_t kLanes = 16;
  static Vec load(const float *from) { return _mm512_loadu_ps(from); }
  static void store(float *to, Vec value) { _mm512_storeu_ps(to, value); }
  static Vec set(float value) { return _mm512_set1_ps(value); }
  static Vec add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
  static Vec sub(Vec a, Vec b) { return _mm512_sub_ps(a, b); }
  static Vec mul(Vec a, Vec b) { return _mm512_mul_ps(a, b); }
  static Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
  static Vec max(Vec a, Vec b) { return _mm512_max_ps(a, b); }
  static Vec round(Vec a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT); }
  static Vec scale(Vec a, Vec exponent) { return _mm512_scalef_ps(a, exponent); }
  static Vec exp(Vec a) { return expByPieces<Avx512>(a); }
  static float sum(Vec a) { return _mm512_reduce_add_ps(a); }
  static float largest(Vec a) { return _mm512_reduce_max_ps(a); }
};

} // namespace

const RowKernelTable kAvx512Kernels = RowKernels<Avx512>::table();

} // namespace kiln::bench
