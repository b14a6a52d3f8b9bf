//===- Compiler.h - C interface of the Kiln compiler -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The compiler is a shared library of its own (libkiln_compiler.so) that the runtime loads at the
// first kernel it does not find in the cache. A request and a report are JSON texts;
// docs/design/compile-interface.md gives both.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_C_COMPILER_H
#define KILN_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#define KILN_COMPILER_API_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/// What the compiler may ask of the program that called it. Every pointer may be null.
typedef struct KilnCompileHost {
  void *user;
  /// Evaluates a host function on constexpr arguments. `request` is {"function": N, "args":
  /// [value…], "kwargs": {name: value}}; the answer is {"value": value} or {"error": text} in
  /// memory that `freeText` takes.
  char *(*callHost)(void *user, const char *request);
  void (*freeText)(void *user, char *text);
  /// Prints one line of `tl.static_print`.
  void (*print)(void *user, const char *text, size_t size);
  /// True if the compilation should end: polled between passes and between statements.
  int (*cancelled)(void *user);
  /// Called around the part that needs neither `callHost` nor `print`: the interpreter lock may be
  /// released.
  void (*beginUnlocked)(void *user);
  void (*endUnlocked)(void *user);
} KilnCompileHost;

typedef struct KilnCompilation KilnCompilation;

/// KILN_COMPILER_API_VERSION of the library.
uint32_t kilnCompilerApiVersion(void);

/// JSON: {"kiln": "0.1.0", "llvm": "22.1.8"}.
const char *kilnCompilerVersion(void);

/// JSON: {"triton": ["tl.abs", "tl.load", …]}, every name that a kernel can use, sorted.
const char *kilnVocabulary(void);

/// Compiles the request (`size` bytes of JSON). Never null; never throws. Destroy the result.
KilnCompilation *kilnCompile(const char *request, size_t size, const KilnCompileHost *host);

/// The report (JSON, null-terminated), valid until the compilation is destroyed.
const char *kilnCompilationReport(const KilnCompilation *compilation);

/// The loadable object; null and 0 where the compilation failed or no object was asked for.
const void *kilnCompilationObject(const KilnCompilation *compilation, size_t *size);

void kilnCompilationDestroy(KilnCompilation *compilation);

#ifdef __cplusplus
}
#endif

#endif // KILN_C_COMPILER_H
