//===- Result.cpp - how an error reads ---------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/base/Result.h"

namespace kiln {

std::string Error::message() const {
  std::string text = place;
  auto add = [&](std::string_view between, std::string_view part) {
    if (part.empty())
      return;
    if (!text.empty())
      text += between;
    text += part;
  };
  add(": ", found);
  if (!expected.empty())
    add(", expected ", expected);
  for (const std::string &note : notes) {
    text += "\nnote: ";
    text += note;
  }
  return text;
}

} // namespace kiln
