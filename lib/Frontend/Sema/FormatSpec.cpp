//===- FormatSpec.cpp - format specifications of f-strings -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/ConstEval.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstdio>

using namespace kiln::frontend;

namespace {
/// `[[fill]align][sign][#][0][width][,][.precision][type]`
struct Spec {
  char fill = ' ', align = 0, sign = '-', type = 0;
  bool alternate = false;
  unsigned width = 0;
  int precision = -1;
};
} // namespace

static std::optional<Spec> parseSpec(llvm::StringRef text) {
  Spec spec;
  auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  if (text.size() > 1 && isAlign(text[1])) {
    spec.fill = text[0];
    spec.align = text[1];
    text = text.drop_front(2);
  } else if (!text.empty() && isAlign(text[0])) {
    spec.align = text[0];
    text = text.drop_front();
  }
  if (!text.empty() && llvm::StringRef("+- ").contains(text[0])) {
    spec.sign = text[0];
    text = text.drop_front();
  }
  spec.alternate = text.consume_front("#");
  if (text.starts_with("0")) {
    spec.fill = '0';
    spec.align = spec.align ? spec.align : '=';
  }
  llvm::StringRef width = text.take_while(llvm::isDigit);
  text = text.drop_front(width.size());
  if (!width.empty() && (width.getAsInteger(10, spec.width) || spec.width > 1000))
    return std::nullopt;
  if (text.consume_front(".")) {
    llvm::StringRef precision = text.take_while(llvm::isDigit);
    text = text.drop_front(precision.size());
    if (precision.getAsInteger(10, spec.precision) || spec.precision > 100)
      return std::nullopt;
  }
  if (text.size() > 1)
    return std::nullopt;
  spec.type = text.empty() ? '\0' : text[0];
  return spec;
}

/// The digits of a number without its sign.
static std::optional<std::string> digitsOf(const Value &value, const Spec &spec, bool &isNegative) {
  std::optional<Integer> integer = asInteger(value);
  if (integer && (!spec.type || llvm::StringRef("dxXob").contains(spec.type))) {
    isNegative = integer->isNegative();
    Integer magnitude = isNegative ? -*integer : *integer;
    unsigned radix = spec.type == 'b'                       ? 2
                     : spec.type == 'o'                     ? 8
                     : spec.type == 'x' || spec.type == 'X' ? 16
                                                            : 10;
    llvm::SmallString<64> digits;
    magnitude.asAPInt(Integer::kMaxBits + 1)
        .toString(digits, radix, /*Signed=*/false, /*formatAsCLiteral=*/false,
                  /*UpperCase=*/spec.type == 'X');
    std::string prefix = spec.alternate && radix != 10 ? std::string("0") + spec.type : "";
    return prefix + std::string(digits);
  }
  std::optional<double> number = asDouble(value);
  if (!number || (spec.type && !llvm::StringRef("eEfFgG%").contains(spec.type)))
    return std::nullopt;
  isNegative = std::signbit(*number);
  double magnitude = std::fabs(*number);
  if (!spec.type && spec.precision < 0)
    return pythonStr(Value::number(magnitude));
  bool isPercent = spec.type == '%';
  char format[] = {'%', '.', '*', isPercent ? 'f' : spec.type ? spec.type : 'g', 0};
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, format, spec.precision < 0 ? 6 : spec.precision,
                isPercent ? magnitude * 100 : magnitude);
  return std::string(buffer) + (isPercent ? "%" : "");
}

std::optional<std::string> kiln::frontend::formatValue(const Value &value, llvm::StringRef text) {
  if (text.empty())
    return pythonStr(value);
  std::optional<Spec> spec = parseSpec(text);
  if (!spec)
    return std::nullopt;
  std::string sign, body;
  char align = spec->align;
  if (value.isNumber() && !(value.asBool() && !spec->type)) {
    bool isNegative = false;
    std::optional<std::string> digits = digitsOf(value, *spec, isNegative);
    if (!digits)
      return std::nullopt;
    sign = isNegative ? "-" : spec->sign == '-' ? "" : std::string(1, spec->sign);
    body = *digits;
    align = align ? align : '>';
  } else {
    if (spec->type && spec->type != 's')
      return std::nullopt;
    body = pythonStr(value);
    if (spec->precision >= 0)
      body = body.substr(0, spec->precision);
    align = align ? align : '<';
  }
  size_t size = sign.size() + body.size();
  size_t pad = spec->width > size ? spec->width - size : 0;
  size_t left = align == '<' ? 0 : align == '^' ? pad / 2 : pad;
  std::string before(left, spec->fill), after(pad - left, spec->fill);
  return align == '=' ? sign + before + body : before + sign + body + after;
}
