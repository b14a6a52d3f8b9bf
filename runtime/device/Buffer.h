//===- Buffer.h - handles of device memory ---------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A Buffer is a small value that names memory of one device; copying it copies no memory. The
// device keeps a table of what is alive, with a generation per slot, so that a handle of freed
// memory, of another device or of no memory at all is told apart from a good one and becomes an
// Error instead of a wild access.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_DEVICE_BUFFER_H
#define KILN_RUNTIME_DEVICE_BUFFER_H

#include "runtime/base/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace kiln::runtime {

class Device;

struct Buffer {
  uint64_t device = 0; ///< Device::id(); 0 is no device
  uint32_t slot = 0;
  uint32_t generation = 0;
  size_t bytes = 0;

  friend bool operator==(const Buffer &, const Buffer &) = default;
};

/// A Buffer that is freed with its owner. Keeps its device alive.
class OwnedBuffer {
public:
  OwnedBuffer() = default;
  OwnedBuffer(std::shared_ptr<Device> device, Buffer buffer)
      : owner(std::move(device)), handle(buffer) {}
  OwnedBuffer(OwnedBuffer &&other) noexcept
      : owner(std::move(other.owner)), handle(std::exchange(other.handle, {})) {}
  OwnedBuffer &operator=(OwnedBuffer &&other) noexcept {
    std::swap(owner, other.owner);
    std::swap(handle, other.handle);
    return *this;
  }
  ~OwnedBuffer();

  const Buffer &get() const { return handle; }
  const std::shared_ptr<Device> &device() const { return owner; }
  /// Gives the memory up to the caller, who frees it.
  Buffer release() {
    owner.reset();
    return std::exchange(handle, {});
  }

private:
  std::shared_ptr<Device> owner;
  Buffer handle;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_DEVICE_BUFFER_H
