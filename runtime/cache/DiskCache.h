//===- DiskCache.h - loadable objects on disk ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// One file `<key>.so` per entry: the object (ELF, which ignores what follows it), metadata, a
// trailer with magic, version, sizes and an XXH3-128 checksum of all the rest. An entry is loaded
// only if it is a regular file of ours that nobody else may write, in a folder of which the same
// holds, and its checksum is right; everything else is a miss with a reason. Entries are written to
// a temporary file and renamed, so processes may share a cache and an interrupted write leaves no
// half entry.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_CACHE_DISKCACHE_H
#define KILN_RUNTIME_CACHE_DISKCACHE_H

#include "runtime/base/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace kiln::runtime {

struct CacheConfig {
  std::string directory;
  uint64_t maxBytes = uint64_t(1) << 30; ///< the least recently used entries go first
};

/// `<xdgCacheHome>/kiln`, else `<home>/.cache/kiln`; empty if both are. The caller reads its
/// environment.
std::string defaultCacheDirectory(std::string_view xdgCacheHome, std::string_view home);

struct CacheLookup {
  bool hit = false;
  std::string path;     ///< of the object to load
  std::string metadata; ///< as stored
  std::string reason; ///< why an existing entry is not used; empty on a hit and where there is none
};

class DiskCache {
public:
  /// Touches nothing yet: the folder is made at the first store.
  explicit DiskCache(CacheConfig config);

  const CacheConfig &config() const { return settings; }

  /// `key` is lower-case hexadecimal text.
  CacheLookup find(std::string_view key) const;

  /// Writes an entry, over an existing one if need be, and returns its path. Then entries beyond
  /// the size cap and temporary files that an interrupted process left are removed.
  Result<std::string> store(std::string_view key, std::span<const std::byte> object,
                            std::string_view metadata);

  /// Removes an entry that turned out to be useless; one that is not there is fine.
  void remove(std::string_view key);

private:
  std::string pathOf(std::string_view key) const;
  Result<void> prepareDirectory() const;
  void trim(std::string_view keep) const;

  CacheConfig settings;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_CACHE_DISKCACHE_H
