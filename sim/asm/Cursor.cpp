//===- Cursor.cpp - a walk over tokens --------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/asm/Cursor.h"

#include "sim/asm/Literal.h"

#include <algorithm>

namespace kiln::sim {

Token TokenCursor::take() {
  Token token = peek();
  if (!atEnd())
    ++at;
  return token;
}

void TokenCursor::skipNewlines() {
  while (peek().kind == TokenKind::Newline)
    ++at;
}

bool TokenCursor::acceptWord(std::string_view word) {
  bool found = peek().isWord(word);
  at += found;
  return found;
}

bool TokenCursor::accept(std::string_view punctuation) {
  bool found = peek().is(punctuation);
  at += found;
  return found;
}

void TokenCursor::expect(std::string_view punctuation) {
  if (!accept(punctuation))
    failAtNext("'" + std::string(punctuation) + "'");
}

void TokenCursor::expectWord(std::string_view word) {
  if (!acceptWord(word))
    failAtNext("'" + std::string(word) + "'");
}

std::string TokenCursor::expectText(TokenKind kind, std::string_view what) {
  if (peek().kind == kind)
    return take().text;
  failAtNext(std::string(what));
  return {};
}

uint64_t TokenCursor::expectCount(uint64_t limit, std::string_view what) {
  std::optional<uint64_t> value;
  if (peek().kind == TokenKind::Number && peek().text[0] != '-')
    value = parseInteger(peek().text);
  if (!value || *value > limit) {
    failAtNext(std::string(what) + " of at most " + std::to_string(limit));
    return 0;
  }
  take();
  return *value;
}

void TokenCursor::expectLineEnd() {
  if (peek().kind != TokenKind::Newline && !peek().is("}") && !atEnd())
    failAtNext("the end of the line");
  skipNewlines();
}

void TokenCursor::fail(const Token &token, std::string found, std::string expected) {
  if (!failure)
    failure =
        makeError(ErrorKind::Invalid,
                  place + ":" + std::to_string(token.line) + ":" + std::to_string(token.column),
                  std::move(found), std::move(expected));
  at = tokens.size() - 1;
}

std::string nearest(std::string_view word, const std::vector<std::string_view> &candidates) {
  constexpr size_t longest = 32;
  if (word.size() > longest)
    return {};
  size_t best = word.size() / 2;
  std::string_view choice;
  std::vector<size_t> row;
  for (std::string_view candidate : candidates) {
    row.resize(candidate.size() + 1);
    for (size_t j = 0; j < row.size(); ++j)
      row[j] = j;
    for (size_t i = 1; i <= word.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j < row.size(); ++j) {
        size_t change = diagonal + (word[i - 1] != candidate[j - 1]);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
      }
    }
    if (row.back() < best || (row.back() == best && choice.empty())) {
      best = row.back();
      choice = candidate;
    }
  }
  return choice.empty() ? std::string() : "did you mean '" + std::string(choice) + "'?";
}

} // namespace kiln::sim
