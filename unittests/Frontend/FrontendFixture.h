//===- FrontendFixture.h - kernels of the folder Inputs ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
#ifndef KILN_UNITTESTS_FRONTEND_FRONTENDFIXTURE_H
#define KILN_UNITTESTS_FRONTEND_FRONTENDFIXTURE_H

#include "kiln/Frontend/Frontend.h"
#include "kiln/Support/Json.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

namespace kiln::frontend {

/// The text of a request: `{"capture": …, "signature": …}`.
inline std::string readInput(const std::string &name) {
  auto buffer = llvm::MemoryBuffer::getFile(std::string(KILN_TEST_INPUTS) + "/" + name + ".json");
  return buffer ? (*buffer)->getBuffer().str() : "";
}

struct Built {
  bool ok = false, cancelled = false;
  std::string messages;
  size_t operations = 0;
};

inline Built build(mlir::MLIRContext &context, const llvm::json::Value &request,
                   const KilnCompileHost *host = nullptr) {
  FrontendInput input;
  if (const llvm::json::Object *object = request.getAsObject()) {
    input.capture = object->get("capture");
    input.signature = object->get("signature");
  }
  input.host = host;
  DiagnosticEngine diagnostics;
  Built result;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      buildKernel(context, input, diagnostics, &result.cancelled);
  result.ok = static_cast<bool>(module);
  result.messages = diagnostics.renderAll();
  if (module)
    module->walk([&](mlir::Operation *) { ++result.operations; });
  return result;
}

} // namespace kiln::frontend

#endif // KILN_UNITTESTS_FRONTEND_FRONTENDFIXTURE_H
