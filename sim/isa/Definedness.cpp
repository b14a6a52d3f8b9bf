//===- Definedness.cpp - which results are defined -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Definedness.h"

#include "sim/isa/Types.h"

#include <algorithm>

namespace kiln::sim {

namespace {

constexpr int64_t chunk = 256;

template <typename Word> void flagWords(uint8_t *flags, const uint8_t *shadow, int64_t count) {
  KILN_ELEMENTWISE
  for (int64_t index = 0; index < count; ++index) {
    Word word;
    std::memcpy(&word, shadow + index * int64_t(sizeof(Word)), sizeof word);
    flags[index] &= word == Word(~Word(0)) ? definedShadow : 0;
  }
}

template <typename Word> void spreadFlags(uint8_t *shadow, const uint8_t *flags, int64_t count) {
  KILN_ELEMENTWISE
  for (int64_t index = 0; index < count; ++index) {
    const Word word = Word(0) - Word(flags[index] & 1);
    std::memcpy(shadow + index * int64_t(sizeof(Word)), &word, sizeof word);
  }
}

} // namespace

bool allDefined(const uint8_t *shadow, int64_t bytes) {
  if (!shadow)
    return true;
  constexpr int64_t block = 64;
  int64_t index = 0;
  for (; index + block <= bytes; index += block) {
    uint64_t all = ~uint64_t(0);
    for (int64_t part = 0; part < block; part += 8) {
      uint64_t word;
      std::memcpy(&word, shadow + index + part, sizeof word);
      all &= word;
    }
    if (~all)
      return false;
  }
  uint8_t rest = definedShadow;
  for (; index < bytes; ++index)
    rest &= shadow[index];
  return rest == definedShadow;
}

void flagDefined(uint8_t *flags, const ShadowRow &operand, int64_t count) {
  switch (operand.elementBytes) {
  case 1:
    return flagWords<uint8_t>(flags, operand.shadow, count);
  case 2:
    return flagWords<uint16_t>(flags, operand.shadow, count);
  case 4:
    return flagWords<uint32_t>(flags, operand.shadow, count);
  default:
    return flagWords<uint64_t>(flags, operand.shadow, count);
  }
}

void propagate(uint8_t *result, int64_t resultBytes, std::initializer_list<ShadowRow> operands,
               int64_t count) {
  bool all = true;
  for (const ShadowRow &operand : operands)
    all = all && allDefined(operand.shadow, count * operand.elementBytes);
  if (all) {
    std::memset(result, definedShadow, size_t(count * resultBytes));
    return;
  }
  uint8_t flags[chunk];
  for (int64_t first = 0; first < count; first += chunk) {
    const int64_t part = std::min(chunk, count - first);
    std::memset(flags, definedShadow, sizeof flags);
    for (const ShadowRow &operand : operands)
      if (operand.shadow)
        flagDefined(flags, {operand.shadow + first * operand.elementBytes, operand.elementBytes},
                    part);
    uint8_t *out = result + first * resultBytes;
    switch (resultBytes) {
    case 1:
      spreadFlags<uint8_t>(out, flags, part);
      break;
    case 2:
      spreadFlags<uint16_t>(out, flags, part);
      break;
    case 4:
      spreadFlags<uint32_t>(out, flags, part);
      break;
    default:
      spreadFlags<uint64_t>(out, flags, part);
      break;
    }
  }
}

} // namespace kiln::sim
