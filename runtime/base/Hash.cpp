//===- Hash.cpp - checksums and keys -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/base/Hash.h"

#include <algorithm>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

namespace kiln {

struct Hasher::State {
  XXH3_state_t xxh;
};

Hasher::Hasher() : state(new State) { XXH3_128bits_reset(&state->xxh); }
Hasher::~Hasher() = default;

void Hasher::add(const void *data, size_t size) {
  if (size)
    XXH3_128bits_update(&state->xxh, data, size);
}

void Hasher::addField(std::string_view text) {
  uint64_t size = text.size();
  add(&size, sizeof size);
  add(text);
}

Digest Hasher::digest() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state->xxh));
  Digest result;
  static_assert(sizeof canonical.digest == sizeof(Digest));
  std::copy(std::begin(canonical.digest), std::end(canonical.digest), result.begin());
  return result;
}

std::string toHex(std::span<const uint8_t> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

uint64_t hash64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

} // namespace kiln
