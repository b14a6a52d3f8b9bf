//===- Bits.h - packed bits and bytes of flags -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Masks are packed, eight to a byte, the first in the lowest bit. Kernels work on one byte per
// flag.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ISA_BITS_H
#define KILN_SIM_ISA_BITS_H

#include <array>
#include <cstdint>
#include <cstring>

namespace kiln::sim {

/// Sets bits [first, first + count) to the lowest bits of the flags.
inline void packBits(uint8_t *bits, int64_t first, const uint8_t *flags, int64_t count) {
  int64_t index = 0;
  if (first % 8 == 0)
    for (; index + 8 <= count; index += 8) {
      uint64_t eight;
      std::memcpy(&eight, flags + index, sizeof eight);
      // Flag i, in bit 8 · i, comes to bit 56 + i.
      bits[(first + index) / 8] =
          uint8_t(((eight & 0x0101010101010101) * 0x0102040810204080) >> 56);
    }
  for (; index < count; ++index) {
    uint8_t &byte = bits[(first + index) / 8];
    const unsigned place = unsigned((first + index) % 8);
    byte = uint8_t((byte & ~(1u << place)) | unsigned(flags[index] & 1) << place);
  }
}

/// Eight flags, 0xFF or 0, for each byte of packed bits.
inline constexpr std::array<uint64_t, 256> unpacked = [] {
  std::array<uint64_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte)
    for (unsigned bit = 0; bit < 8; ++bit)
      if (byte >> bit & 1)
        table[byte] |= uint64_t(0xFF) << (8 * bit);
  return table;
}();

/// Sets each flag to 0xFF or 0, by the bits [first, first + count).
inline void unpackBits(uint8_t *flags, const uint8_t *bits, int64_t first, int64_t count) {
  int64_t index = 0;
  if (first % 8 == 0)
    for (; index + 8 <= count; index += 8)
      std::memcpy(flags + index, &unpacked[bits[(first + index) / 8]], 8);
  for (; index < count; ++index)
    flags[index] = bits[(first + index) / 8] >> ((first + index) % 8) & 1 ? 0xFF : 0;
}

} // namespace kiln::sim

#endif // KILN_SIM_ISA_BITS_H
