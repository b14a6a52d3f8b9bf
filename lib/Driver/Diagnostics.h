//===- Diagnostics.h - MLIR's diagnostics in Kiln's form -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_DRIVER_DIAGNOSTICS_H
#define KILN_LIB_DRIVER_DIAGNOSTICS_H

#include "kiln/Support/Diagnostic.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/JSON.h"

namespace kiln::driver {

/// The innermost place that a location names, and the places it was inlined into, inside out.
std::pair<SourcePlace, std::vector<SourcePlace>> placesOf(mlir::Location loc);

/// While alive, moves the context's diagnostics into an engine: errors and warnings as they are,
/// remarks too. Errors about an operation of the IR rather than about the kernel are the compiler's
/// own mistakes: they say so, and which step found them, in a line.
class DiagnosticBridge {
public:
  DiagnosticBridge(mlir::MLIRContext &context, DiagnosticEngine &engine);

  /// Names the step that runs from now on. Every error of a step that `checks` the IR is
  /// internal, but refusals (kiln/Support/Refusal.h).
  void enter(llvm::StringRef name, bool checks = false) {
    step = name.str();
    checking = checks;
  }

private:
  bool isInternal(mlir::Diagnostic &diagnostic, llvm::StringRef message) const;

  std::string step;
  bool checking = false;
  mlir::ScopedDiagnosticHandler handler;
};

/// The report's form of diagnostics of the given kind.
llvm::json::Array diagnosticsToJson(const DiagnosticEngine &engine, bool remarks);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_DIAGNOSTICS_H
