//===- Refusal.h - errors about a kernel from steps that check IR ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SUPPORT_REFUSAL_H
#define KILN_SUPPORT_REFUSAL_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace kiln {

inline constexpr llvm::StringLiteral kRefusalMark = "kiln.refusal";

/// An error that the kernel's author can do something about. Other errors of a step that checks IR
/// are the compiler's own mistakes, and are told as such.
inline mlir::InFlightDiagnostic refuse(mlir::Operation *op, const llvm::Twine &message) {
  mlir::InFlightDiagnostic error = op->emitError(message);
  error.getUnderlyingDiagnostic()->getMetadata().emplace_back(llvm::StringRef(kRefusalMark));
  return error;
}

inline bool isRefusal(mlir::Diagnostic &diagnostic) {
  return llvm::any_of(diagnostic.getMetadata(), [](const mlir::DiagnosticArgument &mark) {
    return mark.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::String &&
           mark.getAsString() == kRefusalMark;
  });
}

} // namespace kiln

#endif // KILN_SUPPORT_REFUSAL_H
