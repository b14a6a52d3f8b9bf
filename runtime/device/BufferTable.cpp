//===- BufferTable.cpp - which handles are alive -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/device/BufferTable.h"

#include <mutex>

namespace kiln::runtime {

Buffer BufferTable::insert(uint64_t device, void *memory, size_t bytes) {
  std::unique_lock lock(mutex);
  if (unused.empty()) {
    unused.push_back(static_cast<uint32_t>(slots.size()));
    slots.emplace_back();
  }
  uint32_t index = unused.back();
  unused.pop_back();
  Slot &slot = slots[index];
  slot.memory = memory;
  slot.bytes = bytes;
  slot.live = true;
  return Buffer{device, index, slot.generation, bytes};
}

Result<const BufferTable::Slot *> BufferTable::find(uint64_t device, const Buffer &buffer) const {
  if (buffer.device == 0)
    return makeError(ErrorKind::Invalid, "buffer", "is empty", "a buffer of this device");
  if (buffer.device != device)
    return makeError(ErrorKind::Invalid, "buffer",
                     "belongs to device " + std::to_string(buffer.device),
                     "a buffer of device " + std::to_string(device));
  if (buffer.slot >= slots.size() || buffer.generation > slots[buffer.slot].generation)
    return makeError(ErrorKind::Invalid, "buffer", "was never allocated");
  const Slot &slot = slots[buffer.slot];
  if (!slot.live || slot.generation != buffer.generation)
    return makeError(ErrorKind::Invalid, "buffer",
                     "of " + std::to_string(buffer.bytes) + " bytes was freed already");
  return &slot;
}

Result<void *> BufferTable::resolve(uint64_t device, const Buffer &buffer, size_t offset,
                                    size_t size) const {
  std::shared_lock lock(mutex);
  Result<const Slot *> slot = find(device, buffer);
  if (!slot)
    return slot.takeError();
  size_t bytes = (*slot)->bytes;
  if (offset > bytes || size > bytes - offset)
    return makeError(ErrorKind::Invalid, "buffer",
                     "has " + std::to_string(bytes) + " bytes, of which " + std::to_string(size) +
                         " from byte " + std::to_string(offset) + " on are asked for");
  return static_cast<void *>(static_cast<char *>((*slot)->memory) + offset);
}

std::optional<std::pair<void *, size_t>> BufferTable::holding(uint64_t address) const {
  std::shared_lock lock(mutex);
  for (const Slot &slot : slots) {
    auto begin = reinterpret_cast<uint64_t>(slot.memory);
    if (slot.live && address >= begin && address - begin < slot.bytes)
      return std::pair(slot.memory, slot.bytes);
  }
  return std::nullopt;
}

Result<void *> BufferTable::remove(uint64_t device, const Buffer &buffer) {
  std::unique_lock lock(mutex);
  if (Result<const Slot *> found = find(device, buffer); !found)
    return found.takeError();
  Slot &slot = slots[buffer.slot];
  slot.live = false;
  // A slot whose generations are used up is never given out again.
  if (++slot.generation != UINT32_MAX)
    unused.push_back(buffer.slot);
  return std::exchange(slot.memory, nullptr);
}

std::vector<std::pair<void *, size_t>> BufferTable::clear() {
  std::unique_lock lock(mutex);
  std::vector<std::pair<void *, size_t>> memory;
  for (Slot &slot : slots)
    if (slot.live) {
      memory.emplace_back(slot.memory, slot.bytes);
      slot.live = false;
      ++slot.generation;
    }
  return memory;
}

} // namespace kiln::runtime
