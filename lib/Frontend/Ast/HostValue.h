//===- HostValue.h - compile-time values as JSON -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The one JSON form of values that docs/design/compile-interface.md defines, read and written:
// environments, defaults, constexpr arguments, questions to host functions and their answers.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_AST_HOSTVALUE_H
#define KILN_LIB_FRONTEND_AST_HOSTVALUE_H

#include "lib/Frontend/Ast/Ast.h"

#include "llvm/Support/JSON.h"

namespace kiln::frontend::ast {

/// Reads one value. `functions` resolves references to jit functions, may be null. On malformed
/// JSON the result is absent and `error` says where and why. `constexpr` wrappers are dropped, and
/// reported in `isConstexpr` for the outermost one.
std::optional<Value> readValue(const llvm::json::Value &json, const Capture *functions,
                               std::string &error, bool *isConstexpr = nullptr);

/// Nothing for values that have no JSON form (runtime values, functions, ranges, …).
std::optional<llvm::json::Value> writeValue(const Value &value);

/// `float.hex()`, `inf`, `-inf`, `nan`, decimal notation.
std::optional<double> parseFloat(llvm::StringRef text);

} // namespace kiln::frontend::ast

#endif // KILN_LIB_FRONTEND_AST_HOSTVALUE_H
