//===- LocalMemory.h - one memory of one core ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Bytes, and beside each byte its shadow: a bit of the shadow is 1 if that bit of the byte is
// defined. Bits, not bytes, because a mask packs eight comparisons into one byte, and lanes in the
// gap behind a row are undefined next to good ones.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_MEM_LOCALMEMORY_H
#define KILN_SIM_MEM_LOCALMEMORY_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace kiln::sim {

/// The shadow of a byte that is wholly defined.
inline constexpr uint8_t definedShadow = 0xFF;

/// What memory holds before anything was written: NaN in every floating-point type, and an offset
/// that is out of bounds everywhere.
inline constexpr uint8_t poison = 0xFF;

class LocalMemory {
public:
  explicit LocalMemory(uint64_t bytes)
      : count(bytes), bytes(std::make_unique_for_overwrite<std::byte[]>(bytes)),
        shadows(std::make_unique<uint8_t[]>(bytes)) {
    std::memset(this->bytes.get(), poison, bytes);
  }

  uint64_t size() const { return count; }
  std::byte *data() { return bytes.get(); }
  uint8_t *shadow() { return shadows.get(); }

private:
  uint64_t count;
  std::unique_ptr<std::byte[]> bytes;
  std::unique_ptr<uint8_t[]> shadows;
};

} // namespace kiln::sim

#endif // KILN_SIM_MEM_LOCALMEMORY_H
