//===- CompilerLibraryTest.cpp - tests of loading the compiler -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "TestSupport.h"

#include "runtime/launch/CompilerLibrary.h"

namespace kiln::runtime {
namespace {

namespace fs = std::filesystem;

const std::string compilerPath = std::string(COMPILER_FOLDER) + "/libkiln_compiler.so";

TEST(CompilerLibrary, LoadsAtTheFirstCompilation) {
  CompilerLibrary compiler(compilerPath);
  EXPECT_FALSE(compiler.loaded());
  EXPECT_TRUE(compiler.buildId().ok());
  EXPECT_FALSE(compiler.loaded());
  Compilation compilation = valueOf(compiler.compile(
      R"({"capture": {"object": ")" + kernelPath("Scale") + R"("}, "emit": ["object"]})", nullptr));
  EXPECT_TRUE(compiler.loaded());
  EXPECT_TRUE(contains(std::string(compilation.report()), R"("ok":true)"));
  EXPECT_EQ(compilation.object().size(), readAll(kernelPath("Scale")).size());
}

TEST(CompilerLibrary, LiesBesideTheRuntimeByDefault) {
  CompilerLibrary compiler;
  EXPECT_EQ(compiler.path(), defaultCompilerPath());
  EXPECT_TRUE(fs::exists(fs::path(compiler.path()).parent_path() / "libkiln_runtime.so"));
}

TEST(CompilerLibrary, BuildIdChangesWithEitherFile) {
  std::string id = valueOf(compilerBuildId(compilerPath));
  TemporaryFolder folder;
  std::string copy = folder.path() + "/libkiln_compiler.so";
  fs::copy(compilerPath, copy);
  EXPECT_TRUE(contains(messageOf(compilerBuildId(copy)), "libkiln_ir.so"));
  fs::copy(compilerPath, folder.path() + "/libkiln_ir.so");
  EXPECT_NE(valueOf(compilerBuildId(copy)), id);
  fs::remove(folder.path() + "/libkiln_ir.so");
  fs::copy(std::string(COMPILER_FOLDER) + "/libkiln_ir.so", folder.path() + "/libkiln_ir.so");
  EXPECT_EQ(valueOf(compilerBuildId(copy)), id);
}

TEST(CompilerLibrary, SaysWhatIsWrongWithAFile) {
  CompilerLibrary missing("/nonexistent/libkiln_compiler.so");
  EXPECT_TRUE(contains(messageOf(missing.compile("{}", nullptr)), "cannot be loaded"));
  EXPECT_FALSE(missing.buildId().ok());
  CompilerLibrary other(kernelPath("NoKernel"));
  EXPECT_TRUE(contains(messageOf(other.compile("{}", nullptr)), "does not export 'kiln"));
}

} // namespace
} // namespace kiln::runtime
