//===- NullDevice.h - a device that computes nothing -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Records its launches. Memory is the host's, so that copies work. Copy this folder to begin a new
// driver.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_DRIVERS_NULL_NULLDEVICE_H
#define KILN_RUNTIME_DRIVERS_NULL_NULLDEVICE_H

#include "runtime/device/Device.h"

#include <array>
#include <mutex>

namespace kiln::runtime {

class NullDevice final : public Device {
public:
  struct Launch {
    std::string kernel;
    std::array<uint32_t, 3> grid;
    std::vector<uint64_t> args;
  };

  ~NullDevice() override;

  /// The launches so far, oldest first; at most the last `maxLaunches`.
  std::vector<Launch> launches() const;
  static constexpr size_t maxLaunches = 1024;

  DeviceProperties properties() const override;
  Result<void> synchronise() override { return {}; }
  Result<void> setThreads(unsigned threads) override;
  void setPrintSink(PrintSink) override {} // kernels do not run, so nothing is printed

protected:
  Result<void *> allocateMemory(size_t bytes) override;
  void freeMemory(void *memory, size_t bytes) override;
  Result<void> copyMemory(void *target, const void *source, size_t bytes) override;
  Result<std::shared_ptr<Executable>> loadImage(const Image &image) override;
  Result<void> launchPrograms(const Executable &executable, const uint32_t (&grid)[3],
                              uint64_t programs, std::span<const uint64_t> args,
                              std::span<const ArgumentSpan> spans) override;

private:
  mutable std::mutex mutex;
  std::vector<Launch> recorded;
};

std::shared_ptr<Device> createNullDevice();

} // namespace kiln::runtime

#endif // KILN_RUNTIME_DRIVERS_NULL_NULLDEVICE_H
