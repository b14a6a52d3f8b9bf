//===- Device.cpp - the checks that all devices share ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/device/Device.h"

#include <atomic>
#include <chrono>

namespace kiln::runtime {
namespace {

// A product of grid limits, far below what the counter of programs holds.
constexpr uint64_t mostPrograms = uint64_t(1) << 62;

// More than any machine has: sums of offsets and sizes do not overflow.
constexpr size_t mostBytes = size_t(1) << 47;

uint64_t nextDeviceId() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Error badGrid(const char *axis, int64_t found, std::string expected) {
  return makeError(ErrorKind::Invalid, "grid",
                   "has " + std::to_string(found) + " programs along " + axis, std::move(expected));
}

} // namespace

Executable::~Executable() = default;

OwnedBuffer::~OwnedBuffer() {
  // A handle that was freed by hand in the meantime is an error that nobody is left to hear.
  if (owner)
    (void)owner->free(handle);
}

Device::Device() : deviceId(nextDeviceId()) {}
Device::~Device() = default;

Result<Buffer> Device::allocate(size_t bytes) {
  if (bytes > mostBytes)
    return makeError(ErrorKind::Invalid, "buffer", "of " + std::to_string(bytes) + " bytes",
                     "at most " + std::to_string(mostBytes));
  Result<void *> memory = allocateMemory(bytes);
  if (!memory)
    return memory.takeError();
  return buffers.insert(deviceId, *memory, bytes);
}

Result<void> Device::free(const Buffer &buffer) {
  Result<void *> memory = buffers.remove(deviceId, buffer);
  if (!memory)
    return memory.takeError();
  freeMemory(*memory, buffer.bytes);
  return {};
}

Result<void> Device::copyTo(const Buffer &target, size_t offset, const void *source, size_t bytes) {
  Result<void *> memory = buffers.resolve(deviceId, target, offset, bytes);
  if (!memory)
    return memory.takeError();
  return copyMemory(*memory, source, bytes);
}

Result<void> Device::copyFrom(void *target, const Buffer &source, size_t offset, size_t bytes) {
  Result<void *> memory = buffers.resolve(deviceId, source, offset, bytes);
  if (!memory)
    return memory.takeError();
  return copyMemory(target, *memory, bytes);
}

Result<void> Device::copyWithin(const Buffer &target, size_t targetOffset, const Buffer &source,
                                size_t sourceOffset, size_t bytes) {
  Result<void *> to = buffers.resolve(deviceId, target, targetOffset, bytes);
  if (!to)
    return to.takeError();
  Result<void *> from = buffers.resolve(deviceId, source, sourceOffset, bytes);
  if (!from)
    return from.takeError();
  return copyMemory(*to, *from, bytes);
}

Result<uint64_t> Device::address(const Buffer &buffer) const {
  Result<void *> memory = buffers.resolve(deviceId, buffer, 0, buffer.bytes);
  if (!memory)
    return memory.takeError();
  return reinterpret_cast<uint64_t>(*memory);
}

Result<std::shared_ptr<Executable>> Device::load(const Image &image) {
  if (image.path.empty() && image.bytes.empty())
    return makeError(ErrorKind::Invalid, "image of kernel '" + image.name + "'", "is empty");
  return loadImage(image);
}

Result<void> Device::launch(const Executable &executable, const Grid &grid,
                            std::span<const uint64_t> args, std::span<const ArgumentSpan> spans) {
  if (executable.device() != deviceId)
    return makeError(ErrorKind::Invalid, "kernel '" + executable.name() + "'",
                     "was loaded on device " + std::to_string(executable.device()),
                     "a kernel of device " + std::to_string(deviceId));
  if (executable.argCount() && *executable.argCount() != args.size())
    return makeError(ErrorKind::Invalid, "kernel '" + executable.name() + "'",
                     "got " + std::to_string(args.size()) + " arguments",
                     std::to_string(*executable.argCount()));
  if (!spans.empty() && spans.size() != args.size())
    return makeError(ErrorKind::Invalid, "kernel '" + executable.name() + "'",
                     "got " + std::to_string(spans.size()) + " spans", "one per argument, or none");
  constexpr const char *axes[] = {"x", "y", "z"};
  const int64_t extents[] = {grid.x, grid.y, grid.z};
  uint32_t checked[3];
  uint64_t programs = 1;
  for (int axis = 0; axis < 3; ++axis) {
    int64_t extent = extents[axis];
    if (extent < 0)
      return badGrid(axes[axis], extent, "0 or more");
    // Also where an axis that follows is empty: whether a launch is refused must not depend on the
    // other axes.
    if (static_cast<uint64_t>(extent) > gridLimits[axis])
      return badGrid(axes[axis], extent, "at most " + std::to_string(gridLimits[axis]));
    checked[axis] = static_cast<uint32_t>(extent);
    if (__builtin_mul_overflow(programs, static_cast<uint64_t>(extent), &programs) ||
        programs > mostPrograms)
      return makeError(ErrorKind::Invalid, "grid", "has more than 2^62 programs");
  }
  if (programs == 0)
    return {};
  return launchPrograms(executable, checked, programs, args, spans);
}

Result<Event> Device::recordEvent() {
  if (Result<void> done = synchronise(); !done)
    return done.takeError();
  return Event{deviceId, now()};
}

Result<void> Device::wait(const Event &event) {
  if (event.device != deviceId)
    return makeError(ErrorKind::Invalid, "event", "was recorded by another device");
  return synchronise();
}

Result<double> Device::elapsedMilliseconds(const Event &from, const Event &to) const {
  if (from.device != deviceId || to.device != deviceId)
    return makeError(ErrorKind::Invalid, "event", "was recorded by another device");
  return static_cast<double>(to.nanoseconds - from.nanoseconds) * 1e-6;
}

void Device::setCancelCheck(std::function<bool()>) {}

Result<void> Device::configure(std::string_view) {
  return makeError(ErrorKind::Invalid, "device '" + properties().name + "'", "has no settings");
}

std::string Device::launchReport() const { return {}; }

std::optional<ArgumentSpan> Device::allocationOf(uint64_t address) const {
  std::optional<std::pair<void *, size_t>> found = buffers.holding(address);
  if (!found)
    return std::nullopt;
  auto begin = reinterpret_cast<uint64_t>(found->first);
  return ArgumentSpan{begin, begin + found->second};
}

void Device::releaseMemory() {
  for (auto [memory, bytes] : buffers.clear())
    freeMemory(memory, bytes);
}

} // namespace kiln::runtime
