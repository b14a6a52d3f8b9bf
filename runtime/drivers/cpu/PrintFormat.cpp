//===- PrintFormat.cpp - the text of device_print ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/drivers/cpu/PrintFormat.h"

#include <bit>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>

namespace kiln::runtime {
namespace {

double halfValue(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  int mantissa = bits & 1023;
  double magnitude = exponent == 31  ? (mantissa ? NAN : INFINITY)
                     : exponent == 0 ? std::ldexp(mantissa, -24)
                                     : std::ldexp(mantissa + 1024, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

double floatValue(const KilnPrintValue &value) {
  if (value.kind == KILN_PRINT_BF16)
    return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
  if (value.width == 16)
    return halfValue(static_cast<uint16_t>(value.bits));
  if (value.width == 32)
    return std::bit_cast<float>(static_cast<uint32_t>(value.bits));
  return std::bit_cast<double>(value.bits);
}

int64_t signedValue(const KilnPrintValue &value) {
  // i1 is 0 or 1, as Python prints an int1.
  if (value.width <= 1 || value.width >= 64)
    return static_cast<int64_t>(value.bits);
  unsigned unused = 64 - value.width;
  return static_cast<int64_t>(value.bits << unused) >> unused;
}

} // namespace

std::string programText(const uint32_t (&grid)[3], uint64_t program) {
  uint64_t x = grid[0] ? grid[0] : 1, y = grid[1] ? grid[1] : 1;
  return "(" + std::to_string(program % x) + ", " + std::to_string(program / x % y) + ", " +
         std::to_string(program / x / y) + ")";
}

std::string formatPrintValue(const KilnPrintValue &value, bool hex) {
  if (hex || value.kind == KILN_PRINT_POINTER) {
    char text[32];
    int digits = static_cast<int>((value.width ? value.width : 64) + 3) / 4;
    std::snprintf(text, sizeof text, "0x%0*" PRIx64, digits, value.bits);
    return text;
  }
  if (value.kind == KILN_PRINT_UNSIGNED)
    return std::to_string(value.bits);
  if (value.kind == KILN_PRINT_SIGNED)
    return std::to_string(signedValue(value));
  double number = floatValue(value);
  if (std::isnan(number)) // some libraries print the sign of one
    return "nan";
  // The longest is the largest double: a sign, 309 digits, a point, six decimals. Not printf, which
  // asks the locale for the point.
  char text[352];
  char *end = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed, 6).ptr;
  return {text, end};
}

std::string formatPrintLine(const uint32_t (&grid)[3], uint64_t program, std::string_view prefix,
                            std::span<const int64_t> index, std::span<const KilnPrintValue> values,
                            bool hex) {
  std::string line = "pid " + programText(grid, program) + " idx (";
  for (size_t i = 0; i < index.size(); ++i)
    line += (i ? ", " : "") + std::to_string(index[i]);
  line += ")";
  // The prefix comes with or without blanks and a colon of its own.
  while (!prefix.empty() && prefix.front() == ' ')
    prefix.remove_prefix(1);
  while (!prefix.empty() && (prefix.back() == ' ' || (prefix.back() == ':' && !values.empty())))
    prefix.remove_suffix(1);
  if (!prefix.empty())
    (line += ' ') += prefix;
  for (size_t i = 0; i < values.size(); ++i)
    line += (i ? ", " : ": ") + formatPrintValue(values[i], hex);
  return line;
}

} // namespace kiln::runtime
