//===- CpuDevice.cpp - kernels as shared objects, programs over threads ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A grid is cut in chunks of consecutive programs that threads take from a shared counter, in
// order. So when a program fails, all programs before it have been taken too and run to their end:
// the failure that is reported is that of the lowest program, whatever the number of threads.
//
// A launch that takes less time than it takes to wake other threads runs on the caller's. How long
// a program of the kernel takes is measured on the way.
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/drivers/cpu/CpuDevice.h"

#include "runtime/drivers/cpu/CpuExecutable.h"
#include "runtime/drivers/cpu/PrintFormat.h"
#include "runtime/launch/HostCpu.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace kiln::runtime {
namespace {

constexpr std::align_val_t alignment{64};

/// Launches below this stay on one thread: about what it takes to wake a sleeping one.
constexpr uint64_t inlineNanoseconds = 10'000;

/// A thread takes this part of its share of what is left: large chunks first, small ones at the
/// end, so that threads end at the same time and taking chunks costs next to nothing.
constexpr uint64_t chunksPerShare = 8;

/// No chunk takes less than this, or the counter would become the work.
constexpr uint64_t chunkNanoseconds = 1'000;

constexpr unsigned maxThreads = 4096;

uint64_t nanoseconds() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

/// Scratch memory of the calling thread: grows, is used again by the next launch, is freed with the
/// thread.
class ScratchArena {
public:
  ~ScratchArena() { ::operator delete(memory, alignment); }

  /// Null if there is not enough memory.
  uint8_t *reserve(size_t bytes) {
    if (bytes > capacity) {
      ::operator delete(memory, alignment);
      capacity = 0;
      memory = ::operator new(bytes, alignment, std::nothrow);
      if (memory)
        capacity = bytes;
    }
    return static_cast<uint8_t *>(memory);
  }

private:
  void *memory = nullptr;
  size_t capacity = 0;
};

thread_local ScratchArena scratchArena;

/// Where the lines of all kernels of a device go.
struct Printer {
  std::mutex mutex;
  PrintSink sink;

  void line(std::string_view text) {
    std::lock_guard lock(mutex);
    if (sink)
      return sink(text);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
  }
};

/// One launch: what kernels see of it comes first, so that services find the rest.
struct LaunchState {
  KilnLaunch launch;
  std::mutex mutex;
  bool failed = false;
  uint64_t failedProgram = 0;
  ErrorKind failureKind = ErrorKind::Assertion;
  std::string failure;

  /// Notes a failure, unless one of a program up to `last` is known already.
  void fail(ErrorKind kind, uint64_t program, uint64_t last, std::string text) {
    std::lock_guard lock(mutex);
    if (failed && failedProgram <= last)
      return;
    failed = true;
    failedProgram = program;
    failureKind = kind;
    failure = std::move(text);
  }
};

void printService(const KilnLaunch *launch, uint64_t program, const char *prefix,
                  uint64_t prefixSize, const int64_t *index, uint32_t rank,
                  const KilnPrintValue *values, uint32_t count, uint32_t hex) {
  static_cast<Printer *>(launch->services->user)
      ->line(formatPrintLine(launch->grid, program, {prefix, prefixSize}, {index, rank},
                             {values, count}, hex != 0));
}

void assertService(const KilnLaunch *launch, uint64_t program, const char *message, uint64_t size) {
  auto *state = reinterpret_cast<LaunchState *>(const_cast<KilnLaunch *>(launch));
  state->fail(ErrorKind::Assertion, program, program, std::string(message, size));
}

class CpuDevice final : public Device {
public:
  explicit CpuDevice(unsigned threads) { resize(threads); }
  ~CpuDevice() override { releaseMemory(); }

  DeviceProperties properties() const override {
    const HostCpu &host = hostCpu();
    return {.name = "cpu",
            .description = host.name,
            .threads = threadCount.load(std::memory_order_relaxed),
            .cacheBytes = host.cacheBytes};
  }

