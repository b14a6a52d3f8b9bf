//===- CompilerLibrary.h - the compiler, loaded when it is needed ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_LAUNCH_COMPILERLIBRARY_H
#define KILN_RUNTIME_LAUNCH_COMPILERLIBRARY_H

#include "kiln-c/Compiler.h"
#include "runtime/base/Result.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace kiln::runtime {

/// A finished compilation: report and object live as long as it does.
class Compilation {
public:
  std::string_view report() const { return reportText; }
  /// Empty where the compilation failed or no object was asked for.
  std::span<const std::byte> object() const { return objectBytes; }

private:
  friend class CompilerLibrary;
  std::shared_ptr<KilnCompilation> handle;
  std::string_view reportText;
  std::span<const std::byte> objectBytes;
};

/// libkiln_compiler.so. Making one touches nothing; the first `compile` loads it.
class CompilerLibrary {
public:
  /// An empty path is the library that lies beside this one.
  explicit CompilerLibrary(std::string path = {});

  const std::string &path() const { return file; }
  bool loaded() const;

  /// Identifies the code of the compiler, from the build ids of its files; loads nothing.
  Result<std::string> buildId();

  /// Compiles a request (docs/design/compile-interface.md). A rejected kernel is no error here: the
  /// report says it.
  Result<Compilation> compile(std::string_view request, const KilnCompileHost *host);

private:
  struct Functions;
  Result<const Functions *> load();

  std::string file;
  mutable std::mutex mutex;
  std::shared_ptr<const Functions> functions;
  std::string identity;
};

/// The build id of the compiler at `path` (libkiln_compiler.so, with the libkiln_ir.so beside it),
/// as hexadecimal text, read from the files.
Result<std::string> compilerBuildId(const std::string &path);

/// libkiln_compiler.so in the folder of the library or program that holds this code.
std::string defaultCompilerPath();

} // namespace kiln::runtime

#endif // KILN_RUNTIME_LAUNCH_COMPILERLIBRARY_H
