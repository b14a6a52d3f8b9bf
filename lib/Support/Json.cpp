//===- Json.cpp - reading JSON from outside ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Support/Json.h"

using namespace kiln;

llvm::Expected<llvm::json::Value> kiln::parseJson(llvm::StringRef text, unsigned maxDepth) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
      continue;
    }
    if (c == '"')
      inString = true;
    else if (c == '[' || c == '{')
      ++depth;
    else if ((c == ']' || c == '}') && depth)
      --depth;
    if (depth > maxDepth)
      return llvm::createStringError("the JSON nests deeper than %u levels", maxDepth);
  }
  return llvm::json::parse(text);
}
