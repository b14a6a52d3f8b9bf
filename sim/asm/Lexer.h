//===- Lexer.h - tokens of the image language -------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ASM_LEXER_H
#define KILN_SIM_ASM_LEXER_H

#include "runtime/base/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::sim {

enum class TokenKind : uint8_t {
  Word,        ///< letters, digits, '_' and '.': "vadd", "add.i64"
  Register,    ///< '%' and such a word; the text is without '%'
  Number,      ///< "-12", "0x3f", "1.5e-3"
  String,      ///< the text is unescaped
  At,          ///< '@' and all up to the next blank: the text is without '@'
  Punctuation, ///< one of { } [ ] ( ) , : = * # or "<-" or "->"
  Newline,     ///< the end of a line that has tokens
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;
  uint32_t line = 1, column = 1;

  bool is(std::string_view punctuation) const {
    return kind == TokenKind::Punctuation && text == punctuation;
  }
  bool isWord(std::string_view word) const { return kind == TokenKind::Word && text == word; }
  /// What an error calls it: "'vadd'", "the end of the line".
  std::string describe() const;
};

/// Splits a text into tokens, the last an End. Comments go from "//" to the end of the line.
Result<std::vector<Token>> tokenize(std::string_view text, std::string_view place);

/// A string literal of the language with this value, in quotes.
std::string quote(std::string_view value);

/// True if `%name` is one register token.
bool isRegisterName(std::string_view name);

} // namespace kiln::sim

#endif // KILN_SIM_ASM_LEXER_H
