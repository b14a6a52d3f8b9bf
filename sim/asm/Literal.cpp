//===- Literal.cpp - numbers of the image language -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/asm/Literal.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace kiln::sim {

using machine::Element;

namespace {

struct FloatFormat {
  int mantissaBits; ///< stored
  int maxExponent;  ///< unbiased, of finite values; the bias too
};

FloatFormat formatOf(Element element) {
  switch (element) {
  case Element::F16:
    return {10, 15};
  case Element::BF16:
    return {7, 127};
  default:
    return {23, 127};
  }
}

/// The nearest value of the format, ties to even.
uint64_t encode(double value, FloatFormat format) {
  int width = format.mantissaBits + (format.maxExponent == 15 ? 6 : 9);
  uint64_t sign = uint64_t(std::signbit(value)) << (width - 1);
  uint64_t infinity = uint64_t(2 * format.maxExponent + 1) << format.mantissaBits;
  if (std::isnan(value))
    return infinity | uint64_t(1) << (format.mantissaBits - 1);
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  if (std::isinf(magnitude))
    return sign | infinity;
  int exponent = std::max(std::ilogb(magnitude), 1 - format.maxExponent);
  // In units of the last place; a carry runs into the exponent field by itself, up to infinity.
  double scaled = std::nearbyint(std::scalbn(magnitude, format.mantissaBits - exponent));
  uint64_t field = static_cast<unsigned>(exponent + format.maxExponent);
  auto units = uint64_t(scaled);
  uint64_t bits =
      units >= uint64_t(1) << format.mantissaBits
          ? (field << format.mantissaBits) + units - (uint64_t(1) << format.mantissaBits)
          : units;
  return sign | std::min(bits, infinity);
}

double decode(uint64_t bits, FloatFormat format) {
  int width = format.mantissaBits + (format.maxExponent == 15 ? 6 : 9);
  uint64_t mantissa = bits & ((uint64_t(1) << format.mantissaBits) - 1);
  int field = int(bits >> format.mantissaBits) & (2 * format.maxExponent + 1);
  double value = field
                     ? std::scalbn(double(mantissa | uint64_t(1) << format.mantissaBits),
                                   field - format.maxExponent - format.mantissaBits)
                     : std::scalbn(double(mantissa), 1 - format.maxExponent - format.mantissaBits);
  if (field == 2 * format.maxExponent + 1)
    value = mantissa ? std::numeric_limits<double>::quiet_NaN()
                     : std::numeric_limits<double>::infinity();
  return bits >> (width - 1) & 1 ? -value : value;
}

bool isHex(std::string_view text) { return text.substr(0, 2) == "0x"; }

} // namespace

std::optional<uint64_t> parseInteger(std::string_view text) {
  bool negative = !text.empty() && text[0] == '-';
  if (negative)
    text.remove_prefix(1);
  int base = isHex(text) ? 16 : 10;
  if (base == 16)
    text.remove_prefix(2);
  uint64_t value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || code != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  if (negative && value > uint64_t(1) << 63)
    return std::nullopt;
  return negative ? 0 - value : value;
}

std::optional<uint64_t> parseFloat(Element element, std::string_view text) {
  unsigned width = machine::bits(element);
  if (isHex(text)) {
    std::optional<uint64_t> bits = parseInteger(text);
    return bits && !(*bits >> width) ? bits : std::nullopt;
  }
  if (text.find_first_of(".en") == std::string_view::npos)
    return std::nullopt;
  const char *begin = text.data(), *end = begin + text.size();
  if (element == Element::F32) {
    float value = 0;
    auto [last, code] = std::from_chars(begin, end, value);
    if (last != end || (code != std::errc() && code != std::errc::result_out_of_range))
      return std::nullopt;
    if (code == std::errc() && !std::isnan(value))
      return std::bit_cast<uint32_t>(value);
  }
  double value = 0;
  auto [last, code] = std::from_chars(begin, end, value);
  if (last != end || code != std::errc())
    return std::nullopt;
  return encode(value, formatOf(element));
}

std::string floatLiteral(Element element, uint64_t bits) {
  unsigned width = machine::bits(element);
  double value = bits >> width ? NAN : decode(bits, formatOf(element));
  if (std::isnan(value))
    return hexLiteral(bits);
  char text[32];
  // Every value of the three types is one of float, whose shortest text is short.
  auto [end, code] = std::to_chars(text, text + sizeof text, static_cast<float>(value));
  std::string literal(text, end);
  if (literal.find_first_of(".en") == std::string::npos)
    literal += ".0";
  return literal;
}

std::string hexLiteral(uint64_t value) {
  char text[20];
  auto [end, code] = std::to_chars(text, text + sizeof text, value, 16);
  return "0x" + std::string(text, end);
}

} // namespace kiln::sim
