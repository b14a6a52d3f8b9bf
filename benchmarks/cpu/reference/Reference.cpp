//===- Reference.cpp - the hand-written kernels behind a C interface --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "benchmarks/cpu/Bench.h"
#include "benchmarks/cpu/Threads.h"
#include "benchmarks/cpu/reference/RowKernels.h"

using namespace kiln::bench;

namespace {

bool hasAvx512() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  return has;
}

const RowKernelTable &kernels() { return hasAvx512() ? kAvx512Kernels : kAvx2Kernels; }

} // namespace

const char *kilnBenchReferenceLevel(void) { return hasAvx512() ? "avx512" : "avx2"; }

void kilnBenchVectorAdd(float *out, const float *x, const float *y, uint64_t size, int threads) {
  split(size, 16, threads,
        [&](uint64_t begin, uint64_t end) { kernels().add(out, x, y, begin, end); });
}

void kilnBenchSoftmax(float *out, const float *x, uint64_t rows, uint64_t columns, int threads) {
  split(rows, 1, threads,
        [&](uint64_t begin, uint64_t end) { kernels().softmax(out, x, begin, end, columns); });
}

void kilnBenchLayerNorm(float *out, const float *x, const float *weight, const float *bias,
                        uint64_t rows, uint64_t columns, float eps, int threads) {
  split(rows, 1, threads, [&](uint64_t begin, uint64_t end) {
    kernels().layerNorm(out, x, weight, bias, begin, end, columns, eps);
  });
}
