//===- Frontend.h - from captured Python to tile IR --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
#ifndef KILN_FRONTEND_FRONTEND_H
#define KILN_FRONTEND_FRONTEND_H

#include "kiln-c/Compiler.h"
#include "kiln/Support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"

namespace kiln::frontend {

/// The options of a request that change what the front end writes.
struct KernelOptions {
  bool enableFpFusion = true;
  bool debug = false;
  int64_t numWarps = 4;
  int64_t numStages = 3;
};

struct FrontendInput {
  /// `capture` and `signature` of a request (docs/design/compile-interface.md); not owned.
  const llvm::json::Value *capture = nullptr;
  const llvm::json::Value *signature = nullptr;
  KernelOptions options;
  /// May be null: host functions and static_print then have nobody to ask, and nothing cancels.
  const KilnCompileHost *host = nullptr;
};

/// Loads the dialects that the front end writes.
void loadFrontendDialects(mlir::MLIRContext &context);

/// The kernel as a module with one public function in pointer form, verified. Null if there were
/// errors, which `diagnostics` then holds, or if the host cancelled, which leaves no error and sets
/// `cancelled`.
mlir::OwningOpRef<mlir::ModuleOp> buildKernel(mlir::MLIRContext &context,
                                              const FrontendInput &input,
                                              DiagnosticEngine &diagnostics,
                                              bool *cancelled = nullptr);

} // namespace kiln::frontend

#endif // KILN_FRONTEND_FRONTEND_H
