//===- Compiler.cpp - C interface of the Kiln compiler ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln-c/Compiler.h"

#include "kiln/Driver/Compile.h"
#include "kiln/Frontend/Vocabulary.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

struct KilnCompilation {
  kiln::driver::Compilation result;
};

uint32_t kilnCompilerApiVersion(void) { return KILN_COMPILER_API_VERSION; }

const char *kilnCompilerVersion(void) {
  return "{\"kiln\": \"" KILN_VERSION "\", \"llvm\": \"" LLVM_VERSION_STRING "\"}";
}

const char *kilnVocabulary(void) {
  static const std::string text = [] {
    llvm::json::Array names;
    for (const std::string &name : kiln::frontend::tritonVocabulary().names())
      names.push_back(name);
    llvm::json::Value table = llvm::json::Object{{"triton", std::move(names)}};
    return llvm::formatv("{0}", table).str();
  }();
  return text.c_str();
}

KilnCompilation *kilnCompile(const char *request, size_t size, const KilnCompileHost *host) {
  llvm::StringRef text = request ? llvm::StringRef(request, size) : llvm::StringRef();
  return new KilnCompilation{kiln::driver::compile(text, host)};
}

const char *kilnCompilationReport(const KilnCompilation *compilation) {
  return compilation->result.report.c_str();
}

const void *kilnCompilationObject(const KilnCompilation *compilation, size_t *size) {
  const std::vector<char> &object = compilation->result.object;
  if (size)
    *size = object.size();
  return object.empty() ? nullptr : object.data();
}

void kilnCompilationDestroy(KilnCompilation *compilation) { delete compilation; }
