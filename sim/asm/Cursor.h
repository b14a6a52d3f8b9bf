//===- Cursor.h - a walk over tokens ----------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The first failure stays, and after it the cursor stands at the end: parsers need not look after
// each step, their loops end by themselves.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ASM_CURSOR_H
#define KILN_SIM_ASM_CURSOR_H

#include "sim/asm/Lexer.h"

#include <optional>

namespace kiln::sim {

class TokenCursor {
public:
  /// `tokens` end with an End.
  TokenCursor(std::vector<Token> tokens, std::string_view place)
      : tokens(std::move(tokens)), place(place) {}

  const Token &peek() const { return tokens[at]; }
  Token take();
  bool atEnd() const { return peek().kind == TokenKind::End; }
  void skipNewlines();

  bool acceptWord(std::string_view word);
  bool accept(std::string_view punctuation);
  void expect(std::string_view punctuation);
  void expectWord(std::string_view word);
  /// The text of a token of this kind; `what` names it in the error.
  std::string expectText(TokenKind kind, std::string_view what);
  /// An integer of at most this value.
  uint64_t expectCount(uint64_t limit, std::string_view what);
  /// The end of a statement: a new line, or a '}' that is still to come.
  void expectLineEnd();

  void fail(const Token &token, std::string found, std::string expected);
  void failAtNext(std::string expected) { fail(peek(), peek().describe(), std::move(expected)); }
  bool failed() const { return failure.has_value(); }
  Error takeError() { return std::move(*failure); }

  /// All tokens from here on.
  std::vector<Token>::const_iterator here() const { return tokens.begin() + ptrdiff_t(at); }
  std::vector<Token>::const_iterator end() const { return tokens.end(); }

private:
  std::vector<Token> tokens;
  std::string place;
  size_t at = 0;
  std::optional<Error> failure;
};

/// "did you mean 'vadd'?" with the candidate that takes the fewest edits; empty if more than half
/// of the word would change.
std::string nearest(std::string_view word, const std::vector<std::string_view> &candidates);

} // namespace kiln::sim

#endif // KILN_SIM_ASM_CURSOR_H
