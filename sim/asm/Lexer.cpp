//===- Lexer.cpp - tokens of the image language -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/asm/Lexer.h"

#include <optional>

namespace kiln::sim {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isWordChar(char c) { return isLetter(c) || isDigit(c) || c == '.'; }
bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

int hexValue(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

/// Length of the well-formed UTF-8 sequence of several bytes at the start, 0 if there is none.
size_t multiByteLength(std::string_view text) {
  auto lead = static_cast<unsigned char>(text[0]);
  size_t length = lead >= 0xc2 && lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (lead < 0xc2 || !length || text.size() < length)
    return 0;
  for (char c : text.substr(1, length - 1))
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80)
      return 0;
  return length;
}

class Lexer {
public:
  Lexer(std::string_view text, std::string_view place) : text(text), place(place) {}

  Result<std::vector<Token>> run() {
    while (skipToToken()) {
      start = at;
      Token token;
      token.line = line;
      token.column = columnOf(at);
      if (Result<void> done = read(token); !done)
        return done.takeError();
      tokens.push_back(std::move(token));
    }
    newline();
    tokens.push_back(make(TokenKind::End));
    return std::move(tokens);
  }

private:
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  uint32_t columnOf(size_t offset) const { return uint32_t(offset - lineStart) + 1; }
  Token make(TokenKind kind) const { return Token{kind, {}, line, columnOf(at)}; }

  Error error(std::string found, std::string expected = {}) const {
    return makeError(ErrorKind::Invalid,
                     std::string(place) + ":" + std::to_string(line) + ":" +
                         std::to_string(columnOf(at)),
                     std::move(found), std::move(expected));
  }

  void newline() {
    if (!tokens.empty() && tokens.back().kind != TokenKind::Newline)
      tokens.push_back(make(TokenKind::Newline));
  }

  bool skipToToken() {
    while (at < text.size()) {
      if (text[at] == '\n') {
        newline();
        lineStart = ++at;
        ++line;
      } else if (isBlank(text[at])) {
        ++at;
      } else if (text.substr(at, 2) == "//") {
        at = std::min(text.find('\n', at), text.size());
      } else {
        return true;
      }
    }
    return false;
  }

  Result<void> read(Token &token) {
    char c = peek();
    if (isLetter(c)) {
      token.kind = TokenKind::Word;
      token.text = takeWord();
      return {};
    }
    if (isDigit(c) || (c == '-' && (isDigit(peek(1)) || isLetter(peek(1))))) {
      token.kind = TokenKind::Number;
      token.text = takeNumber();
      return {};
    }
    if (c == '%') {
      ++at;
      if (!isWordChar(peek()))
        return error("'%' without a name", "'%' and the name or number of a register");
      token.kind = TokenKind::Register;
      token.text = takeWord();
      return {};
    }
    if (c == '"')
      return readString(token);
    if (c == '@')
      return readLocation(token);
    return readPunctuation(token);
  }

  std::string takeWord() {
    size_t begin = at;
    while (isWordChar(peek()))
      ++at;
    return std::string(text.substr(begin, at - begin));
  }

  /// Whatever looks like a number; what it means is the parser's to say. A sign after an exponent
  /// belongs to it.
  std::string takeNumber() {
    size_t begin = at;
    ++at;
    bool hex = text.substr(begin, 3).find("0x") != std::string_view::npos;
    while (isWordChar(peek()) ||
           (!hex && (peek() == '-' || peek() == '+') && (text[at - 1] | 0x20) == 'e'))
      ++at;
    return std::string(text.substr(begin, at - begin));
  }

  Result<void> readString(Token &token) {
    token.kind = TokenKind::String;
    ++at;
    while (true) {
      if (at >= text.size() || peek() == '\n')
        return error("the end of the line in a string", "'\"'");
      char c = text[at++];
      if (c == '"')
        return {};
      if (c != '\\') {
        token.text += c;
        continue;
      }
      char escape = peek();
      ++at;
      switch (escape) {
      case 'n':
        token.text += '\n';
        break;
      case 't':
        token.text += '\t';
        break;
      case '"':
      case '\\':
        token.text += escape;
        break;
      case 'x': {
        int high = hexValue(peek()), low = high < 0 ? -1 : hexValue(peek(1));
        if (low < 0)
          return error("'\\x' without two hexadecimal digits");
        token.text += static_cast<char>(high * 16 + low);
        at += 2;
        break;
      }
      default:
        --at;
        return error("an unknown escape in a string", "\\n, \\t, \\\", \\\\ or \\xHH");
      }
    }
  }

  /// Up to a blank, but blanks in quotes are part of it.
  Result<void> readLocation(Token &token) {
    token.kind = TokenKind::At;
    ++at;
    if (peek() == '"') {
      if (Result<void> quoted = readString(token); !quoted)
        return quoted;
      token.kind = TokenKind::At;
    }
    while (at < text.size() && !isBlank(peek()) && peek() != '\n')
      token.text += text[at++];
    return {};
  }

  Result<void> readPunctuation(Token &token) {
    token.kind = TokenKind::Punctuation;
    std::string_view two = text.substr(at, 2);
    size_t length = two == "<-" || two == "->" ? 2 : 1;
    token.text = std::string(text.substr(at, length));
    if (length == 1 && std::string_view("{}[],:=*#").find(peek()) == std::string_view::npos) {
      auto byte = static_cast<unsigned char>(peek());
      std::string shown = byte >= 0x20 && byte < 0x7f ? "'" + token.text + "'"
                                                      : "byte " + std::to_string(unsigned(byte));
      return error(shown, "a word, a register, a number, a string or punctuation");
    }
    at += length;
    return {};
  }

  std::string_view text, place;
  size_t at = 0, start = 0, lineStart = 0;
  uint32_t line = 1;
  std::vector<Token> tokens;
};

} // namespace

std::string Token::describe() const {
  switch (kind) {
  case TokenKind::Newline:
    return "the end of the line";
  case TokenKind::End:
    return "the end of the text";
  case TokenKind::String:
    return "a string";
  case TokenKind::Register:
    return "'%" + text + "'";
  case TokenKind::At:
    return "'@" + text + "'";
  case TokenKind::Word:
  case TokenKind::Number:
  case TokenKind::Punctuation:
    return "'" + text + "'";
  }
  return {};
}

Result<std::vector<Token>> tokenize(std::string_view text, std::string_view place) {
  return Lexer(text, place).run();
}

std::string quote(std::string_view value) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "\"";
  for (size_t i = 0; i < value.size();) {
    char c = value[i];
    auto byte = static_cast<unsigned char>(c);
    if (size_t length = multiByteLength(value.substr(i))) {
      result += value.substr(i, length);
      i += length;
      continue;
    }
    ++i;
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (c == '\n')
      result += "\\n";
    else if (byte >= 0x20 && byte < 0x7f)
      result += c;
    else
      ((result += "\\x") += digits[byte >> 4]) += digits[byte & 15];
  }
  return result += '"';
}

bool isRegisterName(std::string_view name) {
  if (name.empty() || !isLetter(name[0]))
    return false;
  for (char c : name)
    if (!isWordChar(c))
      return false;
  return true;
}

} // namespace kiln::sim
