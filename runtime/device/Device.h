//===- Device.h - what a device is to the rest of Kiln ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The one interface of all drivers: memory, loadable images, launches, events. A driver derives
// from Device and fills in the parts below "for drivers"; everything that is the same for all of
// them (checks of handles, ranges, grids and argument counts) is done here once. All functions may
// be called from several threads.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_DEVICE_DEVICE_H
#define KILN_RUNTIME_DEVICE_DEVICE_H

#include "runtime/base/Result.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/BufferTable.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kiln::runtime {

struct DeviceProperties {
  std::string name = {};        ///< of the driver: "cpu"
  std::string description = {}; ///< for people
  unsigned threads = 1;         ///< programs that run at a time
  uint64_t cacheBytes = 0;      ///< of the last level of cache; 0 if unknown
  bool hostAddresses = true;    ///< kernels take addresses of host memory
  bool computes = true;         ///< false: launches are recorded only
  std::string codeKey = {};     ///< what its code depends on besides its name; part of cache keys
};

/// Programs along x, y, z. Zero along any axis is an empty launch.
struct Grid {
  int64_t x = 1, y = 1, z = 1;
};

/// What to load: a file or bytes in memory, with what is known about it.
struct Image {
  std::string path = {};                 ///< a file, or empty
  std::span<const std::byte> bytes = {}; ///< read during the call only; used if `path` is empty
  std::string name = {};                 ///< of the kernel, for messages
  std::optional<uint32_t> argCount = {}; ///< checked against the image if it says so too
};

/// A loaded kernel. Stays usable as long as it is held; belongs to the device that loaded it.
class Executable {
public:
  virtual ~Executable();
  const std::string &name() const { return kernelName; }
  uint64_t device() const { return deviceId; }
  /// Slots of the argument block; nothing where neither the image nor its loader knew.
  std::optional<uint32_t> argCount() const { return slots; }

protected:
  Executable(uint64_t deviceId, std::string name, std::optional<uint32_t> slots)
      : deviceId(deviceId), slots(slots), kernelName(std::move(name)) {}

private:
  uint64_t deviceId;
  std::optional<uint32_t> slots;
  std::string kernelName;
};

/// A point in the work of a device.
struct Event {
  uint64_t device = 0;
  int64_t nanoseconds = 0; ///< on the clock of the device
};

/// The bytes [begin, end) that belong to the array of one slot of the argument block; an end of 0
/// where the slot is a scalar or nothing is known.
struct ArgumentSpan {
  uint64_t begin = 0, end = 0;
};

/// Takes a line of `device_print`, without the line's end. Called by several threads, one at a
/// time.
using PrintSink = std::function<void(std::string_view line)>;

/// Programs along x, y, z that a launch may have: program ids are 32-bit signed integers in
/// kernels.
inline constexpr uint64_t gridLimits[3] = {INT32_MAX, INT32_MAX, INT32_MAX};

class Device {
public:
  virtual ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// Unique in the process, never 0, never used again.
  uint64_t id() const { return deviceId; }
  virtual DeviceProperties properties() const = 0;

  Result<Buffer> allocate(size_t bytes);
  Result<void> free(const Buffer &buffer);
  Result<void> copyTo(const Buffer &target, size_t offset, const void *source, size_t bytes);
  Result<void> copyFrom(void *target, const Buffer &source, size_t offset, size_t bytes);
  /// The ranges may overlap.
  Result<void> copyWithin(const Buffer &target, size_t targetOffset, const Buffer &source,
                          size_t sourceOffset, size_t bytes);
  /// The address that a kernel takes for this buffer.
  Result<uint64_t> address(const Buffer &buffer) const;

  Result<std::shared_ptr<Executable>> load(const Image &image);

  /// Runs all programs of the grid on `args` (docs/design/kernel-abi.md); an empty grid does
  /// nothing. `spans`, where given, has an entry per argument: a device that checks accesses needs
  /// them (for arrays that it has not allocated itself), others ignore them.
  Result<void> launch(const Executable &executable, const Grid &grid,
                      std::span<const uint64_t> args, std::span<const ArgumentSpan> spans = {});

  Result<Event> recordEvent();
  /// Returns when everything before the event is done.
  Result<void> wait(const Event &event);
  Result<double> elapsedMilliseconds(const Event &from, const Event &to) const;
  virtual Result<void> synchronise() = 0;

  /// Programs that may run at a time; 0 = as many as the machine has.
  virtual Result<void> setThreads(unsigned threads) = 0;
  /// Where `device_print` goes; an empty function restores the default, standard output.
  virtual void setPrintSink(PrintSink sink) = 0;
  /// Polled during long launches; true ends them with an Error of ErrorKind::Cancelled.
  virtual void setCancelCheck(std::function<bool()> check);
  /// Changes settings of this device: a JSON object (the driver's header says which members it
  /// takes). An unknown member is an error.
  virtual Result<void> configure(std::string_view settings);
  /// What the last launch of the calling thread did (JSON; the driver's header says what); empty
  /// where the device does not say.
  virtual std::string launchReport() const;

protected:
  Device();

  // For drivers. Handles, ranges, grid and argument count are checked; `programs` is at least 1.
  virtual Result<void *> allocateMemory(size_t bytes) = 0;
  virtual void freeMemory(void *memory, size_t bytes) = 0;
  virtual Result<void> copyMemory(void *target, const void *source, size_t bytes) = 0;
  virtual Result<std::shared_ptr<Executable>> loadImage(const Image &image) = 0;
  // `spans` is empty or has an entry per argument.
  virtual Result<void> launchPrograms(const Executable &executable, const uint32_t (&grid)[3],
                                      uint64_t programs, std::span<const uint64_t> args,
                                      std::span<const ArgumentSpan> spans) = 0;

  /// The bytes of the allocation of this device that holds `address`; nothing if none does.
  std::optional<ArgumentSpan> allocationOf(uint64_t address) const;

  /// Frees what is still allocated; a driver's destructor calls it.
  void releaseMemory();

private:
  uint64_t deviceId;
  BufferTable buffers;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_DEVICE_DEVICE_H
