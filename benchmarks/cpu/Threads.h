//===- Threads.h - split work over a fixed number of threads ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_BENCHMARKS_CPU_THREADS_H
#define KILN_BENCHMARKS_CPU_THREADS_H

#include <cstdint>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace kiln::bench {

/// Calls `work(begin, end)` on equal pieces of [0, size) whose borders are multiples of `grain`.
template <typename Work> void split(uint64_t size, uint64_t grain, int threads, Work work) {
  if (threads <= 1)
    return work(uint64_t(0), size);
  auto border = [&](uint64_t piece) {
    return piece == uint64_t(threads) ? size : size * piece / uint64_t(threads) / grain * grain;
  };
  static thread_local tbb::task_arena arena(threads);
  if (arena.max_concurrency() != threads) {
    arena.terminate();
    arena.initialize(threads);
  }
  arena.execute([&] {
    tbb::parallel_for(
        0, threads, [&](int piece) { work(border(uint64_t(piece)), border(uint64_t(piece) + 1)); },
        tbb::static_partitioner());
  });
}

} // namespace kiln::bench

#endif // KILN_BENCHMARKS_CPU_THREADS_H
