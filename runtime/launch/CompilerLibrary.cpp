//===- CompilerLibrary.cpp - the compiler, loaded when it is needed ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/launch/CompilerLibrary.h"

#include "runtime/base/ElfFile.h"

#include <dlfcn.h>

namespace kiln::runtime {
namespace {

constexpr const char *compilerFile = "libkiln_compiler.so";
constexpr const char *passesFile = "libkiln_ir.so";

std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

} // namespace

struct CompilerLibrary::Functions {
  decltype(&kilnCompilerApiVersion) apiVersion;
  decltype(&kilnCompile) compile;
  decltype(&kilnCompilationReport) report;
  decltype(&kilnCompilationObject) object;
  decltype(&kilnCompilationDestroy) destroy;
};

std::string defaultCompilerPath() {
  Dl_info here;
  static const char anchor = 0;
  if (!::dladdr(&anchor, &here) || !here.dli_fname)
    return compilerFile;
  return folderOf(here.dli_fname) + "/" + compilerFile;
}

Result<std::string> compilerBuildId(const std::string &path) {
  Result<std::string> compiler = readBuildId(path);
  if (!compiler)
    return compiler.takeError();
  Result<std::string> passes = readBuildId(folderOf(path) + "/" + passesFile);
  if (!passes)
    return passes.takeError();
  return *compiler + "-" + *passes;
}

CompilerLibrary::CompilerLibrary(std::string path)
    : file(path.empty() ? defaultCompilerPath() : std::move(path)) {}

bool CompilerLibrary::loaded() const {
  std::lock_guard lock(mutex);
  return functions != nullptr;
}

Result<std::string> CompilerLibrary::buildId() {
  std::lock_guard lock(mutex);
  if (identity.empty()) {
    Result<std::string> id = compilerBuildId(file);
    if (!id)
      return id.takeError();
    identity = *id;
  }
  return identity;
}

Result<const CompilerLibrary::Functions *> CompilerLibrary::load() {
  std::lock_guard lock(mutex);
  if (functions)
    return functions.get();
  // Never closed: LLVM's globals do not survive that.
  void *library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = ::dlerror();
    return makeError(ErrorKind::NotFound, "compiler '" + file + "'",
                     std::string("cannot be loaded: ") + (reason ? reason : "no reason"));
  }
  auto found = std::make_shared<Functions>();
  const char *missing = nullptr;
  auto resolve = [&](auto &function, const char *name) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    if (!function)
      missing = name;
  };
  resolve(found->apiVersion, "kilnCompilerApiVersion");
  resolve(found->compile, "kilnCompile");
  resolve(found->report, "kilnCompilationReport");
  resolve(found->object, "kilnCompilationObject");
  resolve(found->destroy, "kilnCompilationDestroy");
  if (missing)
    return makeError(ErrorKind::Invalid, "compiler '" + file + "'",
                     std::string("does not export '") + missing + "'");
  if (uint32_t version = found->apiVersion(); version != KILN_COMPILER_API_VERSION)
    return makeError(ErrorKind::Invalid, "compiler '" + file + "'",
                     "has version " + std::to_string(version) + " of the compiler interface",
                     "version " + std::to_string(KILN_COMPILER_API_VERSION));
  functions = std::move(found);
  return functions.get();
}

Result<Compilation> CompilerLibrary::compile(std::string_view request,
                                             const KilnCompileHost *host) {
  Result<const Functions *> loaded = load();
  if (!loaded)
    return loaded.takeError();
  const Functions &api = **loaded;
  Compilation compilation;
  compilation.handle = std::shared_ptr<KilnCompilation>(
      api.compile(request.data(), request.size(), host), api.destroy);
  if (const char *report = api.report(compilation.handle.get()))
    compilation.reportText = report;
  size_t size = 0;
  const void *object = api.object(compilation.handle.get(), &size);
  if (object)
    compilation.objectBytes = {static_cast<const std::byte *>(object), size};
  return compilation;
}

} // namespace kiln::runtime
