//===- NullDevice.cpp - a device that computes nothing -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/drivers/null/NullDevice.h"

#include "runtime/base/ElfFile.h"
#include "runtime/base/File.h"

#include <cstring>
#include <new>

namespace kiln::runtime {
namespace {

class NullExecutable final : public Executable {
public:
  NullExecutable(uint64_t device, const Image &image)
      : Executable(device, image.name, image.argCount) {}
};

} // namespace

NullDevice::~NullDevice() { releaseMemory(); }

DeviceProperties NullDevice::properties() const {
  return {.name = "null",
          .description = "records launches and computes nothing",
          .hostAddresses = true,
          .computes = false};
}

Result<void> NullDevice::setThreads(unsigned) {
  return makeError(ErrorKind::Unsupported, "device 'null'",
                   "runs no programs, so it has no threads");
}

std::vector<NullDevice::Launch> NullDevice::launches() const {
  std::lock_guard lock(mutex);
  return recorded;
}

Result<void *> NullDevice::allocateMemory(size_t bytes) {
  void *memory = ::operator new(bytes, std::nothrow);
  if (!memory)
    return makeError(ErrorKind::System, "device 'null'",
                     "cannot allocate " + std::to_string(bytes) + " bytes");
  return memory;
}

void NullDevice::freeMemory(void *memory, size_t) { ::operator delete(memory); }

Result<void> NullDevice::copyMemory(void *target, const void *source, size_t bytes) {
  if (bytes)
    std::memmove(target, source, bytes);
  return {};
}

Result<std::shared_ptr<Executable>> NullDevice::loadImage(const Image &image) {
  // The image is not used, but a file that could not be loaded elsewhere is not accepted here
  // either.
  if (!image.path.empty()) {
    Result<FileDescriptor> file = openForReading(image.path);
    if (!file)
      return file.takeError();
    if (Result<void> checked = checkSharedObject(file->get(), image.path); !checked)
      return checked.takeError();
  }
  return std::shared_ptr<Executable>(std::make_shared<NullExecutable>(id(), image));
}

Result<void> NullDevice::launchPrograms(const Executable &executable, const uint32_t (&grid)[3],
                                        uint64_t, std::span<const uint64_t> args,
                                        std::span<const ArgumentSpan>) {
  std::lock_guard lock(mutex);
  if (recorded.size() == maxLaunches)
    recorded.erase(recorded.begin());
  recorded.push_back({executable.name(), {grid[0], grid[1], grid[2]}, {args.begin(), args.end()}});
  return {};
}

std::shared_ptr<Device> createNullDevice() { return std::make_shared<NullDevice>(); }

} // namespace kiln::runtime
