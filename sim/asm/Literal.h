//===- Literal.h - numbers of the image language ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Integers are decimal or hexadecimal ("0x…"). A float is decimal with a point or an exponent,
// "inf", "-inf" or "nan", or its bits in hexadecimal: "1" is none, since one would not know which.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ASM_LITERAL_H
#define KILN_SIM_ASM_LITERAL_H

#include "machine/Opcode.h"

#include <optional>
#include <string>
#include <string_view>

namespace kiln::sim {

/// An integer from -2^63 to 2^64 - 1, as 64 bits.
std::optional<uint64_t> parseInteger(std::string_view text);

/// The bits of a float (F16, BF16, F32), rounded to nearest, ties to even.
std::optional<uint64_t> parseFloat(machine::Element element, std::string_view text);

/// The shortest literal that `parseFloat` turns into these bits again.
std::string floatLiteral(machine::Element element, uint64_t bits);

std::string hexLiteral(uint64_t value);

} // namespace kiln::sim

#endif // KILN_SIM_ASM_LITERAL_H