  /// A launch returns when it is done.
  Result<void> synchronise() override { return {}; }

  Result<void> setThreads(unsigned threads) override {
    if (threads > maxThreads)
      return makeError(ErrorKind::Invalid, "threads", "are " + std::to_string(threads),
                       "at most " + std::to_string(maxThreads));
    resize(threads);
    return {};
  }

  void setPrintSink(PrintSink sink) override {
    std::lock_guard lock(printer.mutex);
    printer.sink = std::move(sink);
  }

protected:
  Result<void *> allocateMemory(size_t bytes) override {
    void *memory = ::operator new(bytes, alignment, std::nothrow);
    if (!memory)
      return makeError(ErrorKind::System, "device 'cpu'",
                       "cannot allocate " + std::to_string(bytes) + " bytes");
    return memory;
  }

  void freeMemory(void *memory, size_t) override { ::operator delete(memory, alignment); }

  Result<void> copyMemory(void *target, const void *source, size_t bytes) override {
    if (bytes)
      std::memmove(target, source, bytes);
    return {};
  }

  Result<std::shared_ptr<Executable>> loadImage(const Image &image) override {
    return CpuExecutable::load(id(), image);
  }

  Result<void> launchPrograms(const Executable &executable, const uint32_t (&grid)[3],
                              uint64_t programs, std::span<const uint64_t> args,
                              std::span<const ArgumentSpan> spans) override;

private:
  void resize(unsigned threads) {
    unsigned count = threads ? threads : hostCpu().threads;
    auto made = std::make_shared<tbb::task_arena>(static_cast<int>(count));
    std::lock_guard lock(arenaMutex);
    // More threads than the machine runs at a time have to be asked for.
    moreWorkers.reset();
    if (count > static_cast<unsigned>(tbb::info::default_concurrency()))
      moreWorkers = std::make_unique<tbb::global_control>(
          tbb::global_control::max_allowed_parallelism, count);
    arena = std::move(made);
    threadCount.store(count, std::memory_order_relaxed);
  }

  std::shared_ptr<tbb::task_arena> currentArena() const {
    std::lock_guard lock(arenaMutex);
    return arena;
  }

  /// Runs the programs [begin, end) on this thread; false if one failed.
  static bool runRange(const CpuExecutable &kernel, LaunchState &state, const uint64_t *args,
                       uint64_t begin, uint64_t end) {
    uint8_t *scratch = nullptr;
    if (size_t bytes = kernel.scratchBytes()) {
      scratch = scratchArena.reserve(bytes);
      if (!scratch) {
        state.fail(ErrorKind::System, begin, begin,
                   "no memory for " + std::to_string(bytes) + " bytes of scratch");
        return false;
      }
    }
    int32_t status = kernel.function()(&state.launch, args, begin, end, scratch);
    if (status == KILN_STATUS_OK) [[likely]]
      return true;
    // A failed assertion was reported by its service before.
    state.fail(ErrorKind::Assertion, begin, status == KILN_STATUS_ASSERT ? end - 1 : begin,
               "the kernel returned status " + std::to_string(status));
    return false;
  }

  static void runInline(const CpuExecutable &kernel, LaunchState &state, const uint64_t *args,
                        uint64_t begin, uint64_t end) {
    uint64_t start = nanoseconds();
    if (runRange(kernel, state, args, begin, end))
      kernel.programCost().store(1 + (nanoseconds() - start) / (end - begin),
                                 std::memory_order_relaxed);
  }

  static void runParallel(const CpuExecutable &kernel, LaunchState &state, const uint64_t *args,
                          uint64_t begin, uint64_t end, tbb::task_arena &arena, uint64_t threads);

  void runGrid(const CpuExecutable &kernel, LaunchState &state, const uint64_t *args,
               uint64_t programs, uint64_t threads) const;

