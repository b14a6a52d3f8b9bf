//===- Bench.h - native helpers of the CPU benchmarks ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A C interface for ctypes. `threads` is how many threads share the work, the caller included;
// pieces are contiguous and equal, as the kernels under test get them.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_BENCHMARKS_CPU_BENCH_H
#define KILN_BENCHMARKS_CPU_BENCH_H

#include <cstddef>
#include <cstdint>

extern "C" {
/// Copies with the C library's memcpy.
void kilnBenchMemcpy(void *to, const void *from, uint64_t bytes, int threads);
/// Copies with 32-byte stores that bypass the caches. Both addresses are multiples of 64.
void kilnBenchStreamCopy(void *to, const void *from, uint64_t bytes, int threads);

/// Hand-written kernels; matrices are dense, row by row.
void kilnBenchVectorAdd(float *out, const float *x, const float *y, uint64_t size, int threads);
void kilnBenchSoftmax(float *out, const float *x, uint64_t rows, uint64_t columns, int threads);
void kilnBenchLayerNorm(float *out, const float *x, const float *weight, const float *bias,
                        uint64_t rows, uint64_t columns, float eps, int threads);
/// "avx512" or "avx2": what the kernels above use on this machine.
const char *kilnBenchReferenceLevel(void);
}

#endif // KILN_BENCHMARKS_CPU_BENCH_H
