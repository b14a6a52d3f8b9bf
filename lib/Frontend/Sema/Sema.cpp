//===- Sema.cpp - places and messages ----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/Sema.h"

#include "mlir/IR/Location.h"

using namespace kiln;
using namespace kiln::frontend;

Sema::Sema(mlir::MLIRContext &context, const FrontendInput &input, const ast::Capture &capture,
           DiagnosticEngine &diagnostics, const Vocabulary &vocabulary)
    : builder(&context), vocabulary(vocabulary), input(input), capture(capture),
      diagnostics(diagnostics) {}

mlir::Location Sema::loc(const ast::Node &node) {
  mlir::Location here = mlir::FileLineColLoc::get(frame->file, node.line, node.column);
  return frame->caller ? mlir::CallSiteLoc::get(here, frame->callLoc) : here;
}

static SourcePlace placeIn(const Frame &frame, const ast::Node &node) {
  SourcePlace place{frame.function->file, node.line, node.column, 0};
  if (node.endLine == node.line)
    place.endColumn = node.endColumn;
  return place;
}

SourcePlace Sema::place(const ast::Node &node) const { return placeIn(*frame, node); }

Diagnostic &Sema::reportError(const ast::Node &node, const llvm::Twine &message) {
  Diagnostic &diagnostic = diagnostics.error(place(node), message);
  // The innermost calls tell where it is; a long chain would only bury the message.
  unsigned shown = 0;
  for (const Frame *inner = frame; inner->caller && shown < 8; inner = inner->caller, ++shown)
    diagnostic.note("in the call of " +
                        (inner->isLambda ? "a lambda" : "'" + inner->function->name + "'"),
                    placeIn(*inner->caller, *inner->callNode));
  return diagnostic;
}

Value Sema::error(const ast::Node &node, const llvm::Twine &message) {
  reportError(node, message);
  return Value::poison();
}

void Sema::warning(const ast::Node &node, const llvm::Twine &message) {
  diagnostics.report(Severity::Warning, place(node), message);
}

void Sema::remark(const ast::Node &node, const llvm::Twine &message) {
  diagnostics.report(Severity::Remark, place(node), message);
}

void Sema::print(llvm::StringRef line) {
  if (input.host && input.host->print)
    input.host->print(input.host->user, line.data(), line.size());
}

bool Sema::pollCancelled() {
  if (!isCancelled && input.host && input.host->cancelled)
    isCancelled = input.host->cancelled(input.host->user);
  return isCancelled;
}
