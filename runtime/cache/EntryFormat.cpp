//===- EntryFormat.cpp - the bytes of a cache entry --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/cache/EntryFormat.h"

#include "runtime/base/Hash.h"

#include <cstring>

namespace kiln::runtime {
namespace {

struct Trailer {
  char magic[8];
  uint32_t version;
  uint32_t zero;
  uint64_t objectBytes;
  uint64_t metadataBytes;
  Digest checksum;
};
static_assert(sizeof(Trailer) == 48);

constexpr char magic[8] = {'k', 'i', 'l', 'n', 'c', 'a', 'c', 'h'};
constexpr size_t beforeChecksum = offsetof(Trailer, checksum);

} // namespace

std::string makeTrailer(std::span<const std::byte> object, std::string_view metadata) {
  Trailer trailer{{}, cacheEntryVersion, 0, object.size(), metadata.size(), {}};
  std::memcpy(trailer.magic, magic, sizeof magic);
  Hasher hasher;
  hasher.add(object.data(), object.size());
  hasher.add(metadata);
  hasher.add(&trailer, beforeChecksum);
  trailer.checksum = hasher.digest();
  std::string text(metadata);
  text.append(reinterpret_cast<const char *>(&trailer), sizeof trailer);
  return text;
}

Result<EntryParts> parseEntry(std::string_view contents, const std::string &path) {
  auto bad = [&](std::string found, std::string expected = {}) {
    return makeError(ErrorKind::Invalid, "cache file '" + path + "'", std::move(found),
                     std::move(expected));
  };
  Trailer trailer;
  if (contents.size() < sizeof trailer)
    return bad("has " + std::to_string(contents.size()) + " bytes",
               "at least " + std::to_string(sizeof trailer));
  size_t body = contents.size() - sizeof trailer;
  std::memcpy(&trailer, contents.data() + body, sizeof trailer);
  if (std::memcmp(trailer.magic, magic, sizeof magic) != 0)
    return bad("does not end in the trailer of a cache entry");
  if (trailer.version != cacheEntryVersion)
    return bad("has format version " + std::to_string(trailer.version),
               std::to_string(cacheEntryVersion));
  if (trailer.objectBytes > body || trailer.metadataBytes != body - trailer.objectBytes)
    return bad("has " + std::to_string(body) + " bytes before its trailer",
               std::to_string(trailer.objectBytes) + " and " +
                   std::to_string(trailer.metadataBytes));
  Hasher hasher;
  hasher.add(contents.substr(0, body + beforeChecksum));
  if (hasher.digest() != trailer.checksum)
    return bad("has a wrong checksum");
  return EntryParts{contents.substr(0, trailer.objectBytes),
                    contents.substr(trailer.objectBytes, trailer.metadataBytes)};
}

} // namespace kiln::runtime
