//===- Copy.cpp - the two copies that bound memory-limited kernels ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "benchmarks/cpu/Bench.h"
#include "benchmarks/cpu/Threads.h"

#include <cstring>
#include <immintrin.h>

namespace {

constexpr uint64_t kLine = 64;

void streamCopy(char *to, const char *from, uint64_t bytes) {
  uint64_t whole = bytes / kLine * kLine;
  for (uint64_t at = 0; at < whole; at += kLine) {
    __m256i low = _mm256_load_si256(reinterpret_cast<const __m256i *>(from + at));
    __m256i high = _mm256_load_si256(reinterpret_cast<const __m256i *>(from + at + 32));
    _mm256_stream_si256(reinterpret_cast<__m256i *>(to + at), low);
    _mm256_stream_si256(reinterpret_cast<__m256i *>(to + at + 32), high);
  }
  std::memcpy(to + whole, from + whole, bytes - whole);
  _mm_sfence();
}

} // namespace

void kilnBenchMemcpy(void *to, const void *from, uint64_t bytes, int threads) {
  kiln::bench::split(bytes, kLine, threads, [&](uint64_t begin, uint64_t end) {
    std::memcpy(static_cast<char *>(to) + begin, static_cast<const char *>(from) + begin,
                end - begin);
  });
}

void kilnBenchStreamCopy(void *to, const void *from, uint64_t bytes, int threads) {
  kiln::bench::split(bytes, kLine, threads, [&](uint64_t begin, uint64_t end) {
    streamCopy(static_cast<char *>(to) + begin, static_cast<const char *>(from) + begin,
               end - begin);
  });
}