  mutable std::mutex arenaMutex;
  std::unique_ptr<tbb::global_control> moreWorkers; ///< guarded by arenaMutex, as is `arena`
  std::shared_ptr<tbb::task_arena> arena;
  std::atomic<unsigned> threadCount{1};
  Printer printer;
  KilnServices services{&printer, printService, assertService};
};

void CpuDevice::runParallel(const CpuExecutable &kernel, LaunchState &state, const uint64_t *args,
                            uint64_t begin, uint64_t end, tbb::task_arena &arena,
                            uint64_t threads) {
  uint64_t workers = std::min(threads, end - begin);
  uint64_t cost = std::max<uint64_t>(1, kernel.programCost().load(std::memory_order_relaxed));
  uint64_t smallest = std::max<uint64_t>(1, chunkNanoseconds / cost);
  std::atomic<uint64_t> next{begin};
  std::atomic<uint64_t> busy{0};
  std::atomic<bool> stop{false};
  auto work = [&](uint64_t) {
    uint64_t start = nanoseconds();
    while (!stop.load(std::memory_order_relaxed)) {
      uint64_t first = next.load(std::memory_order_relaxed), last;
      do {
        uint64_t left = end - first;
        last = first + std::min(left, std::max(smallest, left / (workers * chunksPerShare)));
      } while (!next.compare_exchange_weak(first, last, std::memory_order_relaxed));
      if (first == last)
        break;
      if (!runRange(kernel, state, args, first, last))
        stop.store(true, std::memory_order_relaxed);
    }
    busy.fetch_add(nanoseconds() - start, std::memory_order_relaxed);
  };
  arena.execute([&] { tbb::parallel_for(uint64_t(0), workers, work, tbb::simple_partitioner()); });
  if (!stop.load(std::memory_order_relaxed))
    kernel.programCost().store(1 + busy.load(std::memory_order_relaxed) / (end - begin),
                               std::memory_order_relaxed);
}

void CpuDevice::runGrid(const CpuExecutable &kernel, LaunchState &state, const uint64_t *args,
                        uint64_t programs, uint64_t threads) const {
  uint64_t begin = 0;
  uint64_t cost = kernel.programCost().load(std::memory_order_relaxed);
  if (cost == 0) { // the first launch of this kernel: time one program
    runInline(kernel, state, args, 0, 1);
    if (state.failed)
      return;
    begin = 1;
    cost = kernel.programCost().load(std::memory_order_relaxed);
  }
  uint64_t left = programs - begin;
  if (left == 1 || left <= inlineNanoseconds / cost)
    runInline(kernel, state, args, begin, programs);
  else
    runParallel(kernel, state, args, begin, programs, *currentArena(), threads);
}

Result<void> CpuDevice::launchPrograms(const Executable &executable, const uint32_t (&grid)[3],
                                       uint64_t programs, std::span<const uint64_t> args,
                                       std::span<const ArgumentSpan>) {
  const auto &kernel = static_cast<const CpuExecutable &>(executable);
  LaunchState state;
  state.launch = {{grid[0], grid[1], grid[2]}, 0, &services};
  uint64_t threads = threadCount.load(std::memory_order_relaxed);
  if (programs == 1 || threads == 1) {
    runRange(kernel, state, args.data(), 0, programs);
  } else {
    try {
      runGrid(kernel, state, args.data(), programs, threads);
    } catch (const std::exception &exception) { // no memory or no thread
      return makeError(ErrorKind::System, "device 'cpu'",
                       std::string("cannot spread programs over threads: ") + exception.what());
    }
  }
  if (!state.failed) [[likely]]
    return {};
  return makeError(state.failureKind, "kernel '" + kernel.name() + "'",
                   "failed in program " + programText(grid, state.failedProgram) + ": " +
                       state.failure);
}

} // namespace

Result<std::shared_ptr<Device>> createCpuDevice(unsigned threads) {
  if (threads > maxThreads)
    return makeError(ErrorKind::Invalid, "threads", "are " + std::to_string(threads),
                     "at most " + std::to_string(maxThreads));
  return std::shared_ptr<Device>(std::make_shared<CpuDevice>(threads));
}

} // namespace kiln::runtime
