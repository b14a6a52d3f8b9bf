//===- Compile.h - from a request to a report and an object ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_DRIVER_COMPILE_H
#define KILN_DRIVER_COMPILE_H

#include "kiln-c/Compiler.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kiln::driver {

struct Compilation {
  std::string report;       // JSON, docs/design/compile-interface.md
  std::vector<char> object; // empty where none was asked for or the compilation failed
};

/// Compiles one request. Every failure, a malformed request included, is in the report.
/// `host` and each of its functions may be null.
Compilation compile(llvm::StringRef request, const KilnCompileHost *host);

} // namespace kiln::driver

#endif // KILN_DRIVER_COMPILE_H
