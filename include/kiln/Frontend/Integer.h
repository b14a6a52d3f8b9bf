//===- Integer.h - Python's integers -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A compile-time integer of any size with Python's arithmetic: floor division, remainder of the
// divisor's sign, two's complement of unbounded width for the bit operations. Sizes are capped
// (`kMaxBits`) so that no program can make the compiler compute for ever; operations that would
// pass the cap return nothing.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_FRONTEND_INTEGER_H
#define KILN_FRONTEND_INTEGER_H

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace kiln::frontend {

class Integer {
public:
  static constexpr unsigned kMaxBits = 4096;

  Integer(int64_t value = 0) : bits(64, static_cast<uint64_t>(value), /*isSigned=*/true) {}
  /// The value of `bits` read as two's complement.
  static Integer fromSigned(const llvm::APInt &bits) { return Integer(bits); }
  /// Decimal text with an optional sign.
  static std::optional<Integer> parse(llvm::StringRef text);
  /// The integer part; nothing for inf, nan and values beyond the cap.
  static std::optional<Integer> fromDouble(double value);

  bool isZero() const { return bits.isZero(); }
  bool isNegative() const { return bits.isNegative(); }
  /// True if the value lies in the range of an integer type.
  bool fits(unsigned width, bool isSigned) const;
  std::optional<int64_t> asInt64() const;
  /// Two's complement in `width` bits; high bits are cut off.
  llvm::APInt asAPInt(unsigned width) const { return bits.sextOrTrunc(width); }
  double asDouble() const { return bits.signedRoundToDouble(); }
  std::string str() const;

  Integer operator-() const;
  Integer operator~() const;
  std::optional<Integer> add(const Integer &other) const;
  std::optional<Integer> sub(const Integer &other) const;
  std::optional<Integer> mul(const Integer &other) const;
  /// Division towards minus infinity and its remainder; `other` is not zero.
  Integer floorDiv(const Integer &other) const;
  Integer floorMod(const Integer &other) const;
  /// `exponent` is not negative.
  std::optional<Integer> pow(const Integer &exponent) const;
  /// `count` is not negative.
  std::optional<Integer> shl(const Integer &count) const;
  Integer shr(const Integer &count) const;
  Integer bitAnd(const Integer &other) const;
  Integer bitOr(const Integer &other) const;
  Integer bitXor(const Integer &other) const;

  /// -1, 0 or 1.
  int compare(const Integer &other) const;
  friend bool operator==(const Integer &a, const Integer &b) { return a.compare(b) == 0; }
  friend bool operator<(const Integer &a, const Integer &b) { return a.compare(b) < 0; }

private:
  explicit Integer(const llvm::APInt &value);
  static std::optional<Integer> capped(const llvm::APInt &value);
  /// Canonical: 64 bits if the value fits, else just as many as it needs.
  llvm::APInt bits;
};

} // namespace kiln::frontend

#endif // KILN_FRONTEND_INTEGER_H
