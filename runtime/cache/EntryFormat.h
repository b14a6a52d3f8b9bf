//===- EntryFormat.h - the bytes of a cache entry --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// An entry is: object, metadata, trailer. The trailer is the last 48 bytes, little-endian:
//   magic "kilncach" · version (4) · zero (4) · bytes of the object (8) · bytes of the metadata (8)
//   · XXH3-128 (16)
// The checksum covers everything before itself.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_CACHE_ENTRYFORMAT_H
#define KILN_RUNTIME_CACHE_ENTRYFORMAT_H

#include "runtime/base/Result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kiln::runtime {

inline constexpr uint32_t cacheEntryVersion = 1;

/// What follows the object in its file: metadata and trailer.
std::string makeTrailer(std::span<const std::byte> object, std::string_view metadata);

struct EntryParts {
  std::string_view object;
  std::string_view metadata;
};

/// Takes an entry apart; an error says what is wrong with it. The parts point into `contents`.
Result<EntryParts> parseEntry(std::string_view contents, const std::string &path);

} // namespace kiln::runtime

#endif // KILN_RUNTIME_CACHE_ENTRYFORMAT_H
