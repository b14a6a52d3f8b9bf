//===- Integer.cpp - Python's integers ---------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Frontend/Integer.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace kiln::frontend;
using llvm::APInt;

Integer::Integer(const APInt &value)
    : bits(value.sextOrTrunc(std::max(64u, value.getSignificantBits()))) {}

std::optional<Integer> Integer::capped(const APInt &value) {
  if (value.getSignificantBits() > kMaxBits)
    return std::nullopt;
  return Integer(value);
}

std::optional<Integer> Integer::parse(llvm::StringRef text) {
  llvm::StringRef digits = text;
  bool isNegative = digits.consume_front("-");
  if (!isNegative)
    digits.consume_front("+");
  // A decimal digit is 3.3 bits.
  if (digits.empty() || digits.size() > kMaxBits / 3 || !llvm::all_of(digits, llvm::isDigit))
    return std::nullopt;
  APInt value(APInt::getBitsNeeded(digits, 10) + 2, digits, 10);
  return capped(isNegative ? -value : value);
}

std::optional<Integer> Integer::fromDouble(double value) {
  if (!std::isfinite(value))
    return std::nullopt;
  llvm::APSInt result(kMaxBits, /*isUnsigned=*/false);
  bool isExact = false;
  llvm::APFloat(value).convertToInteger(result, llvm::APFloat::rmTowardZero, &isExact);
  return capped(result);
}

bool Integer::fits(unsigned width, bool isSigned) const {
  if (isSigned)
    return bits.getSignificantBits() <= width;
  return !bits.isNegative() && bits.getActiveBits() <= width;
}

std::optional<int64_t> Integer::asInt64() const {
  if (bits.getSignificantBits() > 64)
    return std::nullopt;
  return bits.getSExtValue();
}

std::string Integer::str() const {
  llvm::SmallString<32> text;
  bits.toStringSigned(text);
  return std::string(text);
}

/// Both operands in a width in which `op` cannot overflow.
template <typename Op> static APInt widened(const APInt &a, const APInt &b, unsigned extra, Op op) {
  unsigned width = std::max(a.getBitWidth(), b.getBitWidth()) + extra;
  return op(a.sext(width), b.sext(width));
}

Integer Integer::operator-() const { return Integer(-bits.sext(bits.getBitWidth() + 1)); }
Integer Integer::operator~() const { return Integer(~bits); }

std::optional<Integer> Integer::add(const Integer &other) const {
  return capped(widened(bits, other.bits, 1, [](APInt a, APInt b) { return a + b; }));
}

std::optional<Integer> Integer::sub(const Integer &other) const {
  return capped(widened(bits, other.bits, 1, [](APInt a, APInt b) { return a - b; }));
}

std::optional<Integer> Integer::mul(const Integer &other) const {
  unsigned width = bits.getBitWidth() + other.bits.getBitWidth();
  return capped(bits.sext(width) * other.bits.sext(width));
}

Integer Integer::floorDiv(const Integer &other) const {
  return Integer(widened(bits, other.bits, 1, [](APInt a, APInt b) {
    return llvm::APIntOps::RoundingSDiv(a, b, APInt::Rounding::DOWN);
  }));
}

Integer Integer::floorMod(const Integer &other) const {
  return Integer(widened(bits, other.bits, 1, [](APInt a, APInt b) {
    APInt rest = a.srem(b);
    return !rest.isZero() && rest.isNegative() != b.isNegative() ? rest + b : rest;
  }));
}

std::optional<Integer> Integer::pow(const Integer &exponent) const {
  // Only 0, 1 and -1 have large powers that stay small.
  std::optional<int64_t> count = exponent.asInt64();
  if (!count || *count > kMaxBits) {
    if (isZero() || *this == Integer(1))
      return *this;
    if (*this == Integer(-1))
      return Integer(exponent.bits[0] ? -1 : 1);
    return std::nullopt;
  }
  Integer result(1), base = *this;
  for (int64_t rest = *count; rest; rest >>= 1) {
    if (rest & 1) {
      std::optional<Integer> product = result.mul(base);
      if (!product)
        return std::nullopt;
      result = *product;
    }
    if (rest > 1) {
      std::optional<Integer> square = base.mul(base);
      if (!square)
        return std::nullopt;
      base = *square;
    }
  }
  return result;
}

std::optional<Integer> Integer::shl(const Integer &count) const {
  std::optional<int64_t> by = count.asInt64();
  if (isZero())
    return *this;
  if (!by || *by > kMaxBits)
    return std::nullopt;
  unsigned width = bits.getBitWidth() + static_cast<unsigned>(*by);
  return capped(bits.sext(width).shl(static_cast<unsigned>(*by)));
}

Integer Integer::shr(const Integer &count) const {
  std::optional<int64_t> by = count.asInt64();
  if (!by || *by >= bits.getBitWidth())
    return Integer(isNegative() ? -1 : 0);
  return Integer(bits.ashr(static_cast<unsigned>(*by)));
}

Integer Integer::bitAnd(const Integer &other) const {
  return Integer(widened(bits, other.bits, 0, [](APInt a, APInt b) { return a & b; }));
}

Integer Integer::bitOr(const Integer &other) const {
  return Integer(widened(bits, other.bits, 0, [](APInt a, APInt b) { return a | b; }));
}

Integer Integer::bitXor(const Integer &other) const {
  return Integer(widened(bits, other.bits, 0, [](APInt a, APInt b) { return a ^ b; }));
}

int Integer::compare(const Integer &other) const {
  unsigned width = std::max(bits.getBitWidth(), other.bits.getBitWidth());
  APInt a = bits.sext(width), b = other.bits.sext(width);
  return a == b ? 0 : a.slt(b) ? -1 : 1;
}
