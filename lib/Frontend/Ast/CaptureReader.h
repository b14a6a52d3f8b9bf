//===- CaptureReader.h - JSON to a capture -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
#ifndef KILN_LIB_FRONTEND_AST_CAPTUREREADER_H
#define KILN_LIB_FRONTEND_AST_CAPTUREREADER_H

#include "lib/Frontend/Ast/Ast.h"

#include "kiln/Support/Diagnostic.h"

#include "llvm/Support/JSON.h"

namespace kiln::frontend::ast {

/// Reads a capture (docs/design/compile-interface.md): every function with its nodes, flow facts
/// filled in, source text handed to `diagnostics`. Null if the JSON does not follow the schema, or
/// nests deeper than kMaxDepth; `diagnostics` then says what was wrong.
std::unique_ptr<Capture> readCapture(const llvm::json::Value &json, DiagnosticEngine &diagnostics);

/// Nodes nested deeper are refused, so that no pass over them can exhaust the stack.
inline constexpr unsigned kMaxDepth = 400;

} // namespace kiln::frontend::ast

#endif // KILN_LIB_FRONTEND_AST_CAPTUREREADER_H
