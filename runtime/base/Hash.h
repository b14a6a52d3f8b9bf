//===- Hash.h - checksums and keys -----------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_BASE_HASH_H
#define KILN_RUNTIME_BASE_HASH_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace kiln {

using Digest = std::array<uint8_t, 16>;

/// XXH3 with 128 bits over several pieces. Guards against accidents, not against forgers.
class Hasher {
public:
  Hasher();
  ~Hasher();

  void add(const void *data, size_t size);
  void add(std::string_view text) { add(text.data(), text.size()); }
  /// A piece that cannot run into the next one: its length goes first.
  void addField(std::string_view text);
  Digest digest() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Lower-case hexadecimal text.
std::string toHex(std::span<const uint8_t> bytes);

/// A fast hash for tables in memory.
uint64_t hash64(std::string_view bytes);

} // namespace kiln

#endif // KILN_RUNTIME_BASE_HASH_H
