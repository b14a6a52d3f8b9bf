//===- Request.h - what a compilation is asked to do -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_DRIVER_REQUEST_H
#define KILN_LIB_DRIVER_REQUEST_H

#include "kiln/Frontend/Frontend.h"
#include "kiln/Target/Cpu/Emit.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace kiln::driver {

/// A request of docs/design/compile-interface.md, checked.
struct Request {
  llvm::json::Value document = nullptr;
  /// For the front end, which checks them; null where `mlir` is given.
  const llvm::json::Value *capture() const { return document.getAsObject()->get("capture"); }
  const llvm::json::Value *signature() const { return document.getAsObject()->get("signature"); }
  std::string mlir;

  frontend::KernelOptions options;
  bool streaming = false;
  cpu::CpuSpec cpu;
  std::string chip; ///< a stock machine or the path of a machine file; empty: the CPU
  bool emitTile = false, emitLinalg = false, emitNpu = false, emitLLVM = false,
       emitAssembly = false, emitObject = false;
  std::string dumpDirectory;
  bool explainAccess = false;
  bool verifyEach = false;

  bool isNpu() const { return !chip.empty(); }
  /// Whether any stage after tile IR (CPU: linalg) has to run.
  bool needsCode() const { return emitNpu || emitLLVM || emitAssembly || emitObject; }
};

llvm::Expected<Request> parseRequest(llvm::StringRef text);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_REQUEST_H
