//===- Json.h - reading JSON from outside ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
#ifndef KILN_SUPPORT_JSON_H
#define KILN_SUPPORT_JSON_H

#include "llvm/Support/JSON.h"

namespace kiln {

/// Parses JSON whose author is not trusted: the text is measured first, so that deep nesting is an
/// error and not an exhausted stack.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text, unsigned maxDepth = 2000);

} // namespace kiln

#endif // KILN_SUPPORT_JSON_H
