//===- BufferTable.h - which handles are alive -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Slots with generations. A slot's generation is raised when its memory is freed, so an old handle
// never meets the memory that took its slot.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_DEVICE_BUFFERTABLE_H
#define KILN_RUNTIME_DEVICE_BUFFERTABLE_H

#include "runtime/device/Buffer.h"

#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

namespace kiln::runtime {

class BufferTable {
public:
  Buffer insert(uint64_t device, void *memory, size_t bytes);

  /// The memory of a live handle of `device`, of which `size` bytes from `offset` lie inside.
  Result<void *> resolve(uint64_t device, const Buffer &buffer, size_t offset, size_t size) const;

  /// The live memory that holds a byte address, with its size.
  std::optional<std::pair<void *, size_t>> holding(uint64_t address) const;

  /// Ends the life of a handle and returns its memory.
  Result<void *> remove(uint64_t device, const Buffer &buffer);

  /// Ends the life of all handles and returns their memory.
  std::vector<std::pair<void *, size_t>> clear();

private:
  struct Slot {
    void *memory = nullptr;
    size_t bytes = 0;
    uint32_t generation = 1;
    bool live = false;
  };

  Result<const Slot *> find(uint64_t device, const Buffer &buffer) const;

  mutable std::shared_mutex mutex;
  std::vector<Slot> slots;
  std::vector<uint32_t> unused;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_DEVICE_BUFFERTABLE_H
